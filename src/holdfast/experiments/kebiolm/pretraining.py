"""What a pre-training run measured on held-out text while it went on."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from holdfast.evaluate.report import Report
from holdfast.experiments.outcome import Outcome
from holdfast.experiments.recipe import Recipe
from holdfast.models import manifest_of
from holdfast.parts import Models
from holdfast.progress import Progress

PROTOCOL: Final = "pre-training"
_OF_THE_RUN: Final = ("step", "seconds", "loss")


def run_pretraining(recipe: Recipe, model: Models, *, data: Path, progress: Progress) -> Outcome:
    """The figures before the first step (`first_…`) and after the last, and all between.

    They are losses and counts over the same held-out sequences at every look, without intervals.
    """
    del recipe, data, progress
    folder = Path(model if isinstance(model, str | Path) else model[0])
    manifest = manifest_of(folder)
    history = tuple(dict(entry) for entry in manifest.config["log"])
    looks = [entry for entry in history if entry.keys() - set(_OF_THE_RUN)]
    first, last = looks[0], looks[-1]
    measured = [key for key in last if key not in _OF_THE_RUN]
    report = Report(PROTOCOL, {}, counts={"n_steps": int(last["step"])}, unit="sequence")
    report = report.with_context(
        tokens=manifest.config["tokens"],
        seconds=round(last["seconds"]),
        **{f"first_{key}": first[key] for key in measured},
        **{key: last[key] for key in measured},
    )
    return Outcome((report,), None, manifest.digest, history=history)
