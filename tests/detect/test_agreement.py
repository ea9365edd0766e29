"""What is found once in a document is found at its other places too."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.detect.agreement import agree
from holdfast.detect.tagger import Tagged
from holdfast.document import Span

WORDS = st.lists(st.sampled_from(["TNF", "heart", "attack", "heart attack", "a", "(HA)"]))


def tagged(text: str, words: str, *, confidence: float = 0.99, type: str = "Disease") -> Tagged:
    """The first place of the words in the text."""
    start = text.index(words)
    return Tagged(Span(start, start + len(words)), type, confidence)


def texts(found: list[Tagged], text: str) -> list[str]:
    return [text[t.span.start : t.span.end] for t in found]


def test_a_repeat_is_taken_with_its_type() -> None:
    text = "Gout is pain. Gout, not Goutweed."
    found = agree([tagged(text, "Gout")], text)
    assert [(t.span, t.type) for t in found] == [(Span(0, 4), "Disease"), (Span(14, 18), "Disease")]


def test_a_mention_that_is_not_sure_vouches_for_none() -> None:
    text = "Gout and Gout"
    assert len(agree([tagged(text, "Gout", confidence=0.5)], text)) == 1


def test_a_short_form_is_what_its_long_form_is() -> None:
    text = "Heart attack (HA) kills. HA hurts."
    found = agree([tagged(text, "Heart attack")], text)
    assert texts(found, text) == ["Heart attack", "HA", "HA"]


def test_nothing_is_taken_inside_what_was_found() -> None:
    text = "cancer. breast cancer"
    given_both = [tagged(text, "cancer"), tagged(text, "breast cancer", confidence=0.4)]
    assert agree(given_both, text) == given_both


def test_the_surest_of_a_wording_decides_the_type_elsewhere() -> None:
    text = "Gout or Gout or Gout"
    places = (Span(0, 4), Span(8, 12))
    for first, second in (places, places[::-1]):
        found = [Tagged(first, "Gene", 0.91), Tagged(second, "Disease", 0.97)]
        assert agree(sorted(found, key=lambda t: t.span), text)[-1].type == "Disease"


@pytest.mark.parametrize(("confidence", "is_taken"), [(0.9, True), (0.89, False)])
def test_from_ninety_per_cent_on_a_mention_is_sure(confidence: float, is_taken: bool) -> None:
    text = "Gout and Gout"
    found = agree([tagged(text, "Gout", confidence=confidence)], text)
    assert len(found) == 1 + is_taken
    assert {t.confidence for t in found} == {confidence}


@pytest.mark.parametrize(("words", "is_taken"), [("TNF", True), ("IL", False)])
def test_words_of_three_letters_or_more_are_looked_for_elsewhere(
    words: str, is_taken: bool
) -> None:
    text = f"the {words} and {words}"
    assert len(agree([tagged(text, words)], text)) == 1 + is_taken


def test_only_the_words_of_the_mention_are_looked_for() -> None:
    text = "severe Gout then Gout, severe Gout"
    found = agree([tagged(text, "Gout")], text)
    assert texts(found, text) == ["Gout", "Gout", "Gout"]
    assert [t.span.start for t in found] == [7, 17, 30]


def test_a_short_form_vouches_for_its_long_form_and_keeps_its_own_meaning() -> None:
    text = "A heart attack (HAT) kills. HAT hurts."
    start = text.index("HAT)")
    found = agree([Tagged(Span(start, start + 3), "Disease", 0.95)], text)
    assert texts(found, text) == ["heart attack", "HAT", "HAT"]
    both = [tagged(text, "heart attack", type="Gene"), Tagged(Span(16, 19), "Disease", 0.95)]
    assert [(t.span.start, t.type) for t in agree(both, text)] == [
        (2, "Gene"),
        (16, "Disease"),
        (28, "Disease"),
    ]


def test_a_letter_that_labels_a_panel_is_not_taken() -> None:
    text = "Ectoplume (E) grows. E falls."
    assert texts(agree([tagged(text, "Ectoplume")], text), text) == ["Ectoplume", "E", "E"]
    panels = f"{text} (A) One. (B) Two."
    assert texts(agree([tagged(panels, "Ectoplume")], panels), panels) == ["Ectoplume"]


@settings(deadline=None)
@given(WORDS, st.data())
def test_what_was_found_stays_and_nothing_overlaps(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    first = data.draw(st.sampled_from(words)) if words else ""
    given_one = [tagged(text, first)] if first else []
    found = agree(given_one, text)
    assert set(given_one) <= set(found)
    assert all(one.span.end <= other.span.start for one, other in pairwise(found))
    assert agree(found, text) == found
