"""Nearest neighbours among sparse vectors by dot product, with the types that made them near.

A rare type has a list of the rows that have it. A common one has a column with its value in every
row, which adds up several times faster than a long list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.systems.bier.sparse import Floats, SparseVectors, Types

_COMMON: Final = 1 / 8  # of all rows, from which on a type has a column
_BLOCK: Final = 64  # rows whose highest score stands for them


@dataclass(frozen=True, slots=True)
class Shared:
    """A type that two vectors share, and what it adds to their dot product."""

    type: int
    of_query: float
    of_row: float

    @property
    def product(self) -> float:
        return self.of_query * self.of_row


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A stored row near a query."""

    row: int
    score: float  # the dot product
    shared: tuple[Shared, ...]  # what it is made of, largest first


class SparseIndex:
    """Sparse vectors with the rows of each type."""

    def __init__(self, vectors: SparseVectors) -> None:
        self.vectors = vectors
        flat = vectors.types.ravel()
        order = np.argsort(flat, kind="stable")
        kept = vectors.types.shape[1]
        self._rows: Types = (order // max(1, kept)).astype(np.int32)
        self._values: Floats = vectors.values.ravel()[order]
        self._starts = np.searchsorted(flat[order], np.arange(vectors.dimensions + 1))
        sizes = np.diff(self._starts)
        common = np.flatnonzero(sizes > _COMMON * len(vectors))
        self._columns = {type: self._column(type) for type in common.tolist()}

    def _column(self, type: int) -> Floats:
        column = np.zeros(len(self.vectors), dtype=np.float32)
        part = slice(self._starts[type], self._starts[type + 1])
        column[self._rows[part]] = self._values[part]
        return column

    def nearest(self, types: Types, values: Floats, k: int) -> list[Neighbour]:
        """The k rows with the largest dot product, best first; of equal ones, the first rows.

        *Shape:* types and values (kept,), of the query. Rows that share no type are not near.
        """
        scores = self.scores(types, values)
        rows = _highest(scores, k)
        order = np.lexsort((rows, -scores[rows]))[:k]
        return [
            Neighbour(row, float(scores[row]), self.shared(types, values, row))
            for row in rows[order].tolist()
        ]

    def scores(self, types: Types, values: Floats) -> Floats:
        """The dot product of the query with every row. *Shape:* (rows,)"""
        scores = np.zeros(len(self.vectors), dtype=np.float32)
        for type, value in zip(types.tolist(), values, strict=True):
            if type in self._columns:
                scores += value * self._columns[type]
            elif value > 0:
                part = slice(self._starts[type], self._starts[type + 1])
                scores[self._rows[part]] += value * self._values[part]
        return scores

    def shared(self, types: Types, values: Floats, row: int) -> tuple[Shared, ...]:
        """What the query and a row have in common, by how much it adds."""
        return shared_types(types, values, self.vectors.types[row], self.vectors.values[row])


def shared_types(types: Types, values: Floats, others: Types, their: Floats) -> tuple[Shared, ...]:
    """The types that two vectors share, the one that adds most to their dot product first."""
    _, own, other = np.intersect1d(types, others, return_indices=True)
    found = [
        Shared(int(types[a]), float(values[a]), float(their[b]))
        for a, b in zip(own.tolist(), other.tolist(), strict=True)
    ]
    return tuple(sorted((one for one in found if one.product > 0), key=lambda s: -s.product))


def _highest(scores: Floats, k: int) -> npt.NDArray[np.int64]:
    """The rows of the k highest scores above 0, and perhaps more.

    The k-th highest of the blocks' highest scores is at most the k-th highest score of all.
    """
    blocks = len(scores) // _BLOCK
    if blocks <= k:
        return np.flatnonzero(scores > 0)
    tops = scores[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
    least = float(np.sort(tops)[-k])
    return np.flatnonzero((scores >= least) & (scores > 0))
