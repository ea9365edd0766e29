"""Vectors of names where no index of them can be kept: made of those that are asked about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import numpy as np

from holdfast.names.dense import Rows
from holdfast.names.index import NameMatches
from holdfast.names.recent import Recent
from holdfast.names.vectors import Bytes, Encoder, Floats, quantised, whole_numbers

_KEPT: Final = 1 << 16  # vectors that are remembered


class NameVectors(Protocol):
    """Vectors of a knowledge base's names, compared with those of queries; DenseIndex has them."""

    @property
    def encoder(self) -> Encoder: ...

    def search_vectors(self, queries: Floats, k: int) -> NameMatches:
        """The k names nearest to each encoded query. *Shape:* (queries, width)."""
        ...

    def similarity(self, queries: Floats, rows: Rows) -> Floats:
        """The cosines of encoded queries with the names of these rows."""
        ...


class UnindexedNames:
    """Compares queries with given names as DenseIndex does, but finds no names by itself."""

    def __init__(
        self, name_at: Callable[[int], str], encoder: Encoder, *, rows: Rows, names: int
    ) -> None:
        """`rows`: of the names that have a vector, among so many `names`; the others have none."""
        self.encoder = encoder
        self._name_at = name_at
        self._has_vector = np.zeros(names, dtype=bool)
        self._has_vector[rows] = True
        self._recent = Recent[int, Bytes](_KEPT)

    def search_vectors(self, queries: Floats, k: int) -> NameMatches:
        """No names. *Shape:* (queries, width) to (queries, k)."""
        shape = (len(queries), k)
        return NameMatches(np.full(shape, -1, dtype=np.int64), np.zeros(shape, dtype=np.float32))

    def similarity(self, queries: Floats, rows: Rows) -> Floats:
        """The cosines of encoded queries with the names of these rows, at least 0.

        *Shape:* (width,), (rows,) to (rows,); or (queries, width), (queries, rows) to
        (queries, rows). A name without a vector and -1 have 0.
        """
        if not rows.size:
            return np.zeros(rows.shape, dtype=np.float32)
        vectors = self._vectors(rows.ravel()).reshape(*rows.shape, -1)
        whole = whole_numbers(queries)
        products = (vectors @ whole[..., None])[..., 0]
        lengths = np.linalg.norm(vectors, axis=-1) * np.linalg.norm(whole, axis=-1, keepdims=True)
        return np.where(lengths > 0, np.clip(products / np.maximum(lengths, 1), 0, 1), 0)

    def _vectors(self, rows: Rows) -> Floats:
        """Whole numbers; zeros where there is none. *Shape:* (rows, width)."""
        has_vector = (rows >= 0) & self._has_vector[rows]
        wanted = set(rows[has_vector].tolist())
        known = self._recent.known(wanted)
        if new := sorted(wanted - known.keys()):
            encoded = quantised(self.encoder.encode([self._name_at(row) for row in new]))
            # Copies: a vector that is kept must not keep the whole batch in memory.
            made = {row: vector.copy() for row, vector in zip(new, encoded, strict=True)}
            self._recent.keep(made)
            known |= made
        vectors = np.zeros((len(rows), self.encoder.width), dtype=np.float32)
        for place in np.flatnonzero(has_vector).tolist():
            vectors[place] = known[int(rows[place])]
        return vectors
