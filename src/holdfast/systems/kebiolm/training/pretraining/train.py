"""Pre-trains KeBioLM. Read from top to bottom: configuration, the task, its losses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import Tensor

from holdfast.progress import Log
from holdfast.systems.kebiolm.training.pretraining.data import (
    NO_ENTITY,
    TextBatch,
    TextSequence,
    spans_of_tags,
)
from holdfast.systems.kebiolm.training.pretraining.masking import MaskConfig, mask
from holdfast.systems.kebiolm.training.pretraining.model import KnowledgeNetwork, knowledge_losses
from holdfast.training.epochs import EpochOrder
from holdfast.training.history import Entry
from holdfast.training.loop import LoopConfig, Loss, ParameterGroup, Task, train
from holdfast.training.precision import Precision
from holdfast.training.workers import Workers

_HELD_OUT: Final = 8  # sequences of held-out text that are read together


@dataclass(frozen=True, slots=True)
class PretrainConfig:
    """How long and how fast. Rates are for MiniLM; a larger encoder wants smaller ones."""

    token_budget: int = 5_000_000  # tokens that are read in training
    epochs: float = 0.0  # passes over the text, instead of the budget; 0: the budget counts
    batch: int = 16  # sequences of a step
    accumulate: int = 1
    learning_rate: float = 2e-4
    head_rate: float = 1e-3  # of the heads and the entity memory, which begin untrained
    entity_rate: float = 1e-3  # of the entities' vectors; 0: they stay as they are
    weight_decay: float = 0.01
    warm_up: float = 0.1
    evaluate_every: int = 200
    save_every: int = 200
    seed: int = 0
    threads: int = 0
    device: str = "cpu"  # or "cuda"; torchrun starts a process for each card
    precision: Precision = "float32"  # bfloat16: faster where the processor has it

    def steps(self, sequences: Sequence[TextSequence]) -> int:
        """So many steps that about the budget's tokens are read, or the text so often."""
        if self.epochs:
            return max(1, round(self.epochs * len(sequences) / self.batch))
        return max(1, round(self.token_budget / (mean_tokens(sequences) * self.batch)))


def mean_tokens(sequences: Sequence[TextSequence]) -> float:
    """The mean length of the sequences, of which there is at least one."""
    return sum(len(sequence.tokens) for sequence in sequences) / len(sequences)


class PretrainTask(Task[TextSequence]):
    """Sequences in a random order that is new in every epoch; the sum of three mean losses."""

    def __init__(
        self,
        model: KnowledgeNetwork,
        training: Sequence[TextSequence],
        held_out: Sequence[TextSequence],
        config: PretrainConfig,
        masking: MaskConfig,
        *,
        mask_token: int,
    ) -> None:
        self.model: KnowledgeNetwork = model
        self._training = training
        self._held_out = held_out
        self._config = config
        self._masking = masking
        self._mask_token = mask_token
        self._order = EpochOrder(len(training), config.seed)
        if model.memory is not None and not config.entity_rate:
            model.memory.table.weight.requires_grad = False

    def parameter_groups(self) -> Sequence[ParameterGroup]:
        model, config = self.model, self._config
        entities = [] if model.memory is None else [model.memory.table.weight]
        inner = {id(p) for p in (*model.network.parameters(), *entities)}
        others = [p for p in model.parameters() if id(p) not in inner]
        groups = [
            ParameterGroup(list(model.network.parameters()), config.learning_rate),
            ParameterGroup(others, config.head_rate),
        ]
        if config.entity_rate:
            groups.append(ParameterGroup(entities, config.entity_rate, weight_decay=0.0))
        return groups

    def draw(self, step: int, count: int) -> Sequence[TextSequence]:
        return [self._training[place] for place in self._order.drawn(step, count)]

    def loss(self, examples: Sequence[TextSequence]) -> Loss:
        losses = self._losses(TextBatch.of(examples), generator=None)
        return Loss(torch.stack(list(losses.values())).sum() * len(examples), len(examples))

    def _losses(self, batch: TextBatch, *, generator: torch.Generator | None) -> dict[str, Tensor]:
        hidden = mask(
            batch,
            self._masking,
            mask_token=self._mask_token,
            vocabulary=self.model.network.config.vocabulary,
            generator=generator,
        )
        return knowledge_losses(self.model, batch, hidden.tokens, hidden.places, hidden.labels)

    def evaluate(self) -> Mapping[str, float]:
        """Losses on held-out text, always masked alike; detection F1 and links on bare text.

        `masked_loss` is masked as in training and told the mentions. `bare_masked_loss` is told
        nothing and hides whole words, the same for all models, with knowledge and without.
        """
        if not self._held_out:
            return {}
        sums, counts = defaultdict[str, float](float), defaultdict[str, int](int)
        generator = self._generator(0)
        parts = range(0, len(self._held_out), _HELD_OUT)
        with torch.inference_mode():
            for start in parts:
                batch = TextBatch.of(self._held_out[start : start + _HELD_OUT])
                for name, loss in self._losses(batch, generator=generator).items():
                    sums[name] += loss.item()
                sums["bare_masked"] += self._bare_loss(batch, start).item()
                for name, count in detection_counts(self.model, batch).items():
                    counts[name] += count
        found = {f"{name}_loss": total / len(parts) for name, total in sums.items()}
        if counts:
            found["detection_f1"] = 2 * counts["hits"] / max(1, counts["gold"] + counts["found"])
            found["linking_accuracy"] = counts["linked"] / max(1, counts["known"])
        return found

    def _generator(self, seed: int) -> torch.Generator:
        device = next(self.model.parameters()).device
        return torch.Generator(device).manual_seed(seed)

    def _bare_loss(self, batch: TextBatch, seed: int) -> Tensor:
        hidden = mask(
            batch,
            MaskConfig(whole_entities=False),
            mask_token=self._mask_token,
            vocabulary=self.model.network.config.vocabulary,
            generator=self._generator(seed),
        )
        read = self.model(hidden.tokens, batch.lengths)
        if not len(hidden.places):
            return read.tokens.sum() * 0
        logits = self.model.vocabulary_logits(read.tokens[hidden.places])
        return F.cross_entropy(logits, hidden.labels)


def detection_counts(model: KnowledgeNetwork, batch: TextBatch) -> dict[str, int]:
    """Mentions found in text that nothing is hidden of, and known mentions linked rightly."""
    if not model.shape.knowledge:
        return {}
    read = model(batch.tokens, batch.lengths, spans=batch.spans)
    assert read.tags is not None
    assert read.links is not None
    found = {tuple(span) for span in spans_of_tags(read.tags.argmax(1), batch.lengths).tolist()}
    gold = {tuple(span) for span in batch.spans.tolist()}
    known = batch.entities != NO_ENTITY
    right = read.links[known].argmax(dim=1) == batch.entities[known]
    return {
        "gold": len(gold),
        "found": len(found),
        "hits": len(gold & found),
        "known": int(known.sum()),
        "linked": int(right.sum()),
    }


def pretrain(
    task: PretrainTask,
    config: PretrainConfig,
    *,
    steps: int,
    folder: Path,
    about: Mapping[str, Any] = MappingProxyType({}),
    workers: Workers | None = None,
    report: Log = print,
) -> tuple[Entry, ...]:
    """Train in place, from the folder's checkpoint if there is one; the last weights are kept."""
    loop = LoopConfig(
        steps=steps,
        batch=config.batch,
        accumulate=config.accumulate,
        warm_up=config.warm_up,
        weight_decay=config.weight_decay,
        evaluate_every=config.evaluate_every,
        evaluate_first=True,
        save_every=config.save_every,
        seed=config.seed,
        threads=config.threads,
        precision=config.precision,
    )
    rates = {"rate": config.learning_rate, "head": config.head_rate, "entity": config.entity_rate}
    about = {**rates, "shape": asdict(task.model.shape), **about}
    return train(task, loop, folder=folder, about=about, workers=workers, report=report)
