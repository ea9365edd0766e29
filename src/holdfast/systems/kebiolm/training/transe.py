"""Trains TransE: head + relation comes near tail, and farther from other entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from holdfast.progress import Log
from holdfast.systems.kebiolm.knowledge.ranks import KnownEnds, by_distance, filtered_ranks
from holdfast.systems.kebiolm.knowledge.triples import SplitTriples
from holdfast.systems.kebiolm.knowledge.vectors import KnowledgeVectors
from holdfast.training.epochs import EpochOrder
from holdfast.training.history import Entry
from holdfast.training.loop import LoopConfig, Loss, ParameterGroup, Task, train


@dataclass(frozen=True, slots=True)
class TransEConfig:
    """How TransE is trained; the defaults but for the batch are the KeBioLM paper's."""

    width: int = 100
    epochs: int = 30
    batch: int = 8192  # triples of a step
    learning_rate: float = 1e-3
    margin: float = 1.0  # by which wrong triples must be farther apart
    negatives: int = 32  # entities that replace a head or a tail, shared by a step's triples
    evaluate_every: int = 0  # steps; 0: after the last step only
    evaluated: int = 300  # held-out triples that are ranked while training
    save_every: int = 100
    seed: int = 0
    threads: int = 0

    def steps(self, triples: int) -> int:
        return max(1, self.epochs * triples // self.batch)


class TransE(nn.Module):
    """Vectors of entities, used at unit length, and of relations."""

    def __init__(self, entities: int, relations: int, *, width: int) -> None:
        super().__init__()
        self.entities = nn.Embedding(entities, width)
        self.relations = nn.Embedding(relations, width)
        bound = 6 / width**0.5
        # Entities are used at unit length: small vectors turn far in one step, and most entities
        # have only one or two triples to learn from.
        nn.init.uniform_(self.entities.weight, -bound / 10, bound / 10)
        nn.init.uniform_(self.relations.weight, -bound, bound)
        with torch.no_grad():
            self.relations.weight.copy_(F.normalize(self.relations.weight, dim=1))

    def vectors(self, places: Tensor) -> Tensor:
        """Unit rows. *Shape:* (places,) to (places, width)."""
        return F.normalize(self.entities(places), dim=1)

    def loss(self, triples: Tensor, others: Tensor, *, margin: float) -> Tensor:
        """The margin loss against each other entity as the tail, then as the head; a sum.

        *Shape:* triples (count, 3); others (negatives,).
        """
        head, tail = self.vectors(triples[:, 0]), self.vectors(triples[:, 2])
        move, wrong = self.relations(triples[:, 1]), self.vectors(others)
        right = (head + move - tail).norm(dim=1)
        total = right.new_zeros(())
        for point in (head + move, tail - move):
            total = (
                total + F.relu(margin + right[:, None] - torch.cdist(point, wrong)).mean(1).sum()
            )
        return total / 2


class TransETask(Task[int]):
    """Examples are rows of the training triples, in an order that is new in every epoch."""

    selected_by = "mrr"

    def __init__(self, model: TransE, split: SplitTriples, config: TransEConfig) -> None:
        self.model: TransE = model
        self._split = split
        self._config = config
        order = np.random.default_rng([config.seed, 2]).permutation(len(split.dev))
        self._chosen = split.dev.keeping(np.sort(order[: config.evaluated]))
        self._known = KnownEnds(split, self._chosen)
        self._order = EpochOrder(len(split.train), config.seed, 0)
        self._step = 0

    def parameter_groups(self) -> Sequence[ParameterGroup]:
        parameters = list(self.model.parameters())
        return (ParameterGroup(parameters, self._config.learning_rate, weight_decay=0.0),)

    def draw(self, step: int, count: int) -> Sequence[int]:
        self._step = step
        return self._order.drawn(step, count)

    def loss(self, examples: Sequence[int]) -> Loss:
        triples = torch.from_numpy(self._split.train.rows[np.array(examples)])
        rng = np.random.default_rng([self._config.seed, 1, self._step])
        others = rng.integers(len(self._split.train.entities), size=self._config.negatives)
        total = self.model.loss(triples, torch.from_numpy(others), margin=self._config.margin)
        return Loss(total, len(examples))

    def evaluate(self) -> Mapping[str, float]:
        """Filtered ranks on some of the development triples."""
        vectors = vectors_of(self.model, self._split)
        score = by_distance(vectors.entities, vectors.relations)
        ranks = filtered_ranks(self._chosen, self._known, score)
        places = np.array([rank.first for rank in ranks])
        return {"mrr": float((1 / places).mean()), "hits_at_10": float((places <= 10).mean())}


def vectors_of(model: TransE, split: SplitTriples) -> KnowledgeVectors:
    """The model's vectors, entities at unit length."""
    with torch.no_grad():
        entities = F.normalize(model.entities.weight, dim=1).numpy()
        relations = model.relations.weight.detach().numpy().copy()
    return KnowledgeVectors(split, entities, relations)


def train_transe(
    split: SplitTriples,
    config: TransEConfig,
    *,
    folder: Path,
    about: Mapping[str, Any] = MappingProxyType({}),
    report: Log = print,
) -> tuple[KnowledgeVectors, tuple[Entry, ...]]:
    """Vectors with the best dev rank, and the history; goes on from the folder's checkpoint."""
    torch.manual_seed(config.seed)
    relations = len(split.train.relations)
    model = TransE(len(split.train.entities), relations, width=config.width)
    loop = LoopConfig(
        steps=config.steps(len(split.train)),
        batch=config.batch,
        warm_up=0.0,
        clip=0.0,
        evaluate_every=config.evaluate_every,
        save_every=config.save_every,
        seed=config.seed,
        threads=config.threads,
    )
    own = {"width": config.width, "rate": config.learning_rate, "margin": config.margin}
    about = {**own, "negatives": config.negatives, "triples": len(split.train), **about}
    history = train(
        TransETask(model, split, config), loop, folder=folder, about=about, report=report
    )
    return vectors_of(model, split), history
