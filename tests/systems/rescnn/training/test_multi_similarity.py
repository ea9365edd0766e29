from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from holdfast.systems.rescnn.training.multi_similarity import multi_similarity_loss  # noqa: E402


def by_the_definition(vectors: list[list[float]], labels: list[int]) -> float:
    alpha, beta, base, epsilon = 2.0, 50.0, 0.5, 0.2
    total = 0.0
    for i, label in enumerate(labels):
        others = [j for j in range(len(labels)) if j != i]
        near = {j: sum(a * b for a, b in zip(vectors[i], vectors[j], strict=True)) for j in others}
        same = [near[j] for j in others if labels[j] == label]
        other = [near[j] for j in others if labels[j] != label]
        pulled = [s for s in same if other and s < max(other) + epsilon]
        pushed = [s for s in other if same and s > min(same) - epsilon]
        total += math.log1p(sum(math.exp(-alpha * (s - base)) for s in pulled)) / alpha
        total += math.log1p(sum(math.exp(beta * (s - base)) for s in pushed)) / beta
    return total / len(labels)


@given(
    labels=st.lists(st.integers(0, 3), min_size=2, max_size=8),
    seed=st.integers(0, 1000),
)
@settings(max_examples=50, deadline=None)
def test_the_loss_is_the_published_one(labels: list[int], seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(len(labels), 5, generator=generator, dtype=torch.float64)
    vectors = torch.nn.functional.normalize(vectors, dim=1)
    loss = multi_similarity_loss(vectors, torch.tensor(labels)).item()
    assert loss == pytest.approx(by_the_definition(vectors.tolist(), labels), abs=1e-9)


def test_names_of_one_entity_that_lie_together_cost_less() -> None:
    together = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    crossed = together[[0, 2, 1, 3]]
    labels = torch.tensor([0, 0, 1, 1])
    assert multi_similarity_loss(together, labels) < multi_similarity_loss(crossed, labels)


def test_a_batch_without_any_pair_of_one_entity_has_finite_gradients() -> None:
    vectors = torch.eye(3, requires_grad=True)
    torch.autograd.backward(multi_similarity_loss(vectors, torch.arange(3)))
    assert torch.isfinite(vectors.grad).all()
