"""Trains a relation model. Read from top to bottom: configuration, the task, its loss."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
import torch.nn.functional as F

from holdfast.document import Document
from holdfast.progress import Log
from holdfast.systems.kebiolm.relations.asked import MARKS
from holdfast.systems.kebiolm.training.relations.data import (
    UNKNOWN,
    Above,
    QuestionExample,
    RelationBatch,
)
from holdfast.systems.kebiolm.training.relations.model import RelationNetwork
from holdfast.systems.kebiolm.training.relations.select import Fitted, answers_of, fit
from holdfast.training.epochs import EpochOrder
from holdfast.training.history import Entry
from holdfast.training.loop import Loss, ParameterGroup, Task, split_config, train
from holdfast.training.precision import Precision


@dataclass(frozen=True, slots=True)
class RelationConfig:
    """How long and how fast. Rates are for MiniLM; a larger encoder wants smaller ones."""

    steps: int = 2600
    batch: int = 4  # questions of a step: a document with one of its heads marked
    learning_rate: float = 1e-4  # of the encoder
    head_rate: float = 1e-3  # of what sits on top of it
    weight_decay: float = 0.01
    warm_up: float = 0.1
    hidden: int = 256
    dropout: float = 0.2
    masked_mentions: float = 0.1  # share of mentions whose words are hidden while training
    positive_weight: float = 1.0  # of related pairs in the loss
    evaluate_every: int = 650  # a pass over dev costs as much as a hundred steps
    save_every: int = 100
    seed: int = 0
    threads: int = 0
    precision: Precision = "float32"  # bfloat16: faster where the processor has it


@dataclass(frozen=True, slots=True, eq=False)
class Development:
    """Documents to choose by, and their questions."""

    documents: Sequence[Document] = ()
    examples: Sequence[QuestionExample] = ()
    above: Above | None = None


class RelationTask(Task[QuestionExample]):
    """Questions in a random order that is new in every epoch; the loss is that of every pair."""

    def __init__(
        self,
        model: RelationNetwork,
        training: Sequence[QuestionExample],
        development: Development,
        config: RelationConfig,
        *,
        mask: int,
    ) -> None:
        """`mask` is the token that hides words."""
        self.model: RelationNetwork = model
        self.selected_by = "f1" if development.documents else ""
        self._training = training
        self._development = development
        self._config = config
        self._mask = mask
        self._order = EpochOrder(len(training), config.seed, 0)

    def parameter_groups(self) -> Sequence[ParameterGroup]:
        encoder = [p for p in self.model.encoder.parameters() if p.requires_grad]
        inner = {id(p) for p in self.model.encoder.parameters()}
        others = [p for p in self.model.parameters() if id(p) not in inner]
        return (
            ParameterGroup(encoder, self._config.learning_rate),
            ParameterGroup(others, self._config.head_rate),
        )

    def draw(self, step: int, count: int) -> Sequence[QuestionExample]:
        return [self._training[place] for place in self._order.drawn(step, count)]

    def loss(self, examples: Sequence[QuestionExample]) -> Loss:
        batch = self._masked(RelationBatch.of(examples))
        logits, known = self.model(batch), batch.labels != UNKNOWN
        weight = torch.tensor(self._config.positive_weight)
        loss = F.binary_cross_entropy_with_logits(
            logits[known], batch.labels[known], pos_weight=weight, reduction="sum"
        )
        return Loss(loss, max(1, int(known.sum())))

    def _masked(self, batch: RelationBatch) -> RelationBatch:
        """Runs of tokens with one mark are hidden whole, so that names are not all that counts."""
        share = self._config.masked_mentions
        if not share:
            return batch
        kinds = (batch.marks * torch.arange(1, len(MARKS) + 1)).sum(dim=1)
        changes = torch.cat([torch.ones(1, dtype=torch.bool), kinds[1:] != kinds[:-1]])
        run = torch.cumsum(changes, 0) - 1
        hidden = torch.rand(int(run[-1]) + 1)[run] < share
        tokens = torch.where(hidden & (kinds > 0), self._mask, batch.tokens)
        return replace(batch, tokens=tokens)

    def fitted(self) -> Fitted:
        """Thresholds and figures on the development documents."""
        dev = self._development
        answers = answers_of(self.model, dev.examples, dev.documents)
        return fit(answers, self.model.shape, dev.above)

    def evaluate(self) -> Mapping[str, float]:
        if not self._development.documents:
            return {}
        found = self.fitted()
        names = ("precision", "recall", "f1", "f1_kept", "f1_dropped")
        return {name: getattr(found, name) for name in names}


def train_relations(
    task: RelationTask,
    config: RelationConfig,
    *,
    folder: Path,
    about: Mapping[str, Any] = MappingProxyType({}),
    report: Log = print,
) -> tuple[Entry, ...]:
    """Train in place, from the folder's checkpoint if there is one, and keep the best on dev."""
    loop, own = split_config(config)
    shape = json.loads(json.dumps(asdict(task.model.shape)))  # lists, as a checkpoint holds them
    return train(task, loop, folder=folder, about={**own, **shape, **about}, report=report)
