"""The names of a knowledge base by what they mean, across its vocabularies.

A concept that several vocabularies have is one group: its entities refer to each other one to one,
or have the same preferred name. Names that several groups share teach nothing and are left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from holdfast.encoders.names import plain
from holdfast.kb import KnowledgeBase

_SHORTEST: Final = 5  # letters of a preferred name that may join two entities


@dataclass(frozen=True, slots=True)
class Group:
    """The names of one concept, each another string even when plain."""

    names: tuple[str, ...]
    kind: str  # the type of its first entity, "" if it has none
    ids: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()  # how texts call it, where a corpus says


def synonym_groups(kb: KnowledgeBase, sources: Iterable[str]) -> list[Group]:
    """The groups of the entities that come from these sources, in the order of their rows."""
    wanted = {code for code, source in enumerate(kb.sources) if source.name in set(sources)}
    rows = [row for row in range(len(kb)) if int(kb.source_of[row]) in wanted]
    names: dict[int, list[str]] = {row: [] for row in rows}
    for entity, name in zip(kb.entity_of_name.tolist(), kb.all_names(), strict=True):
        if entity in names:
            names[entity].append(name)
    union = _join(kb, names)
    members = defaultdict[int, list[int]](list)
    for row in rows:
        members[union.find(row)].append(row)
    return _groups(kb, names, members)


class _Union:
    """Disjoint sets of integers."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def find(self, item: int) -> int:
        while (parent := self._parent.get(item, item)) != item:
            self._parent[item] = self._parent.get(parent, parent)
            item = parent
        return item

    def join(self, left: int, right: int) -> None:
        self._parent[max(self.find(left), self.find(right))] = min(
            self.find(left), self.find(right)
        )


def _join(kb: KnowledgeBase, names: Mapping[int, Sequence[str]]) -> _Union:
    union = _Union()
    by_label: dict[str, int] = {}
    for row, own in names.items():
        label = plain(own[0])
        if len(label) < _SHORTEST:
            continue
        other = by_label.setdefault(label, row)
        if other != row and kb.source_of[other] != kb.source_of[row]:
            union.join(other, row)
    row_of = {kb.id_at(row): row for row in names}
    for row, other in _one_to_one(kb, row_of):
        union.join(row, other)
    return union


def _one_to_one(kb: KnowledgeBase, row_of: Mapping[str, int]) -> list[tuple[int, int]]:
    """Pairs of rows where the first gives only the second of its vocabulary, and no other row of
    the first's vocabulary gives the second."""
    given: dict[tuple[int, int], list[int]] = defaultdict(list)
    taken = Counter[tuple[int, int]]()
    for row in row_of.values():
        for xref in kb.entity_at(row).xrefs if kb.count_of("xrefs", row) else ():
            other = row_of.get(xref)
            if other is not None and other != row:
                given[row, int(kb.source_of[other])].append(other)
                taken[int(kb.source_of[row]), other] += 1
    return [
        (row, others[0])
        for (row, _), others in given.items()
        if len(others) == 1 and taken[int(kb.source_of[row]), others[0]] == 1
    ]


def _groups(
    kb: KnowledgeBase, names: Mapping[int, Sequence[str]], members: Mapping[int, Sequence[int]]
) -> list[Group]:
    distinct = {
        first: {plain(name): name for row in reversed(rows) for name in reversed(names[row])}
        for first, rows in members.items()
    }
    owners = Counter(key for own in distinct.values() for key in own)
    groups = []
    for first, own in distinct.items():
        kept = tuple(name for key, name in own.items() if key and owners[key] == 1)
        if kept:
            types = kb.types_of(first)
            ids = tuple(kb.id_at(row) for row in members[first])
            groups.append(Group(kept, types[0] if types else "", ids))
    return groups
