"""The losses of the three tasks."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from holdfast.systems.multitask.labels import NO_ENTITY
from holdfast.training.loop import Loss


def class_loss(
    vectors: Tensor,
    out: nn.Linear,
    labels: Tensor,
    *,
    nil_weight: float,
    sampled: Tensor | None = None,
) -> Loss:
    """Weighted cross entropy over the classes that the batch has, NO_ENTITY and `sampled` ones.

    All other classes are left out of the softmax, so that their rows of `out` have no gradient.
    `nil_weight` is the weight of labels that are NO_ENTITY; that of all others is 1.

    *Shape:* vectors (rows, width); labels (rows,); sampled (classes,).
    """
    nil = torch.tensor([NO_ENTITY])
    present = torch.unique(torch.cat([nil, labels] + ([] if sampled is None else [sampled])))
    logits = F.linear(vectors, out.weight[present], out.bias[present])
    losses = F.cross_entropy(logits, torch.searchsorted(present, labels), reduction="none")
    weights = torch.where(labels == NO_ENTITY, nil_weight, 1.0)
    return Loss((losses * weights).sum(), float(weights.sum()))


def label_loss(logits: Tensor, labels: Tensor) -> Loss:
    """Cross entropy where a label is known, that is, not negative.

    *Shape:* logits (rows, labels); labels (rows,).
    """
    total = F.cross_entropy(logits, labels, ignore_index=-1, reduction="sum")
    return Loss(total, float((labels >= 0).sum()))
