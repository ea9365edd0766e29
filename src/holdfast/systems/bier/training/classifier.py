"""Fine-tunes a label classifier: a linear layer over the encoder, frozen or trained with it.

It begins with the encoder of a typing model or with a pretrained one, and is written as a folder
that `TypingModel` opens, whose types are the labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn

from holdfast.corpora.named import load_training
from holdfast.corpora.named.splits import parse_splits
from holdfast.document import Document
from holdfast.encoders.tokens import TokenReader
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.settings import read_parts
from holdfast.progress import Log
from holdfast.systems.bier.nearest import some_per_class
from holdfast.systems.bier.reading import Shape, rows_of
from holdfast.systems.bier.training.dataset import Dataset, TypedExample
from holdfast.systems.bier.training.export import export_typing
from holdfast.systems.bier.training.model import TypingNetwork
from holdfast.systems.bier.training.start import open_start
from holdfast.systems.bier.training.train import TrainConfig, TypingTask
from holdfast.systems.bier.type_list import EntityType, TypeList
from holdfast.training.loop import LoopConfig, Loss, ParameterGroup, train
from holdfast.training.starts import checkpoints_of
from holdfast.training.token_encoder import TokenEncoder, open_token_encoder, open_tokenizer

LABELS: Final = "labels"


@dataclass(frozen=True, slots=True)
class ClassifierConfig:
    """The settings of a recipe's [train] besides those of the run."""

    start: str = ""  # the recipe of the typing model that it begins with; "": `encoder` untuned
    encoder: str = "minilm"
    frozen: bool = False  # only the linear layer is trained
    per_class: int = 0  # examples of each label; 0: all
    epochs: int = 4  # over the examples, instead of `steps`
    least_steps: int = 200  # however few examples there are


class LabelTask(TypingTask):
    """Cross entropy over labels, of which each example has one."""

    def __init__(
        self, model: TypingNetwork, dataset: Dataset, config: TrainConfig, *, frozen: bool
    ) -> None:
        super().__init__(model, dataset, config)
        self.selected_by = ""
        self._frozen = frozen

    def parameter_groups(self) -> Sequence[ParameterGroup]:
        groups = super().parameter_groups()
        return groups[1:] if self._frozen else groups

    def refresh(self, done: int) -> None:
        """The linear layer begins at zero."""

    def loss(self, examples: Sequence[TypedExample]) -> Loss:
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self._frozen):
            dense = self.model.dense(examples)
        labels = torch.tensor([int(example.types[0]) for example in examples])
        total = nn.functional.cross_entropy(dense @ self.model.head.T, labels, reduction="sum")
        return Loss(total, len(examples))

    def evaluate(self) -> Mapping[str, float]:
        return {}


def train_classifier(
    recipe: Recipe, *, data: Path, out: Path, report: Log, encoder: Path | None = None
) -> None:
    """Train what the recipe describes and write the model folder `out`."""
    own, shape, config = read_parts(recipe, ClassifierConfig, Shape, TrainConfig)
    if encoder is not None:
        own = replace(own, encoder=str(encoder))
    network_encoder, tokenizer, shape = _start(own, shape)
    found = load_training(parse_splits(recipe.trained.on), evaluated=recipe.evaluated, data=data)
    documents = list(found.documents)
    names = sorted({mention.type for document in documents for mention in document.mentions})
    examples = _examples(documents, names, TokenReader.of(tokenizer), shape, own, config.seed)
    steps = max(own.least_steps, own.epochs * len(examples) // config.batch)
    report(f"{len(examples):,} examples of {len(names)} labels, {steps:,} steps")
    torch.manual_seed(config.seed)
    network = TypingNetwork(network_encoder, len(names))
    task = LabelTask(network, Dataset(examples, ()), config, frozen=own.frozen)
    loop = LoopConfig(
        steps=steps,
        batch=config.batch,
        warm_up=config.warm_up,
        weight_decay=config.weight_decay,
        save_every=config.save_every,
        seed=config.seed,
        threads=config.threads,
        precision=config.precision,
    )
    about = {**asdict(own), "learning_rate": config.learning_rate, "head_rate": config.head_rate}
    train(task, loop, folder=checkpoints_of(out), about=about, report=report)
    types = TypeList(tuple(EntityType(name, 1, (f"label:{name}",)) for name in names))
    described: dict[str, Any] = {
        "reads": LABELS,
        "pooling": "first",
        "recipes": [recipe.name],
        "training_data": list(recipe.trained.on),
        **asdict(own),
    }
    export_typing(network, tokenizer, types, out, shape=shape, description=described)


def _start(own: ClassifierConfig, shape: Shape) -> tuple[TokenEncoder, Tokenizer, Shape]:
    """What it begins with. A typing model brings its vocabulary and how much it reads."""
    if not own.start:
        return open_token_encoder(own.encoder), open_tokenizer(own.encoder), shape
    start = open_start(own.start)
    return start.encoder, start.tokenizer, start.shape


def _examples(
    documents: Sequence[Document],
    names: Sequence[str],
    reader: TokenReader,
    shape: Shape,
    own: ClassifierConfig,
    seed: int,
) -> list[TypedExample]:
    number = {name: place for place, name in enumerate(names)}
    found, labels = list[TypedExample](), list[str]()
    for document in documents:
        rows = rows_of(reader, document.text, [m.spans for m in document.mentions], shape)
        for row, mention in zip(rows, document.mentions, strict=True):
            types = np.array([number[mention.type]], dtype=np.int32)
            found.append(TypedExample(row.astype(np.int32), types))
            labels.append(mention.type)
    if not own.per_class:
        return found
    return [found[at] for at in some_per_class(labels, own.per_class, seed=seed)]
