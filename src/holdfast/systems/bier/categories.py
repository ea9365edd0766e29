"""Where the types of a concept come from: sources of categories that plug in.

A source maps an entity of a knowledge base to categories. A category is a key, unique in its
source, with a name that a person can read. `SOURCES` lists what `holdfast types build` takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol

from holdfast import types
from holdfast.errors import FormatError, KnowledgeBaseError, UsageError
from holdfast.files import numbered_lines
from holdfast.kb.store import KnowledgeBase

ABOVE: Final = ("is_a", "mapped_to")
"""Relations that lead up: to a broader concept, or to the heading of a supplementary concept."""

_TABLE: Final = "table:"
_KEPT: Final = 1 << 16  # entities whose categories are remembered
_NUMBERING: Final = re.compile(
    r"[ivx\d]+[a-z]?|[a-z]|alpha|beta|gamma|delta|epsilon", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True, order=True)
class Category:
    """What a concept is: a key that is unique, and its name for people."""

    key: str  # "MESH:D009369", "type:disease", "head:kinase"
    name: str


def _named(prefix: str, name: str) -> Category:
    """A category that has no id of its own; its key holds no space."""
    return Category(f"{prefix}:{'_'.join(name.casefold().split())}", name)


class CategorySource(Protocol):
    """Something that knows the categories of entities."""

    def categories_of(self, id: str) -> frozenset[Category]:
        """Empty if the source does not know the entity."""


class Ancestors:
    """The concept itself and everything above it, in whatever hierarchy the knowledge base has."""

    def __init__(self, kb: KnowledgeBase) -> None:
        if not set(ABOVE) & set(kb.predicates):
            raise KnowledgeBaseError(
                f"the knowledge base {kb.name!r} has no hierarchy (no relation "
                f"{' or '.join(ABOVE)}); take another source: types, or table:FILE"
            )
        self._kb = kb
        self._parents = lru_cache(maxsize=_KEPT)(self._parents_of)

    def categories_of(self, id: str) -> frozenset[Category]:
        row = self._kb.row_of(id)
        found = set[int]()
        waiting = [] if row is None else [row]
        while waiting:
            own = waiting.pop()
            if own not in found:
                found.add(own)
                waiting.extend(self._parents(own))
        return frozenset(Category(self._kb.id_at(own), self._kb.label_at(own)) for own in found)

    def _parents_of(self, row: int) -> tuple[int, ...]:
        ids = [link.object_id for link in self._kb.links_of(row) if link.predicate in ABOVE]
        rows = (self._kb.row_of(id) for id in ids)
        return tuple(row for row in rows if row is not None)


class SemanticTypes:
    """The types of the knowledge base's entities: Disease, Gene, or UMLS's semantic types."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb

    def categories_of(self, id: str) -> frozenset[Category]:
        row = self._kb.row_of(id)
        found = () if row is None else self._kb.types_of(row)
        return frozenset(_named("type", type) for type in found)


class NameHeads:
    """What the names of a gene end in: "mitogen-activated protein kinase 1" is a kinase.

    Genes have no hierarchy in open vocabularies, but their full names say of what family they are.
    """

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb

    def categories_of(self, id: str) -> frozenset[Category]:
        row = self._kb.row_of(id)
        if row is None or types.GENE not in self._kb.types_of(row):
            return frozenset()
        found = set[Category]()
        for name in self._kb.names_of(row):
            words = re.split(r"[\s,]+", name.casefold())
            while words and _NUMBERING.fullmatch(words[-1]):
                words.pop()
            if len(words) > 1 and _WORD.fullmatch(words[-1]):
                found.add(_named("head", words[-1]))
        return frozenset(found)


class CategoryTable:
    """A table of two columns, id and category, one pair a line, separated by a tab.

    A page of Wikipedia with its categories is such a table, once its page has an id.
    """

    def __init__(self, path: Path) -> None:
        self._of: dict[str, set[Category]] = {}
        for number, line in numbered_lines(path):
            if not line.strip():
                continue
            id, _, name = (part.strip() for part in line.partition("\t"))
            if not id or not name or "\t" in name:
                raise FormatError(
                    "a line must be an id, a tab and a category", path=path, line=number
                )
            self._of.setdefault(id, set()).add(_named("table", name))

    def categories_of(self, id: str) -> frozenset[Category]:
        return frozenset(self._of.get(id, ()))


@dataclass(frozen=True, slots=True)
class Joined:
    """The categories that any of several sources gives."""

    sources: tuple[CategorySource, ...]

    def categories_of(self, id: str) -> frozenset[Category]:
        return frozenset[Category]().union(*(source.categories_of(id) for source in self.sources))


SOURCES: Final[Mapping[str, Callable[[KnowledgeBase], CategorySource]]] = {
    "ancestors": Ancestors,
    "types": SemanticTypes,
    "heads": NameHeads,
}
"""Sources by name; `table:FILE` is a fourth."""


def open_sources(names: Sequence[str], kb: KnowledgeBase) -> Joined:
    """Sources by their names; a UsageError for one that there is not."""
    found = list[CategorySource]()
    for name in names:
        if name.startswith(_TABLE):
            found.append(CategoryTable(Path(name.removeprefix(_TABLE))))
        elif name in SOURCES:
            found.append(SOURCES[name](kb))
        else:
            raise UsageError(
                f"no source of categories is called {name!r}; there is: "
                f"{', '.join(SOURCES)}, {_TABLE}FILE"
            )
    if not found:
        raise UsageError("name at least one source of categories")
    return Joined(tuple(found))


class ConceptCategories:
    """The categories of concepts, those of equivalent entities of other vocabularies with them.

    An equivalent counts if it is the only one of its vocabulary: where one concept refers to
    several, none of them means quite the same.
    """

    def __init__(self, kb: KnowledgeBase, source: CategorySource) -> None:
        self._kb = kb
        self._source = source
        self._known = lru_cache(maxsize=_KEPT)(self._find)

    def equivalents(self, id: str) -> tuple[str, ...]:
        """The id, and the one entity of each other vocabulary that means the same."""
        by_source = dict[int, list[str]]()
        for other in self._kb.equivalents(id) - {id}:
            row = self._kb.row_of(other)
            if row is not None:
                by_source.setdefault(int(self._kb.source_of[row]), []).append(other)
        own = self._kb.row_of(id)
        if own is not None:
            by_source.pop(int(self._kb.source_of[own]), None)
        return (id, *sorted(ids[0] for ids in by_source.values() if len(ids) == 1))

    def of(self, id: str) -> frozenset[Category]:
        return self._known(id)

    def of_all(self, ids: Iterable[str]) -> frozenset[Category]:
        return frozenset[Category]().union(*(self.of(id) for id in ids))

    def _find(self, id: str) -> frozenset[Category]:
        every = (self._source.categories_of(one) for one in self.equivalents(id))
        return frozenset[Category]().union(*every)
