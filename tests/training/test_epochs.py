"""The order of examples."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.training.epochs import EpochOrder


@given(st.integers(1, 9), st.integers(1, 12), st.integers(1, 6))
def test_every_epoch_has_each_example_once_in_an_order_of_its_own(
    total: int, count: int, steps: int
) -> None:
    order = EpochOrder(total, 7)
    drawn = [place for step in range(steps) for place in order.drawn(step, count)]
    assert len(drawn) == steps * count
    for epoch in range(len(drawn) // total):
        assert sorted(drawn[epoch * total : (epoch + 1) * total]) == list(range(total))
    # A run that goes on draws what the uninterrupted one draws.
    assert EpochOrder(total, 7).drawn(steps - 1, count) == drawn[-count:]


def test_other_seeds_and_epochs_have_other_orders() -> None:
    first, other = EpochOrder(50, 1).drawn(0, 100), EpochOrder(50, 2).drawn(0, 100)
    assert first != other
    assert first[:50] != first[50:]
