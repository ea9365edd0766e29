"""A dual encoder without weights: a vector counts words, so that tests know what is near what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from holdfast.encoders.tokens import INPUT, TokenEncoder, TokenReader
from holdfast.systems.collective.model import DualEncoderModel

SPECIAL = ("[UNK]", "[CLS]", "[SEP]", "[unused1]", "[unused2]")
Floats = npt.NDArray[np.float32]


def tokenizer(*words: str) -> Tokenizer:
    """One token for each of these words, in lower case; any other word is [UNK]."""
    vocabulary = {piece: row for row, piece in enumerate(dict.fromkeys([*SPECIAL, *words]))}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return made


class States:
    """Stands in for a network: a token's state is its row of the unit matrix.

    Every batch that it reads is noted.
    """

    def __init__(self, width: int) -> None:
        self._unit = np.eye(width, dtype=np.float32)
        self.read = list[list[list[int]]]()

    def run(self, _: Sequence[str], feed: Mapping[str, npt.NDArray[np.int64]]) -> list[Any]:
        self.read.append(feed[INPUT].tolist())
        return [self._unit[feed[INPUT]]]


class Bags:
    """Stands in for the network of names: the unit sum of a name's words, in their order."""

    def __init__(self, width: int) -> None:
        self._unit = np.eye(width, dtype=np.float32)

    def run(self, _: Sequence[str], feed: Mapping[str, npt.NDArray[np.int64]]) -> list[Any]:
        sums = self._unit[feed[INPUT][:, 1:-1]].sum(axis=1)
        return [sums / np.linalg.norm(sums, axis=1, keepdims=True)]


def session(fake: States | Bags) -> onnxruntime.InferenceSession:
    return cast(onnxruntime.InferenceSession, fake)


def word_bag_model(
    words: Sequence[str],
    *,
    longest: int = 64,
    context: int = 0,
    detection: str = "",
    heads: Mapping[str, Floats] | None = None,
    states: States | None = None,
    longest_name: int = 8,
) -> DualEncoderModel:
    """A mention's vector is 10 times the unit mean of its words'."""
    cut = tokenizer(*words)
    width = cut.get_vocab_size()
    encoder = TokenEncoder(
        width=width,
        marks=0,
        longest=longest,
        overlap=2,
        digest="word bags",
        reader=TokenReader.of(cut),
        _network=Path(),
        _session=session(states or States(width)),
    )
    return DualEncoderModel(
        encoder=encoder,
        context=context,
        names=1,
        detection=detection,
        threshold=0.5,
        longest_name=longest_name,
        longest_span=3,
        names_digest="word bags",
        _heads={"scale": np.array(10.0, dtype=np.float32), **(heads or {})},
        _tokenizer=cut,
        _names=session(Bags(width)),
    )
