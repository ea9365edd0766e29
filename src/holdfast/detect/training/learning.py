"""Trains a detector's network on lessons: batches in a fixed order, with marks drawn for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np

from holdfast.detect.training.batches import MarkDropout, collate, plan
from holdfast.detect.training.lessons import Lesson
from holdfast.detect.training.model import TokenTagger, partial_loss
from holdfast.encoders.tokens import TokenReader
from holdfast.progress import Log
from holdfast.training.history import Entry
from holdfast.training.loop import LoopConfig, Loss, ParameterGroup, Task, train

_MARKS: Final = MarkDropout()


@dataclass(frozen=True, slots=True)
class DetectorConfig:
    """Everything that decides what is learned, besides the data."""

    start: str = ""  # the recipe whose trained weights it begins with; empty: a pretrained encoder
    longest: int = 384  # tokens of a window, with the two special ones
    overlap: int = 64
    short: float = 0.3  # part of the passes that goes to a few sentences at a time
    passes: float = 0.45  # times those of each corpus's scheme
    tokens: int = 2048  # of a batch, with padding
    encoder_rate: float = 1.2e-4
    head_rate: float = 6e-4
    decay: float = 0.01
    warm_up: float = 0.08  # part of the steps
    unmarked: float = 0.5  # what types that a corpus does not annotate count where it marks none
    dropout: MarkDropout = _MARKS
    vocabularies: tuple[str, ...] = ("open", "mesh")  # one is drawn for each document
    report_every: int = 20
    save_every: int = 100
    seed: int = 13
    threads: int = 0  # 0: as many as torch takes by itself


class DetectorTask(Task[Lesson]):
    """Tags the words of windows; corpora that annotate some types teach nothing of the others."""

    def __init__(
        self,
        model: TokenTagger,
        lessons: Sequence[Lesson],
        config: DetectorConfig,
        *,
        reader: TokenReader,
    ) -> None:
        self.model: TokenTagger = model
        self._lessons = lessons
        self._config = config
        self._reader = reader
        self._step = 0
        self._batches = plan(lessons, passes=config.passes, tokens=config.tokens, seed=config.seed)

    @property
    def steps(self) -> int:
        """One for each batch that was planned."""
        return len(self._batches)

    def parameter_groups(self) -> Sequence[ParameterGroup]:
        encoder = list(self.model.encoder.parameters())
        own = {id(parameter) for parameter in encoder}
        head = [parameter for parameter in self.model.parameters() if id(parameter) not in own]
        return (
            ParameterGroup(encoder, self._config.encoder_rate),
            ParameterGroup(head, self._config.head_rate),
        )

    def draw(self, step: int, count: int) -> Sequence[Lesson]:  # noqa: ARG002
        """The planned batch: its size is bounded by tokens, not by a count."""
        self._step = step
        return [self._lessons[place] for place in self._batches[step]]

    def loss(self, examples: Sequence[Lesson]) -> Loss:
        batch = collate(
            examples,
            first=self._reader.first,
            last=self._reader.last,
            dropout=self._config.dropout,
            random=np.random.default_rng([self._config.seed, self._step]),
        )
        scores = self.model(batch.ids, batch.marks, batch.attended)
        of_words = scores.flatten(0, 1)[batch.words]
        losses = partial_loss(of_words, batch.allowed, unmarked=self._config.unmarked)
        return Loss(losses.sum(), len(losses))


def learn(
    model: TokenTagger,
    lessons: Sequence[Lesson],
    config: DetectorConfig,
    *,
    reader: TokenReader,
    work: Path,
    report: Log,
    documents: str = "",
) -> tuple[Entry, ...]:
    """Train in place, from the folder's checkpoint if there is one; the history.

    `documents` identifies what is learned, where another run could learn something else.
    """
    task = DetectorTask(model, lessons, config, reader=reader)
    loop = LoopConfig(
        steps=task.steps,
        warm_up=config.warm_up,
        weight_decay=config.decay,
        report_every=config.report_every,
        save_every=config.save_every,
        seed=config.seed,
        threads=config.threads,
    )
    about = {"detector": asdict(config)} | ({"documents": documents} if documents else {})
    return train(task, loop, folder=work, about=about, report=report)
