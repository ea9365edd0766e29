"""Where a training run stands, as safetensors and JSON, so that a killed run goes on from there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from holdfast import artifacts
from holdfast.errors import UsageError

KIND: Final = "training checkpoint"
VERSION: Final = 1
WEIGHTS: Final = "model.safetensors"
_FREE: Final = {"steps", "threads", "save_every", "look_every", "report_every"}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    step: int = 0  # steps done
    log: tuple[Mapping[str, float], ...] = field(default=())  # one entry per report
    seconds: float = 0.0  # of the processor, where a run counts them


def save_checkpoint(
    folder: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    *,
    progress: Progress,
    config: Mapping[str, Any],
) -> None:
    """Replace the folder's checkpoint by this one, all at once."""
    state = optimizer.state_dict()["state"]
    moments = {
        f"{index}.{name}": value
        for index, values in state.items()
        for name, value in values.items()
        if isinstance(value, Tensor)
    }
    with artifacts.publish(folder) as scratch:
        save_file(dict(model.state_dict()), scratch / WEIGHTS)
        save_file(moments, scratch / "optimizer.safetensors")
        text = json.dumps(asdict(progress))
        (scratch / "progress.json").write_text(text, encoding="utf-8")
        artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=config)


def load_checkpoint(
    folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer | None = None
) -> Progress:
    """Put a checkpoint's weights into the model and, if given, its moments into the optimizer."""
    manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
    artifacts.verify(folder, manifest)
    model.load_state_dict(load_file(folder / WEIGHTS))
    if optimizer is not None:
        state: dict[int, dict[str, Tensor]] = {}
        for key, value in load_file(folder / "optimizer.safetensors").items():
            index, _, name = key.partition(".")
            state.setdefault(int(index), {})[name] = value
        optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
    data = json.loads((folder / "progress.json").read_text(encoding="utf-8"))
    return Progress(data["step"], tuple(data["log"]), data.get("seconds", 0.0))


def resume(
    folder: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    *,
    config: Mapping[str, Any],
    report: Callable[[str], None],
) -> Progress:
    """How far the run in the folder is, with its weights; the start, if there is none.

    `config` is what the run is told now. A UsageError if it was told something else, but for the
    number of steps, which must not be fewer than it has done, and how often it reports or saves.
    """
    if not (folder / artifacts.MANIFEST).exists():
        return Progress()
    said = artifacts.read_manifest(folder, kind=KIND, version=VERSION).config
    told = json.loads(json.dumps(config))  # as it is after it was written and read
    keys = (told.keys() | said.keys()) - _FREE
    differing = sorted(key for key in keys if told.get(key) != said.get(key))
    if differing:
        raise UsageError(
            f"{folder}: a run with other settings ({', '.join(differing)}); delete it to begin anew"
        )
    progress = load_checkpoint(folder, model, optimizer)
    if progress.step > told.get("steps", progress.step) + told.get("align_steps", 0):
        raise UsageError(f"{folder}: a longer run than is asked for; delete it to begin anew")
    report(f"going on from step {progress.step}")
    return progress
