"""Names that mean alike: nearest vectors of a name encoder, memory-mapped.

Each distinct vector is stored once, as int8, whatever number of names have it. Few are compared
one by one; many are found through a graph of near neighbours (faiss's HNSW), which looks at some
thousands of them per query.

Queries are made int8 as well. Products of whole numbers are exact, in whatever order they are
added, so that a query has the same answer and scores alone, among others, and on any machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from operator import length_hint
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast import artifacts
from holdfast.errors import ArtifactError, InvalidValueError
from holdfast.names.index import NameMatches
from holdfast.names.vectors import (
    DistinctVectors,
    Encoder,
    Floats,
    faiss_threads,
    open_vectors,
    quantised,
    whole_numbers,
    write_vectors,
)

KIND: Final = "dense index"
VERSION: Final = 3
EXACT: Final = 20_000  # names up to which all are compared
_VECTORS: Final = "vectors.faiss"
_BATCH: Final = 1 << 12  # names encoded at once while building
_BLOCK: Final = 256  # queries searched at once
_WORTH_A_THREAD: Final = 16  # queries; with fewer, threads cost more than they give
_MIXED: Final = "its files do not belong together"
_UNREADABLE: Final = (RuntimeError, ValueError, OSError, EOFError, AttributeError)

Rows = npt.NDArray[np.int64]
Integers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class DenseIndex:
    """Ranks names by the cosine of their vectors with a query's."""

    encoder: Encoder
    rows: Rows | None  # of the indexed names in the knowledge base, ascending; None: 0, 1, 2, …
    _open_vectors: Callable[[], Any]  # opens faiss's index of the distinct vectors, once
    _lengths: Floats  # of the int8 vectors; (vectors,)
    _vector_of: Integers  # of each indexed name; (names,)
    _names: Integers  # indexed names by vector, ascending in each; (names,)
    _starts: Integers  # where in `_names` those of each vector are; (vectors + 1,)

    @classmethod
    def build(
        cls,
        names: Iterable[str],
        encoder: Encoder,
        *,
        rows: npt.ArrayLike | None = None,
        exact: int = EXACT,
        threads: int | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> DenseIndex:
        """Encode and index the names in order; up to `exact` of them are compared one by one.

        `rows`: of these names in a longer numbering, ascending, one per name; searches then
        return them. `threads`: None takes as many as there are cores. `progress` is called with
        the part that is done, from 0 to 1, where `rows` or `names` have a length. The memory
        needed is that of the index, and at worst half as much again.
        """
        known = None if rows is None else _checked(np.asarray(rows))
        expected = length_hint(names) if known is None else len(known)
        building = DistinctVectors(encoder.width, exact=exact)
        with faiss_threads(threads or os.cpu_count() or 1):
            for part in _parts(names):
                building.add(quantised(encoder.encode(part)))
                if progress and len(building.vector_of) <= expected:
                    progress(len(building.vector_of) / expected)
        vector_of = np.array(building.vector_of, dtype=np.int32)
        if known is not None and (got := len(vector_of)) != len(known):
            raise InvalidValueError(f"{got} names, but {len(known)} rows: give one row per name")
        by_vector = np.argsort(vector_of, kind="stable")
        starts = np.searchsorted(vector_of[by_vector], np.arange(building.vectors.ntotal + 1))
        return cls(
            encoder,
            known,
            lambda: building.vectors,
            np.concatenate([np.zeros(0, dtype=np.float32), *building.lengths]),
            vector_of,
            by_vector.astype(np.int32),
            starts.astype(np.int32),
        )

    def __len__(self) -> int:
        """How many names are indexed."""
        return len(self._vector_of)

    def save(self, folder: Path, *, names_digest: str = "") -> None:
        """Write a folder that says which encoder made it, and of which names."""
        config = {"encoder": self.encoder.digest, "names": names_digest}
        with artifacts.publish(folder) as scratch:
            write_vectors(self._vectors, scratch / _VECTORS)
            for name, array in self._arrays().items():
                np.save(scratch / f"{name}.npy", array)
            artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=config)

    @classmethod
    def open(
        cls,
        folder: Path,
        encoder: Encoder,
        *,
        names_digest: str = "",
        breadth: int | None = None,
    ) -> DenseIndex:
        """Map a saved index; refused if another encoder made it, or of other names.

        The vectors themselves are opened by the first search. `breadth`: see `open_vectors`.
        """
        manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
        if manifest.version < VERSION:
            raise ArtifactError(
                f"{folder}: an older layout ({manifest.version}, not {VERSION}); build it again"
            )
        made_of = (manifest.config.get("encoder"), manifest.config.get("names"))
        if made_of != (encoder.digest, names_digest):
            raise ArtifactError(
                f"{folder}: an index of other names or by another model; build it again"
            )
        artifacts.verify(folder, manifest)
        try:
            rows = _map(folder, "rows") if "rows.npy" in manifest.files else None
            arrays = (_map(folder, name) for name in ("lengths", "vector_of", "names", "starts"))
            index = cls(encoder, rows, cache(lambda: index._opened(folder, breadth)), *arrays)
            index._check()
        except _UNREADABLE as error:
            raise _cannot_be_opened(folder, error) from error
        return index

    def search(self, queries: Sequence[str], k: int) -> NameMatches:
        """The k best rows of each query; ties in row order. An empty query finds nothing.

        Scores are cosines; names with none above 0 are not found. Equal queries are encoded and
        searched once.
        """
        places = {query: place for place, query in enumerate(dict.fromkeys(queries))}
        found = self.search_vectors(self.encoder.encode(list(places)), k)
        each = np.array([places[query] for query in queries], dtype=np.int64)
        return NameMatches(found.rows[each], found.scores[each])

    def search_vectors(self, queries: Floats, k: int) -> NameMatches:
        """Search for queries that are already encoded. *Shape:* (queries, width).

        A zero row finds nothing.
        """
        rows = np.full((len(queries), k), -1, dtype=np.int64)
        scores = np.zeros((len(queries), k), dtype=np.float32)
        # By rounding, lengths differ a little, and with them the order: hence twice as many.
        wanted = min(2 * k, len(self._lengths))
        asked = np.flatnonzero(queries.any(axis=1)) if wanted else np.zeros(0, dtype=np.int64)
        for start in range(0, len(asked), _BLOCK):
            block = asked[start : start + _BLOCK]
            found = self._nearest(queries[block], wanted, k)
            rows[block[found.queries], found.ranks] = found.rows
            scores[block[found.queries], found.ranks] = found.cosines
        return NameMatches(rows, scores)

    def similarity(self, queries: Floats, rows: Rows) -> Floats:
        """The cosines of encoded queries with the names of these rows, at least 0.

        *Shape:* (width,), (rows,) to (rows,); or (queries, width), (queries, rows) to
        (queries, rows). A name without a vector, a row that is not indexed and -1 have 0.
        """
        if not len(self) or not rows.size:
            return np.zeros(rows.shape, dtype=np.float32)
        places = self._places_of(rows)
        found = np.where(places < 0, -1, self._vector_of[np.maximum(places, 0)])
        vectors = self._vectors.reconstruct_batch(np.maximum(found, 0).ravel().astype(np.int64))
        whole = whole_numbers(queries)
        products = vectors.reshape(*rows.shape, -1) @ whole[..., None]
        return self._cosines(products[..., 0], whole, found)

    def _nearest(self, queries: Floats, wanted: int, k: int) -> _Found:
        whole = whole_numbers(queries)
        with faiss_threads(1 if len(queries) < _WORTH_A_THREAD else None):
            products, vectors = self._vectors.search(whole, wanted)
        cosines = self._cosines(products, whole, vectors)
        query, column = np.nonzero(cosines > 0)
        vector, cosine = vectors[query, column], cosines[query, column]
        # Of equal names, no more than k can be asked for.
        starts = self._starts[vector]
        counts = np.minimum(self._starts[vector + 1] - starts, k)
        each = _ranks(counts)
        query, cosine = np.repeat(query, counts), np.repeat(cosine, counts)
        names = self._names[np.repeat(starts, counts) + each].astype(np.int64)
        order = np.lexsort((names, -cosine, query))
        ranks = _ranks(np.bincount(query, minlength=len(queries)))
        order, ranks = order[ranks < k], ranks[ranks < k]
        return _Found(query[order], ranks, self._rows_at(names[order]), cosine[order])

    def _cosines(self, products: Floats, whole: Floats, vectors: Rows) -> Floats:
        """At least 0, and 0 where there is no vector or no length."""
        lengths = np.where(vectors < 0, 0, self._lengths[np.maximum(vectors, 0)])
        lengths = lengths * np.linalg.norm(whole, axis=-1, keepdims=True)
        return np.where(lengths > 0, np.clip(products / np.maximum(lengths, 1), 0, 1), 0)

    def _rows_at(self, places: Rows) -> Rows:
        return places if self.rows is None else self.rows[places]

    def _places_of(self, rows: Rows) -> Rows:
        """Where these rows are among the indexed ones; -1 if they are not."""
        if self.rows is None:
            return np.where((rows >= 0) & (rows < len(self)), rows, -1)
        places = np.minimum(np.searchsorted(self.rows, rows), len(self) - 1)
        return np.where(self.rows[places] == rows, places, -1)

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is saved beside the vectors, by the names of the files."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "lengths": self._lengths,
            "vector_of": self._vector_of,
            "names": self._names,
            "starts": self._starts,
        }
        return arrays if self.rows is None else {**arrays, "rows": self.rows}

    @property
    def _vectors(self) -> Any:
        """faiss.IndexHNSWSQ or IndexScalarQuantizer of the distinct vectors."""
        return self._open_vectors()

    def _opened(self, folder: Path, breadth: int | None) -> Any:
        """The vectors of a saved index; an ArtifactError if they are not those of its names."""
        try:
            vectors = open_vectors(folder / _VECTORS, breadth=breadth)
            if (vectors.ntotal, vectors.d) != (len(self._lengths), self.encoder.width):
                raise ValueError(_MIXED)
        except _UNREADABLE as error:
            raise _cannot_be_opened(folder, error) from error
        return vectors

    def _check(self) -> None:
        """Raise a ValueError if the arrays are not of one index."""
        names = {len(self._vector_of), len(self._names)}
        names.add(len(self._names) if self.rows is None else len(self.rows))
        if len(names) > 1 or len(self._lengths) != len(self._starts) - 1:
            raise ValueError(_MIXED)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Names that queries found, one per entry of each array; ranks count from 0."""

    queries: Rows
    ranks: Rows
    rows: Rows
    cosines: Floats


def _ranks(counts: npt.NDArray[Any]) -> Rows:
    """0, 1, … as often as each count says: counts 2, 3 are 0, 1, 0, 1, 2."""
    ends = np.cumsum(counts)
    ranks: Rows = np.arange(counts.sum()) - np.repeat(ends - counts, counts)
    return ranks


def _cannot_be_opened(folder: Path, error: Exception) -> ArtifactError:
    reason = str(error).splitlines()[-1]
    return ArtifactError(f"{folder}: cannot be opened ({reason}); build it again")


def _map(folder: Path, name: str) -> Any:
    return np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r"))


def _checked(rows: npt.NDArray[Any]) -> Rows:
    if rows.ndim != 1 or (len(rows) and (rows[0] < 0 or (np.diff(rows) <= 0).any())):
        raise InvalidValueError(f"rows {rows}: they must ascend from 0 or more, each given once")
    return rows.astype(np.int64)


def _parts(names: Iterable[str]) -> Iterator[list[str]]:
    waiting = iter(names)
    while part := list(islice(waiting, _BATCH)):
        yield part
