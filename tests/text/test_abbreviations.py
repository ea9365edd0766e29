"""Definitions of abbreviations, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.document import Span
from holdfast.text.abbreviations import (
    Abbreviation,
    abbreviation_map,
    find_abbreviations,
    long_forms,
)


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
    ("20-item Toronto Alexithymia Scale (TAS-20)", "TAS-20", "20-item Toronto Alexithymia Scale"),
    ("the Toronto Alexithymia Scale (TAS-20)", "TAS-20", "Toronto Alexithymia Scale"),
    ("a thyroid volume (VT) and", "VT", "thyroid volume"),
    ("the volume of the tide (VT)", "VT", "volume of the tide"),
    ("with CD4 positive cells (CD4+)", "CD4+", "CD4 positive cells"),
    ("with CD4 negative cells (CD4-)", "CD4-", "CD4 negative cells"),
    ("with other CD4 cells (CD4+)", "CD4+", "CD4 cells"),
    ("in phase III (P3) trials", "P3", "phase III"),
    ("a phase three trial (P3T)", "P3T", "phase three trial"),
    ("as first line therapy (1LT)", "1LT", "first line therapy"),
    (
        "by gas chromatography, mass spectrometry (GCMS)",
        "GCMS",
        "gas chromatography, mass spectrometry",
    ),
    ("the real time clock signal unit (rtcsu)", "rtcsu", "real time clock signal unit"),
    ("glial fibrillary acidic protein (GFAP 1 2)", "GFAP 1 2", "glial fibrillary acidic protein"),
    (
        "glial fibrillary acidic protein (also known as GFAP)",
        "GFAP",
        "glial fibrillary acidic protein",
    ),
    ("“glial fibrillary acidic protein,” (‘GFAP,’)", "GFAP", "glial fibrillary acidic protein"),
    ("low 1,25-dihydroxyvitamin D (1,25-DHVD) and", "1,25-DHVD", "1,25-dihydroxyvitamin D"),
    ("a tumor J. factor (TJF)", "TJF", "tumor J. factor"),
    ("We saw: Hodgkin lymphoma (HL)", "HL", "Hodgkin lymphoma"),
    ("the area of interest (OI)", "OI", "of interest"),
    ("a muscle, the masseter muscle (M)", "M", "muscle"),
    (
        "see MAPK (mitogen activated protein kinase; it is one)",
        "MAPK",
        "mitogen activated protein kinase",
    ),
    ("x (a, blood-brain barrier, BBB) were", "BBB", "blood-brain barrier"),
    ("x (blood-brain barrier, or BBB) were", "BBB", "blood-brain barrier"),
    ("raised alpha-diacylglycerol (DAG)", "DAG", "alpha-diacylglycerol"),
    ("raised some-diacylglycerol (DAG)", "DAG", "diacylglycerol"),
    ("raised (3)-diacylglycerol (DAG)", "DAG", "(3)-diacylglycerol"),
    ("the (mixture of 3)-diacylglycerol (DAG)", "DAG", "diacylglycerol"),
    ("it (the heart rate (HR)) fell", "HR", "heart rate"),
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
        "the masseter (m) was",
        "the masseter (M = 3) was",
        "the masseter2 (M) was",
        "the my (M) was",
        "in vitro fertilisation (ivf) was",
        "a big cat eats fast food (abceff)",
        "glial fibrillary acidic protein (-GFAP)",
        "glial fibrillary acidic protein (GFAP 1 2 3)",
        "see MAPK (a mitogen activated protein kinase) here",
        "one Mk (mitogen kinase) is",
        "one MK (mitokinase) is",
        "tumors. necrosis factor (TNF)",
        "in HIV infection of HIV type (HIV)",
        "the heart (of the rate (HR)) fell",
        "Heart\nrate (HR)",
        "tumor necrosis (in brackets factor (TNF))",
        "much interest (OI)",
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


STRAY = ["(", "[", ")", "]", "([", "(]", "[)", "])", "[1) (", "a [b) c"]


@pytest.mark.parametrize("stray", STRAY)
def test_a_stray_bracket_hides_no_definition_before_or_after_it(stray: str) -> None:
    text = f"heart rate (HR) fell {stray} and the stroke volume [SV] of blood pressure (BP) rose"
    assert pairs(text) == [("HR", "heart rate"), ("SV", "stroke volume"), ("BP", "blood pressure")]


def test_a_bracket_around_a_stray_one_is_read() -> None:
    text = "magnetic resonance imaging (MRI, see [2) and heart rate (HR)"
    assert pairs(text) == [("MRI", "magnetic resonance imaging"), ("HR", "heart rate")]
    assert pairs("heart rate (HR] rose") == []


def test_an_outer_definition_comes_before_the_one_inside_it() -> None:
    text = "magnetic resonance imaging (MRI; not a computed tomography (CT)) was done"
    assert pairs(text) == [("MRI", "magnetic resonance imaging"), ("CT", "computed tomography")]


@pytest.mark.parametrize(("length", "is_read"), [(399, True), (400, False)])
def test_only_a_bracket_of_moderate_length_is_read(length: int, is_read: bool) -> None:
    inside = "MRI; so it is said".ljust(length, ".")
    assert bool(pairs(f"magnetic resonance imaging ({inside})")) is is_read


@pytest.mark.parametrize(
    ("inside", "is_read"),
    [("(a (b))", True), ("(a (b (c)))", False), ("(a (b (c))), (d)", False)],
)
def test_only_a_bracket_of_moderate_depth_is_read(inside: str, is_read: bool) -> None:
    assert bool(pairs(f"magnetic resonance imaging (MRI, {inside})")) is is_read


WORDS = (
    "alpha bravo carol delta echo fox golf hotel india julia kilo lima mike nora oscar papa quid"
)


@pytest.mark.parametrize(("letters", "is_read"), [(16, True), (17, False)])
def test_a_short_form_has_at_most_sixteen_letters(letters: int, is_read: bool) -> None:
    words = WORDS.split()[:letters]
    short = "".join(word[0].upper() for word in words)
    assert pairs(f"{' '.join(words)} ({short})") == [(short, " ".join(words))] * is_read


def test_a_second_definition_that_is_as_good_or_little_worse_is_kept() -> None:
    text = "mitogen activated protein kinase (MAPK) and matrix associated protein kinase (MAPK)"
    assert [long for _, long in pairs(text)] == [
        "mitogen activated protein kinase",
        "matrix associated protein kinase",
    ]
    text = "anaerobic threshold of the heart (ATH) and athlete (ATH)"
    assert [long for _, long in pairs(text)] == ["anaerobic threshold of the heart", "athlete"]


def test_long_forms_are_found_across_wrapped_lines_and_said_on_one() -> None:
    wrapped = (
        "Patients with chronic obstructive pulmonary disease and with tumor\n"
        "necrosis factor (TNF) were treated in the\n"
        "hospital of the town, where they stayed for a long while, and were\n"
        "well again after that."
    )
    assert find_abbreviations(wrapped) == []
    assert long_forms(wrapped) == {"TNF": "tumor necrosis factor"}
    assert long_forms("tumor necrosis\nfactor (TNF) fell") == {}


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
