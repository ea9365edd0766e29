"""The softmax over the classes of a batch, and the conditional random field."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from holdfast.systems.multitask.training.crf import ChainCrf  # noqa: E402
from holdfast.systems.multitask.training.losses import class_loss, label_loss  # noqa: E402

CLASSES, WIDTH = 7, 5


def head(seed: int = 0) -> Any:
    torch.manual_seed(seed)
    return torch.nn.Linear(WIDTH, CLASSES)


def full_loss(vectors: Any, out: Any, labels: Any) -> Any:
    weights = torch.full((CLASSES,), 1.0)
    weights[0] = 0.125
    return torch.nn.functional.cross_entropy(out(vectors), labels, weight=weights)


@given(st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_with_all_classes_in_the_batch_the_softmax_is_the_full_one(seed: int) -> None:
    out = head(seed)
    labels = torch.cat([torch.arange(CLASSES), torch.randint(CLASSES, (9,))])
    vectors = torch.randn(len(labels), WIDTH)
    found = class_loss(vectors, out, labels, nil_weight=0.125)
    assert torch.isclose(found.total / found.weight, full_loss(vectors, out, labels), atol=1e-5)


def test_sampled_classes_make_the_softmax_full_too() -> None:
    out, vectors, labels = head(), torch.randn(3, WIDTH), torch.tensor([2, 2, 5])
    found = class_loss(vectors, out, labels, nil_weight=0.125, sampled=torch.arange(CLASSES))
    assert torch.isclose(found.total / found.weight, full_loss(vectors, out, labels), atol=1e-6)


@given(st.sets(st.integers(1, CLASSES - 1), min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_classes_that_are_not_in_the_batch_have_no_gradient(present: set[int]) -> None:
    out, labels = head(), torch.tensor(sorted(present))
    class_loss(torch.randn(len(labels), WIDTH), out, labels, nil_weight=0.125).total.backward()
    rows = out.weight.grad.abs().sum(dim=1) + out.bias.grad.abs()
    absent = [row for row in range(1, CLASSES) if row not in present]
    assert (rows[absent] == 0).all()
    assert (rows[sorted(present)] > 0).all()


def test_the_class_of_no_entity_counts_as_much_as_it_is_told() -> None:
    out, vectors = head(), torch.randn(2, WIDTH)
    labels = torch.tensor([0, 3])
    light = class_loss(vectors, out, labels, nil_weight=0.125)
    none = class_loss(vectors, out, labels, nil_weight=0.0)
    whole = class_loss(vectors, out, labels, nil_weight=1.0)
    assert torch.isclose(light.total, none.total + 0.125 * (whole.total - none.total))
    assert (none.weight, light.weight, whole.weight) == (1.0, 1.125, 2.0)


def test_unknown_labels_teach_nothing() -> None:
    logits = torch.randn(3, 4, requires_grad=True)
    found = label_loss(logits, torch.tensor([1, -1, 2]))
    found.total.backward()
    assert found.weight == 2
    assert (logits.grad[1] == 0).all()


def worth(crf: ChainCrf, scores: Any, tags: tuple[int, ...]) -> Any:
    """The score of one row of tags, summed up by hand."""
    total = crf.transitions[-1, tags[0]] + crf.transitions[tags[-1], -1]
    for word, tag in enumerate(tags):
        total = total + scores[word, tag]
        if word:
            total = total + crf.transitions[tags[word - 1], tag]
    return total


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_the_likelihood_of_a_chain_is_that_of_brute_force(lengths: list[int], seed: int) -> None:
    torch.manual_seed(seed)
    crf = ChainCrf(3)
    with torch.no_grad():
        crf.transitions.normal_()
    scores = torch.randn(sum(lengths), 3)
    tags = torch.randint(3, (sum(lengths),))
    expected = torch.zeros(())
    start = 0
    for length in lengths:
        own = scores[start : start + length]
        every = [worth(crf, own, row) for row in product(range(3), repeat=length)]
        right = worth(crf, own, tuple(tags[start : start + length].tolist()))
        expected = expected + torch.stack(every).logsumexp(0) - right
        start += length
    assert torch.isclose(crf.loss(scores, tags, torch.tensor(lengths)), expected, atol=1e-4)
