"""The difference between two kinds of token embeddings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.evaluate.gold_mentions import LenientCase, score_lenient
from holdfast.systems.rescnn.training.probing.differences import difference, is_right

GOLD, OTHER = frozenset({"A"}), frozenset({"B"})
ANSWERS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20)


def cases(rights: list[bool]) -> list[LenientCase]:
    """Two mentions in each document."""
    return [
        LenientCase(GOLD, ((GOLD if right else OTHER, GOLD),), str(i // 2))
        for i, right in enumerate(rights)
    ]


@given(answers=ANSWERS)
def test_a_difference_is_that_of_the_two_accuracies(answers: list[tuple[bool, bool]]) -> None:
    ours, theirs = (cases([pair[i] for pair in answers]) for i in range(2))
    gain = difference([ours, theirs], [theirs, theirs])  # two seeds, the second all the same
    accuracies = [score_lenient(c, resamples=1)["accuracy_at_1"] for c in (ours, theirs)]
    assert abs(gain.value - (accuracies[0] - accuracies[1]) / 2) < 1e-9
    assert gain.low <= gain.value <= gain.high


@given(rights=st.lists(st.booleans(), min_size=1, max_size=10))
def test_nothing_differs_from_itself(rights: list[bool]) -> None:
    gain = difference([cases(rights)], [cases(rights)])
    assert (gain.low, gain.value, gain.high) == (0, 0, 0)


def test_a_composite_is_right_if_all_its_parts_are() -> None:
    assert is_right(LenientCase(GOLD, ((GOLD,), (GOLD,))))
    assert not is_right(LenientCase(GOLD, ((GOLD,), (OTHER, GOLD))))
    assert not is_right(LenientCase(GOLD, ((),)))
