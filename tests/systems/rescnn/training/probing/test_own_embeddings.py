"""Embeddings of word pieces from plain text."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("tokenizers")

from tokenizers import Tokenizer, models, pre_tokenizers

from holdfast.errors import InvalidValueError
from holdfast.systems.rescnn.training.probing.own_embeddings import (
    OwnEmbeddingsConfig,
    PairCounts,
    count_pairs,
    information,
    own_embeddings,
)

WORDS = ("renal", "kidney", "hepatic", "liver", "failure", "stones", "cells", "bile", "urine")
UNUSED = "nowhere"
VOCABULARY = {"[PAD]": 0, "[UNK]": 1} | {w: i for i, w in enumerate((*WORDS, UNUSED), 2)}
TEXTS = st.lists(st.lists(st.sampled_from((*WORDS, "strange")), max_size=8), max_size=6)
SMALL = OwnEmbeddingsConfig(width=5, window=2, spare=3)


def tokenizer() -> Tokenizer:
    """A piece for each word; "strange" is none of them."""
    made = Tokenizer(models.WordPiece(VOCABULARY, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return made


def counted(counts: PairCounts) -> dict[tuple[int, int], int]:
    pairs = zip(counts.first.tolist(), counts.second.tolist(), strict=True)
    return dict(zip(pairs, counts.count.tolist(), strict=True))


def matrix(texts: list[str]) -> np.ndarray:
    """Positive information, written out."""
    counts = count_pairs(tokenizer(), texts, window=SMALL.window)
    values = information(counts, smoothing=SMALL.smoothing)
    dense = np.zeros((counts.pieces, counts.pieces))
    dense[counts.first, counts.second] = values
    dense[counts.second, counts.first] = values
    return dense


@given(texts=TEXTS, window=st.integers(1, 4))
@settings(deadline=None)
def test_pairs_are_those_of_one_text_within_the_window(texts: list[list[str]], window: int) -> None:
    expected = Counter[tuple[int, int]]()
    for words in texts:
        ids = [VOCABULARY[word] for word in words if word in VOCABULARY]
        for i, left in enumerate(ids):
            for right in ids[i + 1 : i + 1 + window]:
                expected[min(left, right), max(left, right)] += 1
    found = count_pairs(tokenizer(), [" ".join(words) for words in texts], window=window)
    assert counted(found) == expected


def test_texts_counted_in_many_batches_count_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["renal failure", "kidney failure stones", "renal failure", "liver cells bile"]
    whole = counted(count_pairs(tokenizer(), texts, window=2))
    monkeypatch.setitem(count_pairs.__globals__, "_TEXTS", 1)
    assert counted(count_pairs(tokenizer(), texts, window=2)) == whole


def test_information_is_what_pairs_have_beyond_chance() -> None:
    # Without smoothing: 4 pairs, so 8 places; the first piece takes 4, the others 1 and 3.
    counts = PairCounts(3, np.array([0, 0, 2]), np.array([1, 2, 2]), np.array([1, 2, 1]))
    singles = np.array([3, 1, 4]) / 8
    chances = [singles[0] * singles[1], singles[0] * singles[2], singles[2] ** 2]
    expected = np.maximum(np.log(np.array([1 / 8, 2 / 8, 1 / 4]) / chances), 0)
    assert np.allclose(information(counts, smoothing=1.0), expected)


def test_pieces_used_alike_lie_together() -> None:
    texts = [f"{kidney} {word} urine" for kidney in ("renal", "kidney") for word in ("failure",)]
    texts += [f"{liver} cells bile" for liver in ("hepatic", "liver")]
    rows = own_embeddings(tokenizer(), texts * 5, SMALL)
    near = rows @ rows.T
    renal, kidney, liver = (VOCABULARY[word] for word in ("renal", "kidney", "liver"))
    assert near[renal, kidney] > 0.9
    assert abs(near[renal, liver]) < 0.1


def test_rows_keep_the_matrix_as_well_as_its_exact_decomposition() -> None:
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(WORDS, size=6)) for _ in range(30)]
    exact = matrix(texts)
    values, vectors = np.linalg.eigh(exact)
    best = np.argsort(-np.abs(values))[: SMALL.width]
    expected = vectors[:, best] * np.sqrt(np.abs(values[best]))
    expected /= np.maximum(np.linalg.norm(expected, axis=1, keepdims=True), 1e-12)
    rows = own_embeddings(tokenizer(), texts, SMALL)
    used = exact.any(axis=1)
    assert np.allclose(
        (rows @ rows.T)[used][:, used], (expected @ expected.T)[used][:, used], atol=1e-3
    )


@given(texts=TEXTS)
@settings(max_examples=30, deadline=None)
def test_rows_are_unit_or_zero_and_the_same_each_time(texts: list[list[str]]) -> None:
    joined = [" ".join(words) for words in texts]
    rows = own_embeddings(tokenizer(), joined, SMALL)
    assert rows.shape == (len(VOCABULARY), SMALL.width)
    assert rows.dtype == np.float32
    lengths = np.linalg.norm(rows, axis=1)
    assert np.all((lengths == 0) | (np.abs(lengths - 1) < 1e-5))
    assert not rows[VOCABULARY[UNUSED]].any()
    assert np.array_equal(rows, own_embeddings(tokenizer(), joined, SMALL))


@pytest.mark.parametrize("width", [0, len(VOCABULARY) + 1])
def test_a_width_that_no_table_can_have_is_refused(width: int) -> None:
    with pytest.raises(InvalidValueError, match=f"a width of {width} for {len(VOCABULARY)} pieces"):
        own_embeddings(tokenizer(), ["renal failure"], OwnEmbeddingsConfig(width=width))


def test_a_window_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="a window of 0 pieces"):
        count_pairs(tokenizer(), ["renal failure"], window=0)
