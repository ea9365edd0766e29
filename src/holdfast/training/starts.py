"""The trained networks that a recipe begins with or uses: what they learned, and their weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from safetensors.torch import load_file
from torch import Tensor, nn

from holdfast.corpora.named import load_training
from holdfast.corpora.named.splits import CorpusSplit, parse_splits
from holdfast.errors import ArtifactError, UsageError
from holdfast.experiments.recipe import Recipe, read_recipe, shipped
from holdfast.model_store import is_offered
from holdfast.models import find_model, manifest_of, trained_model
from holdfast.training.bert import put_weights
from holdfast.training.checkpoint import WEIGHTS
from holdfast.training.compact import SUFFIX, read_compact
from holdfast.training.loop import RUN
from holdfast.training.token_encoder import TransformerTokens

_CHECKPOINTS: Final = "-checkpoints"
_ENCODER: Final = "encoder."  # begins the names of a detector's weights that are its encoder's


def starts_of(recipe: Recipe) -> Iterator[Recipe]:
    """The recipes whose trained networks it begins with or uses, and those that they began with."""
    settings = recipe.trained.settings
    names = [settings.get(key) for key in ("start", "detector", "retriever", "recogniser")]
    if names_model := settings.get("names_model"):
        names.extend(manifest_of(find_model(names_model)).config.get("recipes", ()))
    for name in names:
        if name and name in shipped():  # else it is a model of which nothing is trained
            earlier = read_recipe(name)
            yield earlier
            yield from starts_of(earlier)


def check_starts(recipe: Recipe, *, data: Path) -> None:
    """A UsageError if a network that it begins with has learned what it is measured on."""
    select = recipe.trained.select
    measured = [*recipe.evaluated, *parse_splits([select] if select else [])]
    for earlier in {earlier.name: earlier for earlier in starts_of(recipe)}.values():
        out = _held_out(earlier)
        splits = parse_splits(earlier.trained.on)
        whose = f"recipe {recipe.name!r}: {earlier.name!r}, which it begins with or uses,"
        if shared := set(measured) & set(splits):
            raise UsageError(
                f"{whose} has learned {' '.join(min(shared))}, which it is measured on"
            )
        learned, kept = (
            sum(1 for _ in load_training(splits, evaluated=held, data=data).documents)
            for held in (out, [*out, *measured])
        )
        if learned > kept:
            raise UsageError(
                f"{whose} has learned {learned - kept:,} of the documents that it is measured on"
            )


def _held_out(recipe: Recipe) -> list[CorpusSplit]:
    """The splits whose documents were removed before it learned."""
    train = recipe.trained
    looked = parse_splits([train.select] if train.select else [])
    return [*parse_splits(train.held_out), *recipe.evaluated, *looked]


def begin_with_detector(encoder: nn.Module, recipe: str) -> None:
    """Put the encoder that a detector's recipe trained into a token encoder, which must be a BERT.

    It is taken from the run's checkpoint, or else from what is given out of it.
    """
    if not isinstance(encoder, TransformerTokens):
        raise UsageError("only a BERT can begin with the encoder of a detector")
    path = checkpoints_of(trained_model(recipe)) / RUN / WEIGHTS
    if path.exists():
        weights = encoder_weights(load_file(path))
    else:
        path = _given_out(recipe)
        weights = read_compact(path)
    try:
        put_weights(encoder.network, weights)
    except (KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise ArtifactError(f"{path}: the weights of another encoder ({reason})") from error


def encoder_weights(detector: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of a detector that are its encoder's, by the encoder's own names."""
    return {
        name.removeprefix(_ENCODER): tensor
        for name, tensor in detector.items()
        if name.startswith(_ENCODER)
    }


def checkpoints_of(folder: Path) -> Path:
    """The checkpoint folder beside a model folder."""
    return folder.with_name(f"{folder.name}{_CHECKPOINTS}")


def _given_out(recipe: str) -> Path:
    name = f"{recipe}{SUFFIX}"
    try:
        return find_model(name)
    except UsageError as error:
        how = f"`holdfast models get {name}` or " if is_offered(name) else ""
        raise UsageError(f"{recipe} is not trained here; {how}`holdfast train {recipe}`") from error


def existing(path: Path) -> Path:
    """The path; UsageError if it is not there."""
    if not path.exists():
        raise UsageError(f"{path}: not there; first train the recipe that it belongs to")
    return path
