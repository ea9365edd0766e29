"""Small knowledge bases, written by hand, that tests link to."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from holdfast.kb import Entry, KnowledgeBase, Link, Record, Source, build_kb

MESH = Source("MeSH", "2025", "NLM terms")
HGNC = Source("HGNC", "2024", "CC0 1.0")
MONDO = Source("MONDO", "2026", "CC BY 4.0")

DISEASES = (
    Entry("MESH:D001", "Heart Diseases", types=("Disease",)),
    Entry(
        "MESH:D002",
        "Myocardial Infarction",
        synonyms=("Heart Attack", "Infarction, Myocardial"),
        types=("Disease",),
        definition="Death of heart muscle for want of blood.",
        xrefs=("MONDO:0002",),
        links=(Link("is_a", "MESH:D001"),),
    ),
    Entry("MESH:D003", "Wiskott-Aldrich Syndrome", synonyms=("WAS",), types=("Disease",)),
    Entry("MESH:D004", "Haemorrhage", synonyms=("Bleeding",), types=("Disease",)),
)
CHEMICALS = (
    Entry("MESH:C001", "Lithium Carbonate", types=("Chemical",)),
    Entry("MESH:C002", "Interleukin-2", synonyms=("IL-2",), types=("Chemical",)),
)
GENES = (
    Entry("HGNC:1", "TNF", synonyms=("tumor necrosis factor", "TNF-alpha"), types=("Gene",)),
    Entry("HGNC:2", "WAS", synonyms=("Wiskott-Aldrich protein",), types=("Gene",)),
)
MONDO_DISEASES = (
    Entry(
        "MONDO:0002",
        "myocardial infarction",
        synonyms=("heart attack",),
        types=("Disease",),
        xrefs=("MESH:D002",),
    ),
    Entry("MONDO:0009", "blue moon disease", types=("Disease",)),
)


def make_kb(
    folder: Path, *parts: tuple[Source, Iterable[Record]], name: str = "small"
) -> KnowledgeBase:
    """Build a knowledge base of these parts, by default of every entity above, and open it."""
    chosen = parts or (
        (MESH, (*DISEASES, *CHEMICALS)),
        (HGNC, GENES),
        (MONDO, MONDO_DISEASES),
    )
    build_kb(folder, name=name, parts=chosen)
    return KnowledgeBase(folder)


def of_entries(folder: Path, *entries: Record, source: str = "own") -> KnowledgeBase:
    """A knowledge base of one source."""
    return make_kb(folder, (Source(source), entries))
