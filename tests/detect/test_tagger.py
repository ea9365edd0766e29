"""How a row of probabilities per word becomes mentions, each with a confidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.detect.bio import OUTSIDE, beginning, inside
from holdfast.detect.tagger import Tagged, TaggedText, Tagger
from holdfast.detect.trained import outside
from holdfast.document import Mention, Span
from shipped import shipped_tagger

TYPES = ("Disease", "Gene")
DISEASE, GENE = range(2)
O, B, I, BG, IG = OUTSIDE, beginning(DISEASE), inside(DISEASE), beginning(GENE), inside(GENE)  # noqa: E741


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return replace(shipped_tagger(), types=TYPES, caution=0.0)


def reading(text: str, tags: Sequence[int], sureness: Sequence[float] | None = None) -> TaggedText:
    """The text's words, each with a tag of this probability; the other tags share the rest."""
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    probabilities = np.empty((len(spans), 5), dtype=np.float32)
    for word, (tag, sure) in enumerate(zip(tags, sureness or [0.9] * len(tags), strict=True)):
        probabilities[word] = (1 - sure) / 4
        probabilities[word, tag] = sure
    offsets = np.array(spans, dtype=np.int64).reshape(-1, 2)
    return TaggedText(text, offsets[:, 0], offsets[:, 1], np.log(probabilities))


def test_confidence_is_the_geometric_mean_over_the_mentions_own_words(tagger: Tagger) -> None:
    read = reading("we saw heart attack today", [O, O, B, I, O], [0.5, 0.99, 0.9, 0.4, 0.6])
    (found,) = tagger.decode(read)
    assert (found.span, found.type) == (Span(7, 19), "Disease")
    assert found.confidence == pytest.approx((0.9 * 0.4) ** 0.5, rel=1e-5)


def test_a_mention_of_one_word_is_as_sure_as_its_first_tag(tagger: Tagger) -> None:
    (found,) = tagger.decode(reading("gout hurts", [B, O], [0.7, 0.8]))
    assert found.confidence == pytest.approx(0.7, rel=1e-5)


def test_mentions_that_touch_stay_two_and_each_has_its_type(tagger: Tagger) -> None:
    found = tagger.decode(reading("gout flares BRCA1 protein", [B, B, BG, IG]))
    assert [(t.span, t.type) for t in found] == [
        (Span(0, 4), "Disease"),
        (Span(5, 11), "Disease"),
        (Span(12, 25), "Gene"),
    ]


@pytest.mark.parametrize(("letters", "is_found"), [(500, True), (501, False)])
def test_no_mention_is_as_long_as_a_page(tagger: Tagger, letters: int, is_found: bool) -> None:
    text = f"{'a' * (letters - 5)} pain here"
    found = tagger.decode(reading(text, [B, I, O]))
    assert [t.span for t in found] == ([Span(0, letters)] if is_found else [])


def test_what_has_no_letter_or_digit_is_no_mention_and_the_next_one_is(tagger: Tagger) -> None:
    found = tagger.decode(reading("-- ( gout", [B, I, B]))
    assert [t.span for t in found] == [Span(5, 9)]


def test_a_mention_ends_with_its_line(tagger: Tagger) -> None:
    text = "heart attack\nof the left\n\nside"
    found = tagger.decode(reading(text, [B, I, I, I, I, I]))
    assert [text[t.span.start : t.span.end] for t in found] == [
        "heart attack",
        "of the left",
        "side",
    ]
    assert {t.type for t in found} == {"Disease"}


def test_caution_finds_fewer(tagger: Tagger) -> None:
    read = reading("gout hurts", [B, O], [0.6, 0.9])
    assert tagger.decode(read)
    assert not replace(tagger, caution=3.0).decode(read)
    assert replace(tagger, caution=-3.0).decode(reading("gout hurts", [O, O], [0.3, 0.9]))


def test_decoding_leaves_the_reading_as_it_was(tagger: Tagger) -> None:
    read = reading("gout hurts", [B, O])
    before = read.log_probabilities.copy()
    replace(tagger, caution=1.0).decode(read)
    assert read.log_probabilities.tolist() == before.tolist()


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (Span(0, 4), 0.9),
        (Span(5, 10), 0.2),
        (Span(0, 10), 0.55),
        (Span(2, 6), 0.55),  # parts of both words
        (Span(4, 5), 1.0),  # between the words
        (Span(10, 12), 1.0),  # behind them
    ],
)
def test_what_stands_outside_of_mentions_is_the_mean_over_the_words_it_touches(
    span: Span, expected: float
) -> None:
    read = reading("some words  ", [O, O], [0.9, 0.2])
    assert outside(span, read) == pytest.approx(expected, rel=1e-5)


def test_what_the_network_says_of_a_word_sums_to_one() -> None:
    read = shipped_tagger().read("Aspirin causes headache; BRCA1 does not.")
    assert np.exp(read.log_probabilities).sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert [read.text[a:b] for a, b in zip(read.starts, read.ends, strict=True)][:2] == [
        "Aspirin",
        "causes",
    ]


def test_a_long_line_of_dashes_hides_nothing_around_it() -> None:
    plain = "Aspirin causes headache."
    ruled = f"{plain}\n{'-' * 700}\n{plain}"
    found = [ruled[t.span.start : t.span.end] for t in shipped_tagger().tag(ruled)]
    assert found == ["Aspirin", "headache", "Aspirin", "headache"]
    read = shipped_tagger().read(ruled)
    dashes = [ruled[a:b] == "-" for a, b in zip(read.starts, read.ends, strict=True)]
    assert sum(dashes) == 700
    middle = read.log_probabilities[dashes][300]
    assert middle.argmax() == OUTSIDE
    assert np.exp(middle[OUTSIDE]) == pytest.approx(1.0, abs=1e-6)


def test_marked_names_change_what_the_network_reads() -> None:
    text = "The zibbling was treated."
    names = [Mention.at(4, 12, "Disease")]
    tagger = shipped_tagger()
    bare, marked = tagger.read(text), tagger.read(text, names)
    disease = beginning(tagger.types.index("Disease"))
    assert marked.log_probabilities[1, disease] > bare.log_probabilities[1, disease]


TAGS = st.lists(st.integers(0, 4), max_size=12)


@given(TAGS, st.randoms(use_true_random=False))
def test_mentions_of_any_row_are_in_order_inside_lines_and_do_not_overlap(
    tags: list[int], random: Random
) -> None:
    tagger = replace(shipped_tagger(), types=TYPES, caution=0.0)
    gaps = [random.choice(" \n") for _ in tags]
    text = "".join(f"w{number}{gap}" for number, gap in enumerate(gaps))
    found: list[Tagged] = tagger.decode(reading(text, tags))
    assert all(one.span.end <= other.span.start for one, other in pairwise(found))
    assert all("\n" not in text[t.span.start : t.span.end] for t in found)
    assert all(0 < t.confidence <= 1 for t in found)
