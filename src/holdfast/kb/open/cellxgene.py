"""Reads the ontologies inside the `cellxgene-ontology-guide` package.

Each is one JSON object, compressed with zstd: id -> {label, synonyms, description, deprecated,
ancestors: {id: distance}}.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pyarrow as pa

from holdfast import types
from holdfast.kb.open.json_stream import iterate_members
from holdfast.kb.open.packages import CELLXGENE
from holdfast.kb.records import Entry, Link, Record

_TYPES: Final = {
    "MONDO": types.DISEASE,
    "CHEBI": types.CHEMICAL,
    "CL": types.CELL_TYPE,
    "CVCL": types.CELL_LINE,
    "UBERON": types.ANATOMY,
    "NCBITaxon": types.SPECIES,
}
# What is not below these is a word about such things: "acquired", "inherited".
_ROOTS: Final = {"MONDO": "MONDO:0000001"}
# The taxonomy tells homonyms apart by a note: "Vertebrata <vertebrates>".
_NOTE: Final = re.compile(r"\s*<[^<>]*>$")


def read_ontology(name: str, version: str) -> Iterator[Record]:
    """Every term that is not deprecated."""
    for id, item in _members(name, version):
        if not item["deprecated"]:
            yield _entry(name, id, item)


def read_taxa(version: str) -> Iterator[Entry]:
    """The animals that have a common name."""
    for id, item in _members("NCBITaxon", version):
        if item.get("synonyms"):
            yield _entry("NCBITaxon", id, item)


def _entry(name: str, id: str, item: Mapping[str, Any]) -> Entry:
    parents = (id for id, distance in item.get("ancestors", {}).items() if distance == 1)
    root = _ROOTS.get(name, id)
    type = _TYPES[name] if root == id or root in item.get("ancestors", {}) else types.OTHER
    return Entry(
        _curie(name, id),
        _NOTE.sub("", item["label"]),
        synonyms=tuple(item.get("synonyms") or ()),
        types=(type,),
        definition=item.get("description") or "",
        links=tuple(Link("is_a", _curie(name, parent)) for parent in parents),
    )


def _curie(name: str, id: str) -> str:
    return f"Cellosaurus:{id}" if name == "CVCL" else id


def _members(name: str, version: str) -> Iterator[tuple[str, Any]]:
    member = f"cellxgene_ontology_guide/data/{name}-ontology-{version}.json.zst"
    with CELLXGENE.open(member) as stream:
        compressed = pa.py_buffer(stream.read())
    with pa.input_stream(compressed, compression="zstd") as unpacked:
        yield from iterate_members(unpacked, path=member)
