"""The order in which examples are learned from."""

from __future__ import annotations

import numpy as np


class EpochOrder:
    """Places of so many examples, each once in an epoch, in a random order new in every epoch.

    The same seeds give the same orders.
    """

    def __init__(self, total: int, *seeds: int) -> None:
        self._total = total
        self._seeds = seeds
        self._epoch = -1
        self._order = np.zeros(0, dtype=np.int64)

    def drawn(self, step: int, count: int) -> list[int]:
        """The places of one step of `count` examples, as if all steps before had as many."""
        found = list[int]()
        first = step * count
        while len(found) < count:
            epoch, at = divmod(first + len(found), self._total)
            if self._epoch != epoch:
                random = np.random.default_rng([*self._seeds, epoch])
                self._epoch, self._order = epoch, random.permutation(self._total)
            found += self._order[at : at + count - len(found)].tolist()
        return found
