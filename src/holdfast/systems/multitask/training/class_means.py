"""What the linking head begins with: each class as the mean of its training mentions.

A class is seen a few times in an epoch. From random weights, most of the training would go by
before the rows of rare classes mean anything; from means, the head is a nearest-mean classifier
at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import Tensor

from holdfast.progress import Log
from holdfast.systems.multitask.labels import NO_ENTITY
from holdfast.systems.multitask.shape import LINKING
from holdfast.systems.multitask.training.data import Example, ExampleBatch
from holdfast.systems.multitask.training.model import MultitaskNetwork, span_means
from holdfast.training.time_left import counted

_SCALE: Final = 10.0  # of the logits to begin with, for mentions at their usual distance


def start_classes_at_means(
    model: MultitaskNetwork,
    examples: Sequence[Example],
    *,
    nil_weight: float,
    report: Log = print,
) -> None:
    """Set the rows of the linking head's last layer, with the rest of the network as it is.

    A row is the direction in which the mean of a class differs from the mean of all classes; a
    class without an example is zero. At that mean, classes score by how often they are seen.
    """
    head: Any = model.heads[LINKING]
    model.eval()
    with torch.no_grad():
        sums, counts = torch.zeros_like(head.out.weight), torch.zeros(len(head.out.weight))
        squares = 0.0
        for example in counted(examples, "documents read for the classes' means", report):
            vectors, classes = _labelled(model, example)
            sums.index_add_(0, classes, vectors)
            counts.index_add_(0, classes, torch.ones(len(classes)))
            squares += vectors.square().sum().item()
        present = counts > 0
        if not present.any():
            return
        means = sums[present] / counts[present][:, None]
        middle = means.mean(dim=0)
        spread = squares / counts.sum() - (2 * sums.sum(dim=0) / counts.sum() - middle) @ middle
        rows = F.normalize(means - middle, dim=1) * _SCALE / spread.clamp(min=1e-6).sqrt()
        counts[NO_ENTITY] *= nil_weight
        head.out.weight.zero_()
        head.out.weight[present] = rows
        head.out.bias.copy_(counts.clamp(min=1).log() - head.out.weight @ middle)


def _labelled(model: MultitaskNetwork, example: Example) -> tuple[Tensor, Tensor]:
    """What the last layer reads of a document, and the class of each row."""
    batch = ExampleBatch.of([example])
    states = model.features(batch, (LINKING,))[LINKING]
    head: Any = model.heads[LINKING]
    if model.shape.setup == "token":
        return head.vectors(states), batch.linking
    return head.vectors(span_means(states, batch.spans)), batch.span_classes
