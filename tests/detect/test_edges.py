"""Where mentions begin and end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.detect.edges import is_label, joined, trimmed_span
from holdfast.detect.scan import with_brackets
from holdfast.detect.tagger import Tagged
from holdfast.document import Span

TEXTS = st.text(alphabet="ab 1()[]-,/’ofthe\n", min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("before", "mention", "after", "trimmed"),
    [
        ("", "oedema of the", " leg", "oedema"),
        ("", "pain in a", " limb", "pain"),
        ("", "oedema of", "", "oedema"),
        ("report ", "on glycerol", "", "glycerol"),
        ("a ", "in situ carcinoma", "", "in situ carcinoma"),
        ("", "receptor a", " binds", "receptor a"),
        ("", "hepatitis A", "", "hepatitis A"),
        ("", "aldosterone-", "producing", "aldosterone"),
        ("the ", "Cl-", " channel", "Cl-"),
        ("one ", "NLP-", "24 peptide", "NLP-24"),
        ("", "insertion (", "G/D)", "insertion"),
        ("", "poly(ADP-ribose", ") rose", "poly(ADP-ribose)"),
        ("(", "), lupus", "", "lupus"),
        ("", "Cl-", "", "Cl-"),
        ("one ", "NLP-", " peptide 24", "NLP-"),
        ("anti", "-TNF", " drug", "TNF"),
        ("an ", "-TNF", " drug", "-TNF"),
        ("x", "-lupus", "", "lupus"),
        ("", "the lupus", "", "lupus"),
        ("", "and/or lupus", "", "lupus"),
        ("", "lupus", "-like", "lupus"),
        ("", "lupus (", "", "lupus"),
    ],
)
def test_a_mention_begins_and_ends_with_its_own_words(
    before: str, mention: str, after: str, trimmed: str
) -> None:
    text = before + mention + after
    span = trimmed_span(Span(len(before), len(before) + len(mention)), text)
    assert span is not None
    assert text[span.start : span.end] == trimmed


def test_mentions_that_a_hyphen_joins_are_one_unless_they_are_genes() -> None:
    text = "Birt–Hogg-Dubé syndrome"
    spans = (Span(0, 5), Span(5, 10), Span(10, 23))
    parts = [Tagged(span, "Disease", 0.5 + at / 10) for at, span in enumerate(spans)]
    assert list(joined(parts, text)) == [Tagged(Span(0, 23), "Disease", 0.5)]
    genes = [Tagged(span, "Gene", 0.5) for span in spans]
    assert list(joined(genes, text)) == genes
    apart = [parts[0], Tagged(spans[1], "Chemical", 0.9), parts[2]]
    assert list(joined(apart, text)) == apart
    assert list(joined([], text)) == []


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("E rose", False),
        ("E10 rose", True),
        ("E 10 rose", True),
        ("E) 10 rose", True),
        ("E)10 rose", True),
        ("E, 10 rose", False),
        ("E rose. (A) One. (B) Two.", True),
        ("E rose. (A) One.", False),
        ("E rose. (B) Two.", False),
    ],
)
def test_a_single_letter_that_counts_or_labels_is_a_label(text: str, is_one: bool) -> None:
    assert is_label(Span(0, 1), text) == is_one
    assert not is_label(Span(0, 2), text)


def test_nothing_is_left_of_mere_marks() -> None:
    assert trimmed_span(Span(0, 3), " (,") is None
    assert trimmed_span(Span(0, 2), "G-protein") is None


@given(TEXTS, st.data())
def test_trimming_stays_in_the_text_and_is_final(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    span = trimmed_span(Span(start, data.draw(st.integers(start + 1, len(text)))), text)
    if span is not None:
        assert 0 <= span.start < span.end <= len(text)
        assert trimmed_span(span, text) == span


@given(TEXTS)
def test_brackets_are_added_at_the_ends_only(text: str) -> None:
    middle = Span(len(text) // 3, max(len(text) // 3 + 1, 2 * len(text) // 3))
    wider = with_brackets(middle, text)
    added = text[wider.start : middle.start] + text[middle.end : wider.end]
    assert set(added) <= set("()[]{}+-")
