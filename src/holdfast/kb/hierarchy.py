"""What is above and below an entity, by the relation "is_a". Cycles are harmless."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from holdfast.kb.store import KnowledgeBase
from holdfast.kb.tables import column

IS_A = "is_a"


def ancestors(kb: KnowledgeBase, id: str) -> frozenset[str]:
    """The ids of everything above an entity; its own only if a cycle leads back to it."""
    row = kb.row_of(id)
    found = set[str]()
    waiting = [] if row is None else _parents_of(kb, row)
    while waiting:
        parent = waiting.pop()
        if parent not in found:
            found.add(parent)
            above = kb.row_of(parent)
            waiting.extend([] if above is None else _parents_of(kb, above))
    return frozenset(found)


def descendants(kb: KnowledgeBase, rows: Iterable[int]) -> list[int]:
    """The rows of these entities and of all that is below them, ascending."""
    children = children_by_id(kb)
    found = set[int]()
    waiting = list(rows)
    while waiting:
        row = waiting.pop()
        if row not in found:
            found.add(row)
            waiting.extend(children.get(kb.id_at(row), ()))
    return sorted(found)


def children_by_id(kb: KnowledgeBase) -> dict[str, list[int]]:
    """The rows directly below each id, also below ids that are not in the knowledge base."""
    table = kb.table("relations")
    below: dict[str, list[int]] = {}
    for row, predicate, parent in zip(
        table.column("entity").to_pylist(),
        table.column("predicate").to_pylist(),
        table.column("object_id").to_pylist(),
        strict=True,
    ):
        if kb.predicates[predicate] == IS_A:
            below.setdefault(parent, []).append(row)
    return below


def parents_of(kb: KnowledgeBase, id: str) -> list[str]:
    """The ids directly above an entity, in the order of its source."""
    row = kb.row_of(id)
    return [] if row is None else _parents_of(kb, row)


def children_of(kb: KnowledgeBase, id: str) -> list[int]:
    """The rows directly below one id. The column is searched: for many ids, `children_by_id`."""
    import pyarrow.compute as pc

    if IS_A not in kb.predicates:
        return []
    table = kb.table("relations")
    places = np.flatnonzero(pc.equal(table.column("object_id"), id))
    is_a = column(table, "predicate")[places] == kb.predicates.index(IS_A)
    return sorted(set(column(table, "entity")[places[is_a]].tolist()))


def _parents_of(kb: KnowledgeBase, row: int) -> list[str]:
    return [link.object_id for link in kb.links_of(row) if link.predicate == IS_A]
