from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import InvalidValueError
from holdfast.evaluate import auroc, brier_score, expected_calibration_error


def test_calibration_error_weighs_each_bin_by_its_size() -> None:
    probabilities = [0.1, 0.3, 0.3, 0.9]
    correct = [False, True, False, True]
    # Two bins: {0.1, 0.3, 0.3} claims 0.7 of 3 and has 1; {0.9} claims 0.9 of 1 and has 1.
    assert expected_calibration_error(probabilities, correct, bins=2) == pytest.approx(0.4 / 4)


def test_a_bin_holds_its_lower_edge_and_the_last_one_holds_1() -> None:
    # 0.5 is in the upper bin with 1: they claim 1.5 of 2 and have 1.
    assert expected_calibration_error([0.5, 1.0], [1, 0], bins=2) == pytest.approx(0.5 / 2)


def test_scores_that_keep_their_promise_have_no_calibration_error() -> None:
    probabilities = np.repeat([0.25, 0.75], 4)
    correct = [1, 0, 0, 0, 1, 1, 1, 0]
    assert expected_calibration_error(probabilities, correct) == pytest.approx(0)


def test_brier_score_is_the_mean_squared_error() -> None:
    assert brier_score([0.9, 0.2], [True, True]) == pytest.approx((0.01 + 0.64) / 2)


def test_auroc_counts_ordered_pairs_and_half_of_ties() -> None:
    # Positives 0.8, 0.5, 0.3 against negatives 0.5, 0.1: 2, 1.5 and 1 of 2.
    scores = [0.8, 0.5, 0.3, 0.5, 0.1]
    assert auroc(scores, [1, 1, 1, 0, 0]) == pytest.approx(4.5 / 6)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), max_size=20))
def test_auroc_is_the_share_of_pairs_in_order(pairs: list[tuple[int, bool]]) -> None:
    positive = [score for score, label in pairs if label]
    negative = [score for score, label in pairs if not label]
    won = sum((a > b) + (a == b) / 2 for a in positive for b in negative)
    found = auroc([score for score, _ in pairs], [label for _, label in pairs])
    if positive and negative:
        assert found == pytest.approx(won / (len(positive) * len(negative)))
    else:
        assert math.isnan(found)


def test_nothing_to_measure_is_not_a_number() -> None:
    assert math.isnan(expected_calibration_error([], []))
    assert math.isnan(brier_score([], []))


@pytest.mark.parametrize(
    ("scores", "labels", "message"),
    [
        ([0.5], [1, 0], "equal length"),
        ([[0.5]], [[1]], "one row"),
        ([1.5], [1], "outside"),
        ([math.nan], [1], "finite"),
        ([0.5], [2], "neither true nor false"),
    ],
)
def test_ill_formed_values_are_refused(
    scores: list[float], labels: list[int], message: str
) -> None:
    with pytest.raises(InvalidValueError, match=message):
        brier_score(scores, labels)


def test_at_least_one_bin_is_needed() -> None:
    with pytest.raises(InvalidValueError, match="0 bins"):
        expected_calibration_error([0.5], [1], bins=0)
