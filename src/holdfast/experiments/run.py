"""Runs a recipe: loads its corpus, knowledge base and model, links, and scores by its protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from holdfast.corpora.named.abbreviations import read_med1250
from holdfast.errors import UsageError
from holdfast.evaluate.abbreviations import AbbreviationCase, score_abbreviations
from holdfast.evaluate.protocols import PROTOCOLS
from holdfast.experiments.bier.disambiguation import run_disambiguation
from holdfast.experiments.bier.labels import run_classifier, run_labels, run_low_supervision
from holdfast.experiments.end_to_end import run_end_to_end
from holdfast.experiments.given import run_given_mentions
from holdfast.experiments.kebiolm.comparison import run_comparison
from holdfast.experiments.kebiolm.link_prediction import run_link_prediction
from holdfast.experiments.kebiolm.pretraining import PROTOCOL as PRE_TRAINING
from holdfast.experiments.kebiolm.pretraining import run_pretraining
from holdfast.experiments.kebiolm.relations import run_given_relations
from holdfast.experiments.lenient.run import run_lenient
from holdfast.experiments.outcome import Outcome
from holdfast.experiments.recipe import Recipe, recipe_that_writes
from holdfast.experiments.variants import run_variants
from holdfast.model_store import is_offered
from holdfast.models import find_model
from holdfast.progress import Progress, ignore_progress
from holdfast.text.abbreviations import find_abbreviations

_MED1250: Final = "corpora/abbreviations/ab3p/MED1250_labeled"


def run_abbreviations(recipe: Recipe, *, data: Path) -> Outcome:
    """Split "all" is every abstract, "odd" each second one; rules were made on the others."""
    split = recipe.measured.split
    if split not in ("all", "odd"):
        raise UsageError(f"recipe {recipe.name!r}: no split {split!r}; it is all or odd")
    first, step = (0, 1) if split == "all" else (1, 2)
    cases = [
        AbbreviationCase(
            gold=[(d.short, d.long) for d in example.definitions],
            found=[(a.short_text, a.long_text) for a in find_abbreviations(example.document.text)],
        )
        for example in islice(read_med1250(data / _MED1250), first, None, step)
    ]
    return Outcome((score_abbreviations(cases),), None)


WITH_MODEL: Final[dict[str, Callable[..., Outcome]]] = {
    "lenient": run_lenient,
    "strict": run_given_mentions,
    "ranked": run_given_mentions,
    "labels": run_labels,
    "low-supervision": run_low_supervision,
    "label-classifier": run_classifier,
    "disambiguation": run_disambiguation,
    "relations-given": run_given_relations,
    "fine-tuned": run_comparison,
    "link-prediction": run_link_prediction,
    PRE_TRAINING: run_pretraining,
    **dict.fromkeys(PROTOCOLS, run_end_to_end),
}
"""Protocols of a recipe's [evaluate] that run a model."""

OF_FOLDERS: Final = ("labels", "low-supervision", "label-classifier", "disambiguation")
"""Protocols whose models are no pipeline: `--model` stands in for the first of them."""

WITHOUT_MODEL: Final[dict[str, Callable[..., Outcome]]] = {
    "abbreviations": run_abbreviations,
    "variants": run_variants,
}
"""Protocols that measure rules of the package, which no model changes."""


def run_recipe(
    recipe: Recipe, *, data: Path, model: Path | None = None, progress: Progress | None = None
) -> Outcome:
    """Measure what the recipe says. Only its split is read, besides those that become names.

    `model` is a model folder to measure instead of the recipe's own.
    """
    measured = recipe.measured
    if not data.is_dir():
        raise UsageError(f"{data}: no such data folder; name it with --data or HOLDFAST_DATA")
    if measured.protocol not in (*WITH_MODEL, *WITHOUT_MODEL):
        raise UsageError(f"recipe {recipe.name!r}: no protocol is called {measured.protocol!r}")
    if model is not None and (measured.index or measured.protocol in WITHOUT_MODEL):
        raise UsageError(f"recipe {recipe.name!r} runs no model, so --model cannot be used")
    if measured.protocol in WITHOUT_MODEL:
        return WITHOUT_MODEL[measured.protocol](recipe, data=data)
    run = WITH_MODEL[measured.protocol]
    folders = () if measured.index else _model_of(recipe, model)
    if isinstance(folders, Path) and measured.protocol in OF_FOLDERS:
        folders = (folders, *map(find_model, recipe.model[1:]))
    outcome = run(recipe, folders, data=data, progress=progress or ignore_progress)
    names = (folders,) if isinstance(folders, Path) else folders
    return replace(outcome, model=tuple(folder.resolve().name for folder in names))


def _model_of(recipe: Recipe, model: Path | None) -> Path | tuple[Path, ...]:
    """What is measured: the model given, the recipe's parts, or what it trains."""
    if model is not None:
        return find_model(model)
    names = recipe.model or ((recipe.name,) if recipe.train else ())
    if not names:
        raise UsageError(
            f"recipe {recipe.name!r} names no model: it has neither [model] nor [train]"
        )
    return tuple(_found(name, recipe) for name in names)


def _found(name: str, recipe: Recipe) -> Path:
    try:
        return find_model(name)
    except UsageError as error:
        hint = f"first `holdfast train {recipe_that_writes(name)}`"
        if is_offered(name):
            hint = f"`holdfast models get {name}`, or {hint}"
        raise UsageError(
            f"recipe {recipe.name!r}: the model {name!r} is not here; {hint}"
        ) from error
