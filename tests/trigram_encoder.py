"""A name encoder that was never trained: names are near each other where they are spelled alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Trigrams:
    """Each trigram of letters has its random vector; a name is their sum, of length 1."""

    width: int = 64
    digest: str = "trigrams"

    def encode(self, names: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = np.zeros((len(names), self.width), dtype=np.float32)
        for row, name in enumerate(names):
            for start in range(len(name) - 2):
                random = np.random.default_rng(crc32(name[start : start + 3].encode()))
                vectors[row] += random.standard_normal(self.width, dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: npt.NDArray[np.float32] = vectors / np.maximum(lengths, 1e-9)
        return unit


@dataclass(frozen=True)
class Listening:
    """Encodes as Trigrams does, and remembers what it was asked."""

    width: int = Trigrams.width
    digest: str = Trigrams.digest
    asked: list[str] = field(default_factory=list)

    def encode(self, names: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked.extend(names)
        return ENCODER.encode(names)


ENCODER = Trigrams()
