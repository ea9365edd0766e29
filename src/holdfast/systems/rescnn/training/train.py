"""Trains a name encoder. Read from top to bottom: configuration, the task, encoding.

One task serves both stages: pre-alignment on the synonyms of a knowledge base, where neighbours
are concepts that share a word, and fine-tuning on a corpus, where they are those that the model
itself confuses, mined anew every so often.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer
from torch import Tensor

from holdfast.encoders.names import UNKNOWN
from holdfast.progress import Log
from holdfast.systems.rescnn.training.batches import NameBatches
from holdfast.systems.rescnn.training.model import ResCNN
from holdfast.systems.rescnn.training.multi_similarity import multi_similarity_loss
from holdfast.training.history import Entry
from holdfast.training.loop import LoopConfig, Loss, ParameterGroup, Task
from holdfast.training.loop import train as run_loop

LONGEST: Final = 25  # tokens of a name that are read
# Beside the loop's own settings, what makes a checkpoint one of another run.
_SETTINGS: Final = ("learning_rate", "embedding_rate", "mine_every")

Vectors = npt.NDArray[np.float32]
Encode = Callable[[Sequence[str]], Vectors]
Select = Callable[[Encode], float]
Mine = Callable[[Encode, NameBatches], NameBatches]


@dataclass(frozen=True, slots=True)
class NamesConfig:
    steps: int
    learning_rate: float = 1e-3
    embedding_rate: float = 1e-3  # of the token embeddings; 0 keeps them as they are
    warm_up: int = 100  # steps of rising learning rate, before the linear decay to 0
    mine_every: int = 0  # steps between searches for neighbours; 0: never
    report_every: int = 100
    select_every: int = 0  # steps between looks at the development split; 0: never
    save_every: int = 500
    seed: int = 0
    threads: int = 0  # 0: as many as torch takes by itself


class NamesTask(Task[tuple[str, int]]):
    """Draws names of the same concept together; an example is a name with its concept's label."""

    selected_by = ""

    def __init__(
        self,
        model: ResCNN,
        tokenizer: Tokenizer,
        batches: NameBatches,
        config: NamesConfig,
        *,
        select: Select | None = None,
        mine: Mine | None = None,
    ) -> None:
        self.model: ResCNN = model
        self._tokenizer = tokenizer
        self._batches = batches
        self._config = config
        self._select = select
        self._mine = mine
        self._encode = encoder_of(model, tokenizer)

    def parameter_groups(self) -> Sequence[ParameterGroup]:
        rate = self._config.embedding_rate
        self.model.embedding.weight.requires_grad_(rate > 0)
        rest = [p for name, p in self.model.named_parameters() if name != "embedding.weight"]
        embedding = [self.model.embedding.weight] if rate else []
        return (
            ParameterGroup(rest, self._config.learning_rate),
            ParameterGroup(embedding, rate),
        )

    def refresh(self, done: int) -> None:
        every = self._config.mine_every
        if self._mine is not None and every > 0 and done % every == 0:
            self._batches = self._mine(self._encode, self._batches)

    def draw(self, step: int, count: int) -> Sequence[tuple[str, int]]:  # noqa: ARG002
        """A batch of the size that NameBatches was settings."""
        batch = self._batches.draw(np.random.default_rng([self._config.seed, step]))
        return list(zip(batch.names, batch.labels.tolist(), strict=True))

    def loss(self, examples: Sequence[tuple[str, int]]) -> Loss:
        vectors = _forward(self.model, self._tokenizer, [name for name, _ in examples])
        labels = torch.tensor([label for _, label in examples])
        return Loss(multi_similarity_loss(vectors, labels) * len(examples), len(examples))

    def evaluate(self) -> Mapping[str, float]:
        return {} if self._select is None else {"dev": self._select(self._encode)}


def train(
    model: ResCNN,
    tokenizer: Tokenizer,
    batches: NameBatches,
    config: NamesConfig,
    *,
    folder: Path,
    select: Select | None = None,
    mine: Mine | None = None,
    report: Log = print,
) -> tuple[Entry, ...]:
    """Train in place until `config.steps`, from the folder's checkpoint if there is one.

    The same seed on the same machine gives the same weights, interrupted or not, unless
    neighbours were being mined.
    """
    if not config.steps:
        return ()
    loop = LoopConfig(
        steps=config.steps,
        warm_up=config.warm_up / config.steps,
        weight_decay=0.0,
        evaluate_every=config.select_every,
        report_every=config.report_every,
        save_every=config.save_every,
        seed=config.seed,
        threads=config.threads,
    )
    task = NamesTask(model, tokenizer, batches, config, select=select, mine=mine)
    settings = {key: asdict(config)[key] for key in _SETTINGS}
    return run_loop(task, loop, folder=folder, about=settings, report=report)


def encoder_of(model: ResCNN, tokenizer: Tokenizer, *, batch: int = 512) -> Encode:
    """Plain names to unit rows with the model as it stands, in order, without gradients."""

    def encode(names: Sequence[str]) -> Vectors:
        model.eval()
        vectors = np.zeros((len(names), model.config.width), dtype=np.float32)
        with torch.inference_mode():
            for start in range(0, len(names), batch):
                found = _forward(model, tokenizer, names[start : start + batch])
                vectors[start : start + batch] = found.numpy()
        return vectors

    return encode


def token_ids(tokenizer: Tokenizer, names: Sequence[str]) -> list[list[int]]:
    """The known word pieces of each plain name, without special tokens, at most LONGEST."""
    unknown = tokenizer.token_to_id(UNKNOWN)
    return [
        [id for id in encoding.ids if id != unknown][:LONGEST]
        for encoding in tokenizer.encode_batch(list(names), add_special_tokens=False)
    ]


def _forward(model: ResCNN, tokenizer: Tokenizer, names: Sequence[str]) -> Tensor:
    """The vectors of plain names, in order. *Shape:* (names, width)."""
    ids = token_ids(tokenizer, names)
    vectors: Tensor = model(
        torch.tensor([id for row in ids for id in row], dtype=torch.long),
        torch.tensor([len(row) for row in ids], dtype=torch.long),
    )
    return vectors
