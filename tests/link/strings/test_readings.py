"""How a decorated string is read: what is left out, written out and put in another order."""

from __future__ import annotations

import pytest

from holdfast.link.strings.clinical_words import clinical_words
from holdfast.link.strings.readings import StringReading, in_any_order, readings_of


def read(string: str) -> dict[str, StringReading]:
    return {reading.text: reading for reading in readings_of(string)}


def test_the_string_itself_is_read_first_with_all_its_weight() -> None:
    first = readings_of("  Gastritis,  chronic. ")[0]
    assert first == StringReading("Gastritis, chronic", (), 1.0)
    assert readings_of("Crohn's disease")[0].text == "Crohn disease"


def test_what_changes_more_weighs_less_and_no_text_comes_twice() -> None:
    readings = readings_of("severe gastritis, stage II (2019), left")
    keys = [reading.text.casefold() for reading in readings]
    assert len(set(keys)) == len(keys)
    assert all(0 < reading.weight <= 1 for reading in readings)
    assert readings[0].weight == 1.0
    assert "gastritis" in keys
    bare = read("severe gastritis, stage II (2019), left")["gastritis"]
    assert bare.weight == min(r.weight for r in readings if r.changes)
    assert any("stage II" in change for change in bare.changes)


@pytest.mark.parametrize(
    "string",
    [
        "",
        "   ",
        "--",
        "denies gastritis",
        "no gastritis",
        "seen by Dr. Brown",
        "x" * 201,
        "a " * 300,
    ],
)
def test_what_is_empty_denied_a_person_or_prose_is_not_read(string: str) -> None:
    assert readings_of(string) == []


def test_two_hundred_letters_are_still_read() -> None:
    assert readings_of("g" * 200)


def test_what_follows_a_comma_may_come_first() -> None:
    turned = read("anemia, iron deficiency")["iron deficiency anemia"]
    assert turned.changes == ()
    assert turned.weight == pytest.approx(0.98)


def test_a_string_is_cut_at_its_pauses_from_the_right() -> None:
    readings = [reading.text for reading in readings_of("gastritis - ulcer - bleeding")]
    assert readings.index("gastritis - ulcer") < readings.index("gastritis")


def test_a_short_form_is_read_in_full_before_it_is_read_as_it_is() -> None:
    readings = readings_of("CHF")
    assert readings[0].text == "congestive heart failure"
    assert readings[0].changes == ("CHF is “congestive heart failure”",)
    assert readings[0].weight == pytest.approx(0.95)


def test_few_words_are_tried_in_every_order() -> None:
    words = clinical_words()
    reading = StringReading("cancer of the pancreas")
    orders = [form.text for form in in_any_order(reading, words)]
    assert "pancreas cancer" in orders
    assert all(form.weight == pytest.approx(0.97) for form in in_any_order(reading, words))
    assert list(in_any_order(StringReading("gastritis"), words)) == []
    assert list(in_any_order(StringReading("one two three four"), words)) == []
    assert "b a" in [form.text for form in in_any_order(StringReading("b of a"), words)]
    assert StringReading("b a") not in list(in_any_order(StringReading("b a"), words))
