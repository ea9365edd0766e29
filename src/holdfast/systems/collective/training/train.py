"""Trains a dual encoder. Read from top to bottom: configuration, material, the task, its losses.

First some steps on synonyms, so that both encoders know which names mean the same; then steps on
documents. Entity vectors are cached: hard negatives are found among them in every step, with the
mentions' vectors as they are, and the whole cache is encoded anew every so often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from holdfast.encoders.tokens import TokenReader
from holdfast.progress import Log
from holdfast.systems.collective.training.data import (
    NameTable,
    Segment,
    SegmentBatch,
    SegmentConfig,
    joined_names,
    synonym_segments,
)
from holdfast.systems.collective.training.detection import detection_loss
from holdfast.systems.collective.training.model import DualEncoder, link_loss
from holdfast.systems.collective.training.negatives import Negatives, choose_candidates
from holdfast.systems.collective.training.select import encode_table, joint_scores, linking_scores
from holdfast.training.history import Entry
from holdfast.training.loop import LoopConfig, Loss, ParameterGroup, Task, train

# Settings that the loop compares itself, or that a run may change when it goes on.
_OF_LOOP: Final = frozenset(
    {"steps", "batch", "warm_up", "look_every", "save_every", "seed", "threads"}
)


@dataclass(frozen=True, slots=True)
class DualEncoderTraining:
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
class DualEncoderData:
    """What is learned from and what is looked at."""

    reader: TokenReader
    table: NameTable
    training: Sequence[Segment]
    development: Sequence[Segment] = ()
    synonyms: Sequence[tuple[str, int]] = ()  # a name and its entity's row
    reading: SegmentConfig = field(default_factory=SegmentConfig)
    vectors: Tensor | None = None  # of all names, if the model does not encode them itself


class DualTask(Task[Segment]):
    """First steps on synonyms, then on documents, each against cached vectors of all names."""

    def __init__(
        self, model: DualEncoder, material: DualEncoderData, config: DualEncoderTraining
    ) -> None:
        self.model: DualEncoder = model
        self.selected_by = "f1" if model.shape.detection else "accuracy"
        self._material = material
        self._config = config
        self._step = 0
        self._cache = torch.zeros(0)  # the vectors of all names
        self._encoded_at = -1  # steps done when they were all encoded
        if material.vectors is not None:
            self._cache = material.vectors
        elif config.fixed_names:
            model.fix_names()
            self._encode(0)

    def parameter_groups(self) -> Sequence[ParameterGroup]:
        inner = {
            id(p) for part in (self.model.documents, self.model.names) for p in part.parameters()
        }
        trained = [p for p in self.model.parameters() if p.requires_grad]
        return (
            ParameterGroup([p for p in trained if id(p) in inner], self._config.learning_rate),
            ParameterGroup([p for p in trained if id(p) not in inner], self._config.head_rate),
        )

    def refresh(self, done: int) -> None:
        config = self._config
        is_last = done == config.align_steps + config.steps
        is_due = done in (0, config.align_steps) or done % config.refresh_every == 0
        if (is_due or is_last) and not config.fixed_names:
            self._encode(done)

    def draw(self, step: int, count: int) -> Sequence[Segment]:  # noqa: ARG002
        """Synonyms, or the next segments of a random order that is new in every epoch."""
        self._step = step
        return _segments(self._material, self._config, step)

    def loss(self, examples: Sequence[Segment]) -> Loss:
        batch = SegmentBatch.of(examples)
        states = self.model.states(batch.tokens, batch.lengths)
        loss = states.new_zeros(())
        known = [at for at, gold in enumerate(batch.golds) if gold]
        if known:
            vectors = self.model.mentions(states, batch.spans[known])
            golds = [batch.golds[at] for at in known]
            loss = self._link_loss(vectors, golds, batch, known)
        if self.model.shape.detection:
            loss = loss + detection_loss(self.model, states, batch, examples)
        return Loss(loss * len(examples), len(examples))

    def _link_loss(
        self,
        vectors: Tensor,
        golds: Sequence[Sequence[int]],
        batch: SegmentBatch,
        known: Sequence[int],
    ) -> Tensor:
        table, config = self._material.table, self._config
        if config.fixed_names:
            every = batch.wordings()
            return full_loss(vectors, golds, [every[at] for at in known], table, self._cache)
        rng = np.random.default_rng([config.seed, 1, self._step])
        return _sampled_loss(
            self.model, vectors, golds, table, self._cache, config.negatives, rng=rng
        )

    def evaluate(self) -> Mapping[str, float]:
        material = self._material
        if not material.development:
            return {}
        is_fresh = self._config.fixed_names or self._encoded_at == self._step + 1 or not self._step
        cache = self._cache if is_fresh else encode_table(self.model, material.table)
        found = linking_scores(self.model, material.development, material.table, cache)
        if self.model.shape.detection:
            found |= joint_scores(self.model, material.development, material.table, cache)
        return found

    def state(self) -> dict[str, Tensor]:
        if self._config.fixed_names:
            return {}
        return {"cache": self._cache, "encoded_at": torch.tensor(self._encoded_at)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        if state:
            self._cache = state["cache"]
            self._encoded_at = int(state["encoded_at"])

    def _encode(self, done: int) -> None:
        self._cache = encode_table(self.model, self._material.table)
        self._encoded_at = done


def train_dual_encoder(
    model: DualEncoder,
    material: DualEncoderData,
    config: DualEncoderTraining,
    *,
    folder: Path,
    about: Mapping[str, Any] = MappingProxyType({}),
    report: Log = print,
) -> tuple[Entry, ...]:
    """Train in place, from the folder's checkpoint if there is one, and keep the best on dev.

    `about` holds further settings that make a run another one. The history holds the processor
    seconds of training, all threads together, without evaluation, and without the one encoding of
    names that are fixed: who else uses the machine, or stops the run, does not count.
    """
    task = DualTask(model, material, config)
    loop = LoopConfig(
        steps=config.align_steps + config.steps,
        batch=config.batch,
        warm_up=config.warm_up,
        evaluate_every=config.look_every or config.refresh_every,
        evaluate_first=bool(config.look_every),
        report_every=0,
        save_every=config.save_every,
        seed=config.seed,
        threads=config.threads,
    )
    own = {key: value for key, value in asdict(config).items() if key not in _OF_LOOP}
    return train(task, loop, folder=folder, about={**own, **about}, report=report)


def _segments(material: DualEncoderData, config: DualEncoderTraining, step: int) -> list[Segment]:
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
