"""Which words are slips of spelling for which, and what they cost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.link.strings.spelling import align, distance, slip_cost

WORDS = st.text(alphabet="abc", max_size=6)


def brute_distance(first: str, second: str) -> int:
    """By definition, without a table."""
    if not first or not second:
        return len(first) + len(second)
    ways = [
        brute_distance(first[1:], second) + 1,
        brute_distance(first, second[1:]) + 1,
        brute_distance(first[1:], second[1:]) + (first[0] != second[0]),
    ]
    if first[:2] == second[:2][::-1] and len(first) > 1 and len(second) > 1:
        ways.append(brute_distance(first[2:], second[2:]) + 1)
    return min(ways)


@given(WORDS, WORDS)
def test_the_distance_is_that_of_the_definition(first: str, second: str) -> None:
    assert distance(first, second) == brute_distance(first, second) == distance(second, first)


@pytest.mark.parametrize(
    ("word", "other", "cost"),
    [
        ("gastrits", "gastritis", 1.0),  # a letter
        ("hartt", "heart", None),  # two letters of five
        ("hart", "heart", 1.0),
        ("pneumo", "pneumonia", 0.5),  # cut off
        ("pneu", "pneumonia", 0.5),
        ("pneu", "pneumoniacal", 0.5),  # three times as long
        ("pneu", "pneumoniacally", None),
        ("pne", "pneumonia", None),
        ("gou", "gout", 1.0),  # a short word that lacks its end
        ("gouts", "gou", None),
        ("out", "gout", None),
        ("wnl", "wnt", None),
        ("typ2", "type2", None),  # with a digit
        ("chron", "crohn", 1.0),  # letters in the wrong places
        ("pthisis", "phthisis", 1.0),
        ("fthisis", "phthisis", 0.5),  # as it sounds
        ("anaemiak", "anemia", 1.5),  # "ae" sounds like "e"
        ("signed", "signet", None),  # an inflected word is no slip
        ("signed", "sighed", 1.0),
        ("bout", "gout", None),  # another first letter in a short word
        ("yastritis", "gastritis", 1.0),
        ("yastrits", "gastritis", None),
        ("diabetismelus", "diabetesmellitus", None),
    ],
)
def test_a_slip_costs_as_many_letters_as_are_wrong(
    word: str, other: str, cost: float | None
) -> None:
    assert slip_cost(word, other) == cost


def test_words_are_aligned_in_any_order_without_function_words() -> None:
    found = align("carcinoma of the lng", "Lung Carcinoma")
    assert found is None  # three letters are too few for a slip in the middle
    found = align("carcinomas of the lunng", "Lung Carcinoma")
    assert found is not None
    assert found.slips == (("lunng", "lung"),)
    assert found.equal == ("carcinoma",)
    assert (found.missing, found.cost) == ((), 0.5)
    assert found.likeness == pytest.approx(1 - 0.5 / len("carcinomalunng"))


def test_generic_words_may_be_missing_on_either_side_and_cost_a_little() -> None:
    generic = {"disease", "acute"}
    lacks = align("parkinson", "Parkinson disease", generic=generic)
    assert lacks is not None
    assert lacks.missing == ("disease",)
    assert lacks.likeness == pytest.approx(0.95)
    extra = align("acute parkinson", "Parkinson", generic=generic)
    assert extra is not None
    assert extra.likeness == 1.0
    assert align("parkinson", "Parkinson disease") is None
    assert align("acute parkinson", "Parkinson") is None


def test_the_nearest_word_is_taken_once() -> None:
    found = align("gastritis gastritus", "gastritis gastritis")
    assert found is not None
    assert found.slips == (("gastritus", "gastritis"),)
    assert align("gastritis gastritus", "gastritis") is None
    assert align("", "gastritis") is None
    assert align("of the", "of the") is None


def test_slips_are_told_as_both_sides_write_them() -> None:
    found = align("Haemorhage", "Hemorrhages")
    assert found is not None
    assert found.slips == (("haemorhage", "hemorrhages"),)
