"""What another vocabulary calls the same thing: by cross-references, in one step or in two.

A step leads from an id to one that lists it as a cross-reference, or that it lists. Vocabularies
seldom list each other's ids, but many list MONDO's, so that a second step finds more. It must not
drift: a chain is taken only through a concept that is the one counterpart of the first id in its
vocabulary, and the other way round, and that is the one counterpart of the last. A term that lists
three headings of MeSH is broader than each, and bridges none of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from holdfast.curies import known_prefix
from holdfast.errors import UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.text.tokens import key_of


@dataclass(frozen=True, slots=True)
class Target:
    """An id of the other vocabulary, and how it was found."""

    id: str
    via: tuple[str, ...] = ()  # the ids between; none where a cross-reference says it

    @property
    def way(self) -> str:
        """For a person: "direct" or "via MONDO:0005148"; of several bridges, all."""
        return f"via {', '.join(self.via)}" if self.via else "direct"


class IdMapper:
    """Maps ids of a knowledge base into one other vocabulary."""

    def __init__(self, kb: KnowledgeBase, prefix: str) -> None:
        """`prefix`: in any spelling. UsageError if no id of the knowledge base has it."""
        self.kb = kb
        self.prefix = prefix_in(kb, prefix)
        self.targets = lru_cache(maxsize=1 << 16)(self._targets)
        self._equivalents = lru_cache(maxsize=1 << 16)(kb.equivalents)

    def _targets(self, id: str) -> tuple[Target, ...]:
        """All ids of the vocabulary that mean the same, the surest first.

        Direct ones come first; then those of the same preferred name, those that mean the fewest
        other things, and those that most concepts lead to. An id of the vocabulary is its own
        target, unless it was replaced by another.
        """
        direct = self._of_prefix(id, self.prefix)
        if prefix_of(id) == self.prefix and (id in self.kb or not direct):
            return (Target(id),)
        bridges = defaultdict[str, list[str]](list)
        for bridge in self._bridges(id):
            for other in self._of_prefix(bridge, self.prefix):
                if other not in (id, *direct) and self._are_one(bridge, other):
                    bridges[other].append(bridge)
        found = [*map(Target, direct), *(Target(o, tuple(sorted(b))) for o, b in bridges.items())]
        return tuple(sorted(found, key=lambda target: self._rank(id, target)))

    def _bridges(self, id: str) -> Iterator[str]:
        """The concepts that are the one counterpart of the id in their vocabulary."""
        own = prefix_of(id)
        for bridge in sorted(self._equivalents(id) - {id}):
            is_replacement = prefix_of(bridge) == own and id not in self.kb
            if is_replacement or self._are_one(bridge, id):
                yield bridge

    def _are_one(self, id: str, other: str) -> bool:
        """Whether each is the only id of its vocabulary that means the same as the other."""
        there = self._of_prefix(id, prefix_of(other))
        back = self._of_prefix(other, prefix_of(id))
        return there == [other] and back == [id]

    def _of_prefix(self, id: str, prefix: str) -> list[str]:
        start = f"{prefix}:"
        same = self._equivalents(id)
        return sorted(other for other in same if other != id and other.startswith(start))

    def _rank(self, id: str, target: Target) -> tuple[bool, bool, int, int, str]:
        label = self._label(id)
        same_name = label != "" and label in map(self._label, (target.id, *target.via))
        meanings = len(self._of_prefix(target.id, prefix_of(id)))
        return bool(target.via), not same_name, meanings, -len(target.via), target.id

    def _label(self, id: str) -> str:
        row = self.kb.row_of(id)
        return "" if row is None else key_of(self.kb.label_at(row))


def map_id(kb: KnowledgeBase, id: str, prefix: str) -> str | None:
    """The id of the same thing in another vocabulary ("MONDO"); None if none is known.

    Of several, the surest, as IdMapper ranks them. `prefix` is spelled as in the knowledge base.
    """
    if prefix not in kb.prefixes:
        return None
    return next((target.id for target in IdMapper(kb, prefix).targets(id)), None)


def prefix_of(id: str) -> str:
    return id.partition(":")[0]


def prefix_in(kb: KnowledgeBase, name: str) -> str:
    """A vocabulary's prefix as the knowledge base spells it; UsageError lists those there are."""
    counted = kb.prefixes
    spelled = {prefix.casefold(): prefix for prefix in counted}
    wanted = name.strip().rstrip(":")
    for spelling in (wanted, known_prefix(wanted) or wanted):
        if (found := spelled.get(spelling.casefold())) is not None:
            return found
    known = ", ".join(sorted(counted, key=lambda prefix: (-counted[prefix], prefix)))
    raise UsageError(f"no id of {kb.name!r} has the prefix {name!r}; there is: {known}")


def id_in(kb: KnowledgeBase, id: str) -> str:
    """An id with its prefix as the knowledge base spells it: "mesh:D003924" is MESH's."""
    prefix, colon, rest = id.strip().partition(":")
    if not colon or not rest:
        example = kb.id_at(0)
        raise UsageError(f"{id!r} is not an id; an id has a prefix, such as {example!r}")
    return f"{prefix_in(kb, prefix)}:{rest}"
