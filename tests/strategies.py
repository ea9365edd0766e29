"""Random documents, for properties that hold for every document."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from holdfast.document import (
    NIL,
    STATUSES,
    Argument,
    Candidate,
    Document,
    Evidence,
    Mention,
    Passage,
    Relation,
    Span,
    TypeScore,
)

TYPES = ("", "Disease", "Chemical", "GeneOrGeneProduct", "OrganismTaxon", "SequenceVariant", "Cell")
IDS = (
    "MESH:D000544",
    "MESH:C535662",
    "OMIM:215600",
    "NCBIGene:7157",
    "NCBITaxon:9606",
    "UMLS:C0002395",
    "Cellosaurus:CVCL_0023",
    "dbSNP:rs1801133",
    "CHEBI:15365",
    "MY-TERMS:a.1",
)
VARIANT_ID = "tmVar:c|SUB|C|677|T"  # the `|` is part of it, which only variants' ids may have
ODD_CHARACTERS = (
    "\u00e9e\u0301\U0001f9ec\U0001f468\u200d\U0001f52c\u03b2\u2009\u00a0\u2028\ufeff\"'<>&|;\\"
)

_words = st.text(string.ascii_letters + string.digits + ODD_CHARACTERS, min_size=1, max_size=6)


def texts(*, breaks: str = "\n\r\t", max_words: int = 12) -> st.SearchStrategy[str]:
    """Words of several scripts with blanks, and any of `breaks`, between them; may be empty."""
    between = st.sampled_from([" ", " ", " ", ", ", *breaks])
    pieces = st.lists(st.tuples(_words, between), max_size=max_words)
    return pieces.map(lambda pairs: "".join(word + blank for word, blank in pairs))


def names() -> st.SearchStrategy[str]:
    """Identifiers that every format accepts: letters, digits, `-` and `_`."""
    return st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,9}", fullmatch=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What random documents may have. The default is everything a Document can hold."""

    breaks: str = "\n\r\t"  # blanks besides the space
    passages: str = "any"  # "any", "none", or "title" for a title and an abstract
    interrupted: bool = True
    overlapping: bool = True
    sorted: bool = False  # mentions in the order of their start
    ids: bool = True
    mention_ids: str = "any"  # "any", "none", or "brat" for T1, T2, …
    types: Sequence[str] = TYPES
    parts: bool = True
    status: bool = True
    candidates: bool = True
    arguments: str = "any"  # of relations: "any", "none", "entity" or "mention"
    max_arguments: int = 3
    roles: bool = True
    relation_notes: bool = True
    relation_scores: bool = True
    relation_ids: str = "any"  # "any", "none", or "brat" for R1, R2, …
    metadata: bool = True
    repeated_keys: bool = True
    empty_text: bool = True


EVERYTHING = Shape()


@st.composite
def documents(draw: st.DrawFn, shape: Shape = EVERYTHING) -> Document:
    """A valid document of that shape."""
    if shape.passages == "title":
        title, abstract = (draw(texts(breaks=shape.breaks)) for _ in range(2))
        text = f"{title}\n{abstract}"
        passages: tuple[Passage, ...] = (
            Passage("title", 0, len(title)),
            Passage("abstract", len(title) + 1, len(text)),
        )
    else:
        text = draw(texts(breaks=shape.breaks))
        if not text and not shape.empty_text:
            text = "text"
        passages = draw(_passages(text)) if shape.passages == "any" else ()
    mentions = draw(_mentions(text, shape))
    return Document(
        draw(names()),
        text,
        passages=passages,
        mentions=mentions,
        relations=draw(_relations(mentions, shape)),
        metadata=draw(_metadata(shape)),
    )


@st.composite
def _passages(draw: st.DrawFn, text: str) -> tuple[Passage, ...]:
    edges = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    kinds = st.sampled_from(["title", "abstract", "METHODS", "", 'a < b & "c"'])
    pairs = zip(edges[::2], edges[1::2], strict=False)
    return tuple(Passage(draw(kinds), start, end) for start, end in pairs)


@st.composite
def _mentions(draw: st.DrawFn, text: str, shape: Shape) -> tuple[Mention, ...]:
    if not text:
        return ()
    spans = draw(st.lists(_spans(text, interrupted=shape.interrupted), max_size=4))
    if shape.sorted or not shape.overlapping:
        spans.sort()
    kept, end = list[tuple[Span, ...]](), 0
    for mention in spans:
        if shape.overlapping or mention[0].start >= end:
            kept.append(mention)
            end = mention[-1].end
    return tuple(draw(_mention(s, number, shape)) for number, s in enumerate(kept, 1))


@st.composite
def _spans(draw: st.DrawFn, text: str, *, interrupted: bool) -> tuple[Span, ...]:
    count = draw(st.sampled_from([1, 1, 2, 3])) if interrupted else 1
    count = min(count, (len(text) + 1) // 2)
    edges = st.lists(
        st.integers(0, len(text)), min_size=2 * count, max_size=2 * count, unique=True
    ).map(sorted)
    chosen = draw(edges)
    return tuple(Span(*pair) for pair in zip(chosen[::2], chosen[1::2], strict=True))


@st.composite
def _mention(draw: st.DrawFn, spans: tuple[Span, ...], number: int, shape: Shape) -> Mention:
    kind = draw(st.sampled_from(shape.types))
    choices = (*IDS, VARIANT_ID) if kind == "SequenceVariant" else IDS
    ids = draw(
        st.one_of(
            st.just(()),
            st.just((NIL,)),
            st.lists(st.sampled_from(choices), min_size=1, max_size=3, unique=True).map(tuple),
        )
    )
    own_id = {"none": "", "brat": f"T{number}"}.get(shape.mention_ids)
    return Mention(
        spans,
        type=kind,
        ids=ids if shape.ids else (),
        id=draw(st.sampled_from(["", f"m{number}"])) if own_id is None else own_id,
        parts=tuple(draw(st.lists(_parts, max_size=2))) if shape.parts else (),
        status=draw(st.sampled_from([None, *STATUSES])) if shape.status else None,
        candidates=tuple(draw(st.lists(_candidates(), max_size=2))) if shape.candidates else (),
        types=tuple(draw(st.lists(_type_scores(), max_size=2))) if shape.candidates else (),
    )


_parts = st.sampled_from(["ovarian cancer", "cancer \u03b2", "a"])


def _type_scores() -> st.SearchStrategy[TypeScore]:
    return st.builds(
        TypeScore, st.sampled_from(["neoplasm", "organ \u03b2"]), score=st.floats(0, 1)
    )


def _candidates() -> st.SearchStrategy[Candidate]:
    evidence = st.builds(
        Evidence,
        st.sampled_from(["exact", "ngram"]),
        st.text(max_size=5).filter(_encodes),
        st.none() | st.floats(-10, 10),
    )
    return st.builds(
        Candidate,
        entity_id=st.sampled_from(IDS),
        name=_words,
        score=st.floats(0, 1),
        label=st.sampled_from(["", "Alzheimer Disease"]),
        evidence=st.lists(evidence, max_size=2).map(tuple),
    )


@st.composite
def _relations(
    draw: st.DrawFn, mentions: tuple[Mention, ...], shape: Shape
) -> tuple[Relation, ...]:
    entity = st.sampled_from(IDS).map(lambda i: Argument(entity_id=i))
    named = [Argument(mention_id=m.id) for m in mentions if m.id]
    choices = {
        "any": [entity, *([st.sampled_from(named)] if named else [])],
        "entity": [entity],
        "mention": [st.sampled_from(named)] if named else [],
        "none": [],
    }[shape.arguments]
    if not choices:
        return ()
    roles = st.sampled_from(["", "", "agent"] if shape.roles else [""])
    argument = st.builds(
        lambda a, role: Argument(a.entity_id, a.mention_id, role), st.one_of(*choices), roles
    )
    found = draw(st.lists(st.lists(argument, min_size=2, max_size=shape.max_arguments), max_size=2))
    own_ids = {"none": "", "brat": "R{}", "any": draw(st.sampled_from(["", "r{}"]))}
    return tuple(
        Relation(
            draw(st.sampled_from(["CID", "Positive_Correlation"])),
            tuple(arguments),
            id=own_ids[shape.relation_ids].format(number),
            note=draw(st.sampled_from(["", "Novel"])) if shape.relation_notes else "",
            score=draw(st.sampled_from([None, None, 0.0, 0.8125]))
            if shape.relation_scores
            else None,
        )
        for number, arguments in enumerate(found, 1)
    )


@st.composite
def _metadata(draw: st.DrawFn, shape: Shape) -> tuple[tuple[str, str], ...]:
    if not shape.metadata:
        return ()
    keys = st.sampled_from(["journal", "year", "mesh_heading"])
    values = texts(breaks=shape.breaks, max_words=2)
    pairs = draw(st.lists(st.tuples(keys, values), max_size=3))
    return tuple(pairs) if shape.repeated_keys else tuple(dict(pairs).items())


def _encodes(value: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in value)
