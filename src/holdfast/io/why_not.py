"""Why a term was not found or not linked: which rule, threshold or other mention kept it out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from holdfast.detect.dictionary import DictionaryDetector
from holdfast.detect.overlaps import is_part, span_of
from holdfast.detect.scan import ADDRESS, with_brackets
from holdfast.detect.trained import TrainedDetector
from holdfast.detect.why_not import Reason, reasons_of_dictionary, reasons_of_tagger
from holdfast.document import Document, Mention, Span
from holdfast.kb.describe import search
from holdfast.kb.store import KnowledgeBase
from holdfast.link.rules import Rules
from holdfast.pipeline import Pipeline
from holdfast.text.lines import on_one_line, unwrapped
from holdfast.text.tokens import TOKEN, key_of_token, tokens_of

_NEAREST: Final = 3  # names
_DECIMALS: Final = 4
_GAP: Final = 12  # characters between two words of a term


@dataclass(frozen=True, slots=True)
class TermPlace:
    """A place where the term stands, and what became of it there."""

    span: Span
    text: str
    reasons: tuple[Reason, ...]

    @property
    def is_found(self) -> bool:
        return any(reason.rule == "found" for reason in self.reasons)

    def to_json(self) -> dict[str, Any]:
        return {
            "start": self.span.start,
            "end": self.span.end,
            "text": self.text,
            "found": self.is_found,
            "reasons": [reason.to_json() for reason in self.reasons],
        }


@dataclass(frozen=True, slots=True)
class WhyNot:
    """What a document and a knowledge base say of a term."""

    term: str
    document_id: str = ""
    places: tuple[TermPlace, ...] = ()
    reasons: tuple[Reason, ...] = field(default=())  # where it stands nowhere in the text

    def to_json(self) -> dict[str, Any]:
        return {
            "term": self.term,
            "document": self.document_id,
            "places": [place.to_json() for place in self.places],
            "reasons": [reason.to_json() for reason in self.reasons],
        }

    def lines(self) -> Iterator[str]:
        """The reasons as lines of text; places with equal reasons share them."""
        same: dict[tuple[Reason, ...], list[TermPlace]] = {}
        for place in self.places:
            same.setdefault(place.reasons, []).append(place)
        for reasons, places in same.items():
            at = ", ".join(f"{place.span.start}-{place.span.end}" for place in places)
            yield f"“{places[0].text}” at {at}:"
            yield from (f"  {reason.rule}: {reason.detail}" for reason in reasons)
        yield from (f"{reason.rule}: {reason.detail}" for reason in self.reasons)


def why_not(
    document: Document,
    term: str,
    *,
    pipeline: Pipeline,
    kb: KnowledgeBase,
    rules: Rules | None = None,
) -> WhyNot:
    """Run the pipeline over a document and say what became of a term in it.

    `rules` are those that the pipeline applies. A term that does not occur is looked up in the
    knowledge base all the same.
    """
    if not tokens_of(term):
        absent = Reason("absent", f"“{term}” has no letter or digit, so no text can name it")
        return WhyNot(term, document.id, reasons=(absent,))
    answer = pipeline(document.with_mentions(()))
    spans = _occurrences(document.text, term)
    detector = _detector_of(pipeline)
    if not spans:
        return WhyNot(term, document.id, reasons=tuple(_absent(document.text, term, detector, kb)))
    places = []
    for span in spans:
        reasons = list(_answered(span, answer)) or list(
            _kept_out(span, answer, detector=detector, kb=kb, rules=rules)
        )
        places.append(TermPlace(span, document.text[span.start : span.end], tuple(reasons)))
    return WhyNot(term, document.id, tuple(places))


def _detector_of(pipeline: Pipeline) -> TrainedDetector | DictionaryDetector | None:
    steps = pipeline.functions()
    known = (s for s in steps if isinstance(s, TrainedDetector | DictionaryDetector))
    return next(known, None)


def _dictionary_of(
    detector: TrainedDetector | DictionaryDetector | None, kb: KnowledgeBase
) -> DictionaryDetector:
    if detector is None:
        return DictionaryDetector(kb)
    return detector.dictionary if isinstance(detector, TrainedDetector) else detector


def _occurrences(text: str, term: str) -> list[Span]:
    """Where the term's words stand in the text, in whatever case and number."""
    wanted = [key_of_token(token) for token in tokens_of(term)]
    tokens = [match.span() for match in TOKEN.finditer(text)]
    keys = [key_of_token(text[start:end]) for start, end in tokens]
    found = []
    for first in range(len(keys) - len(wanted) + 1):
        last = first + len(wanted) - 1
        if keys[first : last + 1] == wanted and _are_close(tokens[first : last + 1]):
            found.append(with_brackets(Span(tokens[first][0], tokens[last][1]), text))
    return found


def _are_close(tokens: Sequence[tuple[int, int]]) -> bool:
    """Whether nothing but a few marks and white space stands between the tokens."""
    return all(right[0] - left[1] <= _GAP for left, right in pairwise(tokens))


def _absent(
    text: str,
    term: str,
    detector: TrainedDetector | DictionaryDetector | None,
    kb: KnowledgeBase,
) -> Iterator[Reason]:
    inside = text.casefold().find(term.casefold())
    if inside >= 0:
        yield Reason("inside a word", f"“{term}” stands in the text only as a part of longer words")
    else:
        yield Reason("absent", f"“{term}” does not occur in the text")
    yield from listing_of(term, _dictionary_of(detector, kb), kb)


def listing_of(surface: str, dictionary: DictionaryDetector, kb: KnowledgeBase) -> Iterator[Reason]:
    """What the knowledge base says of a term, wherever it stands."""
    rows = dictionary.rows_named(surface).tolist()
    if not rows:
        near = search(kb, surface, top=_NEAREST)
        names = ", ".join(f"“{found.name}” ({found.entity.id})" for found in near)
        said = f"; the nearest names are {names}" if near else ""
        nearest = [found.to_json() for found in near]
        yield Reason("unlisted", f"{kb.name!r} does not list it{said}", {"nearest": nearest})
        return
    yield from reasons_of_dictionary(surface, rows, dictionary, kb)


def _answered(span: Span, answer: Document) -> Iterator[Reason]:
    """What the pipeline says of a mention that is just the term."""
    for mention in answer.mentions:
        if span_of(mention) != span:
            continue
        if mention.is_linked:
            best = mention.candidates[0] if mention.candidates else None
            label = f" ({best.label or best.name}, score {best.score:.2f})" if best else ""
            detail = f"it was found as {mention.type or 'a mention'} and linked to "
            yield Reason("found", f"{detail}{', '.join(mention.ids)}{label}")
        else:
            yield _nil(mention)


def _nil(mention: Mention) -> Reason:
    kind = mention.type or "a mention"
    if not mention.candidates:
        return Reason("nil", f"it was found as {kind}, but nothing of that type resembles it")
    none = max(0.0, 1.0 - sum(candidate.score for candidate in mention.candidates))
    best = mention.candidates[0]
    return Reason(
        "nil",
        f"it was found as {kind}, but the linker says “none of these”, whose probability is "
        f"{none:.2f}; that of the best candidate, {best.entity_id} ({best.label or best.name}), "
        f"is {best.score:.2f}",
        {
            "none": round(none, _DECIMALS),
            "candidates": {c.entity_id: c.score for c in mention.candidates},
        },
    )


def _kept_out(
    span: Span,
    answer: Document,
    *,
    detector: TrainedDetector | DictionaryDetector | None,
    kb: KnowledgeBase,
    rules: Rules | None,
) -> Iterator[Reason]:
    """Why no mention is just the term."""
    text = unwrapped(answer.text)
    surface = on_one_line(answer.text[span.start : span.end])
    if rules is not None:
        yield from (Reason("blocked", said) for said in rules.reasons_against(surface))
    if any(
        match.start() < span.end and span.start < match.end() for match in ADDRESS.finditer(text)
    ):
        yield Reason("address", "it is a part of an address, in which nothing is named")
    if "\n" in text[span.start : span.end]:
        yield Reason("lines", "it goes on in another line, and that line was not merely wrapped")
    dictionary = _dictionary_of(detector, kb)
    listing = list(listing_of(surface, dictionary, kb))
    yield from listing
    if isinstance(detector, TrainedDetector):
        yield from reasons_of_tagger(span, answer.text, detector, is_listed=_is_listed(listing))
    yield from _rivals(span, answer)


def _is_listed(reasons: Collection[Reason]) -> bool:
    return any(reason.rule == "listed" for reason in reasons)


def _rivals(span: Span, answer: Document) -> Iterator[Reason]:
    """The mentions that were found where the term stands."""
    for mention in answer.mentions:
        other = span_of(mention)
        if other.start >= span.end or span.start >= other.end:
            continue
        if is_part(span, other):
            relation = "it is a part of the longer mention"
        elif is_part(other, span):
            relation = "a part of it was found instead:"
        else:
            relation = "it overlaps the mention"
        facts: Mapping[str, Any] = {
            "mention": answer.text_of(mention),
            "type": mention.type,
            "ids": list(mention.ids),
            "start": other.start,
            "end": other.end,
        }
        ids = ", ".join(mention.ids) or "unlinked"
        detail = f"{relation} “{answer.text_of(mention)}” ({mention.type or 'no type'}, {ids})"
        yield Reason("overlap", detail, facts)
