"""A question as the network reads it: tokens, marks, the places of mentions, and plain features.

The head of the question is marked in the text, so that the encoder reads the document for this
head: whether a tail's mention is related to it can be read off the mention's own states.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.document import Document, Mention, Span
from holdfast.encoders.tokens import TokenReader, Tokens
from holdfast.systems.kebiolm.relations.excerpt import sentences_of
from holdfast.systems.kebiolm.relations.pairs import (
    SENTENCE,
    DocumentEntity,
    Question,
    RelationShape,
    entities_of,
)
from holdfast.text.sentences import split_sentences

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

MARKS: Final = ("head", "tail", "other")
"""What is known of a token: a mention of the head, of a tail that is asked about, of another."""

MENTION_FEATURES: Final = 5
PAIR_FEATURES: Final = 9
READ_WHOLE: Final = 1000
"""Tokens up to which a document is read whole; of a longer one, what stands near the head is."""
_REACH: Final = 120  # tokens to each side of the head's mentions that a long document is read by


@dataclass(frozen=True, slots=True)
class Place:
    """A mention among the tokens of a document, ends inclusive."""

    first: int
    last: int
    sentence: int


@dataclass(frozen=True, slots=True, eq=False)
class ReadText:
    """A document in tokens and sentences, and where its entities are."""

    tokens: Tokens
    sentences: tuple[Span, ...]  # at least one, unless the text is blank
    places: Mapping[str, tuple[Place, ...]]  # of each entity's mentions that have a token

    @classmethod
    def of(cls, document: Document, reader: TokenReader, shape: RelationShape) -> ReadText:
        """Entities are those of the shape's types: a model has seen no others marked."""
        tokens = reader.read(document.text)
        if shape.hides_names:
            hidden = [m for m in document.mentions if not m.type or shape.has_type(m.type)]
            tokens = _without_names(tokens, hidden, reader.blank)
        sentences = tuple(split_sentences(document.text))
        starts = [span.start for span in sentences]
        places = {
            entity.id: tuple(_places(entity, tokens, starts))
            for entity in entities_of(document)
            if shape.has_type(entity.type)
        }
        return cls(tokens, sentences, places)

    def share_sentence(self, first: str, second: str) -> bool:
        """Whether a sentence has mentions of both entities."""
        sentences = ({place.sentence for place in self.places[id]} for id in (first, second))
        return bool(set.intersection(*sentences))


def read_texts(
    document: Document, reader: TokenReader, shape: RelationShape
) -> Iterator[tuple[Span, ReadText]]:
    """What is read at a time, and where it stands: the whole document, or each sentence."""
    if shape.within == SENTENCE:
        for span, part in sentences_of(document):
            yield span, ReadText.of(part, reader, shape)
    else:
        yield Span(0, len(document.text)), ReadText.of(document, reader, shape)


def _without_names(tokens: Tokens, mentions: Iterable[Mention], blank: int) -> Tokens:
    """One blank for the tokens that touch a mention; mentions that share a token have one."""
    starts, ends, ids = tokens.starts.copy(), tokens.ends.copy(), tokens.ids.copy()
    named = np.zeros(len(tokens), dtype=bool)
    joined = np.zeros(len(tokens), dtype=bool)  # to the token before
    for mention in mentions:
        first = int(np.searchsorted(ends, mention.start, side="right"))
        last = int(np.searchsorted(starts, mention.end, side="left"))
        named[first:last] = True
        joined[first + 1 : last] = True
    kept = np.flatnonzero(~joined)
    ids[named] = blank
    # A blank ends where the last of the tokens does that it stands for.
    lasts = np.append(kept, len(tokens))[1:] - 1
    words = np.flatnonzero(np.isin(kept, tokens.words) | named[kept])
    return Tokens(ids[kept], starts[kept], np.take(ends, lasts), words)


def _places(entity: DocumentEntity, tokens: Tokens, starts: Sequence[int]) -> Iterator[Place]:
    """The tokens that touch each mention; `starts` are those of the sentences."""
    for mention in entity.mentions:
        first = int(np.searchsorted(tokens.ends, mention.start, side="right"))
        last = int(np.searchsorted(tokens.starts, mention.end, side="left")) - 1
        if first <= last:
            yield Place(first, last, max(0, bisect_right(starts, mention.start) - 1))


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question in numbers. Spans are of its tokens, ends inclusive."""

    tokens: Tokens
    marks: Floats  # (tokens, MARKS)
    heads: Integers  # (mentions of the head, 2)
    nearest: Integers  # (mentions of tails,): the head's mention nearest to each
    tails: Integers  # (mentions of tails, 2)
    owners: Integers  # (mentions of tails,): the tail of each
    of_mentions: Floats  # (mentions of tails, MENTION_FEATURES)
    of_pairs: Floats  # (tails, PAIR_FEATURES)
    sentences: Integers  # (mentions of tails,): the document's sentence of each
    head_sentences: Integers  # (mentions of the head,)
    judged: tuple[DocumentEntity, ...]  # tails that are read; others are too far from the head


def ask(text: ReadText, question: Question) -> Asked | None:
    """The question in numbers; None if the text has no mention of its head or of its tails.

    Of a document of more than `READ_WHOLE` tokens, only what stands near the head is read.
    """
    heads = text.places.get(question.head.id, ())
    if not heads:
        return None
    kept = _kept(len(text.tokens), heads)
    position = np.full(len(text.tokens), -1, dtype=np.int64)
    position[kept] = np.arange(len(kept))
    found = [
        (tail, [p for p in text.places[tail.id] if (position[p.first : p.last + 1] >= 0).all()])
        for tail in question.tails
        if tail.id in text.places
    ]
    near = [(tail, places) for tail, places in found if places]
    if not near:
        return None
    tails = [(owner, place) for owner, (_, places) in enumerate(near) for place in places]
    return Asked(
        tokens=text.tokens.at(kept),
        marks=_marks(text, question)[kept],
        heads=_spans(heads, position),
        nearest=_nearest(heads, [place for _, place in tails]),
        tails=_spans([place for _, place in tails], position),
        owners=np.array([owner for owner, _ in tails], dtype=np.int64),
        of_mentions=_mention_features(text, heads, [place for _, place in tails]),
        of_pairs=_pair_features(text, heads, [places for _, places in near]),
        sentences=np.array([place.sentence for _, place in tails], dtype=np.int64),
        head_sentences=np.array([place.sentence for place in heads], dtype=np.int64),
        judged=tuple(tail for tail, _ in near),
    )


def _nearest(heads: Sequence[Place], tails: Sequence[Place]) -> Integers:
    """The head's mention for each of the tails': of those in its sentence, if there are any."""

    def distance(number: int, tail: Place) -> tuple[bool, int]:
        head = heads[number]
        return head.sentence != tail.sentence, abs(head.first - tail.first)

    found = [min(range(len(heads)), key=lambda n: distance(n, tail)) for tail in tails]
    return np.array(found, dtype=np.int64)


def _kept(count: int, heads: Sequence[Place]) -> Integers:
    """Places of the tokens that are read."""
    if count <= READ_WHOLE:
        return np.arange(count)
    near = np.zeros(count, dtype=bool)
    for place in heads:
        near[max(0, place.first - _REACH) : place.last + 1 + _REACH] = True
    return np.flatnonzero(near)


def _spans(places: Sequence[Place], position: Integers) -> Integers:
    rows = [(position[place.first], position[place.last]) for place in places]
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def _marks(text: ReadText, question: Question) -> Floats:
    """*Shape:* (tokens of the document, MARKS)"""
    marks = np.zeros((len(text.tokens), len(MARKS)), dtype=np.float32)
    asked = {tail.id for tail in question.tails}
    for id, places in text.places.items():
        which = 0 if id == question.head.id else 1 if id in asked else 2
        for place in places:
            marks[place.first : place.last + 1, which] = 1.0
    return marks


def _mention_features(text: ReadText, heads: Sequence[Place], tails: Sequence[Place]) -> Floats:
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
    text: ReadText, heads: Sequence[Place], tails: Sequence[Sequence[Place]]
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
