"""Are listed names found in text? Names drawn at random, put into sentences, and linked.

A name counts as found if some mention is exactly that name, and as linked if that mention's id is
the name's own entity or one that a cross-reference calls the same. No sentence tells a species, so
the same gene of another species counts too. Given as a marked mention, only the linker is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from holdfast import types
from holdfast.document import Document, Mention
from holdfast.errors import UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.pipeline import Pipeline
from holdfast.progress import Progress

FRAMES: Final = (
    "We report on {} in this study.",
    "The role of {} remains unclear, and further work is needed.",
    "Here, {} was examined in detail.",
)
SHORTEST: Final = 4  # characters
LONGEST: Final = 45

MAIN: Final = (
    "MeSH Disease",
    "MeSH Chemical",
    "Human Phenotype Ontology",
    "UBERON",
    "Gene Ontology",
    "Cell Ontology",
    "NCBI Taxonomy",
    "genes",
)
"""The groups of the open knowledge base whose ids are the usual answers; the other vocabularies
largely list the same concepts again."""

_GENES: Final = ("HGNC", "MGI", "RGD")
_DIVIDED: Final = {"MeSH": (types.DISEASE, types.CHEMICAL)}  # drawn from by type, and no other


@dataclass(frozen=True, slots=True)
class Listed:
    """A preferred name that was drawn, its entity, and the group it was drawn from."""

    group: str
    entity_id: str
    name: str


@dataclass(frozen=True, slots=True)
class ListedAnswer:
    """What became of a listed name in one sentence."""

    listed: Listed
    frame: str
    is_found: bool  # some mention is exactly the name
    is_linked: bool  # and has the right id
    said: str  # what was found there instead, for people


def draw_names(kb: KnowledgeBase, *, each: int, seed: int) -> list[Listed]:
    """`each` preferred names of every group of the knowledge base, or all of a smaller group.

    A group is a vocabulary; MeSH counts as diseases and as chemicals, and the vocabularies of genes
    count as one. Names have 4 to 45 characters and no comma; entities of type Other are left out.
    """
    random = np.random.default_rng(seed)
    drawn = list[Listed]()
    for group, rows in _groups(kb):
        names = [
            Listed(group, kb.id_at(row), name)
            for row in rows.tolist()
            if SHORTEST <= len(name := kb.label_at(row)) <= LONGEST and "," not in name
        ]
        places = random.choice(len(names), size=min(each, len(names)), replace=False)
        drawn += [names[place] for place in sorted(places.tolist())]
    if not drawn:
        raise UsageError(f"the knowledge base {kb.name!r} has no name of 4 to 45 characters")
    return drawn


def _groups(kb: KnowledgeBase) -> Iterator[tuple[str, np.ndarray[Any, np.dtype[np.int64]]]]:
    is_usual = kb.type_mask & np.uint32(types.mask_of(None) & ~types.mask_of([types.OTHER])) != 0
    for place, source in enumerate(kb.sources):
        if source.name in _GENES:
            continue
        own = (kb.source_of == place) & is_usual
        for type in _DIVIDED.get(source.name, ("",)):
            wanted = own & (kb.type_mask & np.uint32(types.mask_of([type])) != 0) if type else own
            if wanted.any():
                yield f"{source.name} {type}".strip(), np.flatnonzero(wanted)
    genes = [place for place, source in enumerate(kb.sources) if source.name in _GENES]
    if genes:
        yield "genes", np.flatnonzero(np.isin(kb.source_of, genes) & is_usual)


def find_listed(
    pipeline: Pipeline, kb: KnowledgeBase, drawn: Sequence[Listed], frame: str, *, given: bool
) -> Iterator[ListedAnswer]:
    """Each name in the sentence; with `given`, as a mention that is marked already."""
    documents = (_sentence(listed.name, frame, given=given) for listed in drawn)
    for listed, linked in zip(drawn, pipeline.pipe(documents), strict=True):
        yield _judged(kb, listed, linked, frame)


def _sentence(name: str, frame: str, *, given: bool) -> Document:
    start = frame.index("{}")
    marked = (Mention.at(start, start + len(name)),) if given else ()
    return Document("", frame.replace("{}", name), mentions=marked)


def _judged(kb: KnowledgeBase, listed: Listed, document: Document, frame: str) -> ListedAnswer:
    start = frame.index("{}")
    end = start + len(listed.name)
    whole = [m for m in document.mentions if (m.start, m.end) == (start, end)]
    near = [m for m in document.mentions if m.start < end and m.end > start]
    said = "; ".join(
        f"{document.text_of(mention)}: {', '.join(mention.ids)}" for mention in whole or near
    )
    return ListedAnswer(
        listed,
        frame,
        is_found=bool(whole),
        is_linked=any(is_same(kb, listed.entity_id, id) for m in whole for id in m.ids),
        said=said or "nothing",
    )


def is_same(kb: KnowledgeBase, id: str, answered: str) -> bool:
    """Whether the answer is the entity, an equivalent, or the same gene of another species."""
    same = same_entities(kb, id)
    if answered in same:
        return True
    return answered in _orthologues(kb, id) or not same.isdisjoint(_orthologues(kb, answered))


def _orthologues(kb: KnowledgeBase, id: str) -> frozenset[str]:
    row = kb.row_of(id)
    links = () if row is None else kb.entity_at(row).links
    return frozenset(link.object_id for link in links if link.predicate == "orthologous_to")


def same_entities(kb: KnowledgeBase, id: str) -> frozenset[str]:
    """The id, what it and others list as the same, and what shares a listed id with it."""
    direct = kb.equivalents(id)
    return direct.union(*(kb.equivalents(other) for other in direct))


def bench_listed(
    pipeline: Pipeline,
    linker: Pipeline,
    kb: KnowledgeBase,
    *,
    each: int,
    seed: int,
    progress: Progress,
) -> dict[str, Any]:
    """Shares by group and sentence, as results/bench-listed.json holds them.

    `linker` is the pipeline without detection, for names that are given as marked mentions.
    """
    drawn = draw_names(kb, each=each, seed=seed)
    answers = dict[str, list[ListedAnswer]]()
    runs = [("given", linker, FRAMES[0]), *((frame, pipeline, frame) for frame in FRAMES)]
    for done, (name, steps, frame) in enumerate(runs):
        progress(f"linking {len(drawn):,} names: {name}", done / len(runs))
        answers[name] = list(find_listed(steps, kb, drawn, frame, given=name == "given"))
    return {
        "benchmark": "listed",
        "kb": kb.name,
        "kb_digest": kb.manifest.digest,
        "seed": seed,
        "names": len(drawn),
        "rows": [{"sentence": name, **_shares(found)} for name, found in answers.items()],
        "misses": [_miss(name, a) for name, found in answers.items() for a in _missed(found)],
    }


def _shares(answers: Sequence[ListedAnswer]) -> dict[str, Any]:
    groups = dict.fromkeys(answer.listed.group for answer in answers)
    main = [answer for answer in answers if answer.listed.group in MAIN] or answers
    return {
        "linked_main": _share([answer.is_linked for answer in main]),
        "found": _share([answer.is_found for answer in answers]),
        "linked": _share([answer.is_linked for answer in answers]),
        "linked_by_group": {
            group: _share([a.is_linked for a in answers if a.listed.group == group])
            for group in groups
        },
    }


def _share(flags: Sequence[bool]) -> float:
    return round(sum(flags) / len(flags), 4)


def _missed(answers: Sequence[ListedAnswer]) -> Iterator[ListedAnswer]:
    return (answer for answer in answers if not answer.is_linked)


def _miss(sentence: str, answer: ListedAnswer) -> dict[str, str]:
    listed = answer.listed
    return {
        "sentence": sentence,
        "group": listed.group,
        "id": listed.entity_id,
        "name": listed.name,
        "said": answer.said,
    }


def render_listed(measured: dict[str, Any]) -> str:
    """A table for people: a row per group, a column per sentence."""
    rows = measured["rows"]
    lines = [f"{'':32}" + "".join(f"{row['sentence'][:18]:>20}" for row in rows)]
    for group in rows[0]["linked_by_group"]:
        shares = "".join(f"{100 * row['linked_by_group'][group]:>20.1f}" for row in rows)
        lines.append(f"{group:32}{shares}")
    for title, key in (("main vocabularies", "linked_main"), ("all", "linked")):
        lines.append(f"{title:32}" + "".join(f"{100 * row[key]:>20.1f}" for row in rows))
    return "\n".join(lines) + "\n"
