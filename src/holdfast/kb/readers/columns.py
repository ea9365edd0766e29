"""Which column of somebody's table is the id, the name, the synonyms, and so on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

# What people call a column, the best known name first; case, spaces, "_" and "-" are ignored.
_ALIASES: Final = {
    "id": "id identifier curie conceptid entityid termid classid code conceptcode cui",
    "name": "name label preferredname preferredlabel preferredterm conceptname entityname "
    "termname term title",
    "synonyms": "synonyms synonym aliases alias altnames alternativenames altlabels altlabel "
    "othernames",
    "type": "type types semantictype semantictypes category entitytype kind",
    "definition": "definition definitions description def",
    "xrefs": "xrefs xref crossreferences dbxrefs mappings",
}
REQUIRED: Final = ("id", "name")


def simplified(column: str) -> str:
    """A column's name for comparison: "Concept_ID" and "#concept id" are both "conceptid"."""
    return re.sub(r"[\W_]", "", column.casefold())


def looks_like_header(cells: Sequence[str]) -> bool:
    """Whether some cell is a known name for the id or the name."""
    known = {alias for role in REQUIRED for alias in _ALIASES[role].split()}
    return any(simplified(cell) in known for cell in cells)


def find_columns(columns: Sequence[str], chosen: Mapping[str, str | None]) -> dict[str, str]:
    """From role to column, where there is one.

    `chosen` maps a role to the column that the caller asked for, or None; a column that was
    asked for and is not there has no role, and no other takes its place.
    """
    by_key: dict[str, str] = {}
    for column in columns:
        by_key.setdefault(simplified(column), column)
    taken = {simplified(column) for column in chosen.values() if column is not None}
    found: dict[str, str] = {}
    for role, aliases in _ALIASES.items():
        asked = chosen.get(role)
        if asked is not None:
            candidates = [asked] if asked in columns else [by_key.get(simplified(asked), "")]
        else:
            candidates = [by_key.get(a, "") for a in aliases.split() if a not in taken]
        if present := [candidate for candidate in candidates if candidate]:
            found[role] = present[0]
    return found
