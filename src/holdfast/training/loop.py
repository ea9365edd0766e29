"""The training loop of every system: the page to read first.

A task (`holdfast.training.task`) knows its model, its examples and its loss. The loop does the
rest: learning rates that rise and then fall to zero, gradient accumulation, clipping, several
processes, evaluation on development data with the best weights kept, checkpoints from which a
killed run goes on exactly, a history as JSON lines and as a plot, and the time that is left.

    folder/run/               the checkpoint: weights, optimizer state, step, history
    folder/best.safetensors   the weights with the best development figure so far
    folder/history.jsonl      one line per report, and history.svg
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch

from holdfast.progress import Log
from holdfast.training.history import Entry
from holdfast.training.run import BEST, RUN, Run, learning_rate
from holdfast.training.stopping import stop_requested
from holdfast.training.task import LoopConfig, Loss, ParameterGroup, Task, split_config
from holdfast.training.workers import Workers

__all__ = [
    "BEST",
    "RUN",
    "LoopConfig",
    "Loss",
    "ParameterGroup",
    "Task",
    "best_entry",
    "learning_rate",
    "split_config",
    "train",
]


def train(
    task: Task[Any],
    config: LoopConfig,
    *,
    folder: Path,
    about: Mapping[str, Any] = MappingProxyType({}),
    workers: Workers | None = None,
    report: Log = print,
) -> tuple[Entry, ...]:
    """Train the task's model in place and return the history.

    A checkpoint in the folder is gone on from, exactly; `about` holds settings beside `config` that
    make it another run, which is then refused. Afterwards the model has the best weights, if the
    task selects by a figure, otherwise the last. An interrupt (Ctrl-C, SIGTERM) ends the step in
    progress, leaves a checkpoint, and is raised as KeyboardInterrupt.
    """
    if config.threads:
        torch.set_num_threads(config.threads)
    run = Run(task, config, folder, about, workers or Workers(), report)
    with stop_requested() as is_stopped:
        run.start()
        while run.progress.step < config.steps:
            run.step()
            if is_stopped():
                run.save()
                raise KeyboardInterrupt
    return run.finish()


def best_entry(history: Sequence[Entry], selected_by: str) -> Entry:
    """The report whose weights were kept; the last one if nothing was selected by."""
    found = [entry for entry in history if selected_by in entry]
    return max(reversed(found), key=lambda entry: entry[selected_by], default=history[-1])
