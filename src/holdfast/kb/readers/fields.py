"""Small values inside rows: lists of names, and ids under one spelling of their prefix."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_SPELLINGS: Final = {
    "ATC": "atc",
    "CAS": "cas casrn",
    "CHEBI": "chebi",
    "CL": "cl",
    "DOID": "doid",
    "DRUGBANK": "drugbank",
    "EFO": "efo",
    "Ensembl": "ensembl",
    "FMA": "fma",
    "GO": "go",
    "HGNC": "hgnc",
    "HP": "hp hpo",
    "ICD10": "icd10 icd-10",
    "ICD10CM": "icd10cm icd-10-cm",
    "ICD9CM": "icd9cm icd9 icd-9",
    "LOINC": "loinc lnc",
    "MEDDRA": "meddra mdr",
    "MESH": "mesh msh",
    "MGI": "mgi",
    "MONDO": "mondo",
    "NCBIGene": "ncbigene geneid entrez entrezgene ncbi_gene",
    "NCBITaxon": "ncbitaxon ncbi_taxid ncbi_taxonomy taxid",
    "NCIT": "ncit nci",
    "OMIM": "omim mim",
    "ORPHA": "orpha orphanet ordo",
    "RGD": "rgd",
    "RXNORM": "rxnorm",
    "SNOMEDCT": "snomedct snomed sctid",
    "UBERON": "uberon",
    "UMLS": "umls umls_cui",
    "UniProt": "uniprot uniprotkb",
}
_PREFIXES: Final = {
    spelling: prefix for prefix, spellings in _SPELLINGS.items() for spelling in spellings.split()
}
_BIOPORTAL_IRI: Final = re.compile(r"https?://purl\.bioontology\.org/ontology/([^/#]+)/([^/#]+)$")
_SPACE: Final = re.compile(r"\s")
_LAST_PART: Final = re.compile(r"[^/#]+$")


def distinct(names: Iterable[str], *, but: str = "") -> tuple[str, ...]:
    """The names in order, stripped, each once, without empty ones and without `but`."""
    return tuple(name for name in dict.fromkeys(map(str.strip, names)) if name and name != but)


def split_list(text: str, separator: str) -> list[str]:
    """The stripped, non-empty parts of a field that holds a list."""
    return [part for part in map(str.strip, text.split(separator)) if part]


def canonical_curie(text: str) -> str:
    """The id with the one spelling of its prefix: "MSH:D000544" is "MESH:D000544".

    A doubled prefix loses its outer half ("HGNC:HGNC:5", "DO:DOID:1612"). An unknown prefix
    stays as it is. What is no CURIE (no colon, a space, a web address) is "".
    """
    prefix, _, local = text.partition(":")
    if not prefix or not local or local.startswith("//") or _SPACE.search(text):
        return ""
    inner, colon, _ = local.partition(":")
    if colon and _canonical_prefix(inner) is not None:
        return canonical_curie(local)
    return f"{_canonical_prefix(prefix) or prefix}:{local}"


def _canonical_prefix(prefix: str) -> str | None:
    key = prefix.casefold()
    # Ontologies date their SNOMED xrefs: "SNOMEDCT_2010_1_31", "SNOMEDCT_US_2023_03_01".
    return "SNOMEDCT" if key.startswith("snomedct") else _PREFIXES.get(key)


def curie_of_iri(iri: str, *, prefix: str) -> str:
    """The CURIE of a web address, or "" for what is no web address.

    ".../ontology/RXNORM/706898" is RXNORM:706898, ".../obo/DOID_4" is DOID:4; an address that
    names no vocabulary gets the `prefix`.
    """
    last = _LAST_PART.search(iri)
    if not iri.startswith(("http://", "https://")) or last is None:
        return ""
    if bioportal := _BIOPORTAL_IRI.match(iri):
        return canonical_curie(f"{bioportal[1]}:{bioportal[2]}")
    vocabulary, underscore, local = last[0].partition("_")
    if underscore and local and vocabulary.isalpha():
        return canonical_curie(f"{vocabulary}:{local}")
    return f"{prefix}:{last[0]}"
