"""What a knowledge base holds and under which licences, for people and for scripts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.kb.build import Source
from holdfast.kb.own_types import own_types
from holdfast.kb.records import Entity
from holdfast.kb.store import KnowledgeBase
from holdfast.names.signs import are_opposed
from holdfast.text.tokens import hashes_of_names
from holdfast.types import TYPES


@dataclass(frozen=True, slots=True)
class KbDescription:
    """The figures of `holdfast kb info`."""

    name: str
    folder: Path
    entities: int
    names: int
    megabytes: float
    digest: str
    sources: tuple[tuple[Source, int], ...]  # with the number of entities of each
    types: tuple[tuple[str, int], ...]  # most frequent first

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "entities": self.entities,
            "names": self.names,
            "megabytes": round(self.megabytes, 1),
            "digest": self.digest,
            "sources": [{**asdict(source), "entities": n} for source, n in self.sources],
            "types": dict(self.types),
        }


def describe(kb: KnowledgeBase) -> KbDescription:
    by_source = np.bincount(kb.source_of, minlength=len(kb.sources))
    by_type = [(type, int((kb.type_mask >> i & 1).sum())) for i, type in enumerate(TYPES)]
    by_type += [(type, len(kb.rows_of_types([type]))) for type in own_types(kb)]
    size = sum(path.stat().st_size for path in kb.folder.iterdir() if path.is_file())
    return KbDescription(
        name=kb.name,
        folder=kb.folder,
        entities=len(kb),
        names=kb.names,
        megabytes=size / 1e6,
        digest=kb.manifest.digest,
        sources=tuple(zip(kb.sources, by_source.tolist(), strict=True)),
        types=tuple(sorted(((t, n) for t, n in by_type if n), key=lambda pair: -pair[1])),
    )


@dataclass(frozen=True, slots=True)
class SearchHit:
    """An entity that `holdfast kb search` found, with the name that resembles the query."""

    entity: Entity
    name: str
    score: float

    @property
    def origin(self) -> str:
        """Whose name it is; the entity's own vocabulary if it is none of the entity's names."""
        known = zip((self.entity.name, *self.entity.synonyms), self.entity.origins, strict=True)
        return next((origin for name, origin in known if name == self.name), self.entity.source)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.entity.id,
            "label": self.entity.name,
            "name": self.name,
            "name_source": self.origin,
            "score": round(self.score, 4),
            "types": list(self.entity.types),
            "source": self.entity.source,
        }


def entity_to_json(entity: Entity) -> dict[str, Any]:
    return {
        "id": entity.id,
        "label": entity.name,
        "synonyms": list(entity.synonyms),
        "name_sources": [
            {"name": name, "source": origin}
            for name, origin in zip((entity.name, *entity.synonyms), entity.origins, strict=True)
        ],
        "types": list(entity.types),
        "definition": entity.definition,
        "xrefs": list(entity.xrefs),
        "links": [[link.predicate, link.object_id] for link in entity.links],
        "source": entity.source,
    }


def search(kb: KnowledgeBase, query: str, *, top: int = 10) -> list[SearchHit]:
    """Entities by name, each once: exact matches first, then those that look alike.

    A query that is an id, or a cross-reference, finds the entities that have it.
    """
    found: dict[int, SearchHit] = {}
    row = kb.row_of(query)
    for known in [*([] if row is None else [row]), *kb.rows_with_xref(query)]:
        found[known] = SearchHit(kb.entity_at(known), kb.label_at(known), 1.0)
    for name_row, score in _matching_names(kb, query, top):
        entity = int(kb.entity_of_name[name_row])
        if entity not in found:
            found[entity] = SearchHit(kb.entity_at(entity), kb.name_at(name_row), score)
    return list(found.values())[:top]


def _matching_names(kb: KnowledgeBase, query: str, top: int) -> Iterator[tuple[int, float]]:
    start, end = kb.exact.ranges(hashes_of_names([query]))
    equal = kb.exact.rows[start[0] : end[0]].tolist()
    # A name's key leaves its signs out: "EGFR-" is not EGFR+, though it looks like it.
    yield from ((row, 1.0) for row in sorted(equal) if not are_opposed(query, kb.name_at(row)))
    matches = kb.ngrams.search([query], 5 * top)
    for row, score in zip(matches.rows[0].tolist(), matches.scores[0].tolist(), strict=True):
        if row >= 0:
            yield row, score
