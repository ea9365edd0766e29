"""Variants are found where they stand, and what is merely spelled like one is left alone."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.variants.reading import read_variants
from holdfast.text.variants.spans import find_variants


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_variants(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ABCD1 K417N, WXYZ R99H and Arg99Gln", ["K417N", "R99H", "Arg99Gln"]),
        ("p.Gly33Asp; p.(Gly33Asp); p.R337H", ["p.Gly33Asp", "p.(Gly33Asp)", "p.R337H"]),
        ("rs1234567 (912C>T) in ABCD1", ["rs1234567", "912C>T"]),
        ("ABCD1-K417N, ABCD1(K417N), ABCD1:p.K417N", ["K417N", "K417N", "p.K417N"]),
        ("K417N/K417E and K417N/T", ["K417N", "K417E", "K417N/T"]),
        (
            "ABC-411C/T, ABC -411 C/T; T-411C; C(-411)T",
            ["-411C/T", "-411 C/T", "T-411C", "C(-411)T"],
        ),
        ("912 C→T, 912C-->T", ["912 C→T", "912C-->T"]),
        ("IVS4+2T>C; c.88+1G>A; NM_000001.3:c.12A>G.", ["IVS4+2T>C", "c.88+1G>A", "c.12A>G"]),
        ("41delG, c.41delG and 185delAG", ["41delG", "c.41delG", "185delAG"]),
        ("ΔL770, delL770, L770del, Leu770del", ["ΔL770", "delL770", "L770del", "Leu770del"]),
        ("L77fs, p.Leu77fsX9, K70_S74del", ["L77fs", "p.Leu77fsX9", "K70_S74del"]),
        ("a 21-bp deletion or exon 5 deletions", ["21-bp deletion", "exon 5 deletions"]),
        ("with lysine to asparagine at codon 417.", ["lysine to asparagine at codon 417"]),
        ("a G-to-A transition at nucleotide 912", ["G-to-A transition at nucleotide 912"]),
        ("the rtM204V change", ["M204V"]),
    ],
)
def test_variants_are_found(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "adenine deletion",
        "Cytosine insertion",
        "AC insertion",
        "GT duplication",
        "CAG repeats",
        "(CGG) repeat",
        "deletion of a T",
        "duplication of three bp",
        "single-nucleotide deletion",
        "four-base-pair indel",
        "five-bp ins/del",
    ],
)
def test_variants_are_found_in_texts_without_a_digit(text: str) -> None:
    assert found(f"The {text}, which was rare.") == [text]


@pytest.mark.parametrize(
    "text",
    [
        "T98G cells, T47D, H295R and A375M",
        "HbA1c, E2F, A549, K562, H1N1, H5N1, IL2R, CYP2D6, G2M, G2/M, B12, B12C, p38, p53, P450",
        "S100A8, S100A9, HLA-B27, C57BL/6, E. coli K12, O157:H7, CD4, D17S579, H37Rv, M13",
        "V600V, V600E1, xV600E, L929s, the yeast S288C",
        "deletion of the C-terminal domain, insertion of a T-DNA, a G-to-A-rich stretch",
        "Fig. S10A, Figure S11C and S12D; Table S13G; panels A12C and D14E",
        "the primers A123C and G45T, primer M13R; the A123C primer",
        "on 2020-12-01, 14 mg/kg, 5 kb, 37C, -80C, 10 Hz, 3-5 days, 1/2, 3 T",
        "ΔG37, ΔH298, ΔT50 and ΔCt",
        "COX-2, IL-17A, TNF-308, 5-HT2A, 17-OHP, PD-L1",
    ],
)
def test_what_is_spelled_like_a_variant_is_none(text: str) -> None:
    assert found(text) == []


# fmt: off
WORDS = st.sampled_from([
    "T98G", "H1N1", "B12", "G2M", "A549", "p38", "K12", "P450", "S100A8", "HEK293T", "U87MG", "37C",
    "5kb", "2020", "IL-6", "CD8", "H3K27me3", "miR-21", "5-FU", "C57BL/6", "G1/S", "B16F10",
    "NF-kB", "10mg", "Q10", "HLA-A2", "MCF-7", "3T3-L1", "E6/E7", "PM2.5", "SpO2", "H295R", "T47D",
])
# fmt: on


@given(st.lists(WORDS, max_size=12), st.sampled_from([" ", ", ", "; ", " and ", "\n"]))
def test_names_of_other_things_are_no_variants_in_any_company(words: list[str], joint: str) -> None:
    assert found(f"We used {joint.join(words)}.") == []


VARIANTS = st.sampled_from(
    [
        "K417N",
        "p.Lys417Asn",
        "rs1234567",
        "c.912C>T",
        "912 C→T",
        "-411C/T",
        "41delG",
        "L77fs",
        "ΔL770",
    ]
)


@given(st.lists(VARIANTS, min_size=1, max_size=8))
def test_every_variant_of_a_list_is_found_in_its_place(variants: list[str]) -> None:
    text = "We saw " + ", ".join(variants) + "."
    assert found(text) == variants


@given(st.text(max_size=200))
def test_places_are_in_the_text_in_order_and_read_as_variants(text: str) -> None:
    end = 0
    for span in find_variants(text):
        assert end <= span.start < span.end <= len(text)
        assert read_variants(text[span.start : span.end])
        end = span.end


@given(
    st.lists(st.sampled_from(["K417N", "(", ")", "/", "-", ".", ">", "c.", "12", "A", " ", "del"]))
)
def test_places_are_valid_in_any_mixture(parts: list[str]) -> None:
    text = "".join(parts)
    spans = list(find_variants(text))
    assert all(a.end <= b.start for a, b in pairwise(spans))
