"""Trains a typing model. Read from top to bottom: configuration, the task, its loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import torch

from holdfast.progress import Log
from holdfast.systems.bier.training.dataset import Dataset, TypedExample
from holdfast.systems.bier.training.model import TypingNetwork, type_loss
from holdfast.training.epochs import EpochOrder
from holdfast.training.history import Entry
from holdfast.training.loop import Loss, ParameterGroup, Task, split_config, train
from holdfast.training.precision import Precision

_BATCH: Final = 32  # examples that are looked at together


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """How long and how fast. Rates are for MiniLM; a BERT-base wants 2e-5 for the encoder."""

    steps: int = 3000
    batch: int = 32
    learning_rate: float = 1.5e-4  # of the encoder
    head_rate: float = 2e-3  # of the rows of types
    weight_decay: float = 0.01
    warm_up: float = 0.1
    evaluate_every: int = 500
    save_every: int = 100
    seed: int = 0
    threads: int = 0
    precision: Precision = "float32"  # bfloat16: faster where the processor has it


class TypingTask(Task[TypedExample]):
    """Examples in a random order that is new in every epoch."""

    def __init__(self, model: TypingNetwork, dataset: Dataset, config: TrainConfig) -> None:
        self.model: TypingNetwork = model
        self.selected_by = "macro_f1" if dataset.development else ""
        self._dataset = dataset
        self._config = config
        self._order = EpochOrder(len(dataset.training), config.seed)

    def parameter_groups(self) -> Sequence[ParameterGroup]:
        encoder = [p for p in self.model.encoder.parameters() if p.requires_grad]
        groups = [ParameterGroup(encoder, self._config.learning_rate)]
        if self.model.head.requires_grad:
            rate = self._config.head_rate
            groups.append(ParameterGroup([self.model.head], rate, weight_decay=0.0))
        return groups

    def refresh(self, done: int) -> None:
        if done == 0 and self.model.head.requires_grad:
            self.model.start_at_priors(self._dataset.training)

    def draw(self, step: int, count: int) -> Sequence[TypedExample]:
        examples = self._dataset.training
        return [examples[place] for place in self._order.drawn(step, count)]

    def loss(self, examples: Sequence[TypedExample]) -> Loss:
        return Loss(type_loss(self.model(examples), examples), len(examples))

    def evaluate(self) -> Mapping[str, float]:
        return evaluate_types(self.model, self._dataset.development)


def evaluate_types(model: TypingNetwork, examples: Sequence[TypedExample]) -> dict[str, float]:
    """Macro scores of the types with a probability above one half; empty without examples."""
    pairs = list[tuple[set[int], set[int]]]()
    with torch.inference_mode():
        for start in range(0, len(examples), _BATCH):
            block = examples[start : start + _BATCH]
            for row, example in zip(model(block), block, strict=True):
                predicted = torch.nonzero(row > 0).flatten().tolist()
                pairs.append((set(predicted), set(example.types.tolist())))
    return macro_scores(pairs) if pairs else {}


def train_typing(
    model: TypingNetwork,
    dataset: Dataset,
    config: TrainConfig,
    *,
    folder: Path,
    about: Mapping[str, Any] = MappingProxyType({}),
    report: Log = print,
) -> tuple[Entry, ...]:
    """Train in place, from the folder's checkpoint if there is one, and keep the best on dev."""
    loop, own = split_config(config)
    task = TypingTask(model, dataset, config)
    return train(task, loop, folder=folder, about={**own, **about}, report=report)


def macro_scores(pairs: Iterable[tuple[set[int], set[int]]]) -> dict[str, float]:
    """Of predicted and gold types: precision and recall of each example, averaged; their F1.

    An example for which nothing is predicted counts in recall alone.
    """
    precisions, recalls = list[float](), list[float]()
    for predicted, gold in pairs:
        hits = len(predicted & gold)
        if predicted:
            precisions.append(hits / len(predicted))
        if gold:
            recalls.append(hits / len(gold))
    precision = float(np.mean(precisions)) if precisions else 0.0
    recall = float(np.mean(recalls)) if recalls else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"macro_precision": precision, "macro_recall": recall, "macro_f1": f1}


def commonest_types_f1(
    training: Sequence[TypedExample], development: Sequence[TypedExample]
) -> float:
    """The best macro F1 of an answer that is the same for all: the n commonest types."""
    counts = Counter[int]()
    for example in training:
        counts.update(example.types.tolist())
    commonest = [type for type, _ in counts.most_common(60)]
    gold = [set(example.types.tolist()) for example in development]
    return max(
        (
            macro_scores((set(commonest[:n]), one) for one in gold)["macro_f1"]
            for n in range(1, len(commonest) + 1)
        ),
        default=0.0,
    )
