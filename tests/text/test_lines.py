"""Wrapped lines are told from lines that end something."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.lines import blocks, on_one_line, unwrapped

PROSE = (
    "Patients with type 2 diabetes mellitus were given metformin for a year, and those with heart "
    "failure were given digoxin as well. Neither drug caused lactic acidosis, but three of the "
    "patients with chronic kidney disease had to stop taking metformin before the year was over."
)


@pytest.mark.parametrize("width", [40, 60, 72, 100])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_wrapped_prose_is_one_line_again(width: int, end: str) -> None:
    wrapped = textwrap.fill(PROSE, width)
    assert unwrapped(wrapped.replace("\n", end)) == wrapped.replace("\n", " " * len(end))
    assert len(list(blocks(wrapped))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "asthma\nheart attack\nmyocardial infarction\nfever",
        "idiopathic thrombocytopenic purpura\ntype 2 diabetes mellitus",
        "carbamoylphosphate synthetase deficiency\northostatic hypotension of the elderly\n"
        "idiopathic thrombocytopenic purpura\nnon-small cell lung adenocarcinoma\n"
        "familial adenomatous polyposis coli\nautosomal dominant cerebellar ataxia",
        "the drug was given to the patient\tin the morning\nthe drug was not given to the\tlate",
        "Effects of metformin on lactic acidosis\n" + PROSE,
        "Diagnoses of the patient at admission:\n- chronic heart failure\n- asthma since childhood",
        PROSE + "\n\n" + PROSE,
        "\n \r\n\u2028",
    ],
)
def test_lines_that_end_something_stay(text: str) -> None:
    assert unwrapped(text) == text


LINES = st.lists(st.text(alphabet="ab ,A-", min_size=24, max_size=34).map("the {} of".format))


@given(LINES, st.lists(st.sampled_from(["\n", "\r\n", "\r", "\u2028", "\n\n"]), min_size=1))
def test_only_line_ends_become_spaces_and_offsets_stay(lines: list[str], ends: list[str]) -> None:
    text = "".join(line + ends[at % len(ends)] for at, line in enumerate(lines))
    found = unwrapped(text)
    assert len(found) == len(text)
    for before, after in zip(text, found, strict=True):
        assert after == before or (before in "\r\n\u2028" and after == " ")
    blank = [at for at in range(1, len(text)) if text[at - 1 : at + 1] == "\n\n"]
    assert all(found[at - 1 : at + 1] == "\n\n" for at in blank)


def test_words_on_two_lines_are_on_one() -> None:
    assert on_one_line("heart\r\n   attack") == on_one_line("heart attack") == "heart attack"
