"""What is in the folder of a Hugging Face model: weights and a tokenizer, in old formats too."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from tokenizers import Tokenizer
from tokenizers.implementations import BertWordPieceTokenizer
from torch import Tensor

from holdfast.errors import ArtifactError

_WEIGHTS: Final = "model.safetensors"
_OLD_WEIGHTS: Final = "pytorch_model.bin"
# Layer norms of models that were once made with TensorFlow.
_OLD_NAMES: Final = ((".gamma", ".weight"), (".beta", ".bias"))


def pretrained_weights(encoder: Path) -> dict[str, Tensor]:
    """The tensors by name, in 32 bits; no code of the folder is run."""
    try:
        if (encoder / _OLD_WEIGHTS).exists() and not (encoder / _WEIGHTS).exists():
            found = torch.load(encoder / _OLD_WEIGHTS, map_location="cpu", weights_only=True)
        else:
            found = load_file(encoder / _WEIGHTS)
    except FileNotFoundError:
        raise ArtifactError(
            f"{encoder / _WEIGHTS}: not there; give the folder of a pretrained encoder"
        ) from None
    except (SafetensorError, pickle.UnpicklingError, RuntimeError, EOFError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ArtifactError(f"{encoder}: damaged weights ({reason})") from error
    return {_new_name(name): tensor.float() for name, tensor in found.items()}


def pretrained_tokenizer(encoder: Path) -> Tokenizer:
    """The tokenizer, without its padding and truncation.

    Folders of old BERTs have a vocabulary instead, and say beside it whether case matters.
    """
    path, vocabulary = encoder / "tokenizer.json", encoder / "vocab.txt"
    if not path.exists() and vocabulary.exists():
        lowercase = bool(_said(encoder / "tokenizer_config.json").get("do_lower_case", True))
        made = BertWordPieceTokenizer(str(vocabulary), lowercase=lowercase)
        return Tokenizer.from_str(made.to_str())
    if not path.exists():
        raise ArtifactError(f"{path}: not there; give the folder of a pretrained encoder")
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def pretrained_config(encoder: Path) -> dict[str, Any]:
    """What the model's config.json says."""
    path = encoder / "config.json"
    if not path.exists():
        raise ArtifactError(f"{encoder}: no config.json; give a Hugging Face folder")
    return _said(path)


def _said(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ArtifactError(f"{path}: not JSON ({error})") from error
    return found


def _new_name(name: str) -> str:
    for old, new in _OLD_NAMES:
        if name.endswith(old):
            return name.removesuffix(old) + new
    return name
