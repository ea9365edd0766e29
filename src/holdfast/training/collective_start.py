"""What a run of a dual encoder begins with, if not with pretrained encoders alone."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from safetensors.torch import load_file

from holdfast.errors import ArtifactError, UsageError
from holdfast.training.checkpoint import WEIGHTS
from holdfast.training.collective_encoder import TransformerTokens
from holdfast.training.collective_model import DualEncoder
from holdfast.training.transformer_linker import put_weights

BEST: Final = "best.safetensors"  # in a run's folder: the weights that dev chose
_ENCODER: Final = "encoder."  # how a detector's weights of its encoder are called


def start_from(model: DualEncoder, folder: Path) -> None:
    """Put in the best weights of another run; heads that it did not have stay as they are."""
    path = _there(folder / BEST)
    own = model.state_dict()
    found = {k: v for k, v in load_file(path).items() if k in own and own[k].shape == v.shape}
    if not any(name.startswith("documents.") for name in found):
        raise UsageError(f"{path}: the weights of another kind of encoder")
    model.load_state_dict({**own, **found})


def read_like_detector(model: DualEncoder, folder: Path) -> None:
    """Put the encoder of a detector's run in as that of documents: it knows what a mention is.

    The marks that a detector sees besides the words are not there; it was taught to do without.
    """
    path = _there(folder / WEIGHTS)
    if not isinstance(model.documents, TransformerTokens):
        raise UsageError("only a BERT can begin with the encoder of a detector")
    weights = {
        name.removeprefix(_ENCODER): tensor
        for name, tensor in load_file(path).items()
        if name.startswith(_ENCODER)
    }
    try:
        put_weights(model.documents.network, weights)
    except (KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise ArtifactError(f"{path}: the weights of another encoder ({reason})") from error


def _there(path: Path) -> Path:
    if not path.exists():
        raise UsageError(f"{path}: not there; first train the recipe that it belongs to")
    return path
