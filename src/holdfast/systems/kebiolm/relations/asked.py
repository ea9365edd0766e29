"""A question as the network reads it: tokens, marks, the places of mentions, and plain features.

The head of the question is marked in the text, so that the encoder reads the document for this
head: whether a tail's mention is related to it can be read off the mention's own states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.document import Document, Span
from holdfast.encoders.tokens import TokenReader, Tokens
from holdfast.systems.kebiolm.relations.pairs import DocumentEntity, Question, entities_of
from holdfast.text.sentences import split_sentences

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

MARKS: Final = ("head", "tail", "other")
"""What is known of a token: a mention of the head, of a tail that is asked about, of another."""

MENTION_FEATURES: Final = 5
PAIR_FEATURES: Final = 9
_REACH: Final = 120  # tokens to each side of the head's mentions that a long document is read by


@dataclass(frozen=True, slots=True, eq=False)
class ReadText:
    """A document in tokens and sentences."""

    document: Document
    tokens: Tokens
    sentences: tuple[Span, ...]  # at least one, unless the text is blank

    @classmethod
    def of(cls, document: Document, reader: TokenReader) -> ReadText:
        return cls(document, reader.read(document.text), tuple(split_sentences(document.text)))

    def sentence_at(self, start: int) -> int:
        starts = [span.start for span in self.sentences]
        return max(0, int(np.searchsorted(starts, start, side="right")) - 1)

    def span_of(self, start: int, end: int) -> tuple[int, int] | None:
        """The first and the last token that touch these code points; None if none does."""
        first = int(np.searchsorted(self.tokens.ends, start, side="right"))
        last = int(np.searchsorted(self.tokens.starts, end, side="left")) - 1
        return (first, last) if first <= last else None


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question in numbers. Spans are of its tokens, ends inclusive."""

    tokens: Tokens
    marks: Floats  # (tokens, MARKS)
    heads: Integers  # (mentions of the head, 2)
    tails: Integers  # (mentions of tails, 2)
    owners: Integers  # (mentions of tails,): the tail of each
    of_mentions: Floats  # (mentions of tails, MENTION_FEATURES)
    of_pairs: Floats  # (tails, PAIR_FEATURES)
    sentences: Integers  # (mentions of tails,): the document's sentence of each
    judged: tuple[DocumentEntity, ...]  # tails that are read; others are too far from the head


@dataclass(frozen=True, slots=True)
class _Place:
    """A mention among the tokens of the document."""

    first: int
    last: int
    sentence: int


def ask(text: ReadText, question: Question, *, longest: int) -> Asked | None:
    """The question in numbers; None if no mention of its head or of its tails has a token.

    Of a document of more than `longest` tokens, only what stands near the head is read.
    """
    heads = _places(text, question.head)
    if not heads:
        return None
    kept = _kept(len(text.tokens), heads, longest)
    position = np.full(len(text.tokens), -1, dtype=np.int64)
    position[kept] = np.arange(len(kept))
    found = [
        (tail, [p for p in _places(text, tail) if (position[p.first : p.last + 1] >= 0).all()])
        for tail in question.tails
    ]
    near = [(tail, places) for tail, places in found if places]
    heads = [p for p in heads if (position[p.first : p.last + 1] >= 0).all()]
    if not near or not heads:
        return None
    tails = [(owner, place) for owner, (_, places) in enumerate(near) for place in places]
    return Asked(
        tokens=text.tokens.at(kept),
        marks=_marks(text, question)[kept],
        heads=_spans(heads, position),
        tails=_spans([place for _, place in tails], position),
        owners=np.array([owner for owner, _ in tails], dtype=np.int64),
        of_mentions=_mention_features(text, heads, [place for _, place in tails]),
        of_pairs=_pair_features(text, heads, [places for _, places in near]),
        sentences=np.array([place.sentence for _, place in tails], dtype=np.int64),
        judged=tuple(tail for tail, _ in near),
    )


def _places(text: ReadText, entity: DocumentEntity) -> list[_Place]:
    found = list[_Place]()
    for mention in entity.mentions:
        span = text.span_of(mention.start, mention.end)
        if span is not None:
            found.append(_Place(*span, text.sentence_at(mention.start)))
    return found


def _kept(count: int, heads: Sequence[_Place], longest: int) -> Integers:
    """Places of the tokens that are read."""
    if count <= longest:
        return np.arange(count)
    near = np.zeros(count, dtype=bool)
    for place in heads:
        near[max(0, place.first - _REACH) : place.last + 1 + _REACH] = True
    return np.flatnonzero(near)


def _spans(places: Sequence[_Place], position: Integers) -> Integers:
    rows = [(position[place.first], position[place.last]) for place in places]
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def _marks(text: ReadText, question: Question) -> Floats:
    """*Shape:* (tokens of the document, MARKS)"""
    marks = np.zeros((len(text.tokens), len(MARKS)), dtype=np.float32)
    asked = {tail.id for tail in question.tails}
    for entity in entities_of(text.document):
        which = 0 if entity.id == question.head.id else 1 if entity.id in asked else 2
        for place in _places(text, entity):
            marks[place.first : place.last + 1, which] = 1.0
    return marks


def _mention_features(text: ReadText, heads: Sequence[_Place], tails: Sequence[_Place]) -> Floats:
    """Whether the head is in the sentence or beside it, where the sentence is, how far the head."""
    with_head = {place.sentence for place in heads}
    last = len(text.sentences) - 1
    rows = [
        (
            place.sentence in with_head,
            bool({place.sentence - 1, place.sentence + 1} & with_head),
            place.sentence == 0,
            place.sentence == last,
            np.log1p(min(abs(place.first - head.first) for head in heads)) / 5,
        )
        for place in tails
    ]
    return np.array(rows, dtype=np.float32).reshape(-1, MENTION_FEATURES)


def _pair_features(
    text: ReadText, heads: Sequence[_Place], tails: Sequence[Sequence[_Place]]
) -> Floats:
    """How often both are mentioned, apart and together, and where."""
    of_head = {place.sentence for place in heads}
    last = len(text.sentences) - 1
    rows = list[tuple[float, ...]]()
    for places in tails:
        of_tail = {place.sentence for place in places}
        shared = of_head & of_tail
        rows.append(
            (
                np.log1p(len(heads)),
                np.log1p(len(places)),
                np.log1p(len(shared)),
                len(shared) / len(of_tail),
                0 in of_head,
                0 in of_tail,
                last in shared,
                1 / (1 + min(abs(a - b) for a in of_head for b in of_tail)),
                np.log1p(len(tails)) / 2,
            )
        )
    return np.array(rows, dtype=np.float32).reshape(-1, PAIR_FEATURES)
