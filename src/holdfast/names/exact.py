"""Names by their key: the exact index, and the table that dictionary detection looks into.

Sorted 64-bit hashes of token sequences beside the rows of the names they belong to, in two flat
arrays that are memory-mapped, and a third one of what long names begin with. A look-up is a binary
search; a wrong answer would need two of a few million sequences to share 64 bits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.names.index import NameMatches
from holdfast.text.tokens import hash_names, hashes_of_names

KEYS: Final = "exact.keys.npy"
ROWS: Final = "exact.rows.npy"
PREFIXES: Final = "exact.prefixes.npy"

_INVERTED: Final = re.compile(r"^([^,]+), ([^,]+)$")
_HYPHENATED: Final = re.compile(r"(?<=[A-Za-zΑ-ω])-(?=\d)|(?<=\d)-(?=[A-Za-zΑ-ω])")


@dataclass(frozen=True, slots=True)
class ExactIndex:
    """Finds the names whose folded tokens equal a query's, in order."""

    keys: npt.NDArray[np.uint64]  # ascending; may repeat
    rows: npt.NDArray[np.uint32]  # the name behind each key
    prefixes: npt.NDArray[np.uint64]  # ascending: what names of more than PREFIX tokens begin with

    @classmethod
    def build(cls, names: Iterable[str]) -> ExactIndex:
        """Index each name under its key, and under the ways of writing that mean the same."""
        keys, rows, prefixes = [], [], [np.zeros(0, dtype=np.uint64)]
        for first, batch in _batches(names):
            hashed = hash_names(batch)
            keys.append(hashed.names)
            prefixes.append(hashed.prefixes)
            rows.append(np.arange(first, first + len(batch), dtype=np.uint32))
            varied = [
                (row, variant)
                for row, name in enumerate(batch, first)
                if "," in name or "-" in name  # most names have no variant: do not even ask
                for variant in variants(name)
            ]
            hashed = hash_names(variant for _, variant in varied)
            keys.append(hashed.names)
            prefixes.append(hashed.prefixes)
            rows.append(np.array([row for row, _ in varied], dtype=np.uint32))
        key = np.concatenate(keys) if keys else np.zeros(0, dtype=np.uint64)
        row = np.concatenate(rows) if rows else np.zeros(0, dtype=np.uint32)
        order = np.lexsort((row, key))
        order = order[key[order] != 0]  # names without a letter or digit have no key
        return cls(key[order], row[order], np.unique(np.concatenate(prefixes)))

    @classmethod
    def open(cls, folder: Path) -> ExactIndex:
        # Plain views: numpy's memmap class makes every small slice several times slower.
        return cls(
            *(np.asarray(np.load(folder / name, mmap_mode="r")) for name in (KEYS, ROWS, PREFIXES))
        )

    def save(self, folder: Path) -> None:
        np.save(folder / KEYS, self.keys)
        np.save(folder / ROWS, self.rows)
        np.save(folder / PREFIXES, self.prefixes)

    def ranges(
        self, hashes: npt.NDArray[np.uint64]
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Where each hash's rows begin and end in `rows`; equal where there are none."""
        return (
            np.searchsorted(self.keys, hashes, side="left"),
            np.searchsorted(self.keys, hashes, side="right"),
        )

    def holds(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Whether each hash is the key of some name."""
        return _are_in(self.keys, hashes)

    def begins(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Whether some longer name begins with a run of tokens that has this hash.

        Runs of PREFIX tokens, twice, four times as many and so on are known; see `ends_prefix`.
        """
        return _are_in(self.prefixes, hashes)

    def search(self, queries: Sequence[str], k: int) -> NameMatches:
        rows = np.full((len(queries), k), -1, dtype=np.int64)
        starts, ends = self.ranges(hashes_of_names(queries))
        for i, (start, end) in enumerate(zip(starts, ends, strict=True)):
            found = np.unique(self.rows[start:end])[:k]
            rows[i, : len(found)] = found
        return NameMatches(rows, (rows >= 0).astype(np.float32))


@dataclass(frozen=True, slots=True)
class VerbatimIndex:
    """Finds the names that equal a query to the letter: the baseline of baselines."""

    rows_of: Mapping[str, Sequence[int]]

    @classmethod
    def build(cls, names: Iterable[str]) -> VerbatimIndex:
        rows_of: dict[str, list[int]] = {}
        for row, name in enumerate(names):
            rows_of.setdefault(name, []).append(row)
        return cls(rows_of)

    def search(self, queries: Sequence[str], k: int) -> NameMatches:
        rows = np.full((len(queries), k), -1, dtype=np.int64)
        for i, query in enumerate(queries):
            found = self.rows_of.get(query, ())[:k] if query else ()
            rows[i, : len(found)] = found
        return NameMatches(rows, (rows >= 0).astype(np.float32))


def variants(name: str) -> Iterator[str]:
    """Other ways to write a name: "Diabetes, Gestational" reversed, "IL-2" without its hyphen."""
    if inverted := _INVERTED.match(name):
        yield f"{inverted[2]} {inverted[1]}"
    if _HYPHENATED.search(name):
        yield _HYPHENATED.sub("", name)


def _are_in(known: npt.NDArray[np.uint64], hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Whether each hash is in an ascending array."""
    place = np.searchsorted(known, hashes)
    place[place == len(known)] = 0
    return known[place] == hashes if len(known) else np.zeros(len(hashes), bool)


def _batches(names: Iterable[str], size: int = 1 << 17) -> Iterator[tuple[int, list[str]]]:
    """Runs of names with the row of each run's first."""
    remaining, first = iter(names), 0
    while batch := list(islice(remaining, size)):
        yield first, batch
        first += len(batch)
