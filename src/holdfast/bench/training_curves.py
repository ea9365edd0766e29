"""Accuracy on dev against processor seconds of training, of models that were trained alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from holdfast import artifacts
from holdfast.systems.collective.model import KIND, VERSION

_LOGGED: Final = ("step", "seconds", "accuracy", "recall_at_10")

Curve = Sequence[Mapping[str, float]]  # evaluations on dev, in order


def training_curves(folders: Mapping[str, Path]) -> dict[str, Any]:
    """What the training of each model folder logged, and how much sooner the first got there.

    `times_faster` by name: the seconds that another model needed for the best accuracy that both
    reached, over the seconds the first needed. Names are the keys of `folders`, the first first.
    """
    curves = {name: _log(folder) for name, folder in folders.items()}
    first, *others = curves or [""]
    sooner = {name: times_faster(curves[first], curves[name]) for name in others}
    return {"curves": curves, "times_faster": sooner}


def _log(folder: Path) -> list[dict[str, float]]:
    manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
    log: list[Mapping[str, float]] = manifest.config.get("log", [])
    return [{key: entry[key] for key in _LOGGED} for entry in log if "accuracy" in entry]


def times_faster(first: Curve, other: Curve) -> float | None:
    """None where either was never evaluated on dev, or the first has nothing to learn."""
    if not first or not other:
        return None
    reached = min(max(entry["accuracy"] for entry in curve) for curve in (first, other))
    needed = _seconds_to(first, reached)
    return _seconds_to(other, reached) / needed if needed else None


def _seconds_to(curve: Curve, accuracy: float) -> float:
    """When the curve first is as high, on a straight line between two evaluations."""
    before_seconds, before = 0.0, 0.0
    for entry in curve:
        if entry["accuracy"] >= accuracy:
            rise = entry["accuracy"] - before
            part = (accuracy - before) / rise if rise > 0 else 1.0
            return before_seconds + part * (entry["seconds"] - before_seconds)
        before_seconds, before = entry["seconds"], entry["accuracy"]
    return curve[-1]["seconds"]
