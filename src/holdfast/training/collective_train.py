"""Trains a dual encoder. Read from top to bottom: configuration, material, the loop, one step.

First some steps on synonyms, so that both encoders know which names mean the same; then steps on
documents. Entity vectors are cached: hard negatives are found among them in every step, with the
mentions' vectors as they are, and the whole cache is encoded anew every so often.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from holdfast.detect.token_encoder import TokenReader
from holdfast.training.checkpoint import Progress, resume, save_checkpoint
from holdfast.training.collective_data import (
    Batch,
    NameTable,
    Reading,
    Segment,
    joined_names,
    synonym_segments,
)
from holdfast.training.collective_detection import detection_loss
from holdfast.training.collective_model import DualEncoder, link_loss
from holdfast.training.collective_negatives import Negatives, choose_candidates
from holdfast.training.collective_select import encode_table, joint_scores, linking_scores
from holdfast.training.collective_start import BEST

_CLIP: Final = 1.0  # largest norm of the gradient


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """How long and how fast. Rates are for MiniLM; a larger encoder wants smaller ones."""

    steps: int = 500  # on documents
    align_steps: int = 100  # on synonyms, before
    batch: int = 4  # segments of a step
    synonyms: int = 64  # of a step of alignment
    learning_rate: float = 1e-4
    head_rate: float = 1e-3  # of what sits on top of the encoders
    warm_up: float = 0.06  # part of the steps with a rising rate, before the linear decay to 0
    negatives: Negatives = field(default_factory=Negatives)
    fixed_names: bool = False  # the encoder of names stays as it is; all entities are negatives
    refresh_every: int = 150  # steps between encodings of the whole cache, and looks at dev
    look_every: int = 0  # steps between more looks, the first before the first step; 0: none
    save_every: int = 100
    seed: int = 0
    threads: int = 0  # 0: as many as torch takes by itself


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """What is learned from and what is looked at."""

    reader: TokenReader
    table: NameTable
    training: Sequence[Segment]
    development: Sequence[Segment] = ()
    synonyms: Sequence[tuple[str, int]] = ()  # a name and its entity's row
    reading: Reading = field(default_factory=Reading)


def train_dual_encoder(
    model: DualEncoder,
    material: Material,
    config: TrainConfig,
    *,
    folder: Path,
    about: Mapping[str, Any] = MappingProxyType({}),
    report: Callable[[str], None] = print,
) -> Progress:
    """Train in place, from the folder's checkpoint if there is one, and keep the best on dev.

    `about` is what else makes a run another one: a checkpoint goes on only where it is the same.
    The log holds the processor seconds of training, all threads together, without looks at dev,
    and without the one encoding of names that are fixed: who else uses the machine, or stops the
    run, does not count. Batches depend on the seed alone; after an interruption the cache is
    encoded anew, off the clock, so weights may then differ a little.
    """
    torch.manual_seed(config.seed)
    if config.threads:
        torch.set_num_threads(config.threads)
    if config.fixed_names:
        model.fix_names()
    optimizer = _optimizer(model, config)
    told = {**asdict(config), **about}
    begun = resume(folder / "run", model, optimizer, config=told, report=report)
    run = _Run(
        model=model,
        material=material,
        config=config,
        optimizer=optimizer,
        folder=folder,
        report=report,
        progress=begun,
    )
    total = config.align_steps + config.steps
    if begun.step < total:
        run.encode_names(is_counted=not begun.step and not config.fixed_names)
    if config.look_every and not begun.step:
        run.look()
    for step in range(begun.step, total):
        run.learn(step)
        done = step + 1
        is_last = done == total
        is_due = is_last or done == config.align_steps or done % config.refresh_every == 0
        if is_due and not config.fixed_names:
            run.encode_names(is_counted=not is_last)  # after the last step it is a look's
        if is_due or (config.look_every and done % config.look_every == 0):
            run.look(is_stale=not is_due and not config.fixed_names)
        if is_last or done % config.save_every == 0:
            save_checkpoint(folder / "run", model, optimizer, progress=run.progress, config=told)
    if (folder / BEST).exists():
        model.load_state_dict(load_file(folder / BEST))
    return run.progress


@dataclass(slots=True, kw_only=True)
class _Run:
    """A run, and how far it is."""

    model: DualEncoder
    material: Material
    config: TrainConfig
    optimizer: torch.optim.Optimizer
    folder: Path
    report: Callable[[str], None]
    progress: Progress
    cache: Tensor = field(default_factory=lambda: torch.zeros(0))  # the vectors of all names
    losses: list[float] = field(default_factory=list)  # since the last look

    def encode_names(self, *, is_counted: bool) -> None:
        """All of them anew."""
        with self._clock(is_counted=is_counted):
            self.cache = encode_table(self.model, self.material.table)

    def learn(self, step: int) -> None:
        with self._clock():
            segments = _segments(self.material, self.config, step)
            table, optimizer = self.material.table, self.optimizer
            loss = _learn(
                self.model, segments, table, self.cache, optimizer, self.config, step=step
            )
        self.losses.append(loss)
        self.progress = replace(self.progress, step=step + 1)

    def look(self, *, is_stale: bool = False) -> None:
        """A further entry of the log, which is reported; the best model so far is kept."""
        entry = {"step": self.progress.step, "seconds": self.progress.seconds}
        if self.losses:
            entry["loss"] = float(np.mean(self.losses))
            self.losses.clear()
        cache = encode_table(self.model, self.material.table) if is_stale else self.cache
        entry |= _look(self.model, self.material, cache, self.folder, self.progress)
        self.report("  ".join(f"{key} {value:.4g}" for key, value in entry.items()))
        self.progress = replace(self.progress, log=(*self.progress.log, entry))

    @contextmanager
    def _clock(self, *, is_counted: bool = True) -> Iterator[None]:
        """The processor's seconds, of all threads."""
        started = time.process_time()
        yield
        if is_counted:
            taken = time.process_time() - started
            self.progress = replace(self.progress, seconds=self.progress.seconds + taken)


def _segments(material: Material, config: TrainConfig, step: int) -> list[Segment]:
    rng = np.random.default_rng([config.seed, step])
    if step < config.align_steps and material.synonyms:
        return synonym_segments(
            material.synonyms, material.reader, material.reading, rng=rng, count=config.synonyms
        )
    count = len(material.training)
    places = (step - config.align_steps) * config.batch + np.arange(config.batch)
    found = []
    for epoch, place in zip(*np.divmod(np.maximum(places, 0), count), strict=True):
        order = np.random.default_rng([config.seed, 0, int(epoch)]).permutation(count)
        found.append(material.training[order[place]])
    return found


def _learn(
    model: DualEncoder,
    segments: Sequence[Segment],
    table: NameTable,
    cache: Tensor,
    optimizer: torch.optim.Optimizer,
    config: TrainConfig,
    *,
    step: int,
) -> float:
    """One step; the loss before it."""
    rate = _rate(step, config.align_steps + config.steps, config)
    for group in optimizer.param_groups:
        group["lr"] = group["initial_lr"] * rate
    model.train()
    batch = Batch.of(segments)
    states = model.states(batch.tokens, batch.lengths)
    loss = states.new_zeros(())
    known = [at for at, gold in enumerate(batch.golds) if gold]
    if known:
        vectors = model.mentions(states, batch.spans[known])
        golds = [batch.golds[at] for at in known]
        if config.fixed_names:
            every = batch.wordings()
            loss = full_loss(vectors, golds, [every[at] for at in known], table, cache)
        else:
            rng = np.random.default_rng([config.seed, 1, step])
            loss = _sampled_loss(model, vectors, golds, table, cache, config.negatives, rng=rng)
    if model.shape.detection:
        loss = loss + detection_loss(model, states, batch, segments)
    if loss.requires_grad:
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(model.parameters(), _CLIP)
        optimizer.step()
    return loss.item()


def full_loss(
    vectors: Tensor,  # of the mentions
    golds: Sequence[Sequence[int]],
    wordings: Sequence[Sequence[int]],  # their tokens
    table: NameTable,
    cache: Tensor,
) -> Tensor:
    """Over all names but the mention's own wording, where another name is right.

    Wordings of training mentions may be names: what is written alike would be all that is learned.
    Other entities' homonyms are left out with them: they would be wrong by how they are written.
    """
    is_hidden = torch.from_numpy(table.is_own_wording(golds, wordings))
    is_gold = torch.from_numpy(table.is_gold(golds)) & ~is_hidden
    return link_loss((vectors @ cache.T).masked_fill(is_hidden, -torch.inf), is_gold)


def _sampled_loss(
    model: DualEncoder,
    vectors: Tensor,  # of the mentions
    golds: Sequence[Sequence[int]],
    table: NameTable,
    cache: Tensor,
    negatives: Negatives,
    *,
    rng: np.random.Generator,
) -> Tensor:
    """Over some names: those that are encoded anew, which go into the cache, and cached ones."""
    candidates = choose_candidates(
        vectors.detach(), golds, table=table, cache=cache, negatives=negatives, rng=rng
    )
    fresh = candidates.rows[: candidates.encoded]
    encoded = model.entities(*joined_names([table.tokens[row] for row in fresh.tolist()]))
    stale = cache[candidates.rows[candidates.encoded :]]
    cache[fresh] = encoded.detach()
    return link_loss(vectors @ torch.cat([encoded, stale]).T, candidates.is_gold)


def _look(
    model: DualEncoder, material: Material, cache: Tensor, folder: Path, progress: Progress
) -> dict[str, float]:
    """What dev says; the best model so far is kept."""
    if not material.development:
        return {}
    found = linking_scores(model, material.development, material.table, cache)
    if model.shape.detection:
        found |= joint_scores(model, material.development, material.table, cache)
    key = "f1" if model.shape.detection else "accuracy"
    if found[key] >= max((entry.get(key, 0.0) for entry in progress.log), default=0.0):
        folder.mkdir(parents=True, exist_ok=True)
        save_file(dict(model.state_dict()), folder / BEST)
    return found


def best_entry(progress: Progress) -> Mapping[str, float]:
    """The entry of the log whose model was kept; the last where nothing was looked at."""
    looks = [entry for entry in progress.log if "accuracy" in entry]
    key = "f1" if looks and "f1" in looks[0] else "accuracy"
    return max(reversed(looks), key=lambda entry: entry[key], default=progress.log[-1])


def _optimizer(model: DualEncoder, config: TrainConfig) -> torch.optim.Optimizer:
    inner = {id(p) for part in (model.documents, model.names) for p in part.parameters()}
    trained = [p for p in model.parameters() if p.requires_grad]
    groups = [
        _group([p for p in trained if id(p) in inner], config.learning_rate),
        _group([p for p in trained if id(p) not in inner], config.head_rate),
    ]
    return torch.optim.AdamW(groups, weight_decay=0.01, fused=True)


def _group(parameters: list[nn.Parameter], rate: float) -> dict[str, object]:
    return {"params": parameters, "lr": rate, "initial_lr": rate}


def _rate(step: int, total: int, config: TrainConfig) -> float:
    """The part of the learning rate that a step has: up over the warm-up, then down to 0."""
    rising = max(1, int(config.warm_up * total))
    return (step + 1) / rising if step < rising else (total - step) / max(1, total - rising)
