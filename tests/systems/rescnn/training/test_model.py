from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from holdfast.systems.rescnn.training.model import Convolution, ResCNN, ResCNNConfig  # noqa: E402

Pooling = Literal["max", "attention"]


def small(pooling: Pooling) -> ResCNN:
    torch.manual_seed(1)
    shape = ResCNNConfig(
        vocabulary=50, embedding=12, width=16, blocks=2, filters=6, feed_forward=10, pooling=pooling
    )
    return ResCNN(shape).eval()


def vectors(model: ResCNN, names: list[list[int]]) -> Any:
    tokens = torch.tensor([token for name in names for token in name], dtype=torch.long)
    with torch.inference_mode():
        return model(tokens, torch.tensor([len(name) for name in names]))


def names(smallest: int) -> st.SearchStrategy[list[list[int]]]:
    name = st.lists(st.integers(0, 49), min_size=smallest, max_size=25)
    return st.lists(name, min_size=1, max_size=8)


@pytest.mark.parametrize("pooling", ["max", "attention"])
@given(batch=names(0))
@settings(max_examples=40, deadline=None)
def test_a_batch_equals_its_names_one_by_one(pooling: Pooling, batch: list[list[int]]) -> None:
    model = small(pooling)
    together = vectors(model, batch)
    apart = torch.cat([vectors(model, [name]) for name in batch])
    assert torch.allclose(together, apart, atol=1e-5)


@given(batch=names(1))
@settings(max_examples=20, deadline=None)
def test_every_name_with_tokens_is_a_unit_vector(batch: list[list[int]]) -> None:
    lengths = vectors(small("max"), batch).norm(dim=1)
    assert torch.allclose(lengths, torch.ones(len(batch)), atol=1e-5)


@pytest.mark.parametrize("pooling", ["max", "attention"])
def test_a_name_without_tokens_is_a_zero_row_among_others(pooling: Pooling) -> None:
    found = vectors(small(pooling), [[3, 4], [], [5]])
    assert found[1].abs().max() == 0
    assert found[0].abs().max() > 0
    assert found[2].abs().max() > 0


def test_the_order_of_tokens_matters() -> None:
    model = small("max")
    there, back = vectors(model, [[3, 4, 5]]), vectors(model, [[5, 4, 3]])
    assert not torch.allclose(there, back, atol=1e-3)


@pytest.mark.parametrize("kernel", [1, 3, 5])
def test_a_convolution_is_the_textbook_one(kernel: int) -> None:
    torch.manual_seed(kernel)
    ours = Convolution(8, 4, kernel)
    theirs = torch.nn.Conv1d(8, 4, kernel, padding=kernel // 2)
    with torch.no_grad():
        theirs.weight.copy_(ours.taps.weight.reshape(kernel, 4, 8).permute(1, 2, 0))
        theirs.bias.copy_(ours.bias.normal_())
        states = torch.randn(9, 8)
        expected = theirs(states.T[None])[0].T
        assert torch.allclose(ours(states), expected, atol=1e-5)


@pytest.mark.parametrize("pooling", ["max", "attention"])
def test_the_papers_size_is_under_two_million_parameters(pooling: Pooling) -> None:
    size = ResCNN(ResCNNConfig(vocabulary=10, pooling=pooling)).size()
    assert 1_500_000 < size < 2_000_000
