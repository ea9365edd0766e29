"""The loop that trains a detector: batches in a fixed order, so that a killed run goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from holdfast.detect.token_encoder import TokenReader
from holdfast.training.checkpoint import Progress, resume, save_checkpoint
from holdfast.training.detector_batches import MarkDropout, collate, plan
from holdfast.training.detector_lessons import Lesson
from holdfast.training.detector_model import TokenTagger, partial_loss

Report = Callable[[str], None]

_CLIP: Final = 1.0
_MARKS: Final = MarkDropout()


@dataclass(frozen=True, slots=True)
class DetectorConfig:
    """Everything that decides what is learned, besides the data."""

    longest: int = 384  # tokens of a window, with the two special ones
    overlap: int = 64
    short: float = 0.3  # part of the passes that goes to a few sentences at a time
    passes: float = 0.45  # times those of each corpus's scheme
    tokens: int = 2048  # of a batch, with padding
    encoder_rate: float = 1.2e-4
    head_rate: float = 6e-4
    decay: float = 0.01
    warm_up: float = 0.08  # part of the steps
    unmarked: float = 0.5  # what types that a corpus does not annotate count where it marks none
    dropout: MarkDropout = _MARKS
    vocabularies: tuple[str, ...] = ("open", "mesh")  # one is drawn for each document
    report_every: int = 20
    save_every: int = 100
    seed: int = 13
    threads: int = 0  # 0: as many as torch takes by itself


def learn(
    model: TokenTagger,
    taught: Sequence[Lesson],
    config: DetectorConfig,
    *,
    reader: TokenReader,
    work: Path,
    report: Report,
) -> Progress:
    """Train in place, from the folder's checkpoint if there is one.

    The same seed gives the same batches, marks and dropout, interrupted or not.
    """
    optimizer = _optimizer(model, config)
    progress = resume(work, model, optimizer, config=asdict(config), report=report)
    batches = plan(taught, passes=config.passes, tokens=config.tokens, seed=config.seed)
    losses, seen, started = list[float](), 0, time.monotonic()
    for step in range(progress.step, len(batches)):
        batch = [taught[place] for place in batches[step]]
        rate = _rate(step, len(batches), warm_up=config.warm_up)
        losses.append(_step(model, optimizer, batch, config, reader, step=step, rate=rate))
        seen += sum(lesson.window.end - lesson.window.start for lesson in batch)
        done = step + 1
        is_last = done == len(batches)
        progress = replace(progress, step=done)
        if is_last or done % config.report_every == 0:
            speed = seen / (time.monotonic() - started)
            entry = {"step": done, "loss": float(np.mean(losses)), "tokens_per_second": speed}
            progress = replace(progress, log=(*progress.log, entry))
            report(f"step {done} of {len(batches)}  loss {entry['loss']:.4f}  {speed:.0f} tokens/s")
            losses.clear()
        if is_last or done % config.save_every == 0:
            save_checkpoint(work, model, optimizer, progress=progress, config=asdict(config))
    return progress


def _step(
    model: TokenTagger,
    optimizer: torch.optim.Optimizer,
    taught: Sequence[Lesson],
    config: DetectorConfig,
    reader: TokenReader,
    *,
    step: int,
    rate: float,  # the part of each group's learning rate
) -> float:
    """The loss before the step."""
    torch.manual_seed(config.seed + step)
    for group in optimizer.param_groups:
        group["lr"] = group["initial_lr"] * rate
    batch = collate(
        taught,
        first=reader.first,
        last=reader.last,
        dropout=config.dropout,
        random=np.random.default_rng([config.seed, step]),
    )
    model.train()
    scores = model(batch.ids, batch.marks, batch.attended)
    of_words = scores.flatten(0, 1)[batch.words]
    loss = partial_loss(of_words, batch.allowed, unmarked=config.unmarked).mean()
    optimizer.zero_grad()
    torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(model.parameters(), _CLIP)
    optimizer.step()
    return loss.item()


def _optimizer(model: TokenTagger, config: DetectorConfig) -> torch.optim.Optimizer:
    encoder = list(model.encoder.parameters())
    own = {id(parameter) for parameter in encoder}
    head = [parameter for parameter in model.parameters() if id(parameter) not in own]
    groups: list[dict[str, Any]] = [
        {"params": encoder, "initial_lr": config.encoder_rate},
        {"params": head, "initial_lr": config.head_rate},
    ]
    return torch.optim.AdamW(groups, weight_decay=config.decay, fused=True)


def _rate(step: int, steps: int, *, warm_up: float) -> float:
    """The part of the learning rate that a step has: up over the warm-up, then down to 0."""
    rising = max(1, round(warm_up * steps))
    if step < rising:
        return (step + 1) / rising
    return (steps - step) / max(1, steps - rising)
