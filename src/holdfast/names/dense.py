"""Names that mean alike: nearest vectors of a name encoder, memory-mapped.

Vectors are stored once, as int8. Few names are compared one by one; many are found through a graph
of near neighbours (faiss's HNSW), which looks at some hundreds of them per query.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol

import faiss
import numpy as np
import numpy.typing as npt

from holdfast import artifacts
from holdfast.errors import ArtifactError
from holdfast.names.encoder import NameEncoder
from holdfast.names.index import NameMatches

KIND: Final = "dense index"
VERSION: Final = 1
EXACT: Final = 20_000  # names up to which all are compared
_GRAPH: Final = "graph.faiss"
_VECTORS: Final = "vectors.npy"
_SCALE: Final = 127 / 0.5  # components of a unit vector are hardly ever beyond a half
_NEIGHBOURS: Final = 16  # of each vector in the graph
_BREADTH_WHEN_BUILDING: Final = 80
_BREADTH: Final = 128  # vectors kept in mind during a search; more is slower and surer
_TOGETHER: Final = 1 << 16  # names encoded at once while building
_BLOCK: Final = 256  # queries searched at once

Bytes = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class DenseIndex:
    """Ranks names by the cosine of their vectors with a query's."""

    encoder: NameEncoder
    _store: _Store

    @classmethod
    def build(
        cls,
        names: Iterable[str],
        encoder: NameEncoder,
        *,
        exact: int = EXACT,
        threads: int | None = None,
    ) -> DenseIndex:
        """Encode and index the names in order; up to `exact` of them are compared one by one.

        Memory: twice the vectors, at a byte per component, and the graph.
        """
        parts = [quantised(encoder.encode(part)) for part in _parts(names)]
        vectors = np.concatenate([np.zeros((0, encoder.width), dtype=np.int8), *parts])
        if len(vectors) <= exact:
            return cls(encoder, _Flat(vectors))
        return cls(encoder, _Graph.build(vectors, threads=threads or _cores()))

    def save(self, folder: Path, *, names_digest: str = "") -> None:
        """Write a folder that says which encoder made it, and of which names."""
        config = {"encoder": self.encoder.digest, "names": names_digest}
        with artifacts.publish(folder) as scratch:
            self._store.save(scratch)
            artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=config)

    @classmethod
    def open(cls, folder: Path, encoder: NameEncoder, *, names_digest: str = "") -> DenseIndex:
        """Map a saved index; refused if another encoder made it, or of other names."""
        manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
        artifacts.verify(folder, manifest)
        made_of = (manifest.config.get("encoder"), manifest.config.get("names"))
        if made_of != (encoder.digest, names_digest):
            raise ArtifactError(
                f"{folder}: an index of other names or by another model; build it again"
            )
        return cls(encoder, (_Graph if _GRAPH in manifest.files else _Flat).open(folder))

    def search(self, queries: Sequence[str], k: int) -> NameMatches:
        """The k best rows of each query; ties in row order. An empty query finds nothing.

        Scores are cosines; names with none above 0 are not found.
        """
        return self.search_vectors(self.encoder.encode(queries), k)

    def search_vectors(self, queries: Floats, k: int) -> NameMatches:
        """The same for queries that are already encoded. *Shape:* (queries, width)."""
        rows = np.full((len(queries), k), -1, dtype=np.int64)
        scores = np.zeros((len(queries), k), dtype=np.float32)
        asked = np.flatnonzero(queries.any(axis=1))
        for start in range(0, len(asked), _BLOCK):
            places = asked[start : start + _BLOCK]
            for place, found in zip(places, self._store.nearest(queries[places], k), strict=True):
                cosines = self.similarity(queries[place], found)
                best = np.lexsort((found, -cosines))[:k]
                best = best[cosines[best] > 0]
                rows[place, : len(best)] = found[best]
                scores[place, : len(best)] = cosines[best]
        return NameMatches(rows, scores)

    def similarity(self, query: Floats, rows: Rows) -> Floats:
        """The cosine of one encoded query with the names of these rows, at least 0.

        A name without a vector has 0. *Shape:* (width,), (rows,) to (rows,).
        """
        vectors = self._store.at(rows).astype(np.float32)
        lengths = np.linalg.norm(vectors, axis=1)
        return np.clip(vectors @ query / np.where(lengths > 0, lengths, 1), 0, 1)


class _Store(Protocol):
    """Int8 vectors by row."""

    def save(self, folder: Path) -> None: ...

    def nearest(self, queries: Floats, k: int) -> Iterator[Rows]:
        """Of each query, rows among which its k nearest are, as far as they are found."""
        ...

    def at(self, rows: Rows) -> Bytes:
        """*Shape:* (rows, width); zeros for a name without a vector."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class _Flat:
    vectors: Bytes

    @classmethod
    def open(cls, folder: Path) -> _Flat:
        return cls(np.asarray(np.load(folder / _VECTORS, mmap_mode="r")))

    def save(self, folder: Path) -> None:
        np.save(folder / _VECTORS, self.vectors)

    def nearest(self, queries: Floats, k: int) -> Iterator[Rows]:
        similarity = queries @ self.vectors.T.astype(np.float32)
        # Lengths differ a little after rounding, hence the margin.
        wanted = 2 * k
        for row in similarity:
            if len(row) <= wanted:
                yield np.arange(len(row))
            else:
                least = np.partition(row, -wanted)[-wanted]
                yield np.flatnonzero(row >= least)

    def at(self, rows: Rows) -> Bytes:
        return self.vectors[rows]


@dataclass(frozen=True, slots=True, eq=False)
class _Graph:
    index: Any  # faiss.IndexHNSWSQ

    @classmethod
    def build(cls, vectors: Bytes, *, threads: int) -> _Graph:
        faiss.omp_set_num_threads(threads)
        kind: Any = faiss.ScalarQuantizer.QT_8bit_direct_signed
        index = faiss.IndexHNSWSQ(vectors.shape[1], kind, _NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = _BREADTH_WHEN_BUILDING
        index.hnsw.efSearch = _BREADTH
        for start in range(0, len(vectors), _TOGETHER):
            index.add(vectors[start : start + _TOGETHER].astype(np.float32))
        return cls(index)

    @classmethod
    def open(cls, folder: Path) -> _Graph:
        try:
            index: Any = faiss.read_index(str(folder / _GRAPH), faiss.IO_FLAG_MMAP_IFC)
        except RuntimeError as error:
            reason = str(error).splitlines()[-1]
            raise ArtifactError(
                f"{folder / _GRAPH}: not a graph ({reason}); build it again"
            ) from error
        index.hnsw.efSearch = _BREADTH
        return cls(index)

    def save(self, folder: Path) -> None:
        faiss.write_index(self.index, str(folder / _GRAPH))

    def nearest(self, queries: Floats, k: int) -> Iterator[Rows]:
        # Twice as many, so that equal names at the end of the list come in row order.
        wanted = min(2 * k, self.index.ntotal)
        if not wanted:
            return (np.zeros(0, dtype=np.int64) for _ in queries)
        _, found = self.index.search(quantised(queries).astype(np.float32), wanted)
        return (rows[rows >= 0] for rows in found)

    def at(self, rows: Rows) -> Bytes:
        vectors: Bytes = self.index.reconstruct_batch(rows).astype(np.int8)
        return vectors


def quantised(vectors: Floats) -> Bytes:
    """Unit rows as int8, all by one scale, so that their cosines can be compared."""
    rounded: Bytes = np.rint(np.clip(vectors * _SCALE, -127, 127)).astype(np.int8)
    return rounded


def _parts(names: Iterable[str]) -> Iterator[list[str]]:
    waiting = iter(names)
    while part := list(islice(waiting, _TOGETHER)):
        yield part


def _cores() -> int:
    return os.cpu_count() or 1
