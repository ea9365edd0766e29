"""Names that look alike: cosine of character n-gram TF-IDF, over a memory-mapped index.

A query's rarest trigrams select a few hundred names that share them; those are then compared in
full, by 1- to 3-grams. On disk: the postings of every trigram, the cleaned names, and the length
of each name's vector.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.names.grams import (
    Codes,
    GramChunks,
    clean,
    codes_of,
    document_frequency,
    pack,
    trigram_postings,
)
from holdfast.names.index import NameMatches

_ARRAYS: Final = ("text", "offsets", "grams", "idf", "starts", "postings", "norms")
_POSTINGS_READ: Final = 300_000  # per query; rarest trigrams first
_COMPARED: Final = 300  # names compared in full, per query
_TABLE_BITS: Final = 14
_MULTIPLIER: Final = 0x9E3779B1  # odd, with its bits well spread


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
    _spare: list[npt.NDArray[np.float32]] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def build(
        cls,
        names: Iterable[str],
        scratch: Path | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> NgramIndex:
        """Index the names in order. Memory: the cleaned names, and four bytes per posting.

        A temporary file of some 500 bytes per name is made in the folder `scratch`. `progress` is
        called with the part that is done, from 0 to 1.
        """
        cleaned, ends = bytearray(), array("Q", [0])
        for name in names:
            cleaned += clean(name)
            ends.append(len(cleaned))
        text = np.frombuffer(cleaned, dtype=np.uint8)
        offsets = np.frombuffer(ends, dtype=np.uint64)
        with GramChunks(text, offsets, scratch, progress) as chunks:
            grams, frequency = document_frequency(chunks)
            idf = (np.log(len(offsets) / (1 + frequency)) + 1).astype(np.float32)
            norms = np.zeros(len(offsets) - 1, dtype=np.float32)
            for chunk in chunks:
                weights = chunk.count * idf[np.searchsorted(grams, chunk.gram)]
                squares = np.bincount(chunk.name - chunk.first, weights**2, chunk.names)
                norms[chunk.first : chunk.first + chunk.names] = np.sqrt(squares)
            starts, postings = trigram_postings(chunks, grams)
        return cls(text, offsets, grams, idf, starts, postings, norms)

    @classmethod
    def open(cls, folder: Path) -> NgramIndex:
        # Plain views: numpy's memmap class makes every small slice several times slower.
        paths = (folder / f"ngram.{name}.npy" for name in _ARRAYS)
        return cls(*(np.asarray(np.load(path, mmap_mode="r")) for path in paths))

    def save(self, folder: Path) -> None:
        for name in _ARRAYS:
            np.save(folder / f"ngram.{name}.npy", getattr(self, name))

    def search(
        self,
        queries: Sequence[str],
        k: int,
        *,
        least: float = 0.0,
        compared: int = _COMPARED,
        postings: int = _POSTINGS_READ,
    ) -> NameMatches:
        """The k best rows of each query; ties in row order. An empty query finds nothing.

        `least`: a cosine below which a name is of no interest. Fewer postings are read then, and
        names below it may or may not be among the answers. `compared`: of how many names the
        cosine is computed, after reading so many `postings`; fewer is faster and less sure.
        """
        rows = np.full((len(queries), k), -1, dtype=np.int64)
        scores = np.zeros((len(queries), k), dtype=np.float32)
        for i, query in enumerate(queries):
            found, score = self._search_one(query, least, compared, postings)
            best = np.lexsort((found, -score))[:k]
            rows[i, : len(best)] = found[best]
            scores[i, : len(best)] = score[best]
        return NameMatches(rows, scores)

    def similarity(self, query: str, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The cosines of the query with the names of these rows. *Shape:* (rows,)"""
        codes, _, weights, idf = self._weighed(query)
        scores = np.zeros(len(rows), dtype=np.float32)
        known = np.flatnonzero(self.norms[rows] > 0)  # a name without letters has no grams
        if len(known) and len(codes):
            scores[known] = self._cosines(rows[known], codes, weights, idf)
        return scores

    def alike(
        self,
        query: str,
        k: int,
        *,
        also: npt.NDArray[np.int64],
        least: float = 0.0,
        compared: int = _COMPARED,
        postings: int = _POSTINGS_READ,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """The rows of `also` and the k best rows, in row order, with their cosines.

        With k = 0 nothing is looked for. The rest is as in `search`; `also` may hold a row twice.
        """
        codes, place, weights, idf = self._weighed(query)
        near = self._sharing(place, weights, least, compared, postings) if k else also[:0]
        rows, place_of = np.unique(np.concatenate([also, near]), return_inverse=True)
        scores = np.zeros(len(rows), dtype=np.float32)
        known = np.flatnonzero(self.norms[rows] > 0)  # a name without letters has no grams
        if len(known) and len(codes):
            scores[known] = self._cosines(rows[known], codes, weights, idf)
        kept = np.zeros(len(rows), dtype=bool)
        kept[place_of[: len(also)]] = True
        found = np.sort(place_of[len(also) :])
        kept[found[np.argsort(-scores[found], kind="stable")[:k]]] = True
        return rows[kept], scores[kept]

    def _search_one(
        self, query: str, least: float, compared: int, postings: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Rows that share trigrams with the query, and their cosines, in no order."""
        codes, place, weights, idf = self._weighed(query)
        rows = self._sharing(place, weights, least, compared, postings)
        if not len(rows):
            return rows, np.zeros(0, dtype=np.float32)
        return rows, self._cosines(rows, codes, weights, idf)

    def _weighed(
        self, query: str
    ) -> tuple[Codes, npt.NDArray[np.intp], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The query's known grams: codes, places among all grams, weights, idf."""
        codes, count = np.unique(codes_of(clean(query)), return_counts=True)
        place = np.searchsorted(self.grams, codes)
        known = place < len(self.grams)
        known[known] = self.grams[place[known]] == codes[known]
        idf = np.asarray(self.idf[place[known]], dtype=np.float64)
        return codes[known], place[known], count[known].astype(np.float64) * idf, idf

    def _cosines(
        self,
        rows: npt.NDArray[np.int64],
        codes: Codes,
        weights: npt.NDArray[np.float64],
        idf: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float32]:
        """Of a query with names, none of which may be empty."""
        dots = self._dot(rows, codes, weights * idf)
        norm = np.sqrt((weights**2).sum())
        cosines: npt.NDArray[np.float64] = dots / (norm * self.norms[rows])
        return np.clip(cosines, 0, 1).astype(np.float32)

    def _sharing(
        self,
        place: npt.NDArray[np.intp],
        weights: npt.NDArray[np.float64],
        least: float,
        compared: int,
        postings: int,
    ) -> npt.NDArray[np.int64]:
        """The rows that share most of the query's rarest trigrams, by summed idf."""
        start = self.starts[place].astype(np.int64)
        sizes = self.starts[place + 1].astype(np.int64) - start
        order = np.argsort(sizes, kind="stable")
        order = order[sizes[order] > 0]
        lists = min(
            int(np.searchsorted(np.cumsum(sizes[order]), postings)),
            _needed(weights, order, least),
        )
        order = order[: max(1, lists)]
        if not len(order):
            return np.zeros(0, dtype=np.int64)
        ranges = zip(start[order].tolist(), sizes[order].tolist(), strict=True)
        rows = np.concatenate([self.postings[a : a + n] for a, n in ranges]).astype(np.int64)
        try:
            sums = self._spare.pop()
        except IndexError:
            sums = np.zeros(len(self.norms), dtype=np.float32)
        np.add.at(sums, rows, np.repeat(self.idf[place[order]] ** 2, sizes[order]))
        names = self._best(rows, sums, compared * len(order), compared)
        sums[rows] = 0
        self._spare.append(sums)
        return names

    def _best(
        self,
        rows: npt.NDArray[np.int64],
        sums: npt.NDArray[np.float32],
        entries: int,  # that are sure to hold `wanted` rows: a row stands there once per list
        wanted: int,
    ) -> npt.NDArray[np.int64]:
        """Those of the rows, each once, whose sums are largest for the length of their vector."""
        if len(rows) > entries:
            share = sums[rows] / self.norms[rows]
            rows = rows[np.argpartition(share, len(rows) - entries)[-entries:]]
        rows = np.unique(rows)
        if len(rows) > wanted:
            share = sums[rows] / self.norms[rows]
            rows = rows[np.argpartition(share, len(rows) - wanted)[-wanted:]]
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
            # A gram that reaches into the next name has two spaces in it, which no query has.
            values = table.look_up(pack(text, size))
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


def _needed(weights: npt.NDArray[np.float64], order: npt.NDArray[np.intp], least: float) -> int:
    """How many lists, in this order, hold between them every name of at least that cosine.

    A name in none of them shares only the other grams, so that its cosine is at most the length
    of the query without theirs, over the whole length (Cauchy and Schwarz).
    """
    squares = weights**2
    rest = 1 - np.cumsum(squares[order]) / squares.sum()
    return int(np.searchsorted(-rest, -(least**2))) + 1
