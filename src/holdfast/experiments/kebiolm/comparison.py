"""Measures a comparison of fine-tuned encoders by what they answered on the test split."""

from __future__ import annotations

from pathlib import Path

from holdfast.evaluate.kebiolm.fine_tuning import read_answers, score_fine_tuning
from holdfast.experiments.outcome import Outcome
from holdfast.experiments.recipe import Recipe
from holdfast.models import manifest_of
from holdfast.parts import Models
from holdfast.progress import Progress


def run_comparison(recipe: Recipe, model: Models, *, data: Path, progress: Progress) -> Outcome:
    """Score the stored answers; the trainer read the test split once, with the chosen weights."""
    del recipe, data, progress
    folder = Path(model if isinstance(model, str | Path) else model[0])
    report = score_fine_tuning(read_answers(folder))
    config = manifest_of(folder).config
    settings = config["settings"]
    report = report.with_context(
        task=config["task"], steps=settings["steps"], most_sentences=settings["most_sentences"]
    )
    return Outcome((report,), None, manifest_of(folder).digest)
