"""Pre-trains the model of a recipe on annotated text and saves it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from holdfast.encoders.tokens import TokenReader
from holdfast.errors import UsageError
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.settings import read_parts
from holdfast.models import find_model, manifest_of
from holdfast.progress import Log
from holdfast.systems.kebiolm.knowledge.annotated_text import (
    AnnotatedText,
    count_entities,
    open_annotated_text,
)
from holdfast.systems.kebiolm.knowledge.vectors import KnowledgeVectors
from holdfast.systems.kebiolm.training.pretraining.data import TextSequence, sequences_of
from holdfast.systems.kebiolm.training.pretraining.masking import MaskConfig
from holdfast.systems.kebiolm.training.pretraining.model import KnowledgeNetwork, KnowledgeShape
from holdfast.systems.kebiolm.training.pretraining.saved import (
    Knowledge,
    entity_vectors,
    save_knowledge,
    start_masked_head,
)
from holdfast.systems.kebiolm.training.pretraining.train import (
    PretrainConfig,
    PretrainTask,
    mean_tokens,
    pretrain,
)
from holdfast.training.bert import TransformerConfig, TransformerLinker, pretrained_transformer
from holdfast.training.pretrained import find_encoder, pretrained_tokenizer, pretrained_weights
from holdfast.training.token_encoder import MINILM
from holdfast.training.workers import Workers

NEW: Final = "new"
"""The encoder that begins with random weights, with the word pieces of MiniLM."""


@dataclass(frozen=True, slots=True)
class CorpusConfig:
    """What is learned from, and what the network begins with."""

    text: str = "kebiolm-text"  # annotated text: a model's name or folder
    vectors: str = "transe"  # TransE's vectors; "": the entities' vectors begin at random
    encoder: str = MINILM  # or "new", or the folder of a Hugging Face BERT
    longest: int = 128  # tokens of a sequence, with the two special ones
    most_entities: int = 50  # of a sequence
    measured_share: float = 0.01  # share of the documents that is measured on
    measured_sequences: int = 200  # at most
    layers: int = 6  # of a new encoder
    width: int = 256
    heads: int = 4
    feed_forward: int = 1024


def pretrain_recipe(
    recipe: Recipe, *, data: Path, out: Path, report: Log, encoder: Path | None = None
) -> None:
    """Pre-train what the recipe describes and write the model folder `out`.

    `encoder` is a Hugging Face folder to begin with instead of the recipe's. `data` is not read:
    the text was annotated before.
    """
    del data
    shape, config, masking, corpus = read_parts(
        recipe, KnowledgeShape, PretrainConfig, MaskConfig, CorpusConfig
    )
    workers = Workers.from_environment(config.device)
    text = find_model(corpus.text)
    prepared = _prepare(recipe, shape, corpus, text, encoder, seed=config.seed, report=report)
    task = PretrainTask(
        prepared.knowledge.model,
        prepared.training,
        _some(prepared.measured, corpus.measured_sequences),
        config,
        masking,
        mask_token=prepared.mask_token,
    )
    about = {**asdict(corpus), "masking": asdict(masking), "text": manifest_of(text).digest}
    about |= {"encoder": encoder.name} if encoder else {}
    steps = config.steps(prepared.training)
    history = pretrain(
        task,
        config,
        steps=max(1, steps // workers.count),
        folder=out.with_name(f"{out.name}-checkpoints"),
        about=about,
        workers=workers,
        report=report,
    )
    workers.leave()
    if not workers.is_first:
        return
    prepared.knowledge.model.to("cpu")
    description = {
        "recipes": [recipe.name],
        "training_data": list(manifest_of(text).config["training_data"]),
        "results": {f"held-out text: {k}": v for k, v in history[-1].items() if k not in _NOT_TOLD},
        "tokens": round(steps * config.batch * mean_tokens(prepared.training)),
        "settings": {**asdict(config), **asdict(corpus), **asdict(masking)},
        "log": [dict(entry) for entry in history],
    }
    save_knowledge(prepared.knowledge, out, description=description)


@dataclass(frozen=True, slots=True, eq=False)
class _Prepared:
    """The network before its first step, and what it reads."""

    knowledge: Knowledge
    training: Sequence[TextSequence]
    measured: Sequence[TextSequence]  # held out
    mask_token: int


def _prepare(
    recipe: Recipe,
    shape: KnowledgeShape,
    corpus: CorpusConfig,
    text: Path,
    encoder: Path | None,
    *,
    seed: int,
    report: Log,
) -> _Prepared:
    tokenizer, network, weights = _begin(corpus, encoder, seed=seed)
    texts, held_out = _split(list(open_annotated_text(text)), corpus.measured_share)
    ids = tuple(sorted(count_entities(texts))) if shape.knowledge else ()
    known = _vectors(corpus) if shape.knowledge else {}
    vectors = entity_vectors(ids, known, width=shape.entity_width, seed=seed)
    model = KnowledgeNetwork(network, shape, vectors if shape.knowledge else None)
    has_head = start_masked_head(model, weights)
    reader = TokenReader.of(tokenizer)
    rows = {id: place for place, id in enumerate(ids)}
    training, measured = (_sequences(part, reader, rows, corpus) for part in (texts, held_out))
    mask_token = tokenizer.token_to_id("[MASK]")
    if mask_token is None or not training:
        raise UsageError(
            f"recipe {recipe.name!r}: its tokenizer has no [MASK], or its text is empty"
        )
    report(
        f"{len(training):,} sequences, {sum(len(s.tokens) for s in training):,} tokens, "
        f"{len(ids):,} entities, {sum(id in known for id in ids):,} of them with vectors; "
        f"{'its own' if has_head else 'a new'} head of masked tokens"
    )
    return _Prepared(Knowledge(model, tokenizer, ids), training, measured, mask_token)


_NOT_TOLD: Final = ("step", "seconds", "loss")


def _begin(
    corpus: CorpusConfig, encoder: Path | None, *, seed: int
) -> tuple[Tokenizer, TransformerLinker, Mapping[str, Tensor]]:
    """The tokenizer, the encoder, and the weights of its folder, if it has one."""
    torch.manual_seed(seed)
    if encoder is None and corpus.encoder == NEW:
        tokenizer = pretrained_tokenizer(find_encoder())
        reader = TokenReader.of(tokenizer)
        shape = TransformerConfig(
            vocabulary=tokenizer.get_vocab_size(),
            first=reader.first,
            last=reader.last,
            width=corpus.width,
            layers=corpus.layers,
            heads=corpus.heads,
            feed_forward=corpus.feed_forward,
        )
        return tokenizer, _initialised(TransformerLinker(shape)), {}
    named = find_encoder() if corpus.encoder == MINILM else Path(corpus.encoder)
    folder = encoder or named
    weights = pretrained_weights(folder)
    return pretrained_tokenizer(folder), pretrained_transformer(folder), weights


def _initialised(network: TransformerLinker) -> TransformerLinker:
    """BERT's way to begin: normal weights of deviation 0.02, biases of zero."""
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if parameter.dim() == 2:
                parameter.normal_(std=0.02)
            elif name.endswith("bias"):
                parameter.zero_()
    return network


def _split(
    texts: Sequence[AnnotatedText], share: float
) -> tuple[list[AnnotatedText], list[AnnotatedText]]:
    """To learn from and to measure on, by the documents' texts."""
    parts: tuple[list[AnnotatedText], list[AnnotatedText]] = ([], [])
    for text in texts:
        digest = hashlib.sha256(text.text.encode("utf-8", "replace")).digest()
        parts[int.from_bytes(digest[8:16], "big") / 2**64 < share].append(text)
    return parts


def _some(sequences: Sequence[TextSequence], count: int) -> Sequence[TextSequence]:
    """So many of them from all of the text, the same in every run."""
    drawn = np.random.default_rng(0).permutation(len(sequences))[:count]
    return [sequences[at] for at in sorted(drawn.tolist())]


def _vectors(corpus: CorpusConfig) -> Mapping[str, Tensor]:
    if not corpus.vectors:
        return {}
    found = KnowledgeVectors.open(find_model(corpus.vectors))
    table = torch.from_numpy(found.entities)
    return {id: table[place] for place, id in enumerate(found.split.train.entities)}


def _sequences(
    texts: Sequence[AnnotatedText], reader: TokenReader, rows: Mapping[str, int], own: CorpusConfig
) -> list[TextSequence]:
    found = sequences_of(
        texts, reader, rows, longest=own.longest - 2, most_entities=own.most_entities
    )
    return list(found)
