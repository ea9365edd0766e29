"""A world small enough to be learned in seconds: diseases and drugs, and documents about them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from holdfast.document import Document
from holdfast.encoders.tokens import TokenReader
from holdfast.systems.multitask.labels import Labels
from holdfast.systems.multitask.shape import MultitaskShape
from holdfast.systems.multitask.training.data import Example, WindowConfig, examples_of
from holdfast.systems.multitask.training.train import MultitaskTraining
from systems.collective.training import toys

IDS = toys.IDS
CALLED = toys.CALLED
_SENTENCE = re.compile(r"(?:^|(?<=\. ))\w")
READING = WindowConfig(window=40, overlap=8)
CONFIG = MultitaskTraining(
    steps=120,
    batch=8,
    learning_rate=3e-3,
    head_rate=1e-2,
    sampled_classes=100,
    evaluate_every=60,
    save_every=20,
    threads=1,
)
SMALL = MultitaskShape(lstm_width=16, lstm_layers=2, dropout=0.0)

knowledge_base = toys.knowledge_base
tokenizer = toys.tokenizer


def type_of(id: str) -> str:
    """The first three entities are diseases, the others chemicals."""
    return "Disease" if IDS.index(id) < 3 else "Chemical"


def documents(count: int, *, seed: int = 0) -> list[Document]:
    """Each names three entities, each in a sentence of its own."""
    return [
        replace(
            document,
            text=_SENTENCE.sub(lambda match: match[0].upper(), document.text),
            mentions=tuple(replace(m, type=type_of(m.ids[0])) for m in document.mentions),
        )
        for document in toys.documents(count, seed=seed)
    ]


def labels() -> Labels:
    return Labels.of(documents(120))


def examples(of: Sequence[Document]) -> list[Example]:
    reader = TokenReader.of(tokenizer())
    return list(examples_of(of, reader, labels(), READING))


def network(shape: MultitaskShape = SMALL) -> Any:
    import torch

    from holdfast.systems.multitask.training.model import EmbeddingTokens, MultitaskNetwork

    torch.manual_seed(3)
    tokens = tokenizer()
    encoder: Any = toys.transformer(tokens)
    if shape.encoder == "embeddings":
        encoder = EmbeddingTokens(torch.randn(tokens.get_vocab_size(), 16))
    return MultitaskNetwork(shape, labels(), encoder=encoder)
