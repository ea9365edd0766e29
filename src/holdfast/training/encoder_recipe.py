"""Trains a name encoder from its recipe, over the open knowledge base."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from holdfast import artifacts
from holdfast.evaluate.recipe import Recipe
from holdfast.evaluate.recipe_kb import kb_of
from holdfast.evaluate.run import model_folder
from holdfast.training.name_model import NameModelConfig, train_name_model
from holdfast.training.probe_linkers import find_encoder

_TEXTS: Final = "text/elife/abstracts.jsonl.gz"


def train_encoder(
    recipe: Recipe, *, data: Path, out: Path, report: Callable[[str], None]
) -> artifacts.Manifest:
    """Train what the recipe describes and write the model folder `out`.

    A recipe that names a `model` takes that one's pre-alignment. Checkpoints are kept beside the
    folder, so that a run that was stopped goes on.
    """
    config = NameModelConfig(
        name=recipe.name, training=_pairs(recipe.fit), half=recipe.settings.get("half", 0)
    )
    steps = recipe.settings.get("tune_steps", config.tune.steps) if recipe.fit else 0
    config = replace(
        config,
        evaluated=(*config.evaluated, *_pairs(recipe.held_out)),
        tune=replace(config.tune, steps=steps),
    )
    return train_name_model(
        config,
        kb=kb_of(recipe, data=data),
        encoder=find_encoder(),
        data=data,
        texts=_texts(data / _TEXTS),
        work=_checkpoints(out),
        aligned=_checkpoints(model_folder(recipe.model)) if recipe.model else None,
        out=out,
        report=report,
    )


def _checkpoints(out: Path) -> Path:
    return out.with_name(f"{out.name}-checkpoints")


def _pairs(splits: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((corpus, split) for corpus, _, split in (text.partition(" ") for text in splits))


def _texts(path: Path) -> Iterator[str]:
    """Abstracts for word pieces; nothing where they are not at hand."""
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for line in stream:
                yield json.loads(line)["abstract"]
