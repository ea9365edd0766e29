"""One training run: steps, evaluations, reports and checkpoints."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import load_file, save_file
from torch import nn

from holdfast.progress import Log
from holdfast.training.checkpoint import TrainingState, contiguous, resume, save_checkpoint
from holdfast.training.history import Entry, write_history
from holdfast.training.memory import keep_freed_memory
from holdfast.training.precision import Precision, computed_in, usable_precision
from holdfast.training.task import LoopConfig, ParameterGroup, Task
from holdfast.training.time_left import SILENCE, time_left
from holdfast.training.workers import Workers

RUN: Final = "run"
BEST: Final = "best.safetensors"


@dataclass(slots=True)
class Run:
    """A run and how far it is."""

    task: Task[Any]
    config: LoopConfig
    folder: Path
    about: Mapping[str, Any]
    workers: Workers
    report: Log
    progress: TrainingState = field(default_factory=TrainingState)
    optimizer: torch.optim.Optimizer = field(init=False)
    losses: list[float] = field(default_factory=list)  # since the last report
    began: float = field(default_factory=time.monotonic)
    reported: float = field(default_factory=time.monotonic)  # when a line was last printed
    first: int = 0  # the step that this process began with
    precision: Precision = field(init=False)

    def start(self) -> None:
        """Seed, move the model to its device, and go on from the checkpoint if there is one."""
        keep_freed_memory()
        self.precision = usable_precision(self.config.precision, self.workers.device.type)
        if self.precision != self.config.precision:
            self._print(f"this processor has no {self.config.precision}: training in float32")
        torch.manual_seed(self.config.seed)
        self.task.model.to(self.workers.device)
        self.optimizer = _optimizer(self.task.parameter_groups(), self.config)
        found = resume(
            self.folder / RUN,
            self.task.model,
            self.optimizer,
            config=self._settings(),
            report=self.report if self.workers.is_first else _silent,
        )
        self.progress = found.progress
        self.task.load_state(found.state)
        self.workers.copy_from_first(self.task.model)
        self.first = self.progress.step
        if not self.first:
            started = time.process_time()
            self._refresh(0)
            self.progress = replace(self.progress, seconds=time.process_time() - started)
            self.began = time.monotonic()  # the time that is left is that of steps
            if self.config.evaluate_first:
                self._report()

    def step(self) -> None:
        """One step, and what is due after it."""
        started = time.process_time()
        done = self.progress.step + 1
        is_last = done == self.config.steps
        self.losses.append(self._learn(self.progress.step))
        if not is_last:
            self._refresh(done)
        taken = time.process_time() - started
        if is_last:  # no step follows, so that this is a cost of evaluation alone
            self._refresh(done)
        self.progress = replace(self.progress, step=done, seconds=self.progress.seconds + taken)
        if is_last or _is_due(done, self.config.evaluate_every):
            self._report()
        elif _is_due(done, self.config.report_every):
            self._report(evaluated=False)
        elif time.monotonic() - self.reported > SILENCE:
            self._print(f"step {done} of {self.config.steps}")
        if is_last or _is_due(done, self.config.save_every):
            self.save()

    def _refresh(self, done: int) -> None:
        with self._place():
            self.task.refresh(done)

    @contextmanager
    def _place(self) -> Iterator[None]:
        """The precision of layers, and the device that new tensors are made on."""
        with computed_in(self.precision, self.workers.device.type), self.workers.made_there():
            yield

    def _learn(self, step: int) -> float:
        """Update the weights by one batch; the mean loss before that."""
        config, workers = self.config, self.workers
        parameters = list(self.task.model.parameters())
        rate = learning_rate(step, config.steps, warm_up=config.warm_up)
        for group in self.optimizer.param_groups:
            group["lr"] = group["initial_lr"] * rate
        self.task.model.train()
        self.optimizer.zero_grad()
        share = workers.share(self.task.draw(step, config.batch * workers.count))
        total = weight = 0.0
        for part in range(config.accumulate):
            torch.manual_seed(_seed_of(config.seed, step, workers.rank, part))
            examples = share[part :: config.accumulate]
            if len(examples):
                with self._place():
                    found = self.task.loss(examples)
                if found.total.requires_grad:
                    torch.autograd.backward(found.total)
                total, weight = total + found.total.item(), weight + found.weight
        workers.sum_gradients(parameters)
        total, weight = workers.sum(total), workers.sum(weight)
        self._apply(parameters, weight)
        return total / max(weight, 1e-12)

    def _apply(self, parameters: Sequence[nn.Parameter], weight: float) -> None:
        """Step the optimizer by the gradient of the mean loss; without a gradient, do nothing."""
        gradients = [p.grad for p in parameters if p.grad is not None]
        if not gradients or not weight:
            return
        for gradient in gradients:
            gradient /= weight
        if self.config.clip:
            nn.utils.clip_grad_norm_(parameters, self.config.clip)
        self.optimizer.step()

    def _report(self, *, evaluated: bool = True) -> None:
        """Add an entry to the history, tell it, and keep the weights if dev was never better."""
        entry = {"step": self.progress.step, "seconds": round(self.progress.seconds, 3)}
        if self.losses:
            entry["loss"] = sum(self.losses) / len(self.losses)
            self.losses.clear()
        if evaluated and self.workers.is_first:
            self.task.model.eval()
            with self.workers.made_there():
                entry |= self.task.evaluate()
            self._keep_best(entry)
        self.progress = replace(self.progress, log=(*self.progress.log, entry))
        self._print(_line(entry, self.config.steps))
        self.workers.wait()

    def _print(self, line: str) -> None:
        """Log a line with the time that is left, in the first process."""
        if self.workers.is_first:
            self.report(f"{line}{self._time_left()}")
            self.reported = time.monotonic()

    def _keep_best(self, entry: Entry) -> None:
        key = self.task.selected_by
        if key and key in entry and entry[key] >= _highest(self.progress.log, key):
            self.folder.mkdir(parents=True, exist_ok=True)
            save_file(contiguous(self.task.model.state_dict()), self.folder / BEST)

    def _time_left(self) -> str:
        done = self.progress.step - self.first
        if not done:
            return ""
        left = (time.monotonic() - self.began) / done * (self.config.steps - self.progress.step)
        return time_left(left)

    def save(self) -> None:
        """Write the checkpoint and the history, in the first process."""
        if self.workers.is_first:
            save_checkpoint(
                self.folder / RUN,
                self.task.model,
                self.optimizer,
                progress=self.progress,
                config=self._settings(),
                state=self.task.state(),
            )
            write_history(self.progress.log, self.folder)
        self.workers.wait()

    def finish(self) -> tuple[Entry, ...]:
        """Put the best weights into the model, if dev chose any."""
        best = self.folder / BEST
        if self.task.selected_by and best.exists():
            self.task.model.load_state_dict(load_file(best))
        self.task.model.eval()
        return self.progress.log

    def _settings(self) -> dict[str, Any]:
        return {**asdict(self.config), "processes": self.workers.count, **self.about}


def learning_rate(step: int, steps: int, *, warm_up: float) -> float:
    """The share of the full rate at a step: rises over the warm-up, then falls linearly to 0."""
    rising = max(1, round(warm_up * steps))
    if step < rising:
        return (step + 1) / rising
    return (steps - step) / max(1, steps - rising)


def _optimizer(groups: Sequence[ParameterGroup], config: LoopConfig) -> torch.optim.Optimizer:
    return torch.optim.AdamW(
        [
            {
                "params": list(group.parameters),
                "lr": group.rate,
                "initial_lr": group.rate,
                "weight_decay": (
                    config.weight_decay if group.weight_decay is None else group.weight_decay
                ),
            }
            for group in groups
            if group.parameters
        ],
        fused=True,
    )


def _seed_of(seed: int, step: int, rank: int, part: int) -> int:
    return ((seed * 1_000_003 + step) * 1009 + rank) * 1009 + part


def _highest(history: Sequence[Entry], key: str) -> float:
    return max((entry[key] for entry in history if key in entry), default=float("-inf"))


def _line(entry: Entry, steps: int) -> str:
    figures = "  ".join(
        f"{key} {value:.4g}" for key, value in entry.items() if key not in ("step", "seconds")
    )
    return f"step {entry['step']:.0f} of {steps}  {figures}"


def _is_due(step: int, every: int) -> bool:
    return every > 0 and step % every == 0


def _silent(_line: str) -> None:
    """The other processes report nothing."""
