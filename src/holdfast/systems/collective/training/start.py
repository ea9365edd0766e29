"""What a run of a dual encoder begins with, if not with pretrained encoders alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from safetensors.torch import load_file
from torch import nn

from holdfast.corpora.named import load_training
from holdfast.corpora.named.splits import CorpusSplit, parse_splits
from holdfast.errors import ArtifactError, UsageError
from holdfast.experiments.recipe import Recipe, read_recipe, shipped
from holdfast.systems.collective.training.encoder import TransformerTokens
from holdfast.systems.collective.training.model import DualEncoder
from holdfast.training.bert import put_weights
from holdfast.training.checkpoint import WEIGHTS
from holdfast.training.loop import BEST, RUN

# How the weights of encoders are called, in a detector and in a dual encoder.
_ENCODER: Final = "encoder."
_ENCODERS: Final = ("documents.", "own_names.")


def starts_of(recipe: Recipe) -> Iterator[Recipe]:
    """The recipes whose trained networks it begins with or uses, and those that they began with."""
    for key in ("start", "detector", "retriever", "recogniser"):
        name = recipe.trained.settings.get(key)
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


def start_from(model: DualEncoder, folder: Path) -> None:
    """Put in the best weights of another run; heads that it did not have stay as they are."""
    weights = load_file(_there(folder / BEST))
    own = model.state_dict()
    found = {k: v for k, v in weights.items() if k in own and own[k].shape == v.shape}
    missing = [name for name in own if name.startswith(_ENCODERS) and name not in found]
    if missing:
        raise UsageError(f"{folder}: the weights of another kind of encoder (no {missing[0]})")
    model.load_state_dict({**own, **found})


def read_like_detector(model: DualEncoder, folder: Path) -> None:
    """Put the encoder of a detector's run in as that of documents: it knows what a mention is.

    The marks that a detector sees besides the words are not there; it was taught to do without.
    """
    begin_with_detector(model.documents, folder)


def begin_with_detector(encoder: nn.Module, folder: Path) -> None:
    """Put the encoder of a detector's run into a token encoder, which must be a BERT."""
    path = _there(folder / RUN / WEIGHTS)
    if not isinstance(encoder, TransformerTokens):
        raise UsageError("only a BERT can begin with the encoder of a detector")
    weights = {
        name.removeprefix(_ENCODER): tensor
        for name, tensor in load_file(path).items()
        if name.startswith(_ENCODER)
    }
    try:
        put_weights(encoder.network, weights)
    except (KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise ArtifactError(f"{path}: the weights of another encoder ({reason})") from error


def _there(path: Path) -> Path:
    if not path.exists():
        raise UsageError(f"{path}: not there; first train the recipe that it belongs to")
    return path
