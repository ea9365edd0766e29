"""Definitions of abbreviations, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.document import Span
from holdfast.text.abbreviations import Abbreviation, abbreviation_map, find_abbreviations


def pairs(text: str) -> list[tuple[str, str]]:
    return [(found.short_text, found.long_text) for found in find_abbreviations(text)]


DEFINITIONS = [
    ("Mice lack tumor necrosis factor (TNF).", "TNF", "tumor necrosis factor"),
    ("the amyotrophic lateral sclerosis [ALS] trial", "ALS", "amyotrophic lateral sclerosis"),
    ("with non-small cell lung cancer (NSCLC) and", "NSCLC", "non-small cell lung cancer"),
    ("quality of life (QOL) was", "QOL", "quality of life"),
    ("of bacterial lipopolysaccharide (LPS).", "LPS", "lipopolysaccharide"),
    ("a hepatocellular carcinoma (HCC)", "HCC", "hepatocellular carcinoma"),
    ("in cerebellar granule neurons (CGNs)", "CGNs", "cerebellar granule neurons"),
    ("low transforming growth factor-β (TGF-β)", "TGF-β", "transforming growth factor-β"),
    ("low transforming growth factor-β (TGF-beta)", "TGF-beta", "transforming growth factor-β"),
    ("and prostaglandin E(2) (PGE(2)) rose", "PGE(2)", "prostaglandin E(2)"),
    ("in patients with Crohn's disease (CD)", "CD", "Crohn's disease"),
    ("raised 1,2-diacylglycerol (DAG)", "DAG", "1,2-diacylglycerol"),
    ("by anti-tumor necrosis factor (TNF) drugs", "TNF", "tumor necrosis factor"),
    ("on three-dimensional (3D) images", "3D", "three-dimensional"),
    ("the tidal volume (V(T)) fell", "V(T)", "tidal volume"),
    ("was 70 beats per minute (bpm)", "bpm", "beats per minute"),
    ("by Helicobacter pylori (H. pylori)", "H. pylori", "Helicobacter pylori"),
    ("tetraethylammonium (TEA; 10 mM)", "TEA", "tetraethylammonium"),
    ("with dimethyl sulfoxide (DMSO, 5 ml)", "DMSO", "dimethyl sulfoxide"),
    ("odds ratio (OR = 2.1)", "OR", "odds ratio"),
    ("magnetic resonance imaging (MRI or NMR)", "MRI", "magnetic resonance imaging"),
    ('magnetic resonance imaging ("MRI")', "MRI", "magnetic resonance imaging"),
    ("magnetic resonance imaging (termed MRI)", "MRI", "magnetic resonance imaging"),
    ("vessels (blood-brain barrier, BBB) were", "BBB", "blood-brain barrier"),
    ("some (magnetic resonance imaging [MRI]) was", "MRI", "magnetic resonance imaging"),
    ("MAPK (mitogen activated protein kinase) is", "MAPK", "mitogen activated protein kinase"),
    ("the masseter (M) was", "M", "masseter"),
    ("Ménière disease (MD)", "MD", "Ménière disease"),
]


@pytest.mark.parametrize(("text", "short", "long"), DEFINITIONS)
def test_a_definition_is_found(text: str, short: str, long: str) -> None:
    assert pairs(text) == [(short, long)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no brackets at all",
        "the patients (n = 12) died",
        "it fell (P < 0.05) and rose (p = 0.1)",
        "as seen before (Fig. 2) and elsewhere (Table 3)",
        "bought from a company (St. Louis, MO, USA)",
        "in the presence of pain (mean) and",
        "Cells died. Then (CT) was used.",
        "tumor necrosis factor (5)",
        "TNF (TNF) and the TNF (TNF)",
        "unbalanced tumor necrosis factor (TNF",
        "the cells of mice (see below)",
        "without folic acid after drugs (folic acid)",
        "at pH 7.4 and 80% plasma (pH 7.4)",
        "after 180 minutes (T180)",
        "()[]( )",
    ],
)
def test_what_is_no_definition_is_not_found(text: str) -> None:
    assert pairs(text) == []


def test_several_definitions_come_in_the_order_of_the_text() -> None:
    text = "heart rate (HR), stroke volume (SV) and blood pressure (BP), respectively"
    assert pairs(text) == [
        ("HR", "heart rate"),
        ("SV", "stroke volume"),
        ("BP", "blood pressure"),
    ]


def test_a_poor_second_reading_of_a_short_form_is_dropped() -> None:
    text = "The odds ratio (OR) rose. Its occurrence (OR 2.1; 95% CI) and occurrence (OR) fell."
    assert pairs(text) == [("OR", "odds ratio")]


def test_the_first_definition_wins_in_the_map() -> None:
    text = "multiple sclerosis (MS), mass spectrometry (MS) and heart rate (HR)"
    assert abbreviation_map(find_abbreviations(text)) == {
        "MS": "multiple sclerosis",
        "HR": "heart rate",
    }


def test_spans_are_code_points_of_the_original() -> None:
    text = "😀 ﬁve tumör necrosis factors (TNFs)"
    (found,) = find_abbreviations(text)
    assert found == Abbreviation(Span(30, 34), Span(6, 28), "TNFs", "tumör necrosis factors")


PIECES = st.sampled_from(
    ["tumor", "necrosis", "factor", "TNF", "(TNF)", "(", ")", "[", "]", ";", ",", "A", "(A", "β"]
)


@given(st.one_of(st.lists(PIECES, max_size=25).map(" ".join), st.text(max_size=60)))
def test_spans_say_where_the_texts_are(text: str) -> None:
    for found in find_abbreviations(text):
        assert text[slice(*found.short)] == found.short_text != ""
        assert text[slice(*found.long)] == found.long_text != ""
        assert found.short.end <= found.long.start or found.long.end <= found.short.start


@pytest.mark.parametrize(
    "piece",
    ["(", ")", "()", "(A) ", "((A))", "[", "(,", "(a, b) ", "tumor (T", "(" * 200 + ")" * 200],
)
def test_a_long_document_of_brackets_is_read(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    assert len(find_abbreviations(text)) <= text.count("(")
