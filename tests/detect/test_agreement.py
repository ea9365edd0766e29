"""What is found once in a document is found at its other places too."""

from __future__ import annotations

from itertools import pairwise

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
