"""What a model can answer: the types and entities of its training documents, as classes."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from holdfast.document import NIL, Document
from holdfast.errors import ArtifactError
from holdfast.types import canonical_type

LABELS: Final = "labels.json"
NO_ENTITY: Final = 0
"""The class of words in no mention, and of mentions without an entity."""


@dataclass(frozen=True, slots=True)
class EntityLabel:
    """An entity of the training documents."""

    id: str  # a CURIE
    wording: str  # how its mentions are most often written
    count: int  # of its mentions


@dataclass(frozen=True, slots=True)
class Labels:
    """The types, and the entities by how often they are mentioned, most often first.

    The class of an entity is its place plus one.
    """

    types: tuple[str, ...]
    entities: tuple[EntityLabel, ...]
    _classes: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        classes = {entity.id: row for row, entity in enumerate(self.entities, start=1)}
        object.__setattr__(self, "_classes", classes)

    @property
    def classes(self) -> int:
        """How many there are, that of no entity with them."""
        return 1 + len(self.entities)

    def class_of(self, ids: Sequence[str]) -> int:
        """The class of the most frequent of a mention's ids; NO_ENTITY if none is known."""
        return min((self._classes[id] for id in ids if id in self._classes), default=NO_ENTITY)

    def type_of(self, type: str) -> int | None:
        """The place of a type, however it is spelled; None if training had no such type."""
        canonical = canonical_type(type)
        return self.types.index(canonical) if canonical in self.types else None

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Labels:
        """Every type and every id of the documents' mentions."""
        types = Counter[str]()
        wordings = defaultdict[str, Counter[str]](Counter)
        for document in documents:
            for mention in document.mentions:
                types[canonical_type(mention.type)] += bool(mention.type)
                for id in mention.ids:
                    wordings[id][document.text_of(mention)] += 1
        wordings.pop(NIL, None)
        entities = [
            EntityLabel(id, min(found, key=lambda text: (-found[text], text)), found.total())
            for id, found in wordings.items()
        ]
        return cls(
            tuple(sorted(type for type, count in types.items() if count)),
            tuple(sorted(entities, key=lambda entity: (-entity.count, entity.id))),
        )

    def write(self, folder: Path) -> None:
        rows = [list(asdict(entity).values()) for entity in self.entities]
        text = json.dumps({"types": list(self.types), "entities": rows}, ensure_ascii=False)
        (folder / LABELS).write_text(text, encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> Labels:
        """ArtifactError if the file is not one that `write` made."""
        try:
            data = json.loads((folder / LABELS).read_text(encoding="utf-8"))
            entities = (EntityLabel(str(i), str(w), int(n)) for i, w, n in data["entities"])
            return cls(tuple(map(str, data["types"])), tuple(entities))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ArtifactError(
                f"{folder / LABELS}: damaged ({error}); fetch or train it again"
            ) from error
