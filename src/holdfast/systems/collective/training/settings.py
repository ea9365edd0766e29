"""The settings of a recipe's [train] for a dual encoder or a cross-encoder.

They are flat: every key goes to the part of the training that has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from holdfast.errors import UsageError
from holdfast.experiments.recipe import Recipe
from holdfast.systems.collective.training.cross import CrossConfig
from holdfast.systems.collective.training.data import Reading
from holdfast.systems.collective.training.model import ModelShape
from holdfast.systems.collective.training.negatives import Negatives
from holdfast.systems.collective.training.train import TrainConfig


@dataclass(frozen=True, slots=True)
class DualConfig:
    """The settings of a recipe's [train] for a dual encoder, besides those of its parts."""

    names: int = 1  # of an entity that are encoded
    align_kb: str = ""  # whose synonyms are aligned first; "": the recipe's own
    start: str = ""  # the recipe whose trained encoders it begins with; "": pretrained ones
    detector: str = ""  # the recipe of the detector whose encoder reads documents, to begin with
    select_documents: int = 100  # of the development split that are looked at while training


@dataclass(frozen=True, slots=True)
class PairsConfig:
    """The settings of a recipe's [train] for a cross-encoder, besides those of its network."""

    retriever: str = ""  # the model that finds the candidates
    fit_documents: int | None = None  # how many are learned from; all by default
    select_documents: int = 20  # of the development split that are looked at while training


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a recipe for a dual encoder, by whom they concern."""

    shape: ModelShape
    train: TrainConfig
    reading: Reading
    own: DualConfig


def read_settings(recipe: Recipe) -> Settings:
    """Every key goes to the part that has it; one that no part has is a UsageError."""
    left = dict(recipe.trained.settings)
    kinds = (ModelShape, Negatives, Reading, TrainConfig, DualConfig)
    parts = {kind: _take(kind, left) for kind in kinds}
    _check_none_left(left, recipe)
    negatives = Negatives(**parts[Negatives])
    return Settings(
        ModelShape(**parts[ModelShape]),
        TrainConfig(**parts[TrainConfig], negatives=negatives),
        Reading(**parts[Reading]),
        DualConfig(**parts[DualConfig]),
    )


@dataclass(frozen=True, slots=True)
class CrossSettings:
    """The settings of a recipe for a cross-encoder, by whom they concern."""

    network: CrossConfig
    own: PairsConfig


def read_cross_settings(recipe: Recipe) -> CrossSettings:
    """Every key goes to the part that has it; one that neither has is a UsageError."""
    left = dict(recipe.trained.settings)
    network, own = _take(CrossConfig, left), _take(PairsConfig, left)
    _check_none_left(left, recipe)
    return CrossSettings(CrossConfig(**network), PairsConfig(**own))


def _take(kind: Any, settings: dict[str, Any]) -> dict[str, Any]:
    names = [field.name for field in fields(kind) if field.name in settings]
    return {name: settings.pop(name) for name in names}


def _check_none_left(settings: Mapping[str, Any], recipe: Recipe) -> None:
    if settings:
        raise UsageError(f"recipe {recipe.name!r}: no setting is called {min(settings)!r}")
