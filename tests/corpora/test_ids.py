"""Ids as corpora write them, and as CURIEs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.corpora.ids import join_ids, split_ids, to_bare, to_curie
from holdfast.document import NIL
from strategies import IDS, TYPES


@pytest.mark.parametrize(
    ("raw", "type", "curie"),
    [
        ("D008661", "DiseaseClass", "MESH:D008661"),
        (" D008661 ", "DiseaseClass", "MESH:D008661"),
        ("C535662", "Chemical", "MESH:C535662"),
        ("C000657245", "Chemical", "MESH:C000657245"),
        ("C0002395", "T047", "UMLS:C0002395"),
        ("mesh:C535662", "Disease", "MESH:C535662"),
        ("OMIM:215600", "Disease", "OMIM:215600"),
        ("MIM:215600", "Disease", "OMIM:215600"),
        ("7157", "GeneOrGeneProduct", "NCBIGene:7157"),
        ("9606", "OrganismTaxon", "NCBITaxon:9606"),
        ("NCBI Gene:7157", "Gene", "NCBIGene:7157"),
        ("hgnc:11998", "Gene", "HGNC:11998"),
        ("CVCL_0023", "CellLine", "Cellosaurus:CVCL_0023"),
        ("CVCL:0023", "CellLine", "Cellosaurus:CVCL_0023"),
        ("rs1801133", "SequenceVariant", "dbSNP:rs1801133"),
        ("c|SUB|C|677|T", "SequenceVariant", "tmVar:c|SUB|C|677|T"),
        ("-", "Disease", NIL),
        ("-1", "Chemical", NIL),
        ("12", "Disease", "12"),
        ("Own:7", "Disease", "Own:7"),
    ],
)
def test_the_type_or_the_shape_names_the_vocabulary(raw: str, type: str, curie: str) -> None:
    assert to_curie(raw, type) == curie


@pytest.mark.parametrize(
    ("column", "type", "ids"),
    [
        ("D003110|D009369", "CompositeMention", ("MESH:D003110", "MESH:D009369")),
        (" D015862+D058499", "DiseaseClass", ("MESH:D015862", "MESH:D058499")),
        ("OMIM:201400|C535668", "SpecificDisease", ("OMIM:201400", "MESH:C535668")),
        ("10333,10392", "GeneOrGeneProduct", ("NCBIGene:10333", "NCBIGene:10392")),
        ("c|SUB|C|1|T,rs12", "SequenceVariant", ("tmVar:c|SUB|C|1|T", "dbSNP:rs12")),
        ("D002544|-1", "Disease", ("MESH:D002544",)),
        ("D1|D1", "Own", ("D1",)),
        ("-1", "Disease", (NIL,)),
        (" ", "Disease", ()),
    ],
)
def test_a_column_of_several_ids_is_split(column: str, type: str, ids: tuple[str, ...]) -> None:
    assert split_ids(column, type) == ids


@given(st.sampled_from(IDS), st.sampled_from(TYPES))
def test_a_bare_id_reads_as_the_curie_it_came_from(curie: str, type: str) -> None:
    assert to_curie(to_bare(curie, type), type) == curie


def test_a_prefix_is_kept_where_the_type_does_not_imply_it() -> None:
    assert to_bare("MESH:D000544", "Disease") == "D000544"
    assert to_bare("NCBIGene:7157", "Gene") == "7157"
    assert to_bare("NCBIGene:7157", "Disease") == "NCBIGene:7157"
    assert to_bare("HGNC:11998", "Gene") == "HGNC:11998"
    assert to_bare(NIL, "Gene") == "-1"


def test_ids_that_cannot_be_joined_are_not() -> None:
    assert join_ids(("a|b",), "Disease", bare=True) is None
    assert join_ids(("MESH:D1", "OMIM:2"), "Disease", bare=False) == "MESH:D1|OMIM:2"
