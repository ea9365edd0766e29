"""Names that have vectors but no index: compared as an index compares them."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.names import unindexed
from holdfast.names.dense import DenseIndex
from holdfast.names.unindexed import UnindexedNames
from trigram_encoder import ENCODER, Listening

NAMES = [f"{organ} {n}" for organ in ("kidney", "liver", "heart") for n in range(25)]
QUERIES = ["kidneys 2", "", "liver pain", "!"]
ROWS = np.arange(3, 60)


def names_without_an_index(encoder: Listening) -> UnindexedNames:
    return UnindexedNames(NAMES.__getitem__, encoder, rows=ROWS, names=len(NAMES))


def test_cosines_are_those_of_an_index_of_the_same_names() -> None:
    vectors = ENCODER.encode(QUERIES)
    index = DenseIndex.build([NAMES[row] for row in ROWS], ENCODER, rows=ROWS, threads=1)
    names = names_without_an_index(Listening())
    rows = np.array([[3, 59, 60, 2, -1, 7, 3]] * len(QUERIES))
    np.testing.assert_allclose(
        names.similarity(vectors, rows), index.similarity(vectors, rows), atol=1e-6
    )
    for i, vector in enumerate(vectors):
        np.testing.assert_array_equal(
            names.similarity(vector, rows[i]), names.similarity(vectors, rows)[i]
        )
    found = names.similarity(vectors[0], rows[0])
    assert found[0] == found[6] > 0
    assert found[2:5].tolist() == [0, 0, 0]
    assert names.similarity(vectors[0], np.zeros(0, dtype=np.int64)).tolist() == []


def test_a_name_is_encoded_once_until_too_many_are_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unindexed, "_KEPT", 3)
    encoder = Listening()
    names = names_without_an_index(encoder)
    query = ENCODER.encode(["liver pain"])[0]
    first = names.similarity(query, np.array([5, 4]))
    assert encoder.asked == [NAMES[4], NAMES[5]]
    names.similarity(query, np.array([5, 6]))
    assert encoder.asked == [NAMES[4], NAMES[5], NAMES[6]]
    again = names.similarity(query, np.array([7, 4]))
    assert encoder.asked[3:] == [NAMES[4], NAMES[7]]
    assert again[1] == first[1]


def test_nothing_is_found_without_an_index() -> None:
    found = names_without_an_index(Listening()).search_vectors(ENCODER.encode(QUERIES), 2)
    assert found.rows.tolist() == [[-1, -1]] * len(QUERIES)
    assert found.scores.tolist() == [[0, 0]] * len(QUERIES)
