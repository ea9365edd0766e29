"""Which categories are one type: equal names, cross-references, and what a person says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.errors import FormatError
from holdfast.files import numbered_lines
from holdfast.kb.store import KnowledgeBase
from holdfast.systems.bier.categories import Category
from holdfast.text.tokens import key_of


@dataclass(frozen=True, slots=True)
class Edits:
    """What a person changes of a type system, by the names of types."""

    removed: frozenset[str] = frozenset()  # names, folded
    merged: Mapping[str, str] = field(default_factory=dict)  # a folded name -> another

    @classmethod
    def read(cls, removed: Path | None, merged: Path | None) -> Edits:
        """Of a file with a name on each line, and one with "name, tab, other name" on each."""
        names = set[str]()
        for _, line in numbered_lines(removed) if removed else ():
            if line.strip():
                names.add(name_key(line))
        pairs = dict[str, str]()
        for number, line in numbered_lines(merged) if merged else ():
            if not line.strip():
                continue
            name, tab, other = line.partition("\t")
            if not tab or not name.strip() or not other.strip():
                message = "a line must be a type, a tab and the type that it joins"
                raise FormatError(message, path=merged, line=number)
            pairs[name_key(name)] = name_key(other)
        return cls(frozenset(names), pairs)


def name_key(name: str) -> str:
    """Equal for names of the same words: "Carcinoma, Squamous Cell", "squamous cell carcinomas"."""
    return " ".join(sorted(key_of(name).split())) or name.strip().casefold()


class Merger:
    """Puts each category into a group, and names the group after its commonest member."""

    def __init__(self, counts: Mapping[Category, int], *, kb: KnowledgeBase, edits: Edits) -> None:
        self._edits = edits
        merged = edits.merged
        self._parent: dict[str, str] = {}
        by_key = {category.key: category for category in counts}
        for category in counts:
            own = name_key(category.name)
            self._join(f"key {category.key}", f"name {merged.get(own, own)}")
        for one, other in _equivalent(by_key, kb):
            self._join(f"key {one}", f"key {other}")
        self._names = _names(counts, self.group_of)

    def group_of(self, category: Category) -> str:
        """The group that a category belongs to."""
        return self._find(f"key {category.key}")

    def name_of(self, group: str) -> str:
        return self._names[group]

    def is_removed(self, group: str) -> bool:
        return name_key(self._names[group]) in self._edits.removed

    def _find(self, one: str) -> str:
        while (parent := self._parent.get(one, one)) != one:
            one = parent
        return one

    def _join(self, one: str, other: str) -> None:
        first, second = sorted((self._find(one), self._find(other)))
        if first != second:
            self._parent[second] = first


def _equivalent(keys: Mapping[str, Category], kb: KnowledgeBase) -> Iterable[tuple[str, str]]:
    """Pairs of categories that refer to each other, where neither refers to another of the
    other's vocabulary."""
    partners = dict[tuple[str, str], set[str]]()
    for key in keys:
        if kb.row_of(key) is None:
            continue
        for other in kb.equivalents(key) - {key}:
            if other in keys and _prefix(other) != _prefix(key):
                partners.setdefault((key, _prefix(other)), set()).add(other)
    for (key, _), others in partners.items():
        if len(others) == 1:
            (other,) = others
            if partners.get((other, _prefix(key))) == {key}:
                yield key, other


def _prefix(key: str) -> str:
    return key.partition(":")[0]


def _names(counts: Mapping[Category, int], group_of: Callable[[Category], str]) -> dict[str, str]:
    """Of each group, the name of its commonest category; of equal ones, the first by name."""
    totals = dict[str, Counter[str]]()
    for category, count in counts.items():
        group = group_of(category)
        totals.setdefault(group, Counter())[category.name] += count
    return {
        group: min(names, key=lambda name: (-names[name], name)) for group, names in totals.items()
    }
