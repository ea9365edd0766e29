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


LONG = "the drug was given to all of them"


@pytest.mark.parametrize(
    ("following", "is_joined"),
    [
        ("and they were", True),
        ("And they were", False),
        ("- they were not", False),
        ("a) they were not", False),
        ("(2) they were not", False),
    ],
)
def test_two_lines_are_joined_where_the_second_does_not_look_like_a_beginning(
    following: str, is_joined: bool
) -> None:
    text = f"{LONG}\n{following}"
    assert (unwrapped(text) != text) is is_joined


@pytest.mark.parametrize(
    ("last", "is_joined"), [("them,", True), ("with", True), ("them", False), ("them.", False)]
)
def test_an_unfinished_line_goes_on_whatever_follows(last: str, is_joined: bool) -> None:
    text = f"the drug was given to all or {last}\nAmericans had it"
    assert (unwrapped(text) != text) is is_joined


@pytest.mark.parametrize(("room", "is_joined"), [(0, True), (1, True), (2, True), (3, False)])
def test_a_line_is_wrapped_where_the_next_word_had_no_room(room: int, is_joined: bool) -> None:
    """The widest line is the first; the second leaves `room` characters for " at"."""
    widest = "all of the mice were given the drug, and"
    second = "x" * (len(widest) - room - 5) + " they"
    text = f"{widest}\n{second}\nat the end of it"
    assert (unwrapped(text).count("\n") < 2 and "they at" in unwrapped(text)) is is_joined


@pytest.mark.parametrize(
    ("width", "is_joined"), [(29, False), (30, True), (200, True), (201, False)]
)
def test_only_lines_of_moderate_width_are_taken_for_wrapped(width: int, is_joined: bool) -> None:
    first = "it was in the mice ".ljust(width - 4, "x") + " and"
    assert len(first) == width
    text = f"{first}\nin the rats"
    assert (unwrapped(text) != text) is is_joined


def test_many_wrapped_lines_go_on_with_a_capital_and_three_do_not() -> None:
    line = "the Mice were given the Drug in May"
    lines = [f"The {line[4:]}"] * 4
    assert unwrapped("\n".join(lines)) == " ".join(lines)
    assert unwrapped("\n".join(lines[:3])) == "\n".join(lines[:3])


ITEM = "- severe symptomatic recurrent atrial"


@pytest.mark.parametrize(
    ("text", "is_joined"),
    [
        (f"{ITEM}\n  fibrillation", True),
        (f"  {ITEM}\n    fibrillation", True),
        (f"12. {ITEM[2:]}\n    fibrillation", True),
        (f"{ITEM}\nfibrillation", False),
        (f"{ITEM}\n     fibrillation", False),
        (f"{ITEM}\n  - fibrillation", False),
        (f"{ITEM}.\n  fibrillation", False),
        ("- asthma\n  gout\n  lupus", False),
        (f"{ITEM}\tx\n  fibrillation", False),
    ],
)
def test_a_list_s_item_goes_on_where_the_next_line_is_set_in_under_its_first_word(
    text: str, is_joined: bool
) -> None:
    assert (unwrapped(text) != text) is is_joined
