"""A small knowledge base of genes that human, mouse and rat share."""

from __future__ import annotations

from pathlib import Path

from holdfast.kb import Entry, KnowledgeBase, Link, Source
from small_kb import make_kb

HUMAN_GENES = (
    Entry(
        "NCBIGene:7157",
        "TP53",
        synonyms=("tumor protein p53", "p53"),
        types=("Gene",),
        links=(Link("orthologous_to", "MGI:98834"), Link("orthologous_to", "RGD:3889")),
    ),
    Entry(
        "NCBIGene:627",
        "BDNF",
        synonyms=("brain derived neurotrophic factor",),
        types=("Gene",),
        links=(Link("orthologous_to", "MGI:88145"),),
    ),
    Entry("NCBIGene:1", "LONE1", types=("Gene",)),
)
MOUSE_GENES = tuple(
    Entry(id, name, synonyms=synonyms, types=("Gene",), links=(Link("in_taxon", taxon),))
    for id, name, synonyms, taxon in (
        ("MGI:98834", "Trp53", ("p53",), "NCBITaxon:10090"),
        ("MGI:88145", "Bdnf", (), "NCBITaxon:10090"),
        ("MGI:7", "Twin1", (), "NCBITaxon:10090"),
    )
)
RAT_GENES = tuple(
    Entry(id, name, synonyms=synonyms, types=("Gene",), links=(Link("in_taxon", taxon),))
    for id, name, synonyms, taxon in (
        ("RGD:3889", "Tp53", ("p53", "Trp53"), "NCBITaxon:10116"),
        ("RGD:7", "Twin1", (), "NCBITaxon:10116"),
    )
)
SPECIES = (
    Entry("NCBITaxon:9606", "Homo sapiens", types=("Species",)),
    Entry("NCBITaxon:10090", "Mus musculus", types=("Species",)),
    Entry("NCBITaxon:10116", "Rattus norvegicus", types=("Species",)),
)


def make_gene_kb(folder: Path) -> KnowledgeBase:
    return make_kb(
        folder,
        (Source("HGNC"), HUMAN_GENES),
        (Source("MGI"), MOUSE_GENES),
        (Source("RGD"), RAT_GENES),
        (Source("NCBI Taxonomy"), SPECIES),
    )
