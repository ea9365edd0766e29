from __future__ import annotations

import numpy as np
import pytest

from holdfast.evaluate.intervals import Harmonic, Ratio, estimate, precision_recall_f1

RECALL = {"recall": Ratio("hits", "gold")}


def test_figures_are_of_sums_not_means_of_figures() -> None:
    rows = [{"hits": 1, "gold": 1}, {"hits": 0, "gold": 3}]
    assert estimate(rows, RECALL)["recall"].value == 1 / 4


def test_harmonic_mean_of_precision_and_recall() -> None:
    figure = {"f1": Harmonic(Ratio("hits", "predicted"), Ratio("hits", "gold"))}
    assert estimate([{"hits": 1, "predicted": 2, "gold": 4}], figure)["f1"].value == pytest.approx(
        1 / 3
    )


def test_figures_are_named_around_precision_recall_and_f1() -> None:
    assert list(precision_recall_f1("a_", "_z", hits="h", predicted="p", gold="g")) == [
        "a_precision_z",
        "a_recall_z",
        "a_f1_z",
    ]


def test_the_interval_of_a_proportion_is_near_its_normal_approximation() -> None:
    rows = [{"hits": float(i < 300), "gold": 1} for i in range(1000)]
    found = estimate(rows, RECALL, resamples=4000)["recall"]
    half = 1.96 * np.sqrt(0.3 * 0.7 / 1000)
    assert found.low == pytest.approx(0.3 - half, abs=0.004)
    assert found.high == pytest.approx(0.3 + half, abs=0.004)


def test_equal_rows_drawn_together_are_distributed_as_rows_drawn_one_by_one() -> None:
    rows = [{"hits": float(i % 3 == 0), "gold": 1.0 + (i % 2)} for i in range(60)]
    generator = np.random.default_rng(5)
    table = np.array([[row["hits"], row["gold"]] for row in rows])
    drawn = table[generator.integers(0, len(rows), size=(20_000, len(rows)))].sum(axis=1)
    low, high = np.percentile(drawn[:, 0] / drawn[:, 1], [2.5, 97.5])
    found = estimate(rows, RECALL, resamples=20_000)["recall"]
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.01)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    rows = [{"hits": float(i % 3), "gold": 2.0 + i % 5} for i in range(40)]
    assert estimate(rows, RECALL, seed=1) == estimate(rows[::-1], RECALL, seed=1)
    assert estimate(rows, RECALL, seed=1) != estimate(rows, RECALL, seed=2)


def test_many_different_rows_are_drawn_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"hits": float(i), "gold": 100.0} for i in range(100)]
    whole = estimate(rows, RECALL, seed=1)
    monkeypatch.setattr("holdfast.evaluate.intervals._CELLS", 1000)
    assert estimate(rows, RECALL, seed=1) == whole


def test_the_interval_is_stretched_to_the_figure() -> None:
    rows = [{"hits": float(i % 2), "gold": 1} for i in range(101)]
    for seed in range(5):
        found = estimate(rows, RECALL, resamples=1, seed=seed)["recall"]
        assert found.low <= found.value <= found.high


def test_one_unit_has_no_width_and_no_unit_scores_zero() -> None:
    one = estimate([{"hits": 1, "gold": 2}], RECALL)["recall"]
    assert (one.low, one.value, one.high) == (0.5, 0.5, 0.5)
    none = estimate([], RECALL)["recall"]
    assert (none.low, none.value, none.high) == (0, 0, 0)
