"""How good a linker is on development documents, for its manifest and for who trains it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from holdfast.corpora.named.splits import parse_splits, split_name
from holdfast.experiments.given import run_given_mentions
from holdfast.experiments.recipe import Evaluate, Recipe
from holdfast.models import find_model
from holdfast.progress import ignore_progress


def measure_on_select(
    recipe: Recipe,
    folder: Path,
    *,
    start: str,  # the linker that the training began with, if any
    only: tuple[str, ...],
    data: Path,
    report: Callable[[str], None],
) -> dict[str, float]:
    """The figures of the new linker and of its start on the recipe's `select`, as manifests have
    them: strict accuracy and calibration error."""
    (split,) = parse_splits([recipe.trained.select])
    evaluate = Evaluate("strict", corpus=split[0], split=split[1], only=only, calibration=True)
    measured = replace(recipe, evaluate=evaluate)
    models = {f", {start!r} before": find_model(start)} if start else {}
    results = dict[str, float]()
    for which, model in {**models, "": folder}.items():
        outcome = run_given_mentions(measured, [model], data=data, progress=ignore_progress)
        found = outcome.reports[0]
        accuracy, error = found["accuracy_at_1"], float(found.context["calibration_error"] or 0.0)
        what = f"{split_name(split)}{which}"
        report(
            f"{what}: {100 * accuracy:.1f} % of {found.counts['n_scored']:,} mentions right "
            f"(strict accuracy), calibration error {error:.3f}"
        )
        results[f"{what}, strict accuracy"] = round(accuracy, 4)
        results[f"{what}, calibration error"] = round(error, 4)
    return results
