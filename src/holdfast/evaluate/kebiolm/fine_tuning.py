"""Encoders that were fine-tuned alike on one task: F1 of each, and their differences."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast import artifacts
from holdfast.errors import ArtifactError
from holdfast.evaluate.intervals import RESAMPLES, SEED, Estimate
from holdfast.evaluate.report import Report

KIND: Final = "fine-tuned comparison"
VERSION: Final = 1
ANSWERS: Final = "answers.json"

_YES_OR_NO: Final = 2  # labels of a task that asks whether there is a relation

Counts = npt.NDArray[np.float64]
"""Right, predicted and gold of each sentence, by seed. *Shape:* (seeds, sentences, 3)"""


def read_answers(folder: Path) -> dict[str, dict[str, Any]]:
    """By encoder and seed, as the comparison wrote them."""
    manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
    artifacts.verify(folder, manifest)
    try:
        found: dict[str, dict[str, Any]] = json.loads(
            (folder / ANSWERS).read_text(encoding="utf-8")
        )
    except (OSError, ValueError) as error:
        raise ArtifactError(f"{folder}: damaged ({error}); compare again") from error
    return found


def score_fine_tuning(answers: Mapping[str, Mapping[str, Any]]) -> Report:
    """The mean F1 over seeds of each encoder, with an interval over sentences and seeds.

    The last encoder's gain over each other one has an interval of its own, over the same draws of
    both. `always_positive` is the F1 of who calls every sentence positive: of relations with one
    class, a bar to clear. Deviations are over seeds; one seed has none, and its interval leaves
    the chance of training out.
    """
    counts = {name: _counts(seeds) for name, seeds in answers.items()}
    sentences = next(iter(counts.values())).shape[1]
    draws = np.random.default_rng(SEED).multinomial(
        sentences, np.full(sentences, 1 / sentences), size=RESAMPLES
    )
    values = {name: float(_f1(own.sum(axis=1)).mean()) for name, own in counts.items()}
    drawn = {name: _drawn(own, draws) for name, own in counts.items()}
    figures = {f"f1_{_key(name)}": _estimate(values[name], drawn[name]) for name in counts}
    last = list(counts)[-1]
    for other in (name for name in counts if name != last):
        gain = values[last] - values[other]
        figures[f"gain_{_key(last)}_over_{_key(other)}"] = _estimate(
            gain, drawn[last] - drawn[other]
        )
    report = Report(
        "fine-tuned",
        figures,
        counts={
            "n_scored": int(next(iter(counts.values()))[0, :, 2].sum()),
            "n_sentences": sentences,
        },
        unit="sentence",
    )
    return report.with_context(**_context(answers, counts))


def _context(
    answers: Mapping[str, Mapping[str, Any]], counts: Mapping[str, Counts]
) -> dict[str, float]:
    context = dict[str, float]()
    for name, own in counts.items():
        by_seed = _f1(own.sum(axis=1))
        context[f"seeds_{_key(name)}"] = len(by_seed)
        if len(by_seed) > 1:
            context[f"deviation_{_key(name)}"] = float(by_seed.std(ddof=1))
        dev = [float(run["dev_f1"]) for run in answers[name].values()]
        context[f"dev_f1_{_key(name)}"] = float(np.mean(dev))
    first = next(iter(counts.values()))[0]
    positive, total = first[:, 2].sum(), len(first)
    run = next(iter(next(iter(answers.values())).values()))
    if run["labels"] == _YES_OR_NO:
        context["f1_always_positive"] = float(2 * positive / (total + positive))
    return context


def _counts(seeds: Mapping[str, Any]) -> Counts:
    return np.array([run["rows"] for run in seeds.values()], dtype=np.float64)


def _f1(sums: Counts) -> npt.NDArray[np.float64]:
    """*Shape:* (…, 3) to (…,)"""
    found: npt.NDArray[np.float64] = 2 * sums[..., 0] / np.maximum(1, sums[..., 1] + sums[..., 2])
    return found


def _drawn(counts: Counts, draws: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The mean F1 over seeds in each draw of sentences and of seeds. *Shape:* (draws,)"""
    by_seed = np.stack([_f1(draws @ own) for own in counts], axis=1)
    seeds = np.random.default_rng(SEED + 1).integers(len(counts), size=by_seed.shape)
    mean: npt.NDArray[np.float64] = np.take_along_axis(by_seed, seeds, axis=1).mean(axis=1)
    return mean


def _estimate(value: float, drawn: npt.NDArray[np.float64]) -> Estimate:
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Estimate(value, min(float(low), value), max(float(high), value))


def _key(name: str) -> str:
    return name.replace(" ", "_").replace("-", "_")
