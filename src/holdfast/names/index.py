"""The common face of everything that finds names by string."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class NameMatches:
    """For each query, its best names, best first."""

    rows: npt.NDArray[np.int64]  # name rows, -1 where there are fewer; (queries, k)
    scores: npt.NDArray[np.float32]  # in [0, 1], 0 where there is no name; (queries, k)


class NameIndex(Protocol):
    """Finds names that resemble a string. Row i is the i-th name the index was built from."""

    def search(self, queries: Sequence[str], k: int) -> NameMatches:
        """The k best rows of each query; ties in row order. An empty query finds nothing."""
        ...
