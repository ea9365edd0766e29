"""Trains a multi-task model on documents and writes it as a model folder, in 32 and in 8 bits."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import torch
from tokenizers import Tokenizer

from holdfast.document import Document
from holdfast.encoders.tokens import TokenReader
from holdfast.errors import UsageError
from holdfast.progress import Log
from holdfast.systems.multitask.heads import check_read
from holdfast.systems.multitask.labels import Labels
from holdfast.systems.multitask.shape import MultitaskShape
from holdfast.systems.multitask.training.data import Example, WindowConfig, examples_of
from holdfast.systems.multitask.training.export import export_multitask, write_reading
from holdfast.systems.multitask.training.model import (
    MultitaskNetwork,
    blank_token,
    open_reader_tokenizer,
)
from holdfast.systems.multitask.training.select import selected_by
from holdfast.systems.multitask.training.train import MultitaskTraining, train_multitask
from holdfast.training.history import Entry
from holdfast.training.loop import best_entry
from holdfast.training.starts import checkpoints_of
from holdfast.training.word_pieces import (
    count_pieces,
    prune_encoder,
    pruned_tokenizer,
    tokenized,
)

SMALL: Final = "-int8"
"""What the folder of a model in 8 bits is called, after that of the model."""


@dataclass(frozen=True, slots=True)
class MultitaskSettings:
    """Everything that decides what is learned, besides the documents."""

    shape: MultitaskShape = field(default_factory=MultitaskShape)
    train: MultitaskTraining = field(default_factory=MultitaskTraining)
    reading: WindowConfig = field(default_factory=WindowConfig)
    read: str = ""  # per token: the task that says where mentions are; "": the lowest
    pieces: int = 0  # word pieces that the model in 8 bits keeps; 0: all

    def __post_init__(self) -> None:
        check_read(self.shape, self.read)


@dataclass(frozen=True, slots=True)
class MultitaskData:
    """Documents with the ids that shall be classes."""

    training: Sequence[Document]
    development: Sequence[Document] = ()  # to choose by; none: the last weights are kept
    mistaken: Sequence[Document] = ()  # training documents as another model recognises them
    names: Iterable[str] = ()  # of the knowledge base; their word pieces are kept like the text's


def train_on_documents(
    material: MultitaskData,
    settings: MultitaskSettings,
    *,
    out: Path,
    description: Mapping[str, Any] = MappingProxyType({}),
    about: Mapping[str, Any] = MappingProxyType({}),
    begin: Callable[[MultitaskNetwork], None] = lambda _model: None,
    report: Log = print,
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
        blank=blank_token(open_reader_tokenizer(settings.shape.encoder)),
        about=about,
        report=report,
    )
    results = _results(model, history, len(development))
    described = {"read": settings.read, "settings": asdict(settings), **description}
    _write(model, labels, settings, out=out, description={**described, **results})
    small, tokenizer = _small(model, settings, material)
    beside, reading = out.with_name(f"{out.name}{SMALL}"), settings.reading
    export_multitask(
        small, tokenizer, labels, beside, reading=reading, small=True, description=described
    )


def _examples(
    material: MultitaskData, settings: MultitaskSettings, labels: Labels, *, report: Log
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


def _small(
    model: MultitaskNetwork, settings: MultitaskSettings, material: MultitaskData
) -> tuple[MultitaskNetwork, Tokenizer]:
    """The model and its tokenizer with the pieces that the text and the names use most."""
    tokenizer = open_reader_tokenizer(settings.shape.encoder)
    if not settings.pieces:
        return model, tokenizer
    texts = chain((document.text for document in material.training), material.names)
    counts = count_pieces(tokenized(tokenizer, texts), tokenizer.get_vocab_size())
    tokenizer, kept = pruned_tokenizer(tokenizer, counts, pieces=settings.pieces)
    small = copy.deepcopy(model)
    small.encoder = prune_encoder(small.encoder, kept)
    return small, tokenizer


def _write(
    model: MultitaskNetwork,
    labels: Labels,
    settings: MultitaskSettings,
    *,
    out: Path,
    description: Mapping[str, Any],
) -> None:
    """Write the model in 32 bits and, per token, the readings of it."""
    tokenizer = open_reader_tokenizer(settings.shape.encoder)
    export_multitask(
        model, tokenizer, labels, out, reading=settings.reading, description=description
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
