"""Vectors of names as int8, each distinct one once, in an index of faiss.

faiss is imported when the first vectors are added, opened or searched: names that equal a query are
found without it.
"""

from __future__ import annotations

import mmap
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

_REACH: Final = 6  # components are cut off at so many of their standard deviations
_NEIGHBOURS: Final = 16  # of each vector in the graph; twice as many on its lowest level
_BREADTH_WHEN_BUILDING: Final = 80
_BREADTH: Final = 160  # vectors kept in mind during a search; more is slower and surer
_LARGE: Final = (
    1_000_000  # vectors; beyond, a search must be broader to find as many of the nearest
)
_BREADTH_IF_LARGE: Final = 320

Bytes = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float32]


class Encoder(Protocol):
    """Makes vectors of names; holdfast.encoders.names.NameEncoder is one."""

    @property
    def width(self) -> int: ...

    @property
    def digest(self) -> str:
        """Vectors of equal digests can be compared."""
        ...

    def encode(self, names: Sequence[str]) -> Floats:
        """Unit rows, in order; zeros for a name that has no vector. *Shape:* (names, width)."""
        ...


class DistinctVectors:
    """Takes vectors as they come, and keeps the distinct ones in the order of their first.

    Up to `exact` of them are compared one by one; more make a graph.
    """

    def __init__(self, width: int, *, exact: int) -> None:
        self.vectors: Any = _empty_flat(width)  # faiss.IndexScalarQuantizer or IndexHNSWSQ
        self.lengths: list[Floats] = []  # of the int8 vectors, in parts
        self.vector_of = array("i")  # the number of each vector that came
        self._exact = exact
        self._is_flat = True
        self._numbers: dict[int, int] = {}  # by the hash of a vector's bytes

    def add(self, vectors: Bytes) -> None:
        """*Shape:* (vectors, width)."""
        new: list[int] = []
        known = len(self._numbers)
        for i, vector in enumerate(vectors):
            number = self._numbers.setdefault(hash(vector.tobytes()), len(self._numbers))
            if number == known + len(new):
                new.append(i)
            self.vector_of.append(number)
        whole = vectors[new].astype(np.float32)
        self.lengths.append(np.linalg.norm(whole, axis=1))
        self.vectors.add(whole)
        if self._is_flat and self.vectors.ntotal > self._exact:
            flat = self.vectors
            self.vectors, self._is_flat = _empty_graph(flat.d), False
            self.vectors.add(flat.reconstruct_n(0, flat.ntotal))
        if not self._is_flat:
            self.vectors.hnsw.efSearch = breadth_of(self.vectors.ntotal)


def write_vectors(vectors: Any, path: Path) -> None:
    """Write an index of faiss. OSError if the disk is full, which faiss's own writer may miss."""
    import faiss

    library: Any = faiss  # whose types leave this writer out
    with path.open("wb") as stream:
        library.write_index(vectors, library.PyCallbackIOWriter(stream.write))


def open_vectors(path: Path, *, breadth: int | None = None) -> Any:
    """An index of faiss over a mapped file. faiss raises RuntimeError for a file it cannot read.

    `breadth` is that of searches in a graph; None takes `breadth_of` its number of vectors.
    """
    import faiss

    with path.open("rb") as stream:
        mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    content = np.frombuffer(mapped, dtype=np.uint8)
    library: Any = faiss  # whose types leave this reader out
    vectors = library.read_index(library.ZeroCopyIOReader(faiss.swig_ptr(content), len(content)))
    vectors.referenced_objects = [content]  # faiss does not know that it must stay
    if hasattr(vectors, "hnsw"):
        vectors.hnsw.efSearch = breadth or breadth_of(vectors.ntotal)
    # faiss has followed every link of the graph once; a search needs few of those pages.
    if hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)
    return vectors


def breadth_of(vectors: int) -> int:
    """How many vectors a search in a graph of so many keeps in mind."""
    return _BREADTH if vectors <= _LARGE else _BREADTH_IF_LARGE


def quantised(vectors: Floats) -> Bytes:
    """Unit rows as int8, all by one scale, so that their cosines can be compared."""
    scaled = vectors * _scale(vectors.shape[-1])
    rounded: Bytes = np.rint(np.clip(scaled, -127, 127)).astype(np.int8)
    return rounded


def restored(vectors: Bytes) -> Floats:
    """Rows whose `quantised` form is the one given. *Shape:* (vectors, width)."""
    floats: Floats = (vectors / _scale(vectors.shape[-1])).astype(np.float32)
    return floats


def _scale(width: int) -> float:
    """Whole numbers per unit of a component."""
    return float(127 / _REACH * width**0.5)


def whole_numbers(vectors: Floats) -> Floats:
    """The values of `quantised`, as numbers that can be multiplied."""
    return quantised(vectors).astype(np.float32)


@contextmanager
def faiss_threads(count: int | None) -> Iterator[None]:
    """Let faiss use `count` threads within the block; None: as many as before."""
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(count or before)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def _empty_flat(width: int) -> Any:
    import faiss

    kind: Any = faiss.ScalarQuantizer.QT_8bit_direct_signed
    return faiss.IndexScalarQuantizer(width, kind, faiss.METRIC_INNER_PRODUCT)


def _empty_graph(width: int) -> Any:
    import faiss

    kind: Any = faiss.ScalarQuantizer.QT_8bit_direct_signed
    graph: Any = faiss.IndexHNSWSQ(width, kind, _NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction = _BREADTH_WHEN_BUILDING
    return graph
