"""Trains the typing model of a recipe and writes it as a model folder, in 32 and in 8 bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

import torch
from tokenizers import Tokenizer
from torch import Tensor

from holdfast.artifacts import Manifest
from holdfast.encoders.tokens import TokenReader
from holdfast.errors import UsageError
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.settings import read_parts
from holdfast.kb.store import open_kb
from holdfast.models import find_model, manifest_of
from holdfast.progress import Log
from holdfast.systems.bier.categories import ConceptCategories, open_sources
from holdfast.systems.bier.reading import Shape
from holdfast.systems.bier.training.build import open_type_system
from holdfast.systems.bier.training.dataset import (
    Dataset,
    TripleChoice,
    description_examples,
    mention_examples,
    read_typed,
)
from holdfast.systems.bier.training.export import export_typing
from holdfast.systems.bier.training.model import Pooling, TypingNetwork
from holdfast.systems.bier.training.start import open_start
from holdfast.systems.bier.training.train import TrainConfig, commonest_types_f1, train_typing
from holdfast.systems.bier.type_list import TypeList
from holdfast.training.history import Entry
from holdfast.training.loop import best_entry
from holdfast.training.starts import checkpoints_of
from holdfast.training.token_encoder import (
    TokenEncoder,
    keep_layers,
    open_token_encoder,
    open_tokenizer,
)
from holdfast.training.word_pieces import (
    count_pieces,
    prune_encoder,
    pruned_tokenizer,
)

SMALL: Final = "-int8"


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """What the model is, beside how it is trained."""

    types: str = "open"  # the type system, by name or folder
    reads: Literal["mentions", "descriptions"] = "mentions"
    encoder: str = "minilm"
    start: str = ""  # the recipe of a typing model to begin with instead; its rows of types stay
    pooling: Pooling = "first"  # the state of [CLS], or the mean over all tokens
    pieces: int = 0  # word pieces that the vocabulary keeps; 0: all
    layers: int = 0  # of the encoder, from below; 0: all

    def __post_init__(self) -> None:
        if self.reads not in ("mentions", "descriptions"):
            raise ValueError(f"reads = {self.reads!r}; it is mentions or descriptions")
        if self.pooling not in ("first", "mean"):
            raise ValueError(f"pooling = {self.pooling!r}; it is first or mean")
        if self.start and (self.pieces or self.layers):
            raise ValueError("a model that begins with another has its word pieces and layers")


@dataclass(frozen=True, slots=True)
class Parts:
    """A network that is about to be trained, and what it reads with."""

    encoder: TokenEncoder
    tokenizer: Tokenizer
    dataset: Dataset
    types: TypeList
    manifest: Manifest  # of the type system
    head: Tensor | None = None  # the rows of types to keep as they are


def train_typing_recipe(
    recipe: Recipe, *, data: Path, out: Path, report: Log, encoder: Path | None = None
) -> None:
    """Train what the recipe describes; write the folder `out`, and beside it the same in 8 bits.

    `encoder` is a Hugging Face folder to begin with instead of the recipe's. Nothing is trained
    with `steps = 0`: such a folder holds the encoder as it was pretrained.

    A model that begins with another keeps the rows of its types, so that the dense vectors of the
    two can be compared.
    """
    del data  # the triples are in the home folder
    model, shape, choice, config = read_parts(recipe, ModelConfig, Shape, TripleChoice, TrainConfig)
    if recipe.trained.on:
        raise UsageError(f"recipe {recipe.name!r}: a typing model learns from `types`, not `on`")
    if encoder is not None:
        model = replace(model, encoder=str(encoder), start="")
    if model.start:
        began = manifest_of(find_model(model.start)).config
        model = replace(model, encoder=str(began["encoder"]))
    parts = prepare(model, shape, choice, report=report)
    torch.manual_seed(config.seed)
    network = TypingNetwork(parts.encoder, len(parts.types), pooling=model.pooling)
    if parts.head is not None:
        network.keep_head(parts.head)
    history: Sequence[Entry] = ()
    if config.steps:
        history = train_typing(
            network,
            parts.dataset,
            config,
            folder=checkpoints_of(out),
            about={**asdict(model), **asdict(shape), **asdict(choice), "recipe": recipe.name},
            report=report,
        )
    described = {**_description(recipe, model, parts), **_results(history, parts)}
    for small, folder in ((False, out), (True, out.with_name(f"{out.name}{SMALL}"))):
        export_typing(
            network,
            parts.tokenizer,
            parts.types,
            folder,
            shape=shape,
            small=small,
            description=described,
        )


def prepare(model: ModelConfig, shape: Shape, choice: TripleChoice, *, report: Log) -> Parts:
    """The encoder, cut if the configuration says so, and the examples in its own tokens."""
    folder, manifest = open_type_system(model.types)
    types = TypeList.read(folder)
    encoder, tokenizer, head = _start(model, types)
    if shape.longest - 2 > encoder.longest:
        raise UsageError(f"rows of {shape.longest} tokens; the encoder reads {encoder.longest + 2}")
    keep_layers(encoder, model.layers)
    dataset = _dataset(model, folder, manifest, types, TokenReader.of(tokenizer), shape, choice)
    if model.pieces:
        counts = count_pieces((e.tokens for e in dataset.training), tokenizer.get_vocab_size())
        tokenizer, kept = pruned_tokenizer(tokenizer, counts, pieces=model.pieces)
        encoder = prune_encoder(encoder, kept)
        report(f"{len(kept):,} word pieces are kept")
        reader = TokenReader.of(tokenizer)
        dataset = _dataset(model, folder, manifest, types, reader, shape, choice)
    report(
        f"{len(dataset.training):,} examples to learn from, {len(dataset.development):,} to look "
        f"at; {len(types):,} types"
    )
    return Parts(encoder, tokenizer, dataset, types, manifest, head)


def _start(model: ModelConfig, types: TypeList) -> tuple[TokenEncoder, Tokenizer, Tensor | None]:
    """The encoder to begin with, its tokenizer, and the rows of types if they are to be kept."""
    if not model.start:
        return open_token_encoder(model.encoder), open_tokenizer(model.encoder), None
    start = open_start(model.start)
    if start.types.names != types.names:
        raise UsageError(
            f"{model.start!r} has {len(start.types):,} types, and the type system "
            f"{model.types!r} {len(types):,} others"
        )
    return start.encoder, start.tokenizer, start.head


def _dataset(
    model: ModelConfig,
    folder: Path,
    manifest: Manifest,
    types: TypeList,
    reader: TokenReader,
    shape: Shape,
    choice: TripleChoice,
) -> Dataset:
    if model.reads == "mentions":
        return mention_examples(read_typed(folder), reader, shape, choice)
    kb = open_kb(str(manifest.config["kb"]))
    sources = open_sources([str(name) for name in manifest.config["sources"]], kb)
    return description_examples(kb, ConceptCategories(kb, sources), types, reader, shape, choice)


def _description(recipe: Recipe, model: ModelConfig, parts: Parts) -> dict[str, Any]:
    system = parts.manifest.config
    return {
        "recipes": [recipe.name],
        "reads": model.reads,
        "encoder": model.encoder,
        "start": model.start,
        "pooling": model.pooling,
        "sources": list(system["sources"]),
        "type_system": parts.manifest.digest,
        "training_data": [f"triples of {system['kb']} by {system['model']}, silver"],
        "licence": "that of the vocabularies: holdfast kb info",
        "n_training": len(parts.dataset.training),
        "n_development": len(parts.dataset.development),
    }


def _results(history: Sequence[Entry], parts: Parts) -> dict[str, Any]:
    """What the kept weights scored on development data, beside the commonest types."""
    if not history or not parts.dataset.development:
        return {}
    best = best_entry(history, "macro_f1")
    common = commonest_types_f1(parts.dataset.training, parts.dataset.development)
    return {
        "log": [dict(entry) for entry in history],
        "results": {
            "development triples, macro F1": best["macro_f1"],
            "development triples, macro F1 of the commonest types": common,
        },
    }
