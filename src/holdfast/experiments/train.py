"""Trains what a recipe describes, by the trainer of its kind."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from holdfast.errors import UsageError
from holdfast.experiments.recipe import Recipe
from holdfast.kinds import KINDS
from holdfast.progress import Log


def train_recipe(
    recipe: Recipe, *, data: Path, out: Path, report: Log, encoder: Path | None = None
) -> None:
    """Train the recipe's model and write the model folder `out`.

    `encoder` is what it begins with, or is fitted with, instead of what the recipe says.
    """
    kind = KINDS.get(recipe.trained.kind)
    if kind is None or not kind.trainer:
        trained = ", ".join(name for name, known in KINDS.items() if known.trainer)
        raise UsageError(
            f"recipe {recipe.name!r}: nothing trains a {recipe.trained.kind!r}; there is: {trained}"
        )
    module, _, function = kind.trainer.partition(":")
    train = getattr(import_module(module), function)
    train(recipe, data=data, out=out, report=report, encoder=encoder)
