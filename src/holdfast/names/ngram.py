"""Names that look alike: cosine of character n-gram TF-IDF, over a memory-mapped index.

A query's rarest trigrams select a few hundred names that share them; those are then compared in
full, by 1- to 3-grams. On disk: the postings of every trigram, the cleaned names, and the length
of each name's vector.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.names.index import NameMatches
from holdfast.text.normalise import fold

_ARRAYS: Final = ("text", "offsets", "grams", "idf", "starts", "postings", "norms")
_SEPARATORS: Final = re.compile(r"[\W_]+")
_TRIGRAMS: Final = np.uint32(3 << 24)  # the first code of size three
_CHUNK: Final = 1 << 17  # names whose grams are sorted together
_POSTINGS_READ: Final = 300_000  # per query; rarest trigrams first
_COMPARED: Final = 300  # names compared in full, per query
_TABLE_BITS: Final = 14
_MULTIPLIER: Final = 0x9E3779B1  # odd, with its bits well spread

Codes = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class NgramIndex:
    """Ranks names by the cosine of their character n-grams with a query's."""

    text: npt.NDArray[np.uint8]  # all cleaned names, one after the other
    offsets: npt.NDArray[np.uint64]  # name i is text[offsets[i]:offsets[i + 1]]
    grams: Codes  # every n-gram that occurs, ascending
    idf: npt.NDArray[np.float32]  # of each gram
    starts: npt.NDArray[np.uint64]  # gram g is in postings[starts[g]:starts[g + 1]]
    postings: npt.NDArray[np.uint32]  # name rows, ascending within a gram
    norms: npt.NDArray[np.float32]  # length of each name's vector
    # Zeros, one per name, to sum in; kept between queries. Threads take and return whole arrays.
    _spare: list[npt.NDArray[np.float32]] = field(default_factory=list, repr=False)

    @classmethod
    def build(cls, names: Iterable[str]) -> NgramIndex:
        """Index the names in order. Memory: the cleaned names, and four bytes per posting."""
        encoded = [clean(name) for name in names]
        lengths = np.fromiter((len(name) for name in encoded), np.uint64, len(encoded))
        offsets = np.concatenate([np.zeros(1, np.uint64), np.cumsum(lengths, dtype=np.uint64)])
        text = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        del encoded
        with _Chunks(text, offsets) as chunks:
            grams, frequency = _document_frequency(chunks)
            idf = (np.log((1 + len(lengths)) / (1 + frequency)) + 1).astype(np.float32)
            norms = np.zeros(len(lengths), dtype=np.float32)
            for chunk in chunks:
                weights = chunk.count * idf[np.searchsorted(grams, chunk.gram)]
                squares = np.bincount(chunk.name - chunk.first, weights**2, chunk.names)
                norms[chunk.first : chunk.first + chunk.names] = np.sqrt(squares)
            starts, postings = _trigram_postings(chunks, grams)
        return cls(text, offsets, grams, idf, starts, postings, norms)

    @classmethod
    def open(cls, folder: Path) -> NgramIndex:
        # Plain views: numpy's memmap class makes every small slice several times slower.
        paths = (folder / f"ngram.{name}.npy" for name in _ARRAYS)
        return cls(*(np.asarray(np.load(path, mmap_mode="r")) for path in paths))

    def save(self, folder: Path) -> None:
        for name in _ARRAYS:
            np.save(folder / f"ngram.{name}.npy", getattr(self, name))

    def search(self, queries: Sequence[str], k: int, *, least: float = 0.0) -> NameMatches:
        """The k best rows of each query; ties in row order. An empty query finds nothing.

        `least`: a cosine below which a name is of no interest. Fewer postings are read then, and
        names below it may or may not be among the answers.
        """
        rows = np.full((len(queries), k), -1, dtype=np.int64)
        scores = np.zeros((len(queries), k), dtype=np.float32)
        for i, query in enumerate(queries):
            found, score = self._search_one(query, least)
            best = np.lexsort((found, -score))[:k]
            rows[i, : len(best)] = found[best]
            scores[i, : len(best)] = score[best]
        return NameMatches(rows, scores)

    def _search_one(
        self, query: str, least: float
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Rows that share trigrams with the query, and their cosines, in no order."""
        codes, count = np.unique(_codes(clean(query)), return_counts=True)
        place = np.searchsorted(self.grams, codes)
        known = place < len(self.grams)
        known[known] = self.grams[place[known]] == codes[known]
        codes, place = codes[known], place[known]
        weights = count[known] * self.idf[place]
        rows = self._sharing(place, weights, least)
        if not len(rows):
            return rows, np.zeros(0, dtype=np.float32)
        dots = self._dot(rows, codes, weights * self.idf[place])
        norm = np.sqrt((weights**2).sum())
        return rows, np.clip(dots / (norm * self.norms[rows]), 0, 1).astype(np.float32)

    def _sharing(
        self, place: npt.NDArray[np.intp], weights: npt.NDArray[np.float64], least: float
    ) -> npt.NDArray[np.int64]:
        """The rows that share most of the query's rarest trigrams, by summed idf."""
        start = self.starts[place].astype(np.int64)
        sizes = self.starts[place + 1].astype(np.int64) - start
        order = np.argsort(sizes, kind="stable")
        order = order[sizes[order] > 0]
        lists = min(
            int(np.searchsorted(np.cumsum(sizes[order]), _POSTINGS_READ)),
            _needed(weights, order, least),
        )
        order = order[: max(1, lists)]
        if not len(order):
            return np.zeros(0, dtype=np.int64)
        ranges = zip(start[order].tolist(), sizes[order].tolist(), strict=True)
        rows = np.concatenate([self.postings[a : a + n] for a, n in ranges]).astype(np.int64)
        sums = self._spare.pop() if self._spare else np.zeros(len(self.norms), dtype=np.float32)
        np.add.at(sums, rows, np.repeat(self.idf[place[order]] ** 2, sizes[order]))
        shared = sums[rows] / self.norms[rows]
        sums[rows] = 0
        self._spare.append(sums)
        # A row stands there once per list that holds it, so this many hold the best rows.
        enough = _COMPARED * len(order)
        if len(rows) > enough:
            best = np.argpartition(shared, len(rows) - enough)[-enough:]
            rows, shared = rows[best], shared[best]
        rows, first = np.unique(rows, return_index=True)
        if len(rows) > _COMPARED:
            rows = rows[np.argpartition(shared[first], len(rows) - _COMPARED)[-_COMPARED:]]
        return rows

    def _dot(
        self, rows: npt.NDArray[np.int64], codes: Codes, weights: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Each name's dot product with a query that weighs `codes`. No name may be empty."""
        first = self.offsets[rows].astype(np.int64)
        lengths = self.offsets[rows + 1].astype(np.int64) - first
        ends = np.cumsum(lengths)
        begins = ends - lengths
        text = self.text[np.arange(ends[-1]) + np.repeat(first - begins, lengths)]
        table = _WeightTable(codes, weights)
        total = np.zeros(len(text))
        for size in (1, 2, 3):
            values = table.look_up(_pack(text, size))
            for back in range(1, size):  # grams that would reach into the next name
                values[ends[:-1] - back] = 0
            total[: len(values)] += values
        return np.add.reduceat(total, begins)


class _WeightTable:
    """The weights of a query's grams by hash, in as many layers as collisions need."""

    def __init__(self, codes: Codes, weights: npt.NDArray[np.float64]) -> None:
        self._layers: list[tuple[Codes, npt.NDArray[np.float64]]] = []
        while len(codes):
            slot = self._slots(codes, len(self._layers))
            keys = np.zeros(1 << _TABLE_BITS, dtype=np.uint32)
            keys[slot] = codes  # of those that share a slot, the last stays
            placed = keys[slot] == codes
            values = np.zeros(1 << _TABLE_BITS)
            values[slot[placed]] = weights[placed]
            self._layers.append((keys, values))
            codes, weights = codes[~placed], weights[~placed]

    def look_up(self, grams: Codes) -> npt.NDArray[np.float64]:
        """The weight of each gram, 0 where the query does not have it."""
        result = np.zeros(len(grams))
        for layer, (keys, values) in enumerate(self._layers):
            slot = self._slots(grams, layer)
            result += values[slot] * (keys[slot] == grams)
        return result

    @staticmethod
    def _slots(grams: Codes, layer: int) -> Codes:
        multiplier = np.uint32(_MULTIPLIER + 2 * layer * 0x3C6EF372 & 0xFFFFFFFF)
        return (grams * multiplier) >> np.uint32(32 - _TABLE_BITS)


def _needed(
    weights: npt.NDArray[np.float64], order: npt.NDArray[np.intp], least: float
) -> int:
    """How many lists, in this order, hold between them every name of at least that cosine.

    A name in none of them shares only the other grams, so that its cosine is at most the length
    of the query without theirs, over the whole length (Cauchy and Schwarz).
    """
    squares = weights**2
    rest = 1 - np.cumsum(squares[order]) / squares.sum()
    return int(np.searchsorted(-rest, -(least**2))) + 1


def clean(name: str) -> bytes:
    """Folded, with one space for whatever is not a letter or digit, and one at each end."""
    words = _SEPARATORS.sub(" ", fold(name)).strip()
    return f" {words} ".encode("utf-8", "replace") if words else b""


def _pack(text: npt.NDArray[np.uint8], size: int) -> Codes:
    """Every run of `size` bytes as one number, the size itself in the top byte."""
    count = max(0, len(text) - size + 1)
    code = np.full(count, size << 24, dtype=np.uint32)
    for i in range(size):
        code |= text[i : i + count].astype(np.uint32) << np.uint32(8 * i)
    return code


def _codes(cleaned: bytes) -> Codes:
    text = np.frombuffer(cleaned, dtype=np.uint8)
    return np.concatenate([_pack(text, size) for size in (1, 2, 3)])


@dataclass(frozen=True, slots=True)
class _Chunk:
    """The n-grams of a run of names: each (gram, name) once, ordered by gram, then name."""

    first: int
    names: int
    gram: Codes
    name: npt.NDArray[np.uint32]
    count: npt.NDArray[np.uint8]


def _grams_by_name(
    text: npt.NDArray[np.uint8], offsets: npt.NDArray[np.uint64], first: int, last: int
) -> _Chunk:
    begin, end = int(offsets[first]), int(offsets[last])
    part = text[begin:end]
    lengths = np.diff(offsets[first : last + 1]).astype(np.int64)
    owner = np.repeat(np.arange(first, last, dtype=np.uint64), lengths)
    pairs = []
    for size in (1, 2, 3):
        grams = _pack(part, size)
        whole = owner[: len(grams)] == owner[size - 1 :]
        pairs.append((grams[whole].astype(np.uint64) << np.uint64(32)) | owner[: len(grams)][whole])
    pair, count = np.unique(np.concatenate(pairs), return_counts=True)
    return _Chunk(
        first,
        last - first,
        (pair >> np.uint64(32)).astype(np.uint32),
        pair.astype(np.uint32),
        np.minimum(count, 255).astype(np.uint8),
    )


class _Chunks:
    """The chunks of all names, sorted once and then read back from a temporary file."""

    def __init__(self, text: npt.NDArray[np.uint8], offsets: npt.NDArray[np.uint64]) -> None:
        names = len(offsets) - 1
        self._ranges = [(first, min(first + _CHUNK, names)) for first in range(0, names, _CHUNK)]
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (closed by __exit__)
        for first, last in self._ranges:
            chunk = _grams_by_name(text, offsets, first, last)
            for array in (chunk.gram, chunk.name, chunk.count):
                np.save(self._file, array)

    def __iter__(self) -> Iterator[_Chunk]:
        self._file.seek(0)
        for first, last in self._ranges:
            gram, name, count = (np.load(self._file) for _ in range(3))
            yield _Chunk(first, last - first, gram, name, count)

    def __enter__(self) -> _Chunks:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _document_frequency(chunks: Iterable[_Chunk]) -> tuple[Codes, npt.NDArray[np.int64]]:
    counted = [np.unique(chunk.gram, return_counts=True) for chunk in chunks]
    grams = np.unique(np.concatenate([np.zeros(0, np.uint32), *(gram for gram, _ in counted)]))
    frequency = np.zeros(len(grams), dtype=np.int64)
    for gram, count in counted:
        frequency[np.searchsorted(grams, gram)] += count
    return grams, frequency


def _trigram_postings(
    chunks: Iterable[_Chunk], grams: Codes
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
    """Names by trigram; shorter grams have no postings, since they select too little."""
    sizes = np.zeros(len(grams) + 1, dtype=np.int64)
    for chunk in chunks:
        place = np.searchsorted(grams, chunk.gram[chunk.gram >= _TRIGRAMS])
        sizes[1:] += np.bincount(place, minlength=len(grams))
    starts = np.cumsum(sizes)
    postings = np.zeros(int(starts[-1]), dtype=np.uint32)
    fill = starts[:-1].copy()
    for chunk in chunks:
        three = chunk.gram >= _TRIGRAMS
        place = np.searchsorted(grams, chunk.gram[three])
        in_gram = np.arange(len(place)) - np.searchsorted(place, place, side="left")
        postings[fill[place] + in_gram] = chunk.name[three]
        fill += np.bincount(place, minlength=len(grams))
    return starts.astype(np.uint64), postings
