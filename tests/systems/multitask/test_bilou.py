"""BILOU tags: what is decoded is always valid, and the best of all valid rows."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from holdfast.systems.multitask.bilou import (
    TaggedSpan,
    best_tags,
    chunks_of,
    count_tags,
    is_valid,
    tags_of,
    valid_transitions,
)


@st.composite
def scored(draw: st.DrawFn, *, most_words: int = 12, most_types: int = 3) -> np.ndarray:
    words = draw(st.integers(0, most_words))
    tags = count_tags(draw(st.integers(1, most_types)))
    numbers = st.floats(-5, 5, width=32)
    return draw(arrays(np.float32, (words, tags), elements=numbers))


@st.composite
def chunked(draw: st.DrawFn) -> tuple[list[TaggedSpan], int]:
    """Chunks side by side or apart, and the number of words."""
    chunks, word = list[TaggedSpan](), 0
    for gap, length, type in draw(
        st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4), st.integers(0, 2)), max_size=5)
    ):
        chunks.append(TaggedSpan(word + gap, word + gap + length - 1, type))
        word += gap + length
    return chunks, word + draw(st.integers(0, 2))


@given(scored())
def test_what_is_decoded_is_always_a_valid_row(scores: np.ndarray) -> None:
    tags = best_tags(scores)
    assert len(tags) == len(scores)
    assert is_valid(tags)
    assert np.array_equal(tags_of(chunks_of(tags), len(tags)), tags)


@given(scored(), st.integers(0, 2**31))
def test_learned_transitions_do_not_make_a_row_invalid(scores: np.ndarray, seed: int) -> None:
    size = scores.shape[1] + 1
    learned = np.random.default_rng(seed).normal(0, 3, (size, size)).astype(np.float32)
    assert is_valid(best_tags(scores, learned))


@given(scored(most_words=4, most_types=1), st.booleans())
@settings(max_examples=40)
def test_the_decoded_row_is_the_best_of_all_valid_ones(scores: np.ndarray, learns: bool) -> None:
    words, tags = scores.shape
    size = tags + 1
    learned = np.random.default_rng(words).normal(size=(size, size)).astype(np.float32)
    transitions = learned if learns else None
    added = valid_transitions(tags, transitions)

    def worth(row: tuple[int, ...]) -> float:
        path = (tags, *row, tags)
        steps = sum(added[a, b] for a, b in pairwise(path)) if row else 0.0
        return float(sum(scores[i, tag] for i, tag in enumerate(row)) + steps)

    best = max(worth(row) for row in product(range(tags), repeat=words))
    assert abs(worth(tuple(best_tags(scores, transitions).tolist())) - best) < 1e-4


@given(chunked())
def test_chunks_survive_as_tags(made: tuple[list[TaggedSpan], int]) -> None:
    chunks, words = made
    tags = tags_of(chunks, words)
    assert is_valid(tags)
    assert list(chunks_of(tags)) == chunks


def test_incomplete_mentions_are_invalid() -> None:
    begin, inside, last, unit = 1, 2, 3, 4
    for row in ([begin], [last], [inside], [begin, 0], [0, last], [begin, unit], [begin, last + 4]):
        assert not is_valid(np.array(row))
    assert is_valid(np.array([begin, inside, last, unit, 0]))
