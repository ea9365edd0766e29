"""A cache of bounded size that threads may share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Values by key; those that were asked for longest ago are forgotten first.

    Several threads may use one. A caller works with the values that `known` returned and those that
    it made itself, so that what another thread pushes out meanwhile changes no answer.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def known(self, keys: Iterable[K]) -> dict[K, V]:
        """Those of the keys that are remembered, with their values."""
        found = dict[K, V]()
        with self._lock:
            for key in keys:
                if key in self._values:
                    self._values.move_to_end(key)
                    found[key] = self._values[key]
        return found

    def keep(self, values: Mapping[K, V]) -> None:
        """Remember these, and forget the oldest beyond the limit."""
        with self._lock:
            for key, value in values.items():
                self._values[key] = value
                self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
