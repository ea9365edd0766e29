"""Trains the multi-task model of a recipe and writes it as a model folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from holdfast.corpora.named import CORPORA, load_corpus, load_training
from holdfast.corpora.named.splits import parse_splits
from holdfast.document import Document
from holdfast.encoders.tokens import TokenReader
from holdfast.errors import UsageError
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of, primary_ids, with_primary_ids
from holdfast.models import find_model, trained_model
from holdfast.systems.collective.training.start import (
    begin_with_detector,
    check_starts,
    starts_of,
)
from holdfast.systems.multitask.heads import check_read
from holdfast.systems.multitask.labels import Labels
from holdfast.systems.multitask.model import MultitaskModel
from holdfast.systems.multitask.shape import ModelShape
from holdfast.systems.multitask.training.data import Reading, examples_of
from holdfast.systems.multitask.training.export import export_multitask, write_reading
from holdfast.systems.multitask.training.model import MultitaskNetwork, open_reader_tokenizer
from holdfast.systems.multitask.training.recognised import recognised
from holdfast.systems.multitask.training.select import selected_by
from holdfast.systems.multitask.training.train import TrainConfig, train_multitask
from holdfast.training.history import Entry
from holdfast.training.loop import Report, best_entry

SMALL: Final = "-int8"
"""What the folder of a model in 8 bits is called, after the recipe that trains it."""

_CHECKPOINTS: Final = "-checkpoints"


@dataclass(frozen=True, slots=True)
class RecipeConfig:
    """The settings of a recipe's [train] besides those of the model, the reading and the run."""

    detector: str = ""  # the recipe of the detector whose encoder it begins with; "": pretrained
    recogniser: str = ""  # per entity: the model whose mistakes are learned as no entity
    fit_documents: int | None = None  # how many are learned from, drawn at random; all by default
    select_documents: int = 100  # of the development split that are looked at while training
    read: str = ""  # per token: the task that says where mentions are; "": the lowest


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a recipe's [train], by whom they concern."""

    shape: ModelShape
    train: TrainConfig
    reading: Reading
    own: RecipeConfig


def read_settings(recipe: Recipe) -> Settings:
    """Every key goes to the part that has it; one that no part has is a UsageError."""
    left = dict(recipe.trained.settings)
    parts = {kind: _take(kind, left) for kind in (ModelShape, TrainConfig, Reading, RecipeConfig)}
    if left:
        raise UsageError(f"recipe {recipe.name!r}: no setting is called {min(left)!r}")
    settings = Settings(
        ModelShape(**parts[ModelShape]),
        TrainConfig(**parts[TrainConfig]),
        Reading(**parts[Reading]),
        RecipeConfig(**parts[RecipeConfig]),
    )
    check_read(settings.shape, settings.own.read)
    return settings


def _take(kind: Any, settings: dict[str, Any]) -> dict[str, Any]:
    names = [field.name for field in fields(kind) if field.name in settings]
    return {name: settings.pop(name) for name in names}


def train_multitask_recipe(
    recipe: Recipe, *, data: Path, out: Path, report: Report, encoder: Path | None = None
) -> None:
    """Train what the recipe describes; write `out`, and beside it the same in 8 bits.

    Beside a model of several tasks per token there are folders `out-recognition` and so on, for
    the tasks that do not say where its mentions are, to be measured as if they did. Checkpoints
    are kept beside it, so that a run that was stopped goes on. `encoder` is a Hugging Face folder
    to begin with instead of the recipe's.
    """
    if not recipe.trained.on:
        raise UsageError(f"recipe {recipe.name!r}: [train] has nothing to train `on`")
    if encoder is not None:
        told = {**recipe.trained.settings, "encoder": str(encoder)}
        recipe = replace(recipe, train=replace(recipe.trained, settings=told))
    settings = read_settings(recipe)
    check_starts(recipe, data=data)
    torch.manual_seed(settings.train.seed)
    material = _Material.load(recipe, settings, data=data, report=report)
    model = MultitaskNetwork(settings.shape, material.labels)
    if settings.own.detector:
        begin_with_detector(model.encoder, _checkpoints(trained_model(settings.own.detector)))
    window = min(settings.reading.window, model.encoder.longest)
    history = _learn(
        model,
        material,
        replace(settings, reading=replace(settings.reading, window=window)),
        about=_about(recipe),
        work=_checkpoints(out),
        report=report,
    )
    _write(recipe, settings, model, material, history, out=out)


@dataclass(frozen=True, slots=True)
class _Material:
    """What is trained on and looked at, with ids of the knowledge base."""

    training: tuple[Document, ...]
    development: tuple[Document, ...]
    mistaken: tuple[Document, ...]  # training documents as the recogniser sees them
    labels: Labels

    @classmethod
    def load(cls, recipe: Recipe, settings: Settings, *, data: Path, report: Report) -> _Material:
        train, own = recipe.trained, settings.own
        looked = parse_splits([train.select] if train.select else [])
        evaluated = [*recipe.evaluated, *parse_splits(train.held_out), *looked]
        kb = kb_of(recipe, looked[0][1] if looked else recipe.measured.split, data=data)
        found = load_training(parse_splits(train.on), evaluated=evaluated, data=data)
        for part in found.parts:
            report(str(part))
        ids = primary_ids(kb)
        every = list(with_primary_ids(found.documents, ids))
        training = _some(every, own.fit_documents, seed=0)
        development = [d for corpus, split in looked for d in load_corpus(corpus, split, data=data)]
        mistaken = list[Document]()
        if own.recogniser:
            mistaken = recognised(MultitaskModel.open(find_model(own.recogniser)), training)
        return cls(
            tuple(training),
            tuple(with_primary_ids(development[: own.select_documents], ids)),
            tuple(mistaken),
            Labels.of(training),
        )


def _learn(
    model: MultitaskNetwork,
    material: _Material,
    settings: Settings,
    *,
    about: Mapping[str, Any],
    work: Path,
    report: Report,
) -> tuple[Entry, ...]:
    reader = TokenReader.of(open_reader_tokenizer(settings.shape.encoder))
    labels, reading = material.labels, settings.reading
    training = list(
        examples_of(material.training, reader, labels, reading, mistaken=material.mistaken)
    )
    development = list(examples_of(material.development, reader, labels, reading))
    mentions = sum(len(document.mentions) for document in material.training)
    untold = mentions - sum(len(e.span_classes) - e.mistaken for e in training)
    report(
        f"{len(training):,} documents, {mentions:,} mentions, {untold:,} that tags cannot say; "
        f"{labels.classes - 1:,} entities, {len(labels.types)} types"
    )
    return train_multitask(
        model,
        training,
        development,
        labels,
        settings.train,
        folder=work,
        about=about,
        report=report,
    )


def _write(
    recipe: Recipe,
    settings: Settings,
    model: MultitaskNetwork,
    material: _Material,
    history: Sequence[Entry],
    *,
    out: Path,
) -> None:
    tokenizer = open_reader_tokenizer(settings.shape.encoder)
    described = _description(recipe, settings, history)
    for small, folder in ((False, out), (True, out.with_name(f"{out.name}{SMALL}"))):
        results = {} if small else _results(recipe, model, history, len(material.development))
        export_multitask(
            model,
            tokenizer,
            material.labels,
            folder,
            reading=settings.reading,
            small=small,
            description={**described, **results},
        )
    shape = settings.shape
    if shape.setup == "token" and len(shape.tasks) > 1:
        for task in set(shape.tasks) - {settings.own.read or shape.tasks[0]}:
            write_reading(out.with_name(f"{out.name}-{task}"), out, read=task)


def _description(recipe: Recipe, settings: Settings, history: Sequence[Entry]) -> dict[str, object]:
    earlier = list(dict.fromkeys(each.name for each in starts_of(recipe)))
    learned = (split for each in (recipe, *starts_of(recipe)) for split in each.trained.on)
    fit = list(dict.fromkeys(learned))
    return {
        "read": settings.own.read,
        "recipes": [*reversed(earlier), recipe.name],
        "training_data": fit,
        "licence": "; ".join(dict.fromkeys(CORPORA[name].licence for name, _ in parse_splits(fit))),
        "settings": asdict(settings),
        "log": [dict(entry) for entry in history],
    }


def _results(
    recipe: Recipe, model: MultitaskNetwork, history: Sequence[Entry], documents: int
) -> dict[str, object]:
    """What the weights that were kept scored on development documents, for `holdfast models`."""
    if not documents:
        return {}
    best = best_entry(history, selected_by(model))
    where = f"{recipe.trained.select}, {documents} documents, when it was chosen"
    return {"results": {f"{where}: {task} F1": best[f"{task}_f1"] for task in model.shape.tasks}}


def _about(recipe: Recipe) -> dict[str, Any]:
    """Settings that invalidate a checkpoint."""
    train = recipe.trained
    free = {"steps", "threads", "save_every", "evaluate_every"}
    kept = {key: value for key, value in train.settings.items() if key not in free}
    return {**kept, "select": train.select, "recipe": recipe.name, "on": list(train.on)}


def _checkpoints(folder: Path) -> Path:
    """The checkpoint folder beside a model folder."""
    return folder.with_name(f"{folder.name}{_CHECKPOINTS}")


def _some(documents: Sequence[Document], count: int | None, *, seed: int) -> Sequence[Document]:
    """So many of them, drawn at random; all by default."""
    if count is None or count >= len(documents):
        return documents
    drawn = np.random.default_rng(seed).choice(len(documents), size=count, replace=False)
    return [documents[at] for at in sorted(drawn.tolist())]
