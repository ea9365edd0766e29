from __future__ import annotations

import numpy as np
import pytest

from holdfast.systems.rescnn.training.batches import BatchConfig, NameBatches
from holdfast.systems.rescnn.training.synonyms import Group

GROUPS = [
    Group(("renal failure", "kidney failure"), "Disease"),
    Group(("liver failure", "hepatic failure"), "Disease"),
    Group(("aspirin", "acetylsalicylic acid"), "Chemical"),
    Group(("nicotine",), "Chemical"),
    Group(("heart attack", "myocardial infarction"), "Disease", mentions=("MI-like event",)),
]
EVERY = [1.0] * len(GROUPS)


def batches(config: BatchConfig, **options: object) -> NameBatches:
    return NameBatches(GROUPS, weights=options.pop("weights", EVERY), config=config, **options)  # type: ignore[arg-type]


def test_a_batch_has_two_names_of_each_group_and_no_group_twice() -> None:
    batch = batches(BatchConfig(groups=4)).draw(np.random.default_rng(0))
    assert len(batch.names) == 8
    assert list(batch.labels[::2]) == list(batch.labels[1::2])
    assert len(set(batch.labels.tolist())) == 4


def test_names_are_plain_and_come_from_their_group() -> None:
    batch = batches(BatchConfig(groups=5, augmented=0)).draw(np.random.default_rng(0))
    for name, label in zip(batch.names, batch.labels, strict=True):
        group = GROUPS[label]
        known = {*group.names, "mi like event"} if group.mentions else set(group.names)
        assert name in known or group.names == ("nicotine",)


def test_the_same_generator_gives_the_same_batch() -> None:
    draw = batches(BatchConfig(groups=3)).draw
    one, other = draw(np.random.default_rng([5, 7])), draw(np.random.default_rng([5, 7]))
    assert one.names == other.names
    assert one.labels.tolist() == other.labels.tolist()


def test_a_batch_larger_than_the_groups_has_them_all_once() -> None:
    batch = batches(BatchConfig(groups=50)).draw(np.random.default_rng(0))
    assert sorted(set(batch.labels.tolist())) == list(range(len(GROUPS)))


def test_groups_that_share_a_word_come_together() -> None:
    config = BatchConfig(groups=2, seeds=0.5, neighbours=4)
    drawn = batches(config, weights=[1, 0, 0, 0, 0])
    for seed in range(10):
        assert set(drawn.draw(np.random.default_rng(seed)).labels.tolist()) <= {0, 1, 2}
    together = sum(1 in drawn.draw(np.random.default_rng(seed)).labels for seed in range(30))
    assert together >= 10


def test_given_neighbours_replace_shared_words() -> None:
    config = BatchConfig(groups=2, seeds=0.5, neighbours=1)
    drawn = batches(config, weights=[1, 0, 0, 0, 0]).with_neighbours({0: [3]})
    for seed in range(10):
        assert sorted(set(drawn.draw(np.random.default_rng(seed)).labels.tolist())) == [0, 3]


def test_seeds_follow_their_weights() -> None:
    config = BatchConfig(groups=1, seeds=1.0, neighbours=0)
    drawn = batches(config, weights=[0, 0, 0, 0, 2])
    for seed in range(5):
        assert drawn.draw(np.random.default_rng(seed)).labels.tolist() == [4, 4]


def test_a_mention_starts_its_pair() -> None:
    config = BatchConfig(groups=1, seeds=1.0, neighbours=0, augmented=0, mention_first=1.0)
    drawn = batches(config, weights=[0, 0, 0, 0, 1])
    first, second = drawn.draw(np.random.default_rng(3)).names
    assert first == "mi like event"
    assert second in GROUPS[4].names


def test_no_groups_is_a_clear_error() -> None:
    with pytest.raises(ValueError, match="no groups"):
        NameBatches([], weights=[], config=BatchConfig())
