"""Vectors of names that are made when they are asked about."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import pytest

from holdfast.names import unindexed
from holdfast.names.dense import DenseIndex
from holdfast.names.unindexed import UnindexedNames

Floats = npt.NDArray[np.float32]
NAMES = tuple(f"{'a' * (n % 5)}{'b' * (n % 7)}{'c' * (n % 3)}" for n in range(40))


class Letters:
    """Encodes a name by its letters; `made` has every name that was encoded."""

    width = 3
    digest = "letters"

    def __init__(self) -> None:
        self.made = list[str]()

    def encode(self, names: Sequence[str]) -> Floats:
        self.made += names
        rows = np.array([[name.count(letter) for letter in "abc"] for name in names])
        lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        unit: Floats = (rows / lengths).astype(np.float32).reshape(-1, 3)
        return unit


def unindexed_names(encoder: Letters, rows: Sequence[int] = range(len(NAMES))) -> UnindexedNames:
    known = np.array(rows, dtype=np.int64)
    return UnindexedNames(NAMES.__getitem__, encoder, rows=known, names=len(NAMES))


def test_cosines_are_those_of_the_index() -> None:
    encoder = Letters()
    queries = encoder.encode(["ab", "bbc", ""])
    rows = np.array([[0, 5, 5, -1], [39, 2, 7, 8], [1, 2, 3, 4]])
    index = DenseIndex.build(NAMES, encoder)
    bare = unindexed_names(encoder)
    assert bare.similarity(queries, rows) == pytest.approx(index.similarity(queries, rows))
    assert bare.similarity(queries[0], rows[1]) == pytest.approx(
        index.similarity(queries[0], rows[1])
    )
    assert bare.similarity(queries[0], rows[0, :0]).shape == (0,)


def test_names_without_a_vector_are_like_nothing() -> None:
    encoder = Letters()
    bare = unindexed_names(encoder, rows=[8, 9])
    query = encoder.encode(["abc"])[0]
    found = bare.similarity(query, np.array([8, 10, -1, 9]))
    assert (found > 0).tolist() == [True, False, False, True]


def test_nothing_is_found_by_meaning() -> None:
    found = unindexed_names(Letters()).search_vectors(np.ones((2, 3), dtype=np.float32), 4)
    assert found.rows.tolist() == [[-1] * 4] * 2
    assert found.scores.tolist() == [[0.0] * 4] * 2


def test_a_name_is_encoded_once_while_it_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unindexed, "_KEPT", 3)
    encoder = Letters()
    bare = unindexed_names(encoder)
    query = encoder.encode(["abc"])[0]
    encoder.made.clear()
    for _ in range(2):
        bare.similarity(query, np.array([8, 9, 8]))
    assert encoder.made == [NAMES[8], NAMES[9]]
    bare.similarity(query, np.array([10, 11]))  # pushes one of the two out
    encoder.made.clear()
    bare.similarity(query, np.array([8, 9]))
    assert len(encoder.made) == 1


def test_threads_that_push_out_each_others_names_get_the_right_cosines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unindexed, "_KEPT", 4)
    encoder = Letters()
    bare = unindexed_names(encoder)
    queries = encoder.encode(["ab", "bbc", "ac", "cc"])
    asked = [(n % 4, (np.arange(6) * (n % 5 + 1) + n) % len(NAMES)) for n in range(600)]
    index = DenseIndex.build(NAMES, encoder)
    expected = [index.similarity(queries[query], rows).tolist() for query, rows in asked]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = pool.map(
                lambda pair: bare.similarity(queries[pair[0]], pair[1]).tolist(), asked
            )
            assert list(found) == [pytest.approx(cosines) for cosines in expected]
    finally:
        sys.setswitchinterval(before)
