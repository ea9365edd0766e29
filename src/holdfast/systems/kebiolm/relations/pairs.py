"""The pairs of a document's entities that a relation model is asked about."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Self

from holdfast.document import Document, Mention, Relation
from holdfast.errors import InvalidValueError
from holdfast.text.sentences import split_sentences
from holdfast.types import canonical_type

RELATION_MODEL: Final = "relation model"
"""The kind of model folders."""
MOST_PAIRS: Final = 2000
"""Pairs of one document that are judged; an abstract seldom has a hundred."""
WHOLE, SENTENCE = "document", "sentence"
"""What is read to judge a pair: everything, or each sentence that mentions both by itself."""


@dataclass(frozen=True, slots=True)
class DocumentEntity:
    """An entity, and where the document mentions it."""

    id: str
    type: str  # canonical
    mentions: tuple[Mention, ...]  # in the order of the text


@dataclass(frozen=True, slots=True)
class Question:
    """With which of these tails is the head related?"""

    head: DocumentEntity
    tails: tuple[DocumentEntity, ...]


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked about a document, and how much of what could be."""

    questions: tuple[Question, ...]
    pairs: int  # all pairs of the wanted types
    asked: int  # those among the questions

    @property
    def is_bounded(self) -> bool:
        return self.asked < self.pairs


@dataclass(frozen=True, slots=True)
class RelationShape:
    """What a model relates."""

    pairs: tuple[str, ...] = ("Chemical Disease",)  # types of head and tail
    labels: tuple[str, ...] = ("CID",)
    within: str = WHOLE  # or SENTENCE
    hides_names: bool = False  # whether the network reads blanks for what has one of these types

    def __post_init__(self) -> None:
        if self.within not in (WHOLE, SENTENCE):
            raise InvalidValueError(f"within must be {WHOLE} or {SENTENCE}, not {self.within!r}")
        for pair in self.pairs:
            if len(pair.split()) != 2:
                raise InvalidValueError(f"pairs: {pair!r} must be two types, as Chemical Disease")
        if not self.pairs or not self.labels:
            raise InvalidValueError("a relation model has at least one pair of types and one label")

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Self:
        """The shape that the manifest of a model holds."""
        return cls(
            tuple(config["pairs"]),
            tuple(config["labels"]),
            str(config.get("within", WHOLE)),
            bool(config.get("hides_names", False)),
        )

    @property
    def type_pairs(self) -> frozenset[tuple[str, str]]:
        """Canonical types of heads and tails."""
        split = (pair.split() for pair in self.pairs)
        return frozenset((canonical_type(head), canonical_type(tail)) for head, tail in split)

    def has_type(self, type: str) -> bool:
        """Whether a pair has an end of this type, however it is spelt."""
        return any(canonical_type(type) in pair for pair in self.type_pairs)


def entities_of(document: Document) -> list[DocumentEntity]:
    """The entities that mentions are linked to, in the order of the text.

    A mention of several entities is one of each. An entity has the type of its first mention.
    """
    mentions = defaultdict[str, list[Mention]](list)
    for mention in sorted(document.mentions, key=lambda m: (m.start, m.end)):
        for id in dict.fromkeys(mention.ids) if mention.is_linked else ():
            mentions[id].append(mention)
    return [
        DocumentEntity(id, canonical_type(own[0].type), tuple(own)) for id, own in mentions.items()
    ]


def related_ids(document: Document) -> Iterator[tuple[Relation, tuple[str, ...]]]:
    """Each relation with the entities that it joins.

    A mention as an argument stands for the first entity that it is linked to; "" if it has none.
    """
    linked = {m.id: m.ids[0] for m in document.mentions if m.id and m.is_linked}
    for relation in document.relations:
        ends = relation.arguments
        yield relation, tuple(end.entity_id or linked.get(end.mention_id, "") for end in ends)


def questions_of(document: Document, shape: RelationShape, *, most: int = MOST_PAIRS) -> Questions:
    """A question for each head. Of a pair whose types allow both orders, the first is the head.

    A shape within sentences has the pairs that share one. Beyond `most` pairs, those are asked
    that share most sentences, then those mentioned most.
    """
    entities = entities_of(document)
    wanted = shape.type_pairs
    pairs = list[tuple[int, int]]()
    for first, second in combinations(range(len(entities)), 2):
        types = entities[first].type, entities[second].type
        if types in wanted:
            pairs.append((first, second))
        elif types[::-1] in wanted:
            pairs.append((second, first))
    if shape.within == SENTENCE:
        places = _sentences_of_all(document, entities)
        pairs = [(head, tail) for head, tail in pairs if places[head] & places[tail]]
    asked = pairs if len(pairs) <= most else _closest(document, entities, pairs, most)
    tails = defaultdict[int, list[int]](list)
    for head, tail in asked:
        tails[head].append(tail)
    questions = tuple(
        Question(entities[head], tuple(entities[tail] for tail in sorted(own)))
        for head, own in sorted(tails.items())
    )
    return Questions(questions, len(pairs), len(asked))


def _closest(
    document: Document,
    entities: Sequence[DocumentEntity],
    pairs: Sequence[tuple[int, int]],
    most: int,
) -> list[tuple[int, int]]:
    places = _sentences_of_all(document, entities)

    def rank(pair: tuple[int, int]) -> tuple[int, int]:
        head, tail = pair
        mentioned = min(len(entities[head].mentions), len(entities[tail].mentions))
        return -len(places[head] & places[tail]), -mentioned

    return sorted(pairs, key=rank)[:most]


def _sentences_of_all(
    document: Document, entities: Sequence[DocumentEntity]
) -> list[frozenset[int]]:
    """The sentences in which each entity is mentioned."""
    starts = [span.start for span in split_sentences(document.text)] or [0]
    return [
        frozenset(max(0, bisect_right(starts, mention.start) - 1) for mention in entity.mentions)
        for entity in entities
    ]
