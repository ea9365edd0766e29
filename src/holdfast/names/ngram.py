"""Names that look alike: cosine of character n-gram TF-IDF, over a memory-mapped index.

A query's rarest trigrams select a few hundred names that share them; those are then compared in
full, by 1- to 3-grams. On disk: the postings of every trigram, the cleaned names, and the length
of each name's vector.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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
        return cls(*(np.load(folder / f"ngram.{name}.npy", mmap_mode="r") for name in _ARRAYS))

    def save(self, folder: Path) -> None:
        for name in _ARRAYS:
            np.save(folder / f"ngram.{name}.npy", getattr(self, name))

    def search(self, queries: Sequence[str], k: int) -> NameMatches:
        rows = np.full((len(queries), k), -1, dtype=np.int64)
        scores = np.zeros((len(queries), k), dtype=np.float32)
        for i, query in enumerate(queries):
            found, score = self._search_one(query)
            best = np.lexsort((found, -score))[:k]
            rows[i, : len(best)] = found[best]
            scores[i, : len(best)] = score[best]
        return NameMatches(rows, scores)

    def _search_one(self, query: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Rows that share trigrams with the query, and their cosines, in no order."""
        codes, count = np.unique(_codes(clean(query)), return_counts=True)
        place = np.searchsorted(self.grams, codes)
        known = place < len(self.grams)
        known[known] = self.grams[place[known]] == codes[known]
        codes, count, place = codes[known], count[known], place[known]
        rows = self._sharing(place)
        if not len(rows):
            return rows, np.zeros(0, dtype=np.float32)
        weights = count * self.idf[place]
        dots = self._dot(rows, codes, weights * self.idf[place])
        norm = np.sqrt((weights**2).sum())
        return rows, np.clip(dots / (norm * self.norms[rows]), 0, 1).astype(np.float32)

    def _sharing(self, place: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        """The rows that share most of the query's rarest trigrams, by summed idf."""
        sizes = (self.starts[place + 1] - self.starts[place]).astype(np.int64)
        order = np.argsort(sizes, kind="stable")
        order = order[sizes[order] > 0]
        read = np.cumsum(sizes[order])
        order = order[: max(1, int(np.searchsorted(read, _POSTINGS_READ)))]
        lists = [self.postings[self.starts[g] : self.starts[g + 1]] for g in place[order]]
        if not lists:
            return np.zeros(0, dtype=np.int64)
        rows = np.concatenate(lists)
        idf = np.repeat(self.idf[place[order]] ** 2, [len(rows) for rows in lists])
        names, where = np.unique(rows, return_inverse=True)
        shared = np.bincount(where, idf) / self.norms[names]
        if len(names) > _COMPARED:
            names = names[np.argpartition(-shared, _COMPARED)[:_COMPARED]]
        return names.astype(np.int64)

    def _dot(
        self, rows: npt.NDArray[np.int64], codes: Codes, weights: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float64]:
        """Each name's dot product with a query that weighs `codes` (ascending)."""
        first, last = self.offsets[rows], self.offsets[rows + 1]
        lengths = (last - first).astype(np.int64)
        owner = np.repeat(np.arange(len(rows)), lengths)
        inside = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        text = self.text[first.astype(np.int64)[owner] + inside]
        total = np.zeros(len(rows))
        for size in (1, 2, 3):
            grams = _pack(text, size)
            whole = owner[: len(grams)] == owner[size - 1 :]
            grams, owners = grams[whole], owner[: len(whole)][whole]
            place = np.minimum(np.searchsorted(codes, grams), len(codes) - 1)
            total += np.bincount(owners, (codes[place] == grams) * weights[place], len(rows))
        return total


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
