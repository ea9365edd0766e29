"""What a reader of a vocabulary yields, and what a knowledge base is built from.

A reader is a function `read_…(path, *, options) -> Iterator[Record]`. It streams: it yields an
Entry as soon as it has one, and may later yield Additions about entities it already entered
(UMLS keeps definitions in a file of their own, for instance).
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.errors import InvalidValueError


@dataclass(frozen=True, slots=True)
class Link:
    """A relation from the record's entity to another, e.g. ("is_a", "MONDO:0000001")."""

    predicate: str  # "is_a" for the hierarchy; anything else as the source says it
    object_id: str


@dataclass(frozen=True, slots=True)
class Addition:
    """More about an entity that was entered before; dropped and counted if it was not.

    `origin` is whose names these are; empty if they are of the source that is being read.
    """

    id: str  # a CURIE
    synonyms: tuple[str, ...] = ()
    types: tuple[str, ...] = ()  # of holdfast.types, or a semantic type such as "T047"
    definition: str = ""
    xrefs: tuple[str, ...] = ()  # CURIEs that mean the same in other vocabularies
    links: tuple[Link, ...] = ()
    origin: str = ""  # e.g. "MONDO"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entity. Entering an id again adds to it, and keeps the first preferred name.

    `origin` is whose names these are; empty if they are of the source that is being read.
    """

    id: str  # a CURIE
    name: str  # the preferred name
    synonyms: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    definition: str = ""
    xrefs: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    origin: str = ""

    def __post_init__(self) -> None:
        if not self.id or not self.name.strip():
            raise InvalidValueError(f"an entity needs an id and a name: {self.id!r}, {self.name!r}")


Record = Entry | Addition


@dataclass(frozen=True, slots=True)
class Entity:
    """All that a knowledge base says of one concept."""

    id: str
    name: str  # the preferred one
    synonyms: tuple[str, ...]
    types: tuple[str, ...]
    definition: str
    xrefs: tuple[str, ...]
    links: tuple[Link, ...]
    source: str
    origins: tuple[str, ...]  # whose names these are, of the preferred one and each synonym

    def _repr_html_(self) -> str:
        """How notebooks show it: a card of its names, definition and cross-references."""
        from holdfast.notebook.display import entity_html

        return entity_html(self)
