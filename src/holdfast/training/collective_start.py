"""What a run of a dual encoder begins with, if not with pretrained encoders alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from safetensors.torch import load_file
from torch import Tensor, nn

from holdfast.errors import ArtifactError, UsageError
from holdfast.training.checkpoint import WEIGHTS
from holdfast.training.collective_encoder import TokenEncoder, TransformerTokens
from holdfast.training.collective_model import DualEncoder
from holdfast.training.transformer_linker import put_weights

BEST: Final = "best.safetensors"  # in a run's folder: the weights that dev chose
# How the weights of an encoder are called, in a detector and in a dual encoder.
_ENCODER: Final = "encoder."
_DOCUMENTS: Final = "documents."


def start_from(model: DualEncoder, folder: Path) -> None:
    """Put in the best weights of another run; heads that it did not have stay as they are."""
    _put(model, load_file(_there(folder / BEST)), folder, needed=_DOCUMENTS)


def read_like_dual_encoder(encoder: TokenEncoder, folder: Path) -> None:
    """Put in the encoder of documents of a dual encoder's run."""
    weights = load_file(_there(folder / BEST)).items()
    own = {name.removeprefix(_DOCUMENTS): w for name, w in weights if name.startswith(_DOCUMENTS)}
    _put(encoder, own, folder)


def _put(model: nn.Module, weights: Mapping[str, Tensor], folder: Path, needed: str = "") -> None:
    """Those that the model has; at least one must begin with `needed`."""
    own = model.state_dict()
    found = {k: v for k, v in weights.items() if k in own and own[k].shape == v.shape}
    if not any(name.startswith(needed) for name in found):
        raise UsageError(f"{folder}: the weights of another kind of encoder")
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
