"""How evidence speaks of a name: whose it is, and of what."""

from __future__ import annotations

from holdfast.kb.store import KnowledgeBase


def exact_name(kb: KnowledgeBase, row: int, name: str, *, is_preferred: bool) -> str:
    """For a mention that equals a name of the entity in this row.

    For example `MeSH name “Fever”`, or, if another vocabulary gave the name,
    `MONDO synonym “chronic kidney disease” (concept of MeSH)`.
    """
    origin, source = kb.origin_of(row, name), kb.source_at(row)
    told = f"{origin} {'name' if is_preferred else 'synonym'} “{name}”"
    return told if origin == source else f"{told} (concept of {source})"
