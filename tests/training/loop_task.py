"""A task for the training loop that takes a moment: three numbers of a line are learned.

Run as a program by `torchrun`, it trains in several processes and writes the weights it found.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from holdfast.training.loop import LoopConfig, Loss, ParameterGroup, Task, train
from holdfast.training.workers import Workers

CONFIG = LoopConfig(
    steps=200, batch=8, warm_up=0.1, weight_decay=0.0, clip=0.0, report_every=10, save_every=20
)


def silent(_line: str) -> None:
    pass


class LineTask(Task[tuple[Any, float]]):
    """Learns y = 2a - b + 0.5 from random pairs."""

    def __init__(self, *, dropout: float = 0.0, fails_at: int = -1, bias_rate: float = 0.1) -> None:
        torch.manual_seed(3)
        self.model = torch.nn.Linear(2, 1)
        self.steps_seen = torch.zeros(1)
        self._dropout = dropout
        self._fails_at = fails_at
        self._bias_rate = bias_rate

    def parameter_groups(self) -> Sequence[ParameterGroup]:
        return (
            ParameterGroup([self.model.weight], 0.1),
            ParameterGroup([self.model.bias], self._bias_rate),
        )

    def draw(self, step: int, count: int) -> Sequence[tuple[Any, float]]:
        pairs = np.random.default_rng([7, step]).normal(size=(count, 2)).astype(np.float32)
        return [(pair, float(2 * pair[0] - pair[1] + 0.5)) for pair in pairs]

    def refresh(self, done: int) -> None:
        self.steps_seen += 1
        if done == self._fails_at:
            raise RuntimeError("the power went")

    def loss(self, examples: Sequence[tuple[Any, float]]) -> Loss:
        inputs = torch.from_numpy(np.stack([pair for pair, _ in examples]))
        inputs = torch.nn.functional.dropout(inputs, self._dropout)
        wanted = torch.tensor([value for _, value in examples])
        return Loss(((self.model(inputs)[:, 0] - wanted) ** 2).sum(), len(examples))

    def state(self) -> dict[str, torch.Tensor]:
        return {"steps_seen": self.steps_seen}

    def load_state(self, state: Mapping[str, torch.Tensor]) -> None:
        if state:
            self.steps_seen = state["steps_seen"]


if __name__ == "__main__":
    workers, folder = Workers.from_environment(), Path(sys.argv[1])
    task = LineTask()
    if not workers.is_first:  # must be given the first process's weights
        torch.nn.init.zeros_(task.model.weight)
    train(task, CONFIG, folder=folder, workers=workers, report=silent)
    if workers.is_first:
        found = [*task.model.weight.flatten().tolist(), *task.model.bias.tolist()]
        (folder / "weights.json").write_text(json.dumps(found), encoding="utf-8")
    workers.leave()
