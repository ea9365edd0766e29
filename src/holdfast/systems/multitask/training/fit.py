"""Trains a multi-task model on documents and writes it as a model folder, in 32 and in 8 bits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import torch

from holdfast.document import Document
from holdfast.encoders.tokens import TokenReader
from holdfast.errors import UsageError
from holdfast.systems.multitask.heads import check_read
from holdfast.systems.multitask.labels import Labels
from holdfast.systems.multitask.shape import MultitaskShape
from holdfast.systems.multitask.training.data import Example, WindowConfig, examples_of
from holdfast.systems.multitask.training.export import export_multitask, write_reading
from holdfast.systems.multitask.training.model import MultitaskNetwork, open_reader_tokenizer
from holdfast.systems.multitask.training.select import selected_by
from holdfast.systems.multitask.training.train import MultitaskTraining, train_multitask
from holdfast.training.history import Entry
from holdfast.training.loop import Report, best_entry
from holdfast.training.starts import checkpoints_of

SMALL: Final = "-int8"
"""What the folder of a model in 8 bits is called, after that of the model."""


@dataclass(frozen=True, slots=True)
class MultitaskSettings:
    """Everything that decides what is learned, besides the documents."""

    shape: MultitaskShape = field(default_factory=MultitaskShape)
    train: MultitaskTraining = field(default_factory=MultitaskTraining)
    reading: WindowConfig = field(default_factory=WindowConfig)
    read: str = ""  # per token: the task that says where mentions are; "": the lowest

    def __post_init__(self) -> None:
        check_read(self.shape, self.read)


@dataclass(frozen=True, slots=True)
class MultitaskData:
    """Documents with the ids that shall be classes."""

    training: Sequence[Document]
    development: Sequence[Document] = ()  # to choose by; none: the last weights are kept
    mistaken: Sequence[Document] = ()  # training documents as another model recognises them


def train_on_documents(
    material: MultitaskData,
    settings: MultitaskSettings,
    *,
    out: Path,
    description: Mapping[str, Any] = MappingProxyType({}),
    about: Mapping[str, Any] = MappingProxyType({}),
    begin: Callable[[MultitaskNetwork], None] = lambda _model: None,
    report: Report = print,
) -> None:
    """Train a model; write the folder `out`, and beside it the same in 8 bits.

    Beside a model of several tasks per token there are folders `out-recognition` and so on, for
    the tasks that do not say where its mentions are, to be measured as if they did. Checkpoints
    are kept beside it, so that a run that was stopped goes on.

    `description` joins the manifest, `about` holds further settings that invalidate a checkpoint,
    and `begin` may change the network before the first step.
    """
    labels = Labels.of(material.training)
    if not any(document.mentions for document in material.training):
        raise UsageError("no training document has a mention; there is nothing to learn")
    torch.manual_seed(settings.train.seed)
    model = MultitaskNetwork(settings.shape, labels)
    begin(model)
    window = min(settings.reading.window, model.encoder.longest)
    settings = replace(settings, reading=replace(settings.reading, window=window))
    training, development = _examples(material, settings, labels, report=report)
    history = train_multitask(
        model,
        training,
        development,
        labels,
        settings.train,
        folder=checkpoints_of(out),
        about=about,
        report=report,
    )
    results = _results(model, history, len(development))
    _write(model, labels, settings, out=out, description=description, results=results)


def _examples(
    material: MultitaskData, settings: MultitaskSettings, labels: Labels, *, report: Report
) -> tuple[list[Example], list[Example]]:
    """Of training and of development documents."""
    reader = TokenReader.of(open_reader_tokenizer(settings.shape.encoder))
    reading = settings.reading
    training = list(
        examples_of(material.training, reader, labels, reading, mistaken=material.mistaken)
    )
    mentions = sum(len(document.mentions) for document in material.training)
    untold = mentions - sum(len(e.span_classes) - e.mistaken for e in training)
    report(
        f"{len(training):,} documents, {mentions:,} mentions, {untold:,} that tags cannot say; "
        f"{labels.classes - 1:,} entities, {len(labels.types)} types"
    )
    return training, list(examples_of(material.development, reader, labels, reading))


def _write(
    model: MultitaskNetwork,
    labels: Labels,
    settings: MultitaskSettings,
    *,
    out: Path,
    description: Mapping[str, Any],
    results: Mapping[str, Any],
) -> None:
    tokenizer = open_reader_tokenizer(settings.shape.encoder)
    described = {"read": settings.read, "settings": asdict(settings), **description}
    for small, folder in ((False, out), (True, out.with_name(f"{out.name}{SMALL}"))):
        export_multitask(
            model,
            tokenizer,
            labels,
            folder,
            reading=settings.reading,
            small=small,
            description=described if small else {**described, **results},
        )
    shape = settings.shape
    if shape.setup == "token" and len(shape.tasks) > 1:
        for task in set(shape.tasks) - {settings.read or shape.tasks[0]}:
            write_reading(out.with_name(f"{out.name}-{task}"), out, read=task)


def _results(model: MultitaskNetwork, history: Sequence[Entry], documents: int) -> dict[str, Any]:
    """The history, and what the kept weights scored on development documents."""
    log = {"log": [dict(entry) for entry in history]}
    if not documents:
        return log
    best = best_entry(history, selected_by(model))
    where = f"{documents} development documents, when it was chosen"
    figures = {f"{where}: {task} F1": best[f"{task}_f1"] for task in model.shape.tasks}
    return {**log, "results": figures}
