"""Variants that are found by rule, beside what a tagger found."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdfast
from holdfast.detect.variants import with_written, without_variants, written_variants
from holdfast.document import Mention
from holdfast.kb import Entry, KnowledgeBase
from holdfast.types import CELL_LINE, CHEMICAL, GENE, VARIANT
from small_kb import of_entries


def mention(text: str, words: str, type: str) -> Mention:
    start = text.index(words)
    return Mention.at(start, start + len(words), type)


def shown(text: str, mentions: list[Mention]) -> list[tuple[str, str]]:
    return [(text[m.start : m.end], m.type) for m in mentions]


def test_what_the_vocabulary_lists_is_what_it_says() -> None:
    text = "K417N cells with R99H"
    (variant,) = written_variants(text, [mention(text, "K417N", CELL_LINE)])
    assert shown(text, [variant]) == [("R99H", VARIANT)]


def test_a_gene_ends_before_its_variant_or_begins_behind_it() -> None:
    text = "EGFR L858R, EGFR-(T790M, V600E BRAF; K417N"
    genes = [mention(text, w, GENE) for w in ("EGFR L858R", "EGFR-(T790M", "V600E BRAF", "K417N")]
    cut = with_written(genes, written_variants(text, ()), text)
    assert shown(text, cut) == [
        ("EGFR", GENE),
        ("L858R", VARIANT),
        ("EGFR", GENE),
        ("T790M", VARIANT),
        ("V600E", VARIANT),
        ("BRAF", GENE),
        ("K417N", VARIANT),
    ]


@pytest.mark.parametrize(
    ("text", "tagged", "expected"),
    [
        ("at 912C>T only", "912C", "912C>T"),
        ("at 912C>T only", "at 912C>T", "912C>T"),
        ("at rs1234567-T only", "rs1234567-T", "rs1234567"),
        ("a 1234T allele", "1234T", "1234T"),
        ("the -1607 promoter", "-1607", None),
        ("codon 99 (Arg) is", "codon 99 (Arg", "codon 99 (Arg)"),
        ("K417N and R99H", "K417N and R99H", "K417N"),
    ],
)
def test_of_two_variants_that_overlap_the_better_read_one_counts(
    text: str, tagged: str, expected: str | None
) -> None:
    found = with_written([mention(text, tagged, VARIANT)], written_variants(text, ()), text)
    assert [words for words, _ in shown(text, found)][:1] == ([expected] if expected else [])


def test_other_things_inside_a_variant_are_part_of_it_and_cell_lines_are_not() -> None:
    text = "lysine to asparagine at codon 417; K417N"
    found = with_written(
        [mention(text, "lysine", CHEMICAL), mention(text, "K417N", CELL_LINE)],
        written_variants(text, ()),
        text,
    )
    assert shown(text, found) == [
        ("lysine to asparagine at codon 417", VARIANT),
        ("K417N", CELL_LINE),
    ]


def test_a_listed_gene_with_a_variant_inside_gives_way_to_both() -> None:
    text = "EGFR T790M"
    names = [Mention.at(0, 10, GENE), Mention.at(0, 4, GENE)]
    assert without_variants(names, written_variants(text, ())) == names[1:]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    folder: Path = tmp_path_factory.mktemp("variants") / "kb"
    return of_entries(
        folder,
        Entry("NCBIGene:673", "BRAF", types=("Gene",)),
        Entry("NCBIGene:1956", "EGFR", types=("Gene",)),
        Entry("NCBIGene:3845", "KRAS", types=("Gene",)),
        Entry("NCBIGene:1647", "GADD45A", types=("Gene",)),
        Entry("X:1", "GADD", types=("Gene",)),
        Entry("MGI:1", "EGFR T790M", types=("Gene",)),
        Entry("Cellosaurus:CVCL_0556", "T98G", types=("CellLine",)),
    )


@pytest.mark.parametrize(
    ("written", "gene", "variants"),
    [
        ("BRAF V600E", "BRAF", ["V600E"]),
        ("BRAFV600E", "BRAF", ["V600E"]),
        ("BRAF(V600E)", "BRAF", ["V600E"]),
        ("BRAF (p.Val600Glu)", "BRAF", ["p.Val600Glu"]),
        ("BRAF:p.V600E", "BRAF", ["p.V600E"]),
        ("EGFR-T790M", "EGFR", ["T790M"]),
        ("EGFR T790M", "EGFR", ["T790M"]),
        ("KRAS G12D/G12V", "KRAS", ["G12D", "G12V"]),
        ("KRAS c.35G>A", "KRAS", ["c.35G>A"]),
        ("EGFR E746_A750del", "EGFR", ["E746_A750del"]),
    ],
)
def test_the_gene_beside_a_variant_is_a_mention_of_its_own(
    kb: KnowledgeBase, written: str, gene: str, variants: list[str]
) -> None:
    document = holdfast.load(kb)(f"The {written} mutation was found in these patients.")
    found = [(document.text_of(m), m.type) for m in document.mentions if m.type in (GENE, VARIANT)]
    assert found == [(gene, GENE), *((variant, VARIANT) for variant in variants)]
    assert all(m.is_linked for m in document.mentions if m.type in (GENE, VARIANT))


def test_a_gene_or_cell_line_that_looks_like_one_with_a_variant_is_whole(kb: KnowledgeBase) -> None:
    document = holdfast.load(kb)("Expression of GADD45A in T98G cells was measured.")
    found = [(document.text_of(m), m.type) for m in document.mentions]
    assert ("GADD45A", GENE) in found
    assert VARIANT not in {type for _, type in found}
