"""Trains a multi-task model. Read from top to bottom: configuration, the task, its losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from holdfast.progress import Log
from holdfast.systems.multitask.labels import NO_ENTITY, Labels
from holdfast.systems.multitask.shape import LINKING, RECOGNITION
from holdfast.systems.multitask.training.class_means import start_classes_at_means
from holdfast.systems.multitask.training.data import NO_TYPE, Example, ExampleBatch
from holdfast.systems.multitask.training.losses import class_loss, label_loss
from holdfast.systems.multitask.training.model import MultitaskNetwork, span_means
from holdfast.systems.multitask.training.select import heads_of, scores, selected_by
from holdfast.training.epochs import EpochOrder
from holdfast.training.history import Entry
from holdfast.training.loop import Loss, ParameterGroup, Task, split_config, train
from holdfast.training.precision import Precision


@dataclass(frozen=True, slots=True)
class MultitaskTraining:
    """How long and how fast. Rates are for MiniLM; a larger encoder wants smaller ones."""

    steps: int = 600
    batch: int = 4  # documents of a step
    learning_rate: float = 1.2e-4  # of the encoder of tokens
    head_rate: float = 2e-3  # of what sits on top of it
    weight_decay: float = 1e-4
    warm_up: float = 0.1  # part of the steps with a rising rate, before the linear decay to 0
    nil_weight: float = 0.125  # of the class of no entity, in the loss of linking
    class_start: Literal["means", "random"] = "means"  # what the rows of classes begin as
    sampled_classes: int = 0  # classes that join those of the batch, drawn at random
    tasks_per_step: Literal["all", "one"] = "all"  # losses are summed, or one task is drawn
    tuned_by: Literal["all", "linking"] = "all"  # the tasks whose loss changes the token encoder
    learns_mistakes: bool = True  # spans that are recognised wrongly are learned as no entity
    hidden_words: float = 0.0  # share of the words that a step does not see, against overfitting
    evaluate_every: int = 150
    save_every: int = 100
    seed: int = 0
    threads: int = 0  # 0: as many as torch takes by itself
    precision: Precision = "float32"  # bfloat16: faster where the processor has it

    def paced(self, documents: int, passes: float) -> MultitaskTraining:
        """The configuration with so many passes over the documents, evaluated after each fifth."""
        steps = max(1, round(documents * passes / self.batch))
        return replace(self, steps=steps, evaluate_every=max(1, steps // 5))


class MultitaskTask(Task[Example]):
    """Documents in a random order that is new in every epoch; one loss, or the sum of several."""

    def __init__(
        self,
        model: MultitaskNetwork,
        training: Sequence[Example],
        development: Sequence[Example],
        labels: Labels,
        config: MultitaskTraining,
        *,
        blank: int = 0,
        report: Log = print,
    ) -> None:
        """`blank` is the token that stands for each piece of a hidden word."""
        self.model: MultitaskNetwork = model
        self.selected_by = selected_by(model) if development else ""
        self._training = training
        self._development = development
        self._labels = labels
        self._config = config
        self._order = EpochOrder(len(training), config.seed, 0)
        self._blank = blank
        self._report = report
        self._step = 0

    def parameter_groups(self) -> Sequence[ParameterGroup]:
        encoder = [p for p in self.model.encoder.parameters() if p.requires_grad]
        inner = {id(p) for p in self.model.encoder.parameters()}
        others = [p for p in self.model.parameters() if id(p) not in inner]
        config = self._config
        return (
            ParameterGroup(encoder, config.learning_rate),
            ParameterGroup(others, config.head_rate),
        )

    def refresh(self, done: int) -> None:
        if done == 0 and self._config.class_start == "means" and LINKING in self.model.shape.tasks:
            start_classes_at_means(
                self.model,
                self._training,
                nil_weight=self._config.nil_weight,
                report=self._report,
            )

    def draw(self, step: int, count: int) -> Sequence[Example]:
        self._step = step
        drawn = self._order.drawn(step, count)
        return self._with_hidden_words([self._training[place] for place in drawn])

    def _with_hidden_words(self, examples: Sequence[Example]) -> Sequence[Example]:
        share = self._config.hidden_words
        if not share:
            return examples
        rng = np.random.default_rng([self._config.seed, 3, self._step])
        return [example.with_hidden_words(share, self._blank, rng) for example in examples]

    def tasks_of(self, step: int) -> tuple[str, ...]:
        """The tasks whose losses a step sums up; the same number of steps for each, on average."""
        tasks = self.model.shape.tasks
        if self._config.tasks_per_step == "all":
            return tasks
        drawn = np.random.default_rng([self._config.seed, 1, step]).integers(len(tasks))
        return (tasks[int(drawn)],)

    def loss(self, examples: Sequence[Example]) -> Loss:
        """The sum over tasks of mean losses, once for every example."""
        batch = ExampleBatch.of(examples)
        tasks = self.tasks_of(self._step)
        tuned = self._config.tuned_by == "all" or LINKING in tasks
        features = self.model.features(batch, tasks, tuned=tuned)
        losses = [self._loss_of(task, features, batch) for task in tasks]
        total = torch.stack([loss.total / max(loss.weight, 1e-12) for loss in losses]).sum()
        return Loss(total * len(examples), len(examples))

    def _loss_of(
        self,
        task: str,
        features: Mapping[str, Tensor],
        batch: ExampleBatch,
    ) -> Loss:
        model, states = self.model, features[task]
        head: Any = model.heads[task]
        if task == LINKING:
            labels = batch.linking
            if model.shape.setup == "entity":
                spans, labels = self._spans(features, batch)
                states = span_means(states, spans)
            return class_loss(
                head.vectors(states),
                head.out,
                labels,
                nil_weight=self._config.nil_weight,
                sampled=self._sampled(),
            )
        if model.shape.is_tagging(task):
            tags = batch.recognition if task == RECOGNITION else batch.typing
            if model.crf is not None:
                return Loss(model.crf.loss(head(states), tags, batch.sentences), len(tags))
            return label_loss(head(states), tags)
        known = batch.span_types != NO_TYPE
        return label_loss(head(span_means(states, batch.spans[known])), batch.span_types[known])

    def _spans(self, features: Mapping[str, Tensor], batch: ExampleBatch) -> tuple[Tensor, Tensor]:
        """What is linked, and its classes: the batch's spans and those recognised wrongly."""
        if not self._config.learns_mistakes or RECOGNITION not in features:
            return batch.spans, batch.span_classes
        known = {(a, b) for a, b in batch.spans.tolist()}
        bounds = np.concatenate([[0], np.cumsum(batch.sentences.numpy())])
        states = {RECOGNITION: features[RECOGNITION].detach().numpy()}
        found = heads_of(self.model).recognise(states, bounds)
        wrong = [span for span in found if span not in known][: len(known)]
        if not wrong:
            return batch.spans, batch.span_classes
        spans = torch.cat([batch.spans, torch.tensor(wrong)])
        return spans, torch.cat([batch.span_classes, torch.full((len(wrong),), NO_ENTITY)])

    def _sampled(self) -> Tensor | None:
        count = min(self._config.sampled_classes, self._labels.classes)
        if not count:
            return None
        rng = np.random.default_rng([self._config.seed, 2, self._step])
        return torch.from_numpy(rng.choice(self._labels.classes, size=count, replace=False))

    def evaluate(self) -> Mapping[str, float]:
        if not self._development:
            return {}
        return scores(self.model, self._development, self._labels)


def train_multitask(
    model: MultitaskNetwork,
    training: Sequence[Example],
    development: Sequence[Example],
    labels: Labels,
    config: MultitaskTraining,
    *,
    folder: Path,
    blank: int = 0,
    about: Mapping[str, Any] = MappingProxyType({}),
    report: Log = print,
) -> tuple[Entry, ...]:
    """Train in place, from the folder's checkpoint if there is one, and keep the best on dev.

    Without development documents the weights after the last step are kept. `blank` is the token
    that stands for each piece of a hidden word.
    """
    task = MultitaskTask(model, training, development, labels, config, blank=blank, report=report)
    loop, own = split_config(config)
    settings = {**own, "shape": {**asdict(model.shape), "tasks": list(model.shape.tasks)}}
    return train(task, loop, folder=folder, about={**settings, **about}, report=report)
