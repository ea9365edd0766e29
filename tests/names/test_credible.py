"""Which look-alikes of a name are the name."""

from __future__ import annotations

import pytest

from holdfast.names.credible import (
    Fault,
    Trust,
    common_words,
    fault_of,
    function_words,
    is_credible,
    is_inverted,
    may_name,
)


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
        ("HdLs", "HdL"),
        ("Iron", "iron"),
        ("iron", "Iron"),
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
        ("Hdl", "HdL"),
        ("hdl", "hDL"),
        ("HDLS", "HdL"),
        ("liver, kidney disease", "liver kidney disease"),
        ("pain (left", "pain left"),
        ("disease. Heart", "disease heart"),
        ("pain; head", "pain head"),
        ("a (b) (c", "a (b) c"),
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


@pytest.mark.parametrize(
    ("surface", "trust"),
    [
        ("weight loss", Trust.SHIPPED),
        ("large head", Trust.SHIPPED),
        ("loss of vision", Trust.SHIPPED),
        ("type 2", Trust.OWN),
        ("alpha 9 marker", Trust.SHIPPED),
        ("cold", Trust.EVERY),
        ("K9", Trust.EVERY),
        ("of the", Trust.EVERY),
    ],
)
def test_names_of_common_words_count_from_some_trust_on(surface: str, trust: Trust) -> None:
    assert [may_name(surface, level) for level in Trust] == [level >= trust for level in Trust]


@pytest.mark.parametrize(
    ("surface", "fault"),
    [
        ("...", Fault.NOTHING),
        ("K9", Fault.SHORT),
        ("cold", Fault.COMMON_WORD),
        ("of the", Fault.COMMON_WORDS),
        ("in 2", Fault.COMMON_WORDS),
    ],
)
def test_even_in_ones_own_vocabulary_some_names_need_to_be_let_in(
    surface: str, fault: Fault
) -> None:
    assert fault_of(surface, Trust.OWN) is fault


def test_function_words_are_common_words() -> None:
    assert {"the", "of", "seven"} <= function_words() < common_words()
    assert "weight" not in function_words()


def test_an_index_puts_words_behind_a_comma_that_no_sentence_does() -> None:
    assert is_inverted("cell dendritic", "Cell, Dendritic")
    assert not is_inverted("dendritic cell", "Cell, Dendritic")
    assert not is_inverted("cell, dendritic", "Cell, Dendritic")
    assert not is_inverted("diabetes mellitus type 2", "Diabetes Mellitus, Type 2")
