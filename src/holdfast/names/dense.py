"""Names that mean alike: nearest vectors of a name encoder, memory-mapped.

Vectors are stored once, as int8, in lists of neighbours (faiss's inverted file). A query is
compared with the centres of the lists, and then with the names of the nearest lists. Few names
make one list: then all of them are compared.

Queries are made int8 as well. Products of whole numbers are exact, in whatever order they are
added, so that a query has the same answer and scores alone, among others, and on any machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from operator import length_hint
from pathlib import Path
from typing import Any, Final, Protocol

import faiss
import numpy as np
import numpy.typing as npt

from holdfast import artifacts
from holdfast.errors import ArtifactError, InvalidValueError
from holdfast.names.index import NameMatches

KIND: Final = "dense index"
VERSION: Final = 2
EXACT: Final = 20_000  # names up to which all are compared
_LISTS: Final = "lists.faiss"
_LENGTHS: Final = "lengths.npy"  # of the int8 vectors; float32 (names,)
_ROWS: Final = "rows.npy"  # int64 (names,); only where they are not 0, 1, 2, …
_REACH: Final = 6  # components are cut off at so many of their standard deviations
_LISTS_PER_ROOT: Final = 2  # lists: so often the square root of the number of names
_PROBED: Final = 32  # lists that are searched; more is slower and surer
_SAMPLED: Final = 40  # vectors per list from which the centres are learned
_ROUNDS: Final = 8  # of k-means
_TOGETHER: Final = 1 << 15  # names encoded at once while building
_BLOCK: Final = 256  # queries searched at once
_ENCODED: Final = 0.8  # the part of the work that is done when all names are encoded

Bytes = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]


class Encoder(Protocol):
    """What an index needs of a name encoder; holdfast.names.encoder.NameEncoder is one."""

    @property
    def width(self) -> int: ...

    @property
    def digest(self) -> str:
        """Vectors of equal digests can be compared."""
        ...

    def encode(self, names: Sequence[str]) -> Floats:
        """Unit rows, in order; zeros for a name that has no vector. *Shape:* (names, width)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class DenseIndex:
    """Ranks names by the cosine of their vectors with a query's."""

    encoder: Encoder
    rows: Rows | None  # of the indexed names in the knowledge base, ascending; None: 0, 1, 2, …
    _lists: Any  # faiss.IndexIVFScalarQuantizer of the int8 vectors, in the order of `rows`
    _centres: Floats  # int8 values; (lists, width)
    _lengths: Floats  # of the int8 vectors; (names,)

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
        the part that is done, from 0 to 1. Memory: about one and a half times the vectors, at a
        byte per component.
        """
        report = progress or (lambda _: None)
        known = None if rows is None else _checked(np.asarray(rows))
        expected = length_hint(names) if known is None else len(known)
        parts, count = [], 0
        for part in _parts(names):
            parts.append(quantised(encoder.encode(part)))
            count += len(part)
            if count <= expected:
                report(_ENCODED * count / expected)
        if known is not None and count != len(known):
            raise InvalidValueError(f"{count} names, but {len(known)} rows: give one row per name")
        with _threads(threads or os.cpu_count() or 1):
            centres = _build_centres(parts, encoder.width, exact=exact)
            lists = _empty_lists(centres)
            lengths = np.zeros(count, dtype=np.float32)
            for vectors in _emptied(parts):
                done = lists.ntotal + len(vectors)
                wide = vectors.astype(np.float32)
                lengths[lists.ntotal : done] = np.linalg.norm(wide, axis=1)
                lists.add(wide)
                report(_ENCODED + (1 - _ENCODED) * done / count)
        lists.make_direct_map()
        report(1.0)
        return cls(encoder, known, lists, centres, lengths)

    def __len__(self) -> int:
        """How many names are indexed."""
        return len(self._lengths)

    def save(self, folder: Path, *, names_digest: str = "") -> None:
        """Write a folder that says which encoder made it, and of which names."""
        config = {"encoder": self.encoder.digest, "names": names_digest}
        with artifacts.publish(folder) as scratch:
            faiss.write_index(self._lists, str(scratch / _LISTS))
            np.save(scratch / _LENGTHS, self._lengths)
            if self.rows is not None:
                np.save(scratch / _ROWS, self.rows)
            artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=config)

    @classmethod
    def open(cls, folder: Path, encoder: Encoder, *, names_digest: str = "") -> DenseIndex:
        """Map a saved index; refused if another encoder made it, or of other names."""
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
            lists, lengths = _open_lists(folder / _LISTS), _map(folder / _LENGTHS)
            rows = _map(folder / _ROWS) if _ROWS in manifest.files else None
            centres = lists.quantizer.reconstruct_n(0, lists.nlist)
            counts = {lists.ntotal, len(lengths), len(lengths if rows is None else rows)}
            if len(counts) > 1 or centres.shape[1] != encoder.width:
                raise ValueError("its files do not belong together")
        except (RuntimeError, ValueError, OSError, EOFError, AttributeError) as error:
            reason = str(error).splitlines()[-1]
            raise ArtifactError(f"{folder}: cannot be opened ({reason}); build it again") from error
        return cls(encoder, rows, lists, centres, lengths)

    def search(self, queries: Sequence[str], k: int) -> NameMatches:
        """The k best rows of each query; ties in row order. An empty query finds nothing.

        Scores are cosines; names with none above 0 are not found.
        """
        return self.search_vectors(self.encoder.encode(queries), k)

    def search_vectors(self, queries: Floats, k: int) -> NameMatches:
        """The same for queries that are already encoded. *Shape:* (queries, width).

        A zero row finds nothing.
        """
        rows = np.full((len(queries), k), -1, dtype=np.int64)
        scores = np.zeros((len(queries), k), dtype=np.float32)
        # By rounding, lengths differ a little, and with them the order: hence twice as many.
        wanted = min(2 * k, len(self))
        asked = np.flatnonzero(queries.any(axis=1)) if wanted else np.zeros(0, dtype=np.int64)
        for start in range(0, len(asked), _BLOCK):
            block = asked[start : start + _BLOCK]
            found, cosines = self._nearest(queries[block], wanted)
            best = np.lexsort((found, -cosines), axis=-1)[:, :k]
            found = np.take_along_axis(found, best, axis=1)
            cosines = np.take_along_axis(cosines, best, axis=1)
            is_found = cosines > 0
            rows[block, : best.shape[1]] = np.where(is_found, self._rows_at(found), -1)
            scores[block, : best.shape[1]] = np.where(is_found, cosines, 0)
        return NameMatches(rows, scores)

    def similarity(self, queries: Floats, rows: Rows) -> Floats:
        """The cosines of encoded queries with the names of these rows, at least 0.

        *Shape:* (width,), (rows,) to (rows,); or (queries, width), (queries, rows) to
        (queries, rows). A name without a vector, a row that is not indexed and -1 have 0.
        """
        if not len(self) or not rows.size:
            return np.zeros(rows.shape, dtype=np.float32)
        places = self._places_of(rows)
        vectors = self._lists.reconstruct_batch(np.maximum(places, 0).ravel())
        whole = _whole(queries)
        products = vectors.reshape(*rows.shape, -1) @ whole[..., None]
        return self._cosines(products[..., 0], whole, places)

    def _nearest(self, queries: Floats, wanted: int) -> tuple[Rows, Floats]:
        """Places of the names nearest to each query, -1 where there are fewer, and cosines."""
        whole = _whole(queries)
        probes = self._lists.nprobe
        probed = np.argpartition(-whole @ self._centres.T, probes - 1)[:, :probes]
        products, places = self._lists.search_preassigned(whole, wanted, probed, None)
        return places, self._cosines(products, whole, places)

    def _cosines(self, products: Floats, whole: Floats, places: Rows) -> Floats:
        """At least 0, and 0 where there is no name or no length."""
        lengths = np.where(places < 0, 0, self._lengths[np.maximum(places, 0)])
        lengths = lengths * np.linalg.norm(whole, axis=-1, keepdims=True)
        return np.where(lengths > 0, np.clip(products / np.maximum(lengths, 1), 0, 1), 0)

    def _rows_at(self, places: Rows) -> Rows:
        return places if self.rows is None else self.rows[np.maximum(places, 0)]

    def _places_of(self, rows: Rows) -> Rows:
        """Where these rows are among the indexed ones; -1 if they are not."""
        if self.rows is None:
            return np.where((rows >= 0) & (rows < len(self)), rows, -1)
        places = np.minimum(np.searchsorted(self.rows, rows), len(self) - 1)
        return np.where(self.rows[places] == rows, places, -1)


def quantised(vectors: Floats) -> Bytes:
    """Unit rows as int8, all by one scale, so that their cosines can be compared."""
    scale = 127 / _REACH * vectors.shape[-1] ** 0.5
    rounded: Bytes = np.rint(np.clip(vectors * scale, -127, 127)).astype(np.int8)
    return rounded


def _whole(vectors: Floats) -> Floats:
    """The values of `quantised`, as numbers that can be multiplied."""
    return quantised(vectors).astype(np.float32)


def _build_centres(parts: Sequence[Bytes], width: int, *, exact: int) -> Floats:
    """Where the lists are: k-means of a sample. *Shape:* (lists, width), int8 values."""
    count = sum(map(len, parts))
    lists = min(round(_LISTS_PER_ROOT * count**0.5), count)
    if count <= exact or lists < 2:
        return np.zeros((1, width), dtype=np.float32)
    size = min(count, _SAMPLED * lists)
    chosen = np.sort(np.random.default_rng(0).choice(count, size, replace=False))
    starts = range(0, count, _TOGETHER)
    sample = np.concatenate(
        [
            part[chosen[slice(*np.searchsorted(chosen, (start, start + len(part))))] - start]
            for start, part in zip(starts, parts, strict=True)
        ]
    )
    means: Any = faiss.Kmeans(
        width, lists, niter=_ROUNDS, seed=0, spherical=True, min_points_per_centroid=1
    )
    means.train(sample.astype(np.float32))
    return _whole(means.centroids)


def _empty_lists(centres: Floats) -> Any:
    count, width = centres.shape
    nearest = faiss.IndexFlatIP(width)
    nearest.add(centres)
    kind: Any = faiss.ScalarQuantizer.QT_8bit_direct_signed
    lists: Any = faiss.IndexIVFScalarQuantizer(
        nearest,
        width,
        count,
        kind,
        faiss.METRIC_INNER_PRODUCT,
    )
    lists.by_residual = False  # vectors are stored themselves, not their way from the centre
    lists.train(centres)
    lists.nprobe = min(_PROBED, count)
    return lists


def _open_lists(path: Path) -> Any:
    lists: Any = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
    lists.quantizer = faiss.downcast_index(lists.quantizer)
    return lists


def _map(path: Path) -> Any:
    return np.asarray(np.load(path, mmap_mode="r"))


def _checked(rows: npt.NDArray[Any]) -> Rows:
    if rows.ndim != 1 or (len(rows) and (rows[0] < 0 or (np.diff(rows) <= 0).any())):
        raise InvalidValueError(f"rows {rows}: they must ascend from 0 or more, each given once")
    return rows.astype(np.int64)


def _parts(names: Iterable[str]) -> Iterator[list[str]]:
    waiting = iter(names)
    while part := list(islice(waiting, _TOGETHER)):
        yield part


def _emptied(parts: list[Bytes]) -> Iterator[Bytes]:
    """Each part, forgotten as it is given, so that its memory is free."""
    parts.reverse()
    while parts:
        yield parts.pop()


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Within, faiss uses so many."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(count)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
