"""Which look-alikes of a name are the name."""

from __future__ import annotations

import pytest

from holdfast.names.credible import common_words, is_credible, may_name


@pytest.mark.parametrize(
    "surface", ["IL2", "pain", "p53", "HIV infection", "β-catenin", "WAS", "THE"]
)
def test_these_may_name_something(surface: str) -> None:
    assert may_name(surface)


@pytest.mark.parametrize(
    "surface", ["", "a", "II", "the", "of the", "in 2", "2 3 4", "100", "was", "s 1", "(+)"]
)
def test_common_words_numbers_and_letters_name_nothing(surface: str) -> None:
    assert not may_name(surface)


@pytest.mark.parametrize(
    ("surface", "name"),
    [
        ("was", "was"),
        ("WAS", "WAS"),
        ("TNFs", "TNF"),
        ("brca1", "BRCA1"),
        ("p53", "P53"),
        ("heart attack", "Heart Attack"),
        ("HEART ATTACK", "heart attack"),
        ("Infarction, Myocardial", "infarction, myocardial"),
        ("Pain", "pain"),
    ],
)
def test_these_are_the_name(surface: str, name: str) -> None:
    assert is_credible(surface, name)


@pytest.mark.parametrize(
    ("surface", "name"),
    [
        ("was", "WAS"),
        ("Was", "WAS"),
        ("rest", "REST"),
        ("REST", "rest"),
        ("liver, kidney disease", "liver kidney disease"),
        ("pain (left", "pain left"),
        ("disease. Heart", "disease heart"),
    ],
)
def test_these_only_look_like_it(surface: str, name: str) -> None:
    assert not is_credible(surface, name)


def test_the_list_of_common_words_holds_keys_alone() -> None:
    words = common_words()
    assert {"the", "was", "patient"} <= words
    assert all(word and not word.startswith("#") and word == word.lower() for word in words)


def test_a_number_is_no_charge() -> None:
    assert is_credible("salinate(1-)", "salinate(1-)")
    assert is_credible("Salinate (1-)", "salinate(1-)")
    assert not is_credible("salinate 1", "salinate(1-)")
