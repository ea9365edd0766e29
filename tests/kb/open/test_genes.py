"""Genes of the open knowledge base go by NCBI's ids wherever one is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

import holdfast
from holdfast.kb import Entry, Link, Record, open_kb
from holdfast.kb.open import vocabularies
from holdfast.kb.open.vocabularies import Vocabulary, get

HUMAN = Entry(
    "HGNC:11998",
    "QUAG1",
    synonyms=("quag",),
    types=("Gene",),
    xrefs=("NCBIGene:7157",),
    links=(Link("orthologous_to", "MGI:98834"), Link("orthologous_to", "RGD:3889")),
)
MICE = (
    Entry(
        "MGI:98834",
        "Quag1",
        synonyms=("quag",),
        types=("Gene",),
        xrefs=("NCBIGene:22059", "Ensembl:E1"),
        links=(Link("in_taxon", "NCBITaxon:10090"),),
    ),
    Entry("MGI:5", "Zib5", types=("Gene",), links=(Link("in_taxon", "NCBITaxon:10090"),)),
)
RAT = Entry(
    "RGD:3889",
    "Qug",
    types=("Gene",),
    xrefs=("NCBIGene:24842",),
    links=(Link("in_taxon", "NCBITaxon:10116"),),
)
HEADING = Entry("MESH:D1", "Fluvia", types=("Species",), xrefs=("NCBITaxon:12", "UMLS:C1"))


@pytest.fixture(autouse=True)
def small_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def vocabulary(title: str, *records: Record) -> Vocabulary:
        def read() -> Iterator[Record]:
            return iter(records)

        return Vocabulary(title, "CC0", "1", (), read)

    small = {
        "mesh": vocabulary("MeSH", HEADING),
        "hgnc": vocabulary("HGNC", HUMAN),
        "mgi": vocabulary("MGI", *MICE),
        "rgd": vocabulary("RGD", RAT),
    }
    monkeypatch.setattr(vocabularies, "VOCABULARIES", small)
    get("open")


def _ids(texts: Iterable[str]) -> list[tuple[str, ...]]:
    link = holdfast.load("open", model="dictionary")
    return [mention.ids for text in texts for mention in link(text).mentions]


def test_mouse_and_rat_genes_have_ncbi_ids_and_keep_the_old_ones_as_xrefs() -> None:
    kb = open_kb("open")
    assert kb.entity("NCBIGene:22059").xrefs == ("MGI:98834", "Ensembl:E1")
    assert kb.entity("RGD:3889").id == "NCBIGene:24842"
    assert kb.entity("MGI:5").id == "MGI:5"
    assert "MGI:98834" not in kb


def test_the_species_of_a_document_decides_among_orthologues_under_ncbi_ids() -> None:
    texts = ("QUAG1 in patients.", "Quag1 in mice.", "Quag1 in rats.")
    assert _ids(texts) == [("NCBIGene:7157",), ("NCBIGene:22059",), ("NCBIGene:24842",)]


def test_mesh_leaves_it_to_the_taxonomy_which_taxon_a_heading_is() -> None:
    assert open_kb("open").entity("MESH:D1").xrefs == ("UMLS:C1",)
