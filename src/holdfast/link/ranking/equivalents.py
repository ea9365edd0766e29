"""Which candidates mean the same: concepts of several vocabularies that refer to each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from holdfast.kb.store import KnowledgeBase

Rows = npt.NDArray[np.int64]
Group = tuple[int, ...]
"""Places among the candidates of a query; the one that speaks for all of them is the first."""


class Equivalents:
    """Cross-references between entities of one knowledge base, in either direction."""

    def __init__(
        self, kb: KnowledgeBase, preference: npt.NDArray[np.uint16], *, used: Rows | None = None
    ) -> None:
        """`preference` as holdfast.names.preference has it; `used`: entities of a corpus, or -1."""
        self._count = len(kb)
        self._source = kb.source_of
        self._preference = preference
        self._is_used = np.zeros(len(kb), dtype=bool)
        if used is not None:
            self._is_used[used[used >= 0]] = True
        pairs = kb.equivalent_rows() if len(kb.sources) > 1 else np.zeros((0, 2), dtype=np.int64)
        self._pairs = np.unique(self._key(np.minimum(*pairs.T), np.maximum(*pairs.T)))

    def linked(self, entities: Rows) -> frozenset[tuple[int, int]]:
        """Pairs of places, the lower one first, whose entities refer to each other."""
        if len(entities) < 2 or not len(self._pairs):
            return frozenset()
        first, second = np.triu_indices(len(entities), 1)
        one, other = entities[first], entities[second]
        keys = self._key(np.minimum(one, other), np.maximum(one, other))
        place = np.minimum(np.searchsorted(self._pairs, keys), len(self._pairs) - 1)
        found = np.flatnonzero(self._pairs[place] == keys)
        return frozenset(zip(first[found].tolist(), second[found].tolist(), strict=True))

    def groups(
        self, entities: Rows, order: Iterable[int], linked: frozenset[tuple[int, int]]
    ) -> list[Group]:
        """The candidates by concept, in the order given: the likeliest first.

        A concept has one entity of each vocabulary: what two entities of one vocabulary have in
        common is no reason to take them for the same. Its likeliest entity speaks for it if the
        corpus links to that, else the one of the preferred vocabulary.
        """
        waiting = list(order)
        if not linked:
            return [(place,) for place in waiting]
        groups = list[Group]()
        while waiting:
            members = [waiting.pop(0)]
            for place in list(waiting):
                if self._belongs(place, members, entities, linked):
                    members.append(place)
                    waiting.remove(place)
            leader = self._leader(members, entities)
            groups.append((leader, *(place for place in members if place != leader)))
        return groups

    def _leader(self, members: Sequence[int], entities: Rows) -> int:
        if self._is_used[entities[members[0]]]:
            return members[0]
        return min(members, key=lambda place: int(self._preference[entities[place]]))

    def _belongs(
        self,
        place: int,
        members: Sequence[int],
        entities: Rows,
        linked: frozenset[tuple[int, int]],
    ) -> bool:
        if not any((min(place, m), max(place, m)) in linked for m in members):
            return False
        return bool(self._source[entities[place]] not in self._source[entities[members]])

    def _key(self, lower: Rows, higher: Rows) -> Rows:
        return lower * self._count + higher
