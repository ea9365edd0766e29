"""Vectors of mentions and of names, over a model whose vectors count words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from word_bags import SPECIAL, word_bag_model

WORDS = ("sore", "throat", "toe", "red", "spots", "aspirin", "in", "the", "of", "and", ".")


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=60), st.data())
def test_windows_change_no_vector(words: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, min(first + 4, len(words) - 1)))
    whole, cut = word_bag_model(WORDS, longest=100), word_bag_model(WORDS, longest=8)
    tokens = cut.encoder.reader.read(" ".join(words))
    spans = np.array([[first, last], [0, 0]])
    expected = whole.mention_vectors(tokens, spans)
    assert np.allclose(cut.mention_vectors(tokens, spans), expected, atol=1e-5)
    assert np.allclose(cut.mention_vectors(tokens, spans, cut.states(tokens)), expected, atol=1e-5)
    assert np.array_equal(cut.states(tokens), whole.states(tokens))


def test_a_mean_counts_every_word_of_the_mention_once() -> None:
    model = word_bag_model(WORDS)
    tokens = model.encoder.reader.read("the sore sore toe and")
    (vector,) = model.mention_vectors(tokens, np.array([[1, 3]]))
    sore, toe = (len(SPECIAL) + WORDS.index(word) for word in ("sore", "toe"))
    assert vector[sore] == pytest.approx(10 * 2 / 5**0.5, abs=1e-4)
    assert vector[toe] == pytest.approx(10 * 1 / 5**0.5, abs=1e-4)
    assert np.count_nonzero(vector) == 2


def test_ends_may_stand_for_a_mention() -> None:
    width = len(SPECIAL) + len(WORDS)
    heads = {
        "ends_weight": np.hstack([np.eye(width), 2 * np.eye(width)]).astype(np.float32),
        "ends_bias": np.zeros(width, dtype=np.float32),
    }
    model = word_bag_model(WORDS, heads=heads)
    tokens = model.encoder.reader.read("the sore red toe and")
    (vector,) = model.mention_vectors(tokens, np.array([[1, 3]]))
    sore, toe = (len(SPECIAL) + WORDS.index(word) for word in ("sore", "toe"))
    assert vector[[sore, toe]] == pytest.approx(10 * np.array([1, 2]) / 5**0.5, abs=1e-4)
    (again,) = model.mention_vectors(tokens, np.array([[1, 3]]), model.states(tokens))
    assert np.array_equal(again, vector)


def test_names_keep_their_order_and_a_long_one_is_cut() -> None:
    model = word_bag_model(WORDS, longest_name=2)
    names = ["sore throat", "aspirin", "", "toe sore red spots", "aspirin"]
    vectors = model.encode_names(names)
    assert np.array_equal(vectors[1], vectors[4])
    assert not vectors[2].any()
    assert np.array_equal(vectors[3], model.encode_names(["sore toe"])[0])
    assert np.allclose(vectors, [model.encode_names([name])[0] for name in names])
