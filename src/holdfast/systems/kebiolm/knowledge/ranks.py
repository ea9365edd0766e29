"""How high the right entity stands among all others: filtered ranks of triples' ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from holdfast.systems.kebiolm.knowledge.triples import Integers, SplitTriples, Triples

Floats = npt.NDArray[np.float32]


class MissingEnd(NamedTuple):
    """A triple without one of its ends."""

    given: int  # the end that is known
    relation: int
    is_tail: bool  # whether the tail is asked for


Scorer = Callable[[MissingEnd], Floats]
"""From a question to a score of every entity. *Shape:* (entities,); higher is better."""


@dataclass(frozen=True, slots=True)
class Rank:
    """The place of the right entity among those that are not right as well; 1 is the best.

    Entities with the same score share places: the right one may have any from `first` on.
    """

    relation: int
    is_tail: bool  # whether the tail was asked for
    first: int
    tied: int  # entities that share places, the right one with them
    candidates: int


class KnownEnds:
    """All right answers to the questions of some triples, which do not count as wrong ones."""

    def __init__(self, split: SplitTriples, asked: Triples) -> None:
        self.tails = {(head, relation): set[int]() for head, relation, _ in asked.rows.tolist()}
        self.heads = {(tail, relation): set[int]() for _, relation, tail in asked.rows.tolist()}
        for part in (split.train, split.dev, split.test):
            for head, relation, tail in part.rows.tolist():
                if (head, relation) in self.tails:
                    self.tails[head, relation].add(tail)
                if (tail, relation) in self.heads:
                    self.heads[tail, relation].add(head)

    def other(self, known: int, relation: int, right: int, *, is_tail: bool) -> Integers:
        """The right answers beside one of them."""
        answers = (self.tails if is_tail else self.heads)[known, relation]
        return np.array(sorted(answers - {right}), dtype=np.int64)


def filtered_ranks(triples: Triples, known: KnownEnds, score: Scorer) -> Iterator[Rank]:
    """Two of each triple: its tail is asked for, then its head."""
    for head, relation, tail in triples.rows.tolist():
        for given, right, is_tail in ((head, tail, True), (tail, head, False)):
            scores = score(MissingEnd(given, relation, is_tail))
            other = known.other(given, relation, right, is_tail=is_tail)
            better = int((scores > scores[right]).sum() - (scores[other] > scores[right]).sum())
            equal = int((scores == scores[right]).sum() - (scores[other] == scores[right]).sum())
            yield Rank(relation, is_tail, better + 1, equal, len(scores) - len(other))


def by_distance(entities: Floats, relations: Floats) -> Scorer:
    """TransE: minus the distance between head + relation and tail."""
    squares = (entities**2).sum(axis=1)

    def score(asked: MissingEnd) -> Floats:
        move = relations[asked.relation]
        point = entities[asked.given] + (move if asked.is_tail else -move)
        found: Floats = entities @ (2 * point) - squares
        return found

    return score


def by_frequency(train: Triples) -> Scorer:
    """How often an entity stands at that end of the relation in training."""
    count = len(train.entities)
    tables = dict[tuple[int, bool], Floats]()

    def score(asked: MissingEnd) -> Floats:
        key = asked.relation, asked.is_tail
        if key not in tables:
            own = train.rows[train.rows[:, 1] == asked.relation]
            ends = own[:, 2 if asked.is_tail else 0]
            tables[key] = np.bincount(ends, minlength=count).astype(np.float32)
        return tables[key]

    return score


def by_nothing(train: Triples) -> Scorer:
    """Every entity scores the same, as a random order does on average."""
    zeros = np.zeros(len(train.entities), dtype=np.float32)

    def score(_asked: MissingEnd) -> Floats:
        return zeros

    return score
