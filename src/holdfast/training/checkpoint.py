"""Where a training run stands, as safetensors and JSON, so that a killed run goes on from there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from holdfast import artifacts
from holdfast.errors import UsageError

KIND: Final = "training checkpoint"
VERSION: Final = 1
WEIGHTS: Final = "model.safetensors"
# Settings that a run may change when it goes on.
_FREE: Final = {"steps", "threads", "save_every", "evaluate_every", "report_every"}


@dataclass(frozen=True, slots=True)
class TrainingState:
    """How far a run is."""

    step: int = 0  # steps done
    log: tuple[Mapping[str, float], ...] = field(default=())  # one entry per report
    seconds: float = 0.0  # of processor time, all threads together, in training steps


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """What was read from a checkpoint besides the weights, which are in the model."""

    progress: TrainingState = field(default_factory=TrainingState)
    state: Mapping[str, Tensor] = field(default_factory=dict)  # beside the model


def save_checkpoint(
    folder: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    *,
    progress: TrainingState,
    config: Mapping[str, Any],
    state: Mapping[str, Tensor] = MappingProxyType({}),
) -> None:
    """Replace the folder's checkpoint by this one, all at once."""
    moments = {
        f"{index}.{name}": value
        for index, values in optimizer.state_dict()["state"].items()
        for name, value in values.items()
        if isinstance(value, Tensor)
    }
    with artifacts.publish(folder) as scratch:
        save_file(contiguous(model.state_dict()), scratch / WEIGHTS)
        save_file(moments, scratch / "optimizer.safetensors")
        save_file(contiguous(state), scratch / "state.safetensors")
        text = json.dumps(asdict(progress))
        (scratch / "progress.json").write_text(text, encoding="utf-8")
        artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=config)


def contiguous(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """As safetensors writes them: on the CPU, each in memory of its own."""
    return {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}


def load_checkpoint(
    folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer | None = None
) -> Checkpoint:
    """Put a checkpoint's weights into the model and, if given, its moments into the optimizer."""
    manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
    artifacts.verify(folder, manifest)
    model.load_state_dict(load_file(folder / WEIGHTS))
    if optimizer is not None:
        moments: dict[int, dict[str, Tensor]] = {}
        for key, value in load_file(folder / "optimizer.safetensors").items():
            index, _, name = key.partition(".")
            moments.setdefault(int(index), {})[name] = value
        optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
    data = json.loads((folder / "progress.json").read_text(encoding="utf-8"))
    return Checkpoint(
        TrainingState(data["step"], tuple(data["log"]), data["seconds"]),
        load_file(folder / "state.safetensors"),
    )


def resume(
    folder: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    *,
    config: Mapping[str, Any],
    report: Callable[[str], None],
) -> Checkpoint:
    """Put the folder's checkpoint into the model and optimizer; at the start, there is none.

    `config` is what the run is asked now. A UsageError if it was asked something else, but for the
    number of steps, which must not be fewer than it has done, and how often it reports or saves.
    """
    if not (folder / artifacts.MANIFEST).exists():
        return Checkpoint()
    stored = artifacts.read_manifest(folder, kind=KIND, version=VERSION).config
    asked = json.loads(json.dumps(config))  # as it is after it was written and read
    keys = (asked.keys() | stored.keys()) - _FREE
    differing = sorted(key for key in keys if asked.get(key) != stored.get(key))
    if differing:
        raise UsageError(
            f"{folder}: a run with other settings ({', '.join(differing)}); delete it to begin anew"
        )
    found = load_checkpoint(folder, model, optimizer)
    step = found.progress.step
    if step > asked.get("steps", step):
        raise UsageError(f"{folder}: a longer run than is asked for; delete it to begin anew")
    report(f"going on from step {step}")
    return found
