"""Fits the switch between a multi-task model and a name ranker, and writes both as one model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from holdfast import artifacts
from holdfast.errors import UsageError
from holdfast.experiments.given import of_types
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of, primary_ids, with_primary_ids
from holdfast.experiments.settings import read_config
from holdfast.experiments.unseen import training_data_of, unseen_documents
from holdfast.link.kinds import RankerKind
from holdfast.models import find_model, manifest_of
from holdfast.progress import Log
from holdfast.step import Options
from holdfast.systems.multitask.annotator import MultitaskAnnotator, unlinked
from holdfast.systems.multitask.model import VERSION
from holdfast.systems.multitask.shape import SWITCHED
from holdfast.systems.multitask.switch import Switch, fit_switch, links_right, pairs_of


@dataclass(frozen=True, slots=True)
class SwitchConfig:
    """The settings of a recipe's [train] for a model with names."""

    model: str = ""  # the multi-task model, by name
    linker: str = "linker"  # the name ranker, by name
    # The switch is fitted with these instead: trained alike, but without what it is fitted on.
    fit_model: str = ""
    fit_linker: str = ""
    only: tuple[str, ...] = ()  # types of mentions that are looked at


def train_switch(
    recipe: Recipe, *, data: Path, out: Path, report: Log, encoder: Path | None = None
) -> None:
    """Fit the switch on the recipe's `select` and write the model folder `out`.

    Documents that are evaluated, or that a model which it is fitted with learned from, are left
    out.
    """
    if encoder is not None:
        raise UsageError(f"recipe {recipe.name!r} joins finished models; it takes no --encoder")
    config = read_config(SwitchConfig, recipe)
    parts = [find_model(config.model), find_model(config.linker)]
    folders = [find_model(config.fit_model or config.model)]
    folders += [find_model(config.fit_linker or config.linker)]
    unseen = unseen_documents(recipe, folders, data=data, report=report)
    kb = kb_of(recipe, data=data)
    gold = [of_types(d, config.only) for d in with_primary_ids(unseen.documents, primary_ids(kb))]
    only = config.only or None
    annotate = MultitaskAnnotator.open(folders[0], kb, only=only)
    by_class = list(annotate.pipe(replace(d, mentions=(), relations=()) for d in gold))
    named = RankerKind().open(folders[1], kb, Options(only=only))
    pairs = list(pairs_of(gold, by_class, named.pipe(map(unlinked, by_class))))
    switch = fit_switch(pairs)
    figures = {
        "by class": links_right(pairs, Switch(0.0, 0.0)),
        "by name": links_right(pairs, Switch(2.0, 0.0)),
        "by both": links_right(pairs, switch),
    }
    report(f"{len(pairs):,} mentions, right links: {figures}; {switch}")
    where = f"{len(pairs):,} mentions found in {recipe.trained.select}, when it was fitted"
    described = {
        "model": config.model,
        "linker": config.linker,
        "switch": switch.to_json(),
        "recipes": _recipes([*folders, *parts], recipe),
        "training_data": training_data_of(parts),
        "licence": manifest_of(parts[0]).config.get("licence", ""),
        "results": {f"{where}: right {by}": n / max(1, len(pairs)) for by, n in figures.items()},
    }
    with artifacts.publish(out) as scratch:
        artifacts.write_manifest(scratch, kind=SWITCHED, version=VERSION, config=described)


def _recipes(folders: Sequence[Path], recipe: Recipe) -> list[str]:
    """The recipes of the models, each once, then this one."""
    earlier = (name for folder in folders for name in manifest_of(folder).config.get("recipes", ()))
    return [*dict.fromkeys(earlier), recipe.name]
