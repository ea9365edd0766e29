"""Strings to rows: ids and cross-references by hash, memory-mapped."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
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


def _hash(string: str) -> int:
    digest = hashlib.blake2b(string.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
