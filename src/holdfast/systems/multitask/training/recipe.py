"""Trains the multi-task model of a recipe and writes it as a model folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.corpora.named import corpus_named, load_corpus, load_training
from holdfast.corpora.named.splits import parse_splits
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of, primary_ids, with_primary_ids
from holdfast.experiments.settings import read_parts
from holdfast.models import find_model
from holdfast.progress import Log
from holdfast.systems.multitask.model import MultitaskModel
from holdfast.systems.multitask.shape import MultitaskShape
from holdfast.systems.multitask.training.data import WindowConfig
from holdfast.systems.multitask.training.fit import (
    MultitaskData,
    MultitaskSettings,
    train_on_documents,
)
from holdfast.systems.multitask.training.model import MultitaskNetwork
from holdfast.systems.multitask.training.recognised import recognised
from holdfast.systems.multitask.training.train import MultitaskTraining
from holdfast.training.starts import begin_with_detector, check_starts, starts_of


@dataclass(frozen=True, slots=True)
class MultitaskRecipeConfig:
    """The settings of a recipe's [train] besides those of the model, the reading and the run."""

    detector: str = ""  # the recipe of the detector whose encoder it begins with; "": pretrained
    recogniser: str = ""  # per entity: the model whose mistakes are learned as no entity
    fit_documents: int | None = None  # how many are learned from, drawn at random; all by default
    select_documents: int = 100  # of the development split that are looked at while training
    passes: float = 0.0  # over the documents, instead of `steps`; 0: as many steps as are said
    read: str = ""  # per token: the task that says where mentions are; "": the lowest
    pieces: int = 0  # word pieces that the model in 8 bits keeps; 0: all


def read_settings(recipe: Recipe) -> tuple[MultitaskSettings, MultitaskRecipeConfig]:
    """Every key goes to the part that has it; one that no part has is a UsageError."""
    shape, train, reading, own = read_parts(
        recipe, MultitaskShape, MultitaskTraining, WindowConfig, MultitaskRecipeConfig
    )
    return MultitaskSettings(shape, train, reading, own.read, own.pieces), own


def train_multitask_recipe(
    recipe: Recipe, *, data: Path, out: Path, report: Log, encoder: Path | None = None
) -> None:
    """Train what the recipe describes and write the folders that `train_on_documents` says.

    `encoder` is a Hugging Face folder to begin with instead of the recipe's.
    """
    if not recipe.trained.on:
        raise UsageError(f"recipe {recipe.name!r}: [train] has nothing to train `on`")
    if encoder is not None:
        changed = {**recipe.trained.settings, "encoder": str(encoder)}
        recipe = replace(recipe, train=replace(recipe.trained, settings=changed))
    settings, own = read_settings(recipe)
    check_starts(recipe, data=data)

    def begin(model: MultitaskNetwork) -> None:
        if own.detector:
            begin_with_detector(model.encoder, own.detector)

    material = load_material(recipe, own, data=data, report=report)
    if own.passes:
        settings = replace(settings, train=settings.train.paced(len(material.training), own.passes))
    train_on_documents(
        material,
        settings,
        out=out,
        description=_description(recipe),
        about=_about(recipe),
        begin=begin,
        report=report,
    )


def load_material(
    recipe: Recipe, config: MultitaskRecipeConfig, *, data: Path, report: Log
) -> MultitaskData:
    """What is trained on and looked at, with ids of the knowledge base."""
    train = recipe.trained
    looked = parse_splits([train.select] if train.select else [])
    evaluated = [*recipe.evaluated, *parse_splits(train.held_out), *looked]
    split = recipe.measured.split if recipe.evaluate else "train"
    kb = kb_of(recipe, looked[0][1] if looked else split, data=data)
    found = load_training(parse_splits(train.on), evaluated=evaluated, data=data)
    for part in found.parts:
        report(str(part))
    ids = primary_ids(kb)
    training = _some(list(with_primary_ids(found.documents, ids)), config.fit_documents)
    development = [d for corpus, split in looked for d in load_corpus(corpus, split, data=data)]
    mistaken = list[Document]()
    if config.recogniser:
        mistaken = recognised(MultitaskModel.open(find_model(config.recogniser)), training)
    return MultitaskData(
        training,
        list(with_primary_ids(development[: config.select_documents], ids)),
        mistaken,
        kb.all_names(),
    )


def _description(recipe: Recipe) -> dict[str, object]:
    earlier = list(dict.fromkeys(each.name for each in starts_of(recipe)))
    learned = (split for each in (recipe, *starts_of(recipe)) for split in each.trained.on)
    fit = list(dict.fromkeys(learned))
    licences = dict.fromkeys(corpus_named(name).licence for name, _ in parse_splits(fit))
    return {
        "recipes": [*reversed(earlier), recipe.name],
        "training_data": fit,
        "selected_on": recipe.trained.select,
        "licence": "; ".join(licences),
    }


def _about(recipe: Recipe) -> dict[str, Any]:
    """Settings that invalidate a checkpoint."""
    train = recipe.trained
    free = {"steps", "threads", "save_every", "evaluate_every", "pieces"}
    kept = {key: value for key, value in train.settings.items() if key not in free}
    return {**kept, "select": train.select, "recipe": recipe.name, "on": list(train.on)}


def _some(documents: Sequence[Document], count: int | None) -> Sequence[Document]:
    """So many of them, drawn at random, always the same; all by default."""
    if count is None or count >= len(documents):
        return documents
    drawn = np.random.default_rng(0).choice(len(documents), size=count, replace=False)
    return [documents[at] for at in sorted(drawn.tolist())]
