"""One short training of ResCNN from given token embeddings: pre-alignment, then fine-tuning."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import torch
from tokenizers import Tokenizer
from torch import Tensor

from holdfast.progress import Progress
from holdfast.systems.rescnn.training.batches import BatchConfig, NameBatches
from holdfast.systems.rescnn.training.corpus import seed_weights
from holdfast.systems.rescnn.training.model import ResCNN, ResCNNConfig
from holdfast.systems.rescnn.training.probing.differences import ALIGNED, STAGES, TUNED
from holdfast.systems.rescnn.training.synonyms import Group
from holdfast.systems.rescnn.training.train import Encode, NamesConfig, encoder_of, train

_RATES: Final = {ALIGNED: 1e-3, TUNED: 6e-4}
_MENTIONS: Final = 0.5  # of the seeds of fine-tuning; the others are names of the dictionary


@dataclass(frozen=True, slots=True)
class ComparisonConfig:
    align_steps: int = 400
    tune_steps: int = 250
    pairs: int = 128  # in one batch, each of another disease
    seeds: int = 2  # trainings of each kind
    threads: int = 2


@dataclass(frozen=True, slots=True)
class TrainedEmbeddings:
    """An encoder as it stands after a stage; the next stage trains it further."""

    stage: str
    encode: Encode
    losses: list[dict[str, float]]  # by step, each the mean since the one before


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """One kind of embeddings with one seed."""

    start: str
    seed: int
    embeddings: Tensor  # that deviate by 1. *Shape:* (pieces, width)
    tokenizer: Tokenizer
    config: ComparisonConfig

    def stages(
        self, groups: Sequence[Group], *, work: Path, progress: Progress
    ) -> Iterator[TrainedEmbeddings]:
        """The encoder after each stage: measure it before asking for the next."""
        torch.manual_seed(self.seed)
        model = ResCNN(ResCNNConfig(len(self.embeddings), embedding=self.embeddings.shape[1]))
        with torch.no_grad():
            model.embedding.weight.copy_(self.embeddings)
        place = work / f"embeddings-{self._key(groups)}"
        for stage in STAGES:
            history = train(
                model,
                self.tokenizer,
                self._batches(stage, groups),
                self._learning(stage),
                folder=place / stage,
                report=self._reporter(stage, progress),
            )
            losses = [{"step": entry["step"], "loss": entry["loss"]} for entry in history]
            yield TrainedEmbeddings(stage, encoder_of(model, self.tokenizer), losses)

    def _batches(self, stage: str, groups: Sequence[Group]) -> NameBatches:
        if stage == ALIGNED:
            groups = [replace(group, mentions=()) for group in groups]
        return NameBatches(
            groups,
            weights=seed_weights(groups, mentions=_MENTIONS if stage == TUNED else 0.0),
            config=BatchConfig(groups=self.config.pairs, mention_first=0.7),
        )

    def _steps(self, stage: str) -> int:
        return self.config.tune_steps if stage == TUNED else self.config.align_steps

    def _learning(self, stage: str) -> NamesConfig:
        steps = self._steps(stage)
        return NamesConfig(
            steps=steps,
            learning_rate=_RATES[stage],
            embedding_rate=_RATES[stage],
            warm_up=steps // 10,
            report_every=max(1, steps // 10),
            save_every=100,
            seed=self.seed,
            threads=self.config.threads,
        )

    def _reporter(self, stage: str, progress: Progress) -> Callable[[str], None]:
        before, steps = STAGES.index(stage), self._steps(stage)

        def report(text: str) -> None:
            step = re.search(r"step (\d+)", text)
            done = int(step[1]) / steps if step else 0.0
            what = f"{self.start} embeddings, seed {self.seed}, {stage}: {text}"
            progress(what, (before + done) / len(STAGES))

        return report

    def _key(self, groups: Sequence[Group]) -> str:
        """Of everything that decides what is learned."""
        steps = [self._steps(stage) for stage in STAGES]
        seeds = [self.seed, self.config.pairs, steps, [asdict(group) for group in groups]]
        digest = hashlib.sha256(json.dumps(seeds).encode())
        digest.update(self.tokenizer.to_str().encode())
        digest.update(self.embeddings.numpy().tobytes())
        return digest.hexdigest()[:12]
