"""Fits how much type agreement counts for the linker, and writes it as a model folder."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from holdfast import artifacts
from holdfast.corpora.named import load_training
from holdfast.corpora.named.splits import parse_splits
from holdfast.document import NIL
from holdfast.errors import UsageError
from holdfast.experiments.given import blank
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of, primary_ids
from holdfast.experiments.settings import read_config
from holdfast.models import find_model, manifest_of
from holdfast.pipeline import load
from holdfast.progress import Log
from holdfast.systems.bier.agreement import AgreementWeights, TypeAgreement, reweighed
from holdfast.systems.bier.kinds import AGREEMENT
from holdfast.systems.bier.model import TypingModel

VERSION: Final = 1
_WEIGHTS: Final = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
_OFFSETS: Final = (-2.0, -1.0, 0.0, 1.0, 2.0, 3.0)


@dataclass(frozen=True, slots=True)
class AgreementConfig:
    """The settings of a recipe's [train] for type agreement."""

    model: str = "bier-open-int8"  # the typing model
    linker: str = "default"
    documents: int = 300  # that are linked to fit it


@dataclass(frozen=True, slots=True)
class FitCase:
    """A mention's candidates as the linker and the types see them."""

    scores: tuple[float, ...]
    agreements: tuple[float | None, ...]
    gold: int  # the place of the right candidate; -1: none of these


def train_agreement(
    recipe: Recipe, *, data: Path, out: Path, report: Log, encoder: Path | None = None
) -> None:
    """Link training documents, choose the weight that makes the right candidates likeliest."""
    if encoder is not None:
        raise UsageError(f"recipe {recipe.name!r} has no use for an --encoder")
    config = read_config(AgreementConfig, recipe)
    cases = _cases(recipe, config, data=data)
    if not cases:
        raise UsageError(f"recipe {recipe.name!r}: no training mention has a candidate")
    weights = fit_agreement(cases)
    before, after = (mean_log_likelihood(cases, w) for w in (AgreementWeights(0.0), weights))
    report(
        f"{len(cases):,} mentions; weight {weights.weight}, offset {weights.offset}; mean "
        f"log-likelihood {before:.4f} without, {after:.4f} with"
    )
    described = {
        "model": config.model,
        "weights": asdict(weights),
        "recipes": [recipe.name],
        "training_data": list(recipe.trained.on),
        "typing_digest": manifest_of(find_model(config.model)).digest,
    }
    with artifacts.publish(out) as scratch:
        artifacts.write_manifest(scratch, kind=AGREEMENT, version=VERSION, config=described)


def fit_agreement(cases: list[FitCase]) -> AgreementWeights:
    """The weight and offset of the grid under which the right answers are likeliest."""
    tried = [
        AgreementWeights(weight, offset)
        for weight in _WEIGHTS
        for offset in (_OFFSETS if weight else (0.0,))
    ]
    return max(tried, key=lambda weights: mean_log_likelihood(cases, weights))


def mean_log_likelihood(cases: list[FitCase], weights: AgreementWeights) -> float:
    """Of the right candidate of each mention, or of none."""
    total = 0.0
    for case in cases:
        shares = reweighed(case.scores, case.agreements, weights)
        share = shares[case.gold] if case.gold >= 0 else 1.0 - sum(shares)
        total += float(np.log(max(share, 1e-6)))
    return total / len(cases)


def _cases(recipe: Recipe, config: AgreementConfig, *, data: Path) -> list[FitCase]:
    train = recipe.trained
    held_out = [*recipe.evaluated, *parse_splits(train.held_out)]
    found = load_training(parse_splits(train.on), evaluated=held_out, data=data)
    documents = list(islice(found.documents, config.documents))
    kb = kb_of(recipe, "dev", data=data)
    ids = primary_ids(kb)
    linked = list(load(kb, model=config.linker, marked=True).pipe(map(blank, documents)))
    model = TypingModel.open(find_model(config.model))
    step = TypeAgreement(kb, model, AgreementWeights(0.0))
    cases = list[FitCase]()
    for document, answered, every in zip(documents, linked, step.agreements(linked), strict=True):
        for gold, answer, own in zip(document.mentions, answered.mentions, every, strict=True):
            known = {ids.get(id, id) for id in gold.ids} - {NIL, "-1"}
            if not answer.candidates or len(known) > 1 or len(answer.ids) > 1:
                continue
            places = [n for n, c in enumerate(answer.candidates) if c.entity_id in known]
            scores = tuple(candidate.score for candidate in answer.candidates)
            cases.append(FitCase(scores, tuple(own), places[0] if places else -1))
    return cases
