"""Entities in words: their name, and a definition or what stands in for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from holdfast.kb.records import Entity, Link
from holdfast.kb.store import KnowledgeBase
from holdfast.systems.bier.categories import ABOVE

Origin = Literal["definition", "equivalent", "names"]
_SYNONYMS: Final = 6
_PARENTS: Final = 3


@dataclass(frozen=True, slots=True)
class Description:
    """What is said of an entity, and where that comes from."""

    name: str
    text: str
    origin: Origin  # its own definition, an equivalent entity's, or synonyms and parents


class Descriptions:
    """Describes the entities of a knowledge base."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb

    def of(self, id: str) -> Description:
        """The entity's definition, that of an equivalent one, else its synonyms and parents."""
        entity = self._kb.entity(id)
        if entity.definition:
            return Description(entity.name, entity.definition, "definition")
        for other in sorted(self._kb.equivalents(id) - {id}):
            row = self._kb.row_of(other)
            if row is not None and (definition := self._kb.entity_at(row).definition):
                return Description(entity.name, definition, "equivalent")
        return Description(entity.name, self._names(entity), "names")

    def _names(self, entity: Entity) -> str:
        rows = (self._kb.row_of(link.object_id) for link in entity.links if _leads_up(link))
        parents = [self._kb.label_at(row) for row in rows if row is not None][:_PARENTS]
        kinds = parents or list(entity.types)
        synonyms = ", ".join(entity.synonyms[:_SYNONYMS])
        told = f"{entity.name} is a kind of {' and '.join(kinds)}." if kinds else f"{entity.name}."
        return f"{told} Also called {synonyms}." if synonyms else told


def _leads_up(link: Link) -> bool:
    return link.predicate in ABOVE
