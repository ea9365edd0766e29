"""Strings to rows: ids and cross-references by hash, memory-mapped."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class IdIndex:
    """The rows at which a string may stand; the caller compares the strings themselves."""

    hashes: npt.NDArray[np.uint64]  # ascending; may repeat
    rows: npt.NDArray[np.uint32]

    @classmethod
    def build(cls, strings: Iterable[str]) -> IdIndex:
        hashes = np.fromiter((_hash(string) for string in strings), dtype=np.uint64)
        order = np.argsort(hashes, kind="stable")
        return cls(hashes[order], order.astype(np.uint32))

    @classmethod
    def open(cls, folder: Path, name: str) -> IdIndex:
        return cls(
            np.load(folder / f"{name}.hashes.npy", mmap_mode="r"),
            np.load(folder / f"{name}.rows.npy", mmap_mode="r"),
        )

    def save(self, folder: Path, name: str) -> None:
        np.save(folder / f"{name}.hashes.npy", self.hashes)
        np.save(folder / f"{name}.rows.npy", self.rows)

    def rows_of(self, string: str) -> list[int]:
        value = np.uint64(_hash(string))
        start = np.searchsorted(self.hashes, value, side="left")
        end = np.searchsorted(self.hashes, value, side="right")
        return [int(row) for row in self.rows[start:end]]

    def first_rows_of(self, strings: Sequence[str]) -> npt.NDArray[np.int64]:
        """The first row at which each string may stand, -1 where there is none.

        *Shape:* (strings,)
        """
        asked = np.fromiter(map(_hash, strings), dtype=np.uint64, count=len(strings))
        if not len(self.hashes):
            return np.full(len(strings), -1)
        place = np.minimum(np.searchsorted(self.hashes, asked), len(self.hashes) - 1)
        rows = self.rows[place].astype(np.int64)
        return np.where(self.hashes[place] == asked, rows, -1)

    def shared_with(self, ids: IdIndex) -> npt.NDArray[np.int64]:
        """The rows here whose string is one of `ids`, each with its row there.

        `ids` holds every string once. Strings are equal where their 64 bits are.
        *Shape:* (pairs, 2)
        """
        if not len(ids.hashes):
            return np.zeros((0, 2), dtype=np.int64)
        place = np.minimum(np.searchsorted(ids.hashes, self.hashes), len(ids.hashes) - 1)
        shared = np.flatnonzero(ids.hashes[place] == self.hashes)
        return np.column_stack([self.rows[shared], ids.rows[place[shared]]]).astype(np.int64)


def _hash(string: str) -> int:
    digest = hashlib.blake2b(string.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
