"""The settings of a recipe's [train] for a dual encoder or a cross-encoder.

They are flat: every key goes to the part of the training that has it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from holdfast.errors import UsageError
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.settings import read_parts
from holdfast.systems.collective.training.cross import CrossConfig
from holdfast.systems.collective.training.data import SegmentConfig
from holdfast.systems.collective.training.model import DualEncoderShape
from holdfast.systems.collective.training.negatives import Negatives
from holdfast.systems.collective.training.train import DualEncoderTraining


@dataclass(frozen=True, slots=True)
class DualConfig:
    """The settings of a recipe's [train] for a dual encoder, besides those of its parts."""

    names: int = 1  # of an entity that are encoded
    align_kb: str = ""  # whose synonyms are aligned first; "": the recipe's own
    start: str = ""  # the recipe whose trained encoders it begins with; "": pretrained ones
    detector: str = ""  # the recipe of the detector whose encoder reads documents, to begin with
    names_model: str = ""  # the folder whose network encodes names; "": one that is trained
    select_documents: int = 100  # of the development split that are looked at while training


@dataclass(frozen=True, slots=True)
class PairsConfig:
    """The settings of a recipe's [train] for a cross-encoder, besides those of its network."""

    retriever: str = ""  # the model that finds the candidates
    fit_documents: int | None = None  # how many are learned from; all by default
    select_documents: int = 20  # of the development split that are looked at while training


@dataclass(frozen=True, slots=True)
class DualEncoderSettings:
    """The settings of a recipe for a dual encoder, by whom they concern."""

    shape: DualEncoderShape
    train: DualEncoderTraining
    reading: SegmentConfig
    own: DualConfig


def read_settings(recipe: Recipe) -> DualEncoderSettings:
    """Every key goes to the part that has it; one that no part has is a UsageError."""
    shape, negatives, reading, train, own = read_parts(
        recipe, DualEncoderShape, Negatives, SegmentConfig, DualEncoderTraining, DualConfig
    )
    if own.names_model and not train.fixed_names:
        raise UsageError(
            f"recipe {recipe.name!r}: names_model is used as it is; set fixed_names = true"
        )
    return DualEncoderSettings(shape, replace(train, negatives=negatives), reading, own)


@dataclass(frozen=True, slots=True)
class CrossSettings:
    """The settings of a recipe for a cross-encoder, by whom they concern."""

    network: CrossConfig
    own: PairsConfig


def read_cross_settings(recipe: Recipe) -> CrossSettings:
    """Every key goes to the part that has it; one that neither has is a UsageError."""
    return CrossSettings(*read_parts(recipe, CrossConfig, PairsConfig))
