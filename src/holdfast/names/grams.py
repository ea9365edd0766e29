"""Character n-grams of names: how names are cut into them, counted, and listed by them.

An n-gram is a run of one to three bytes of the cleaned name, packed into 32 bits with its size in
the top byte, so that grams of one size are neighbours in ascending order.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.text.normalise import fold

_SEPARATORS: Final = re.compile(r"[\W_]+")
_TRIGRAMS: Final = np.uint32(3 << 24)  # the first code of size three
_CHUNK: Final = 1 << 17  # names whose grams are sorted together
_IN_MEMORY: Final = 1 << 24  # bytes of grams that are not written to disk
_PASSES: Final = 5  # over all chunks while an index is built: one sorts them, four read them

Codes = npt.NDArray[np.uint32]


def clean(name: str) -> bytes:
    """Folded, with one space for whatever is not a letter or digit, and one at each end."""
    words = _SEPARATORS.sub(" ", fold(name)).strip()
    return f" {words} ".encode("utf-8", "replace") if words else b""


def pack(text: npt.NDArray[np.uint8], size: int) -> Codes:
    """Every run of `size` bytes as one number, the size itself in the top byte."""
    count = max(0, len(text) - size + 1)
    code = np.full(count, size << 24, dtype=np.uint32)
    for i in range(size):
        code |= text[i : i + count].astype(np.uint32) << np.uint32(8 * i)
    return code


def codes_of(cleaned: bytes) -> Codes:
    text = np.frombuffer(cleaned, dtype=np.uint8)
    return np.concatenate([pack(text, size) for size in (1, 2, 3)])


@dataclass(frozen=True, slots=True)
class GramChunk:
    """The n-grams of a run of names: each (gram, name) once, ordered by gram, then name."""

    first: int
    names: int
    gram: Codes
    name: npt.NDArray[np.uint32]
    count: npt.NDArray[np.uint8]


def _grams_by_name(
    text: npt.NDArray[np.uint8], offsets: npt.NDArray[np.uint64], first: int, last: int
) -> GramChunk:
    begin, end = int(offsets[first]), int(offsets[last])
    part = text[begin:end]
    lengths = np.diff(offsets[first : last + 1]).astype(np.int64)
    owner = np.repeat(np.arange(first, last, dtype=np.uint64), lengths)
    pairs = []
    for size in (1, 2, 3):
        grams = pack(part, size)
        whole = owner[: len(grams)] == owner[size - 1 :]
        pairs.append((grams[whole].astype(np.uint64) << np.uint64(32)) | owner[: len(grams)][whole])
    pair, count = np.unique(np.concatenate(pairs), return_counts=True)
    return GramChunk(
        first,
        last - first,
        (pair >> np.uint64(32)).astype(np.uint32),
        pair.astype(np.uint32),
        np.minimum(count, 255).astype(np.uint8),
    )


class GramChunks:
    """The chunks of all names, sorted once and then read back from a temporary file."""

    def __init__(
        self,
        text: npt.NDArray[np.uint8],
        offsets: npt.NDArray[np.uint64],
        scratch: Path | None = None,
        progress: Callable[[float], None] | None = None,  # told the part of all passes done
    ) -> None:
        self._progress = progress
        self._visited = 0
        names = len(offsets) - 1
        self._ranges = [(first, min(first + _CHUNK, names)) for first in range(0, names, _CHUNK)]
        # Closed by __exit__. Few names stay in memory, so that they need no room on any disk.
        place = None if scratch is None else str(scratch)
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=place)  # noqa: SIM115
        for first, last in self._ranges:
            chunk = _grams_by_name(text, offsets, first, last)
            for array in (chunk.gram, chunk.name, chunk.count):
                np.save(self._file, array)
            self._visit()

    def __iter__(self) -> Iterator[GramChunk]:
        self._file.seek(0)
        for first, last in self._ranges:
            gram, name, count = (np.load(self._file) for _ in range(3))
            yield GramChunk(first, last - first, gram, name, count)
            self._visit()

    def _visit(self) -> None:
        self._visited += 1
        if self._progress is not None:
            self._progress(min(1.0, self._visited / (_PASSES * len(self._ranges))))

    def __enter__(self) -> GramChunks:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def document_frequency(chunks: Iterable[GramChunk]) -> tuple[Codes, npt.NDArray[np.int64]]:
    counted = [np.unique(chunk.gram, return_counts=True) for chunk in chunks]
    grams = np.unique(np.concatenate([np.zeros(0, np.uint32), *(gram for gram, _ in counted)]))
    frequency = np.zeros(len(grams), dtype=np.int64)
    for gram, count in counted:
        frequency[np.searchsorted(grams, gram)] += count
    return grams, frequency


def trigram_postings(
    chunks: Iterable[GramChunk], grams: Codes
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
