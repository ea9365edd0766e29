"""Multi-similarity loss: pull the names of one entity together, push the nearest others away."""

from __future__ import annotations

import torch
from torch import Tensor


def multi_similarity_loss(
    vectors: Tensor,
    labels: Tensor,
    *,
    alpha: float = 2.0,  # sharpness of the pull
    beta: float = 50.0,  # sharpness of the push
    base: float = 0.5,  # the similarity that both are measured from
    epsilon: float = 0.2,  # how far from the hardest pair another one may be and still count
) -> Tensor:
    """The loss of unit vectors whose equal labels mean the same entity.

    A negative pair counts if it is nearly as similar as the anchor's least similar positive; a
    positive pair if it is hardly more similar than the anchor's most similar negative. Anchors
    without any such pair count as 0.

    *Shape:* vectors (names, width), labels (names,); result ().
    """
    similarity = vectors @ vectors.T
    same = labels[:, None] == labels[None, :]
    positive = same & ~torch.eye(len(labels), dtype=torch.bool, device=labels.device)
    negative = ~same
    with torch.no_grad():
        farthest = similarity.masked_fill(~positive, torch.inf).amin(dim=1, keepdim=True)
        nearest = similarity.masked_fill(~negative, -torch.inf).amax(dim=1, keepdim=True)
        positive &= similarity < nearest + epsilon
        negative &= similarity > farthest - epsilon
    pull = _log_one_plus_sum(-alpha * (similarity - base), positive) / alpha
    push = _log_one_plus_sum(beta * (similarity - base), negative) / beta
    return (pull + push).mean()


def _log_one_plus_sum(exponents: Tensor, kept: Tensor) -> Tensor:
    """log(1 + sum of exp over the kept pairs of each row), without overflow."""
    exponents = exponents.masked_fill(~kept, -torch.inf)
    zero = torch.zeros_like(exponents[:, :1])
    return torch.cat([zero, exponents], dim=1).logsumexp(dim=1)
