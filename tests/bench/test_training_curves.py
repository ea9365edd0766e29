"""How fast dual encoders learn, compared."""

from __future__ import annotations

import pytest

from holdfast.bench.training_curves import times_faster, training_curves


def test_times_faster_compares_where_both_were() -> None:
    quick = [{"seconds": 10.0, "accuracy": 0.4}, {"seconds": 20.0, "accuracy": 0.9}]
    slow = [{"seconds": 40.0, "accuracy": 0.4}, {"seconds": 80.0, "accuracy": 0.6}]
    assert times_faster(quick, slow) == pytest.approx(80 / 14)
    assert times_faster(quick, []) is times_faster([], slow) is None
    assert training_curves({}) == {"curves": {}, "times_faster": {}}
    known = [{"seconds": 0.0, "accuracy": 0.4}, *slow[1:]]  # both knew something at the start
    sooner = [{"seconds": 0.0, "accuracy": 0.4}, *quick[1:]]
    assert times_faster(sooner, known) == pytest.approx(80 / 8)


def test_a_model_that_has_nothing_to_learn_is_not_infinitely_faster() -> None:
    good = [{"accuracy": 0.8, "seconds": 0.0}, {"accuracy": 0.9, "seconds": 10.0}]
    poor = [{"accuracy": 0.1, "seconds": 0.0}, {"accuracy": 0.7, "seconds": 10.0}]
    assert times_faster(good, poor) is None
    assert times_faster(poor, good) == 0.0
    slow = [{"accuracy": 0.1, "seconds": 0.0}, {"accuracy": 0.9, "seconds": 40.0}]
    assert times_faster(good, slow) == pytest.approx(4)
