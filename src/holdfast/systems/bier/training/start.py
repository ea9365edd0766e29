"""Opens a trained typing model as torch modules, for training that begins with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor

from holdfast.encoders.tokens import TOKENIZER, TokenReader
from holdfast.errors import UsageError
from holdfast.models import find_model, manifest_of, trained_model
from holdfast.systems.bier.reading import Shape
from holdfast.systems.bier.type_list import TypeList
from holdfast.training.bert import TransformerLinker
from holdfast.training.checkpoint import WEIGHTS
from holdfast.training.loop import BEST, RUN
from holdfast.training.starts import checkpoints_of
from holdfast.training.token_encoder import TransformerTokens, open_token_encoder

_ENCODER: Final = "encoder.network."


@dataclass(frozen=True, slots=True)
class Start:
    """A typing model's encoder and rows of types, and what it reads with."""

    encoder: TransformerTokens
    head: Tensor  # one row per type
    tokenizer: Tokenizer
    shape: Shape
    types: TypeList


def open_start(recipe: str) -> Start:
    """What a recipe trained, from its checkpoint: the exported model has no weights for torch.

    The last weights are taken where there were no development examples to choose by.
    """
    folder = find_model(recipe)
    checkpoints = checkpoints_of(trained_model(recipe))
    weights = checkpoints / BEST
    if not weights.exists():
        weights = checkpoints / RUN / WEIGHTS
    if not weights.exists():
        raise UsageError(f"{weights}: not there; first `holdfast train {recipe}`")
    config = manifest_of(folder).config
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    encoder = open_token_encoder(str(config["encoder"]))
    if not isinstance(encoder, TransformerTokens):
        raise UsageError(f"{recipe!r}: only a typing model with a BERT can be begun with")
    tensors = load_file(weights)
    own = {n.removeprefix(_ENCODER): t for n, t in tensors.items() if n.startswith(_ENCODER)}
    layers = 1 + max(int(name.split(".")[1]) for name in own if name.startswith("layers."))
    reader = TokenReader.of(tokenizer)
    network = TransformerLinker(
        replace(
            encoder.network.config,
            vocabulary=len(own["embedding.weight"]),
            first=reader.first,
            last=reader.last,
            layers=layers,
        )
    )
    network.load_state_dict(own)
    return Start(
        TransformerTokens(network),
        tensors["head"],
        tokenizer,
        Shape(**config["shape"]),
        TypeList.read(folder),
    )
