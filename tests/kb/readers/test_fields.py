"""Ids under one spelling, and lists inside cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kb.readers.fields import canonical_curie, curie_of_iri, distinct


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("MSH:D000544", "MESH:D000544"),
        ("MeSH:D000544", "MESH:D000544"),
        ("UMLS_CUI:C0002395", "UMLS:C0002395"),
        ("SNOMEDCT_2010_1_31:26929004", "SNOMEDCT:26929004"),
        ("HGNC:HGNC:5", "HGNC:5"),
        ("MGI:MGI:88064", "MGI:88064"),
        ("AllianceGenome:HGNC:5", "HGNC:5"),
        ("DO:DOID:1612", "DOID:1612"),
        ("MIM:104300", "OMIM:104300"),
        ("CALOHA:TS-2035", "CALOHA:TS-2035"),
        ("http://example.org/1", ""),
        ("no prefix", ""),
        ("D000544", ""),
        ("PHENOSCAPE:", ""),
    ],
)
def test_a_curie_has_one_spelling(written: str, canonical: str) -> None:
    assert canonical_curie(written) == canonical


@given(st.text(alphabet="abAB:1_ ", max_size=12))
def test_a_canonical_curie_stays_as_it_is(text: str) -> None:
    once = canonical_curie(text)
    assert canonical_curie(once) == once


@pytest.mark.parametrize(
    ("iri", "curie"),
    [
        ("http://purl.bioontology.org/ontology/RXNORM/706898", "RXNORM:706898"),
        ("http://purl.bioontology.org/ontology/STY/T200", "STY:T200"),
        ("http://purl.obolibrary.org/obo/DOID_4", "DOID:4"),
        ("http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl#C12345", "mine:C12345"),
        ("https://example.org/a_b_c", "a:b_c"),
        ("https://example.org/x1_5", "mine:x1_5"),
        ("https://example.org/odd_", "mine:odd_"),
        ("DOID:4", ""),
        ("ftp://example.org/DOID_4", ""),
        ("DOID_4", ""),
        ("", ""),
    ],
)
def test_a_web_address_becomes_a_curie(iri: str, curie: str) -> None:
    assert curie_of_iri(iri, prefix="mine") == curie


def test_distinct_names_keep_their_order() -> None:
    assert distinct([" b ", "a", "", "b", "c"], but="c") == ("b", "a")
    assert distinct(["c", "a", "c"]) == ("c", "a")
    assert distinct([]) == ()
