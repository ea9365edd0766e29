"""Sparse vectors over types, of which only the largest values are kept.

Row i has the types `types[i]` with the values `values[i]`, in descending order of value. All rows
keep the same number, so that 100,000 mentions are two small matrices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.errors import InvalidValueError

Floats = npt.NDArray[np.float32]
Types = npt.NDArray[np.int32]

_BLOCK: Final = 1024  # rows whose logits are held at once
_LEVELS: Final = 255  # of a stored probability


@dataclass(frozen=True, slots=True, eq=False)
class SparseVectors:
    """Rows over `dimensions` types."""

    types: Types  # (rows, kept)
    values: Floats  # (rows, kept), in [0, 1]
    dimensions: int

    def __post_init__(self) -> None:
        if self.types.shape != self.values.shape or self.types.ndim != 2:
            raise InvalidValueError(
                f"types of shape {self.types.shape} with values of {self.values.shape}"
            )

    def __len__(self) -> int:
        return len(self.types)

    def __getitem__(self, rows: slice | Sequence[int] | npt.NDArray[np.int64]) -> SparseVectors:
        return SparseVectors(self.types[rows], self.values[rows], self.dimensions)

    def weighted(self, weights: Floats) -> SparseVectors:
        """Every value times the weight of its type. *Shape:* weights (dimensions,)"""
        if len(weights) != self.dimensions:
            raise InvalidValueError(
                f"{len(weights):,} weights for vectors over {self.dimensions:,} types"
            )
        return SparseVectors(self.types, self.values * weights[self.types], self.dimensions)

    def dense(self) -> Floats:
        """*Shape:* (rows, dimensions)"""
        full = np.zeros((len(self), self.dimensions), dtype=np.float32)
        np.put_along_axis(full, self.types.astype(np.int64), self.values, axis=1)
        return full

    def squares(self) -> Floats:
        """The square of each row's length. *Shape:* (rows,)"""
        return np.asarray(np.square(self.values).sum(axis=1), dtype=np.float32)


def joined(parts: Sequence[SparseVectors], *, dimensions: int) -> SparseVectors:
    """The rows of several, one after the other."""
    if not parts:
        empty = np.zeros((0, 1))
        return SparseVectors(empty.astype(np.int32), empty.astype(np.float32), dimensions)
    return SparseVectors(
        np.concatenate([part.types for part in parts]),
        np.concatenate([part.values for part in parts]),
        dimensions,
    )


def top_types(dense: Floats, head: Floats, *, top: int) -> SparseVectors:
    """The most probable types of dense vectors. *Shape:* dense (rows, width); head (types, width).

    Types of equal probability come in the order of their numbers.
    """
    kept = min(top, len(head))
    if kept < 1:
        raise InvalidValueError(f"{top} types are to be kept of {len(head):,}; keep 1 or more")
    types = np.zeros((len(dense), kept), dtype=np.int32)
    values = np.zeros((len(dense), kept), dtype=np.float32)
    for start in range(0, len(dense), _BLOCK):
        logits = dense[start : start + _BLOCK] @ head.T
        best = np.argpartition(-logits, kept - 1, axis=1)[:, :kept]
        best.sort(axis=1)
        order = np.argsort(-np.take_along_axis(logits, best, axis=1), axis=1, kind="stable")
        best = np.take_along_axis(best, order, axis=1)
        chosen = np.clip(np.take_along_axis(logits, best, axis=1), -60, 60)
        types[start : start + _BLOCK] = best
        values[start : start + _BLOCK] = 1.0 / (1.0 + np.exp(-chosen))
    return SparseVectors(types, values, len(head))


def packed(values: Floats) -> npt.NDArray[np.uint8]:
    """Values in [0, 1] as bytes; what is not 0 stays above it."""
    return np.clip(np.rint(values * _LEVELS), np.where(values > 0, 1, 0), _LEVELS).astype(np.uint8)


def unpacked(levels: npt.NDArray[np.uint8]) -> Floats:
    return (levels / np.float32(_LEVELS)).astype(np.float32)


def blocks(count: int, size: int) -> Iterator[slice]:
    """Slices that cover `count` rows."""
    return (slice(start, min(count, start + size)) for start in range(0, count, size))
