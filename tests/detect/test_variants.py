"""Variants are found by how they are written, and end the gene that they stand beside."""

from __future__ import annotations

import pytest

from holdfast.detect.variants import before_variants, written_variants
from holdfast.document import Mention
from holdfast.types import GENE, VARIANT


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("BRAF V600E, EGFR L858R and Arg506Gln", ["V600E", "L858R", "Arg506Gln"]),
        (
            "p.Gly12Asp; p.(Gly12Asp); p.R337H; W26X; R213*",
            ["p.Gly12Asp", "Gly12Asp", "p.R337H", "W26X", "R213*"],
        ),
        ("rs1801133 (677C>T) in MTHFR", ["rs1801133"]),
        ("HbA1c, E2F, A549, K562, H1N1, IL2R, CYP2D6, V600V, B12C, L929s, V600E1, xV600E", []),
        ("", []),
    ],
)
def test_what_is_written_as_a_variant_is_one(text: str, found: list[str]) -> None:
    variants = written_variants(text, ())
    assert [text[m.start : m.end] for m in variants] == found
    assert {m.type for m in variants} <= {VARIANT}


def test_what_the_vocabulary_lists_is_what_it_says() -> None:
    text = "T98G cells with V600E"
    (variant,) = written_variants(text, [Mention.at(0, 4, "CellLine"), Mention.at(0, 10, "X")])
    assert text[variant.start : variant.end] == "V600E"


def test_a_gene_ends_before_its_variant() -> None:
    text = "EGFR L858R, EGFR-(T790M, V600E BRAF"
    genes = [Mention.at(0, 10, GENE), Mention.at(12, 23, GENE), Mention.at(25, 30, GENE)]
    other = Mention.at(25, 35, "Disease")
    variants = written_variants(text, ())
    cut = before_variants([*genes, other], variants, text)
    assert [text[m.start : m.end] for m in cut] == ["EGFR", "EGFR", "V600E", "V600E BRAF"]
