"""Trains a name encoder. Read from top to bottom: configuration, encoding, the loop.

One loop serves both stages: pre-alignment on the synonyms of a knowledge base, where neighbours
are concepts that share a word, and fine-tuning on a corpus, where they are those that the model
itself confuses, mined anew every so often.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer
from torch import Tensor

from holdfast.names.encoder import UNKNOWN
from holdfast.training.batches import Batch, NameBatches
from holdfast.training.checkpoint import Progress, resume, save_checkpoint
from holdfast.training.multi_similarity import multi_similarity_loss
from holdfast.training.rescnn import ResCNN

LONGEST: Final = 25  # tokens of a name that are read
_CLIP: Final = 1.0  # largest norm of the gradient

Vectors = npt.NDArray[np.float32]
Encode = Callable[[Sequence[str]], Vectors]
Select = Callable[[Encode], float]


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


def train(
    model: ResCNN,
    tokenizer: Tokenizer,
    batches: NameBatches,
    config: NamesConfig,
    *,
    folder: Path,
    select: Select | None = None,
    mine: Callable[[Encode, NameBatches], NameBatches] | None = None,
    report: Callable[[str], None] = print,
) -> Progress:
    """Train in place until `config.steps`, from the folder's checkpoint if there is one.

    The same seed on the same machine gives the same weights, interrupted or not, unless
    neighbours were being mined.
    """
    torch.manual_seed(config.seed)
    if config.threads:
        torch.set_num_threads(config.threads)
    optimizer = _optimizer(model, config)
    progress = resume(folder, model, optimizer, config=asdict(config), report=report)
    encode = encoder_of(model, tokenizer)
    losses, started = list[float](), time.monotonic()
    for step in range(progress.step, config.steps):
        if mine is not None and _is_due(step, config.mine_every):
            batches = mine(encode, batches)
        batch = batches.draw(np.random.default_rng([config.seed, step]))
        losses.append(_learn(model, tokenizer, batch, optimizer, rate=_rate(step, config)))
        done = step + 1
        is_last = done == config.steps
        entry: dict[str, float] = {}
        if is_last or _is_due(done, config.report_every):
            entry |= {"loss": float(np.mean(losses)), "seconds": time.monotonic() - started}
            losses.clear()
        if select and _is_due(done, config.select_every):
            entry["dev"] = select(encode)
        if entry:
            progress = replace(progress, log=(*progress.log, {"step": done, **entry}))
            report("  ".join(f"{key} {value:.4g}" for key, value in progress.log[-1].items()))
        progress = replace(progress, step=done)
        if is_last or _is_due(done, config.save_every):
            save_checkpoint(folder, model, optimizer, progress=progress, config=asdict(config))
    return progress


def _is_due(step: int, every: int) -> bool:
    return every > 0 and step % every == 0


def _learn(
    model: ResCNN,
    tokenizer: Tokenizer,
    batch: Batch,
    optimizer: torch.optim.Optimizer,
    *,
    rate: float,  # the part of each group's learning rate
) -> float:
    """One step; the loss before it."""
    for group in optimizer.param_groups:
        group["lr"] = group["initial_lr"] * rate
    model.train()
    vectors = _forward(model, tokenizer, batch.names)
    loss = multi_similarity_loss(vectors, torch.from_numpy(batch.labels))
    optimizer.zero_grad()
    torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(model.parameters(), _CLIP)
    optimizer.step()
    return loss.item()


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


def _optimizer(model: ResCNN, config: NamesConfig) -> torch.optim.Optimizer:
    model.embedding.weight.requires_grad_(config.embedding_rate > 0)
    rest = [p for name, p in model.named_parameters() if name != "embedding.weight"]
    groups = [{"params": rest, "lr": config.learning_rate, "initial_lr": config.learning_rate}]
    if config.embedding_rate:
        rate = config.embedding_rate
        groups.append({"params": [model.embedding.weight], "lr": rate, "initial_lr": rate})
    return torch.optim.Adam(groups, fused=True)


def _rate(step: int, config: NamesConfig) -> float:
    """The part of the learning rate that a step has: up over the warm-up, then down to 0."""
    if step < config.warm_up:
        return (step + 1) / config.warm_up
    return (config.steps - step) / max(1, config.steps - config.warm_up)
