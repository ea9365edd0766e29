"""Wrapped lines are told from lines that end something."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.lines import blocks, unwrapped

PROSE = (
    "Patients with type 2 diabetes mellitus were given metformin for a year, and those with heart "
    "failure were given digoxin as well. Neither drug caused lactic acidosis, but three of the "
    "patients with chronic kidney disease had to stop taking metformin before the year was over."
)


@pytest.mark.parametrize("width", [40, 60, 72, 100])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_wrapped_prose_is_one_line_again(width: int, end: str) -> None:
    wrapped = textwrap.fill(PROSE, width).replace("\n", end)
    assert " ".join(unwrapped(wrapped).split(" ")).replace("  ", " ") == PROSE
    assert len(list(blocks(wrapped))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "asthma\nheart attack\nmyocardial infarction\nfever",
        "Effects of metformin on lactic acidosis\n" + PROSE,
        "Diagnoses of the patient at admission:\n- chronic heart failure\n- asthma since childhood",
        PROSE + "\n\n" + PROSE,
        "\n \r\n\u2028",
    ],
)
def test_lines_that_end_something_stay(text: str) -> None:
    assert unwrapped(text) == text


@given(st.text(alphabet="ab ,.\r\n\u2028A-", max_size=80))
def test_only_line_ends_become_spaces_and_offsets_stay(text: str) -> None:
    found = unwrapped(text)
    assert len(found) == len(text)
    for before, after in zip(text, found, strict=True):
        assert after == before or (before in "\r\n\u2028" and after == " ")
