"""Why a model confuses two things: errors told by the types that led to them.

A case is a mention whose answer is known to be right or wrong. Its sparse answer is what the
types say; the dense answer is what the vector behind them says; the counterfactual is the first
right answer in the order of the sparse scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from holdfast.systems.bier.nearest import Metric, encode_labels, nearest, score_blocks
from holdfast.systems.bier.search import shared_types
from holdfast.systems.bier.sparse import Floats, Types
from holdfast.systems.bier.stored import Represented

OF_MENTION: Final = 20
"""The most probable types of a mention that count when types are compared."""

FAR: Final = 50
"""Ranks that a type must differ by, among errors and successes, to be told."""

_DRIVERS: Final = 12  # types that drove a dot product, per answer


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a case was taken for: a stored mention, a candidate, or an entity."""

    text: str
    label: str
    types: Types  # its sparse vector
    values: Floats

    def to_json(self, of: Case, names: Sequence[str]) -> dict[str, Any]:
        """With the types that drove its dot product with the case's mention."""
        shared = shared_types(of.types, of.values, self.types, self.values)[:_DRIVERS]
        return {
            "text": self.text,
            "label": self.label,
            "types": [[names[s.type], round(s.of_row, 4), round(s.product, 4)] for s in shared],
        }


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A mention, what it is, and what it was taken for."""

    text: str
    document: str
    gold: str
    types: Types
    values: Floats
    sparse: Answer
    sparse_right: bool
    dense: Answer | None = None
    dense_right: bool = False
    counterfactual: Answer | None = None

    @property
    def in_z(self) -> bool:
        """Whether the dense answer is right and the sparse one wrong."""
        return self.dense_right and not self.sparse_right


@dataclass(frozen=True, slots=True)
class TypeRank:
    """A type that is commoner among errors than among successes, or the reverse."""

    type: str
    rank: int  # where it is commoner; from 1
    other_rank: int
    count: int
    other_count: int


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the report shows."""

    title: str
    names: Sequence[str]  # of all types
    cases: Sequence[Case]
    in_errors: Sequence[TypeRank]
    in_successes: Sequence[TypeRank]
    figures: Mapping[str, float] = field(default_factory=dict)

    def to_json(self, *, most: int = 500) -> dict[str, Any]:
        """Figures, types, and so many of the cases that went wrong, those of Z first."""
        wrong = sorted((c for c in self.cases if not c.sparse_right), key=lambda c: not c.in_z)
        return {
            "title": self.title,
            **{key: round(value, 6) for key, value in self.figures.items()},
            "types_in_errors": [_rank_json(rank) for rank in self.in_errors],
            "types_in_successes": [_rank_json(rank) for rank in self.in_successes],
            "cases": [case_json(case, self.names) for case in wrong[:most]],
        }


def _rank_json(rank: TypeRank) -> dict[str, Any]:
    return {
        "type": rank.type,
        "rank": rank.rank,
        "other_rank": rank.other_rank,
        "difference": rank.other_rank - rank.rank,
        "count": rank.count,
        "other_count": rank.other_count,
    }


def case_json(case: Case, names: Sequence[str]) -> dict[str, Any]:
    """A case in words."""
    told = {
        "text": case.text,
        "document": case.document,
        "gold": case.gold,
        "in_z": case.in_z,
        "types": [
            [names[type], round(value, 4)]
            for type, value in zip(
                case.types[:_DRIVERS].tolist(), case.values[:_DRIVERS].tolist(), strict=True
            )
        ],
        "sparse": case.sparse.to_json(case, names),
    }
    if case.dense is not None:
        told["dense"] = case.dense.to_json(case, names)
    if case.counterfactual is not None:
        told["counterfactual"] = case.counterfactual.to_json(case, names)
    return told


def compare_types(
    cases: Iterable[Case], names: Sequence[str], *, far: int = FAR, shown: int = 200
) -> tuple[list[TypeRank], list[TypeRank]]:
    """Types that rank higher among the errors than among the successes, and the reverse.

    Of every case the OF_MENTION most probable types are counted. A type that one of the lists
    lacks ranks behind all of it.
    """
    counts = {True: Counter[int](), False: Counter[int]()}
    for case in cases:
        counts[case.sparse_right].update(case.types[:OF_MENTION].tolist())
    ranks = {right: _ranks(counter) for right, counter in counts.items()}

    def higher(*, right: bool) -> list[TypeRank]:
        own, other = ranks[right], ranks[not right]
        last = len(other) + 1
        found = [
            TypeRank(
                names[type],
                rank,
                other.get(type, last),
                counts[right][type],
                counts[not right][type],
            )
            for type, rank in own.items()
            if rank <= shown and other.get(type, last) - rank > far
        ]
        return sorted(found, key=lambda one: one.rank)

    return higher(right=False), higher(right=True)


def _ranks(counts: Counter[int]) -> dict[int, int]:
    """From 1, the commonest first; of equal ones, the lower number."""
    order = sorted(counts, key=lambda number: (-counts[number], number))
    return {type: place for place, type in enumerate(order, 1)}


def diagnose_labels(
    queries: Represented, stored: Represented, *, title: str, metric: Metric = "dot"
) -> Diagnosis:
    """Cases of nearest-neighbour classification: labelled mentions and labelled neighbours."""
    codes, _ = encode_labels(stored.labels)
    sparse = nearest(queries.sparse, stored.sparse, codes, metric=metric)
    dense = None
    if queries.dense is not None and stored.dense is not None:
        dense = nearest(queries.dense, stored.dense, codes, metric=metric)
    right_rows = _first_right(queries, stored, metric=metric)
    cases = list[Case]()
    for at, place in enumerate(queries.places):
        by_types = _answer(stored, int(sparse.row[at]))
        by_vector = None if dense is None else _answer(stored, int(dense.row[at]))
        first = right_rows[at]
        cases.append(
            Case(
                place.text,
                place.document,
                place.label,
                queries.sparse.types[at],
                queries.sparse.values[at],
                by_types,
                by_types.label == place.label,
                by_vector,
                by_vector is not None and by_vector.label == place.label,
                None if first is None else _answer(stored, first),
            )
        )
    return diagnosis_of(title, stored.types, cases)


def diagnosis_of(title: str, names: Sequence[str], cases: Sequence[Case]) -> Diagnosis:
    """The figures and the compared types of some cases."""
    in_errors, in_successes = compare_types(cases, names)
    count = max(1, len(cases))
    figures = {"n": float(len(cases)), "sparse": sum(c.sparse_right for c in cases) / count}
    if any(case.dense is not None for case in cases):
        figures |= {
            "dense": sum(c.dense_right for c in cases) / count,
            "oracle": sum(c.dense_right or c.sparse_right for c in cases) / count,
            "z": float(sum(c.in_z for c in cases)),
        }
    return Diagnosis(title, names, cases, in_errors, in_successes, figures)


def _answer(stored: Represented, row: int) -> Answer:
    place = stored.places[row]
    return Answer(place.text, place.label, stored.sparse.types[row], stored.sparse.values[row])


def _first_right(queries: Represented, stored: Represented, *, metric: Metric) -> list[int | None]:
    """The nearest stored row that has the query's own label, if there is one."""
    labels = np.array(stored.labels)
    rows_of = {label: np.flatnonzero(labels == label) for label in set(queries.labels)}
    found = list[int | None]()
    for block in score_blocks(queries.sparse, stored.sparse, metric=metric):
        for scores in block:
            own = rows_of[queries.places[len(found)].label]
            found.append(int(own[scores[own].argmax()]) if len(own) else None)
    return found
