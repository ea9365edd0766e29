"""When two ids mean the same, and how many of one set are found in another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

Equivalents = Callable[[str], frozenset[str]]
"""From an id to the ids that mean the same, with or without itself."""


class Equality:
    """Compares ids: equal strings, or equivalent through a knowledge base.

    Two ids are the same if either lists the other, so the answer does not depend on which of them
    is gold. It is not carried further: if X lists A and B, then A and B are still two ids.
    """

    def __init__(self, equivalents: Equivalents | None = None) -> None:
        self._equivalents = equivalents
        self._known: dict[str, frozenset[str]] = {}

    @property
    def is_exact(self) -> bool:
        """Whether only equal strings are the same."""
        return self._equivalents is None

    def same(self, one: str, other: str) -> bool:
        if one == other:
            return True
        if self._equivalents is None:
            return False
        return other in self._of(one) or one in self._of(other)

    def share(self, some: Iterable[str], others: Iterable[str]) -> bool:
        """Whether any id of the one is the same as any id of the other."""
        others = tuple(others)
        return any(self.same(one, other) for one in some for other in others)

    def _of(self, entity_id: str) -> frozenset[str]:
        if self._equivalents is None:
            return frozenset()
        if entity_id not in self._known:
            self._known[entity_id] = self._equivalents(entity_id)
        return self._known[entity_id]


def collapse(units: Iterable[frozenset[str]], equality: Equality) -> list[frozenset[str]]:
    """Units, each a set of ids, of which those that share an id have become one.

    So nothing counts twice: neither a repeated annotation, nor one concept under two ids.
    """
    distinct = list(dict.fromkeys(units))
    if equality.is_exact and _are_single(distinct):
        return distinct
    groups: list[frozenset[str]] = []
    for unit in distinct:
        joined = [group for group in groups if equality.share(group, unit)]
        groups = [group for group in groups if group not in joined]
        groups.append(unit.union(*joined))
    return groups


def count_matches(
    gold: Sequence[frozenset[str]], predicted: Sequence[frozenset[str]], equality: Equality
) -> int:
    """The most units that can be paired, gold with predicted, each at most once.

    A pair shares an id. Pairing one to one keeps a single prediction from finding two gold units,
    and two predictions from both being right about one.
    """
    if equality.is_exact and _are_single(gold) and _are_single(predicted):
        return len(set(gold) & set(predicted))
    owner: dict[int, int] = {}  # predicted -> gold

    def assign(unit: int, seen: set[int]) -> bool:
        for candidate, ids in enumerate(predicted):
            if candidate in seen or not equality.share(gold[unit], ids):
                continue
            seen.add(candidate)
            if candidate not in owner or assign(owner[candidate], seen):
                owner[candidate] = unit
                return True
        return False

    return sum(assign(unit, set()) for unit in range(len(gold)))


def _are_single(units: Iterable[frozenset[str]]) -> bool:
    return all(len(unit) == 1 for unit in units)
