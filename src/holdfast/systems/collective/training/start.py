"""What a run of a dual encoder begins with, if not with pretrained encoders alone."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import torch
from safetensors.torch import load_file
from torch import Tensor

from holdfast.encoders.sessions import open_session
from holdfast.encoders.tokens import TokenReader
from holdfast.errors import UsageError
from holdfast.systems.collective.model import NAMES, encode_name_tokens, find_names_model
from holdfast.systems.collective.training.data import NameTable
from holdfast.systems.collective.training.model import DualEncoder
from holdfast.training.loop import BEST
from holdfast.training.starts import begin_with_detector, existing

_ENCODERS: Final = ("documents.", "own_names.")  # begin the names of encoders' weights


def encode_outside(names_model: str, table: NameTable, reader: TokenReader) -> Tensor:
    """The vectors of all names by another folder's network. *Shape:* (names, width)."""
    network = open_session(find_names_model(names_model) / NAMES)
    width = network.get_outputs()[0].shape[-1]
    return torch.from_numpy(encode_name_tokens(network, table.tokens, reader=reader, width=width))


def start_from(model: DualEncoder, folder: Path) -> None:
    """Put in the best weights of another run; heads that it did not have stay as they are."""
    weights = load_file(existing(folder / BEST))
    own = model.state_dict()
    found = {k: v for k, v in weights.items() if k in own and own[k].shape == v.shape}
    missing = [name for name in own if name.startswith(_ENCODERS) and name not in found]
    if missing:
        raise UsageError(f"{folder}: the weights of another kind of encoder (no {missing[0]})")
    model.load_state_dict({**own, **found})


def read_like_detector(model: DualEncoder, recipe: str) -> None:
    """Put the encoder of a detector's recipe in as that of documents: it knows what a mention is.

    The marks that a detector sees besides the words are not there; it was taught to do without.
    """
    begin_with_detector(model.documents, recipe)
