"""Names that look or mean alike, in one ranking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from holdfast.names.dense import DenseIndex
from holdfast.names.hybrid import HybridIndex
from holdfast.names.ngram import NgramIndex

NAMES = ["myocardial infarction", "heart attack", "heart attacks", "infarct", "aspirin", "—"]
MEANINGS = [0, 0, 0, 3, 7, None]


class Thesaurus:
    """Gives names of one meaning one vector; those that it does not know have none."""

    width = 8
    digest = "thesaurus"

    def encode(self, names: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = np.zeros((len(names), self.width), dtype=np.float32)
        known = dict(zip(NAMES, MEANINGS, strict=True))
        for row, name in enumerate(names):
            meaning = known.get(name)
            if meaning is not None:
                vectors[row, meaning] = 1
        return vectors


@pytest.fixture(scope="module")
def index() -> HybridIndex:
    encoder = Thesaurus()
    return HybridIndex(NgramIndex.build(NAMES), DenseIndex.build(NAMES, encoder))


def test_what_only_means_alike_is_found_behind_what_also_looks_alike(index: HybridIndex) -> None:
    found = index.search(["heart attack"], 3)
    assert found.rows.tolist() == [[1, 2, 0]]
    assert found.scores[0, 2] == pytest.approx(0.6, abs=0.1)
    assert found.scores[0, 0] == pytest.approx(1.0, abs=1e-3)


def test_what_only_looks_alike_is_found(index: HybridIndex) -> None:
    found = index.search(["infarcts"], 2)
    assert found.rows.tolist() == [[3, 0]]
    alike = index.ngrams.similarity("infarcts", np.array([3, 0]))
    assert found.scores[0].tolist() == pytest.approx((0.4 * alike).tolist(), abs=1e-5)


def test_scores_are_the_weighted_sum_of_both_cosines(index: HybridIndex) -> None:
    found = index.search(["myocardial infarction"], 5)
    rows = found.rows[0][found.rows[0] >= 0]
    alike = index.ngrams.similarity("myocardial infarction", rows)
    near = np.array([MEANINGS[row] == 0 for row in rows])
    expected = 0.4 * alike + 0.6 * near
    assert found.scores[0, : len(rows)].tolist() == pytest.approx(expected.tolist(), abs=1e-3)
    assert expected.tolist() == sorted(expected.tolist(), reverse=True)


def test_a_batch_equals_its_queries_one_by_one_and_nothing_finds_nothing(
    index: HybridIndex,
) -> None:
    queries = ["heart attack", "", "aspirin", "—", "infarcts"]
    batch = index.search(queries, 4)
    assert batch.rows[1].tolist() == batch.rows[3].tolist() == [-1] * 4
    for i, query in enumerate(queries):
        one = index.search([query], 4)
        assert one.rows[0].tolist() == batch.rows[i].tolist()
        assert one.scores[0].tolist() == batch.scores[i].tolist()


def test_ties_come_in_row_order_and_more_than_twenty_names_may_be_asked_for() -> None:
    names = ["heart attack"] * 30
    encoder = Thesaurus()
    index = HybridIndex(NgramIndex.build(names), DenseIndex.build(names, encoder))
    assert index.search(["heart attack"], 25).rows.tolist() == [list(range(25))]
    assert index.search(["heart attack"], 2).rows.tolist() == [[0, 1]]
