"""Fine-tunes one encoder on one task: a linear head on tokens, or on two entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from holdfast.progress import Log
from holdfast.systems.kebiolm.training.finetuning.data import (
    BEGIN,
    INSIDE,
    OUTSIDE,
    Sentence,
    Sentences,
    drawn,
)
from holdfast.training.epochs import EpochOrder
from holdfast.training.loop import LoopConfig, Loss, ParameterGroup, Task, train
from holdfast.training.precision import Precision

Counts = npt.NDArray[np.int64]

_BATCH: Final = 32  # sentences that are answered together
_SAVE_EVERY: Final = 500  # steps


@dataclass(frozen=True, slots=True)
class TuneConfig:
    """How long and how fast, the same for every encoder that is compared."""

    steps: int = 600
    batch: int = 16
    learning_rate: float = 1e-4
    head_rate: float = 1e-3
    weight_decay: float = 0.01
    warm_up: float = 0.1
    evaluations: int = 5  # on dev, evenly over the steps; the best weights are kept
    dev_sentences: int = 1000  # at most, drawn at random, the same for every encoder
    longest: int = 192  # tokens of a sentence
    threads: int = 0
    precision: Precision = "float32"  # bfloat16: faster where the processor has it


class FineTuned(nn.Module):
    """An encoder and a linear head."""

    def __init__(self, encoder: nn.Module, labels: int, *, is_relation: bool) -> None:
        super().__init__()
        self.encoder: Any = encoder
        self.is_relation = is_relation
        width = self.encoder.width
        self.out = nn.Linear(2 * width if is_relation else width, labels)
        self.dropout = nn.Dropout(0.1)

    def forward(self, sentences: Sequence[Sentence]) -> Tensor:
        """*Shape:* (sentences, labels) of relations, (tokens, labels) of recognition."""
        tokens = torch.from_numpy(np.concatenate([s.tokens for s in sentences]))
        lengths = torch.tensor([len(s.tokens) for s in sentences])
        states = self.encoder(tokens, lengths)
        if not self.is_relation:
            return self.out(self.dropout(states.tokens))
        begins = torch.cumsum(lengths, 0) - lengths
        ends = []
        for places in ([s.head for s in sentences], [s.tail for s in sentences]):
            place = torch.tensor(places)
            own = states.tokens[begins + place.clamp(min=0)]
            ends.append(torch.where((place >= 0)[:, None], own, states.texts))
        return self.out(self.dropout(torch.cat(ends, dim=1)))


class TuneTask(Task[Sentence]):
    """Sentences in a random order that is new in every epoch."""

    selected_by = "f1"

    def __init__(
        self, model: FineTuned, sentences: Sentences, config: TuneConfig, *, seed: int
    ) -> None:
        self.model: FineTuned = model
        self._sentences = sentences
        self._looked_at = drawn(sentences.dev, config.dev_sentences)
        self._config = config
        self._order = EpochOrder(len(sentences.train), seed)

    def parameter_groups(self) -> Sequence[ParameterGroup]:
        encoder = [p for p in self.model.encoder.parameters() if p.requires_grad]
        return (
            ParameterGroup(encoder, self._config.learning_rate),
            ParameterGroup(list(self.model.out.parameters()), self._config.head_rate),
        )

    def draw(self, step: int, count: int) -> Sequence[Sentence]:
        training = self._sentences.train
        return [training[place] for place in self._order.drawn(step, count)]

    def loss(self, examples: Sequence[Sentence]) -> Loss:
        logits = self.model(examples)
        labels = torch.from_numpy(np.concatenate([e.labels[: len(e.tokens)] for e in examples]))
        return Loss(F.cross_entropy(logits, labels) * len(examples), len(examples))

    def evaluate(self) -> Mapping[str, float]:
        counts = counts_of(self.model, self._looked_at)
        hits, predicted, gold = counts.sum(axis=0).tolist()
        return {"f1": 2 * hits / max(1, predicted + gold)}


def counts_of(model: FineTuned, sentences: Sequence[Sentence]) -> Counts:
    """Right, predicted and gold of each sentence: mentions, or relations that are one.

    *Shape:* (sentences, 3)
    """
    model.eval()
    rows = list[tuple[int, int, int]]()
    count = _relation_counts if model.is_relation else _mention_counts
    with torch.inference_mode():
        for start in range(0, len(sentences), _BATCH):
            some = sentences[start : start + _BATCH]
            answers = model(some).argmax(dim=1).numpy()
            done = 0
            for sentence in some:
                size = 1 if model.is_relation else len(sentence.tokens)
                own = answers[done : done + size]
                done += size
                rows.append(count(own, sentence))
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _relation_counts(answer: npt.NDArray[np.int64], sentence: Sentence) -> tuple[int, int, int]:
    said, right = int(answer[0]), int(sentence.labels[0])
    return int(said == right != 0), int(said != 0), int(right != 0)


def _mention_counts(answer: npt.NDArray[np.int64], sentence: Sentence) -> tuple[int, int, int]:
    if sentence.begins is not None:
        answer = of_whole_words(answer, sentence.begins)
    found, gold = mentions_of(answer), mentions_of(sentence.labels)
    return len(found & gold), len(found), len(gold)


def of_whole_words(
    tags: npt.NDArray[np.int64], begins: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """BIO tags that part no word: a word has the tag of its first token. *Shape:* (tokens,)"""
    words = np.maximum(np.cumsum(begins) - 1, 0)
    firsts = tags[np.flatnonzero(begins)] if begins.any() else tags[:1]
    own = firsts[words]
    return np.where(begins, tags, np.where(own == OUTSIDE, OUTSIDE, INSIDE))


def mentions_of(tags: npt.NDArray[np.int64]) -> set[tuple[int, int]]:
    """The spans of BIO tags; an I that follows nothing begins one."""
    found, begin = set[tuple[int, int]](), -1
    for place, tag in enumerate([*tags.tolist(), OUTSIDE]):
        if begin >= 0 and tag in (OUTSIDE, BEGIN):
            found.add((begin, place))
            begin = -1
        if tag == BEGIN or (tag != OUTSIDE and begin < 0):
            begin = place
    return found


def fine_tune(
    encoder: nn.Module,
    sentences: Sentences,
    config: TuneConfig,
    *,
    seed: int,
    folder: Path,
    about: Mapping[str, Any],
    report: Log,
) -> tuple[float, Counts]:
    """The best F1 on dev, and what the weights that had it answer on test."""
    torch.manual_seed(seed)
    model = FineTuned(encoder, sentences.labels, is_relation=sentences.is_relation)
    loop = LoopConfig(
        steps=config.steps,
        batch=config.batch,
        warm_up=config.warm_up,
        weight_decay=config.weight_decay,
        evaluate_every=max(1, config.steps // config.evaluations),
        save_every=_SAVE_EVERY,
        report_every=50,
        seed=seed,
        threads=config.threads,
        precision=config.precision,
    )
    rates = {"rate": config.learning_rate, "head": config.head_rate}
    task = TuneTask(model, sentences, config, seed=seed)
    history = train(task, loop, folder=folder, about={**rates, **about}, report=report)
    best = max(entry["f1"] for entry in history if "f1" in entry)
    return best, counts_of(model, sentences.test)
