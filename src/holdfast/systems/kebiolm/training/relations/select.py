"""Development documents: thresholds, calibration and F1 of related pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch

from holdfast.document import Document
from holdfast.systems.kebiolm.relations.model import Calibration
from holdfast.systems.kebiolm.relations.pairs import RelationShape
from holdfast.systems.kebiolm.training.relations.data import (
    Above,
    QuestionExample,
    RelationBatch,
    gold_pairs,
)
from holdfast.systems.kebiolm.training.relations.model import RelationNetwork

Floats = npt.NDArray[np.float64]

_BATCH = 8  # questions of one run


@dataclass(frozen=True, slots=True, eq=False)
class PairAnswers:
    """The logits of all pairs of some documents, and how many relations are annotated."""

    pairs: tuple[tuple[str, str, str], ...]  # document, head, tail
    logits: Floats  # (pairs, labels)
    right: npt.NDArray[np.bool_]  # (pairs, labels)
    gold: tuple[int, ...]  # annotated relations by label, of whatever entities


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is chosen on development documents, and the F1 that it has there."""

    calibrations: tuple[Calibration, ...]
    drops_hypernyms: bool
    precision: float
    recall: float
    f1: float
    f1_kept: float  # with hypernyms
    f1_dropped: float  # without


def answers_of(
    model: RelationNetwork,
    examples: Sequence[QuestionExample],
    documents: Sequence[Document],
) -> PairAnswers:
    """Ask the model everything. Of a pair in several sentences, the highest logits count."""
    shape = model.shape
    best = dict[tuple[str, str, str], tuple[Floats, npt.NDArray[np.bool_]]]()
    with torch.inference_mode():
        for start in range(0, len(examples), _BATCH):
            some = examples[start : start + _BATCH]
            rows = iter(model(RelationBatch.of(some)).double().numpy())
            for example in some:
                for tail, label in zip(example.asked.judged, example.labels == 1, strict=True):
                    key, row = (example.document, example.head, tail.id), next(rows)
                    logits, right = best.get(key, (row, label))
                    best[key] = np.maximum(logits, row), right | label
    counts = np.zeros(len(shape.labels), dtype=np.int64)
    for document in documents:
        for found in gold_pairs(document, shape).values():
            counts[list(found)] += 1
    size = len(best), len(shape.labels)
    logits = np.array([own for own, _ in best.values()], dtype=np.float64).reshape(size)
    right = np.array([own for _, own in best.values()], dtype=bool).reshape(size)
    return PairAnswers(tuple(best), logits, right, tuple(counts.tolist()))


def fit(answers: PairAnswers, shape: RelationShape, above: Above | None) -> Fitted:
    """The thresholds with the highest F1 of each label; whether hypernyms are better dropped.

    Whoever drops hypernyms has thresholds of their own. Without `above` there is no knowledge base
    to say what is a hypernym, and all are kept.
    """
    kept = _fitted(answers, shape, np.full_like(answers.logits, -np.inf))
    dropped = kept if above is None else _fitted(answers, shape, blocked(answers, above))
    drops = dropped.f1 > kept.f1
    return replace(
        dropped if drops else kept,
        drops_hypernyms=drops,
        f1_kept=kept.f1,
        f1_dropped=dropped.f1,
    )


def blocked(answers: PairAnswers, above: Above) -> Floats:
    """The threshold from which down each pair is dropped: the highest logit of a more exact pair.

    As `without_hypernyms` says it: of pairs of one document with a common end, the one whose other
    end is above the other's goes, if both are related. Minus infinity where there is none.
    *Shape:* (pairs, labels)
    """
    groups = defaultdict[tuple[str, bool, str], dict[str, int]](dict)
    for place, (document, head, tail) in enumerate(answers.pairs):
        groups[document, True, head][tail] = place
        groups[document, False, tail][head] = place
    found = np.full_like(answers.logits, -np.inf)
    for own in groups.values():
        for id, exact in own.items():
            for general in (own.keys() & above(id)) - {id}:
                place = own[general]
                found[place] = np.maximum(found[place], answers.logits[exact])
    return found


def best_threshold(
    logits: Floats, right: npt.NDArray[np.bool_], gold: int, blocked: Floats | None = None
) -> float:
    """Between the logits that the highest F1 parts; above all if nothing is right.

    A pair counts as related if its logit reaches the threshold and `blocked` does not.
    """
    if not len(logits):
        return 0.0
    levels = np.unique(logits)
    taken, hits = _reaching(levels, logits), _reaching(levels, logits[right])
    if blocked is not None:
        ends = np.minimum(blocked, logits)
        taken, hits = taken - _reaching(levels, ends), hits - _reaching(levels, ends[right])
    f1 = 2 * hits / np.maximum(1, taken + gold)
    best = len(levels) - 1 - int(f1[::-1].argmax())
    if not hits[best]:
        return float(levels[-1] + 1)
    below = levels[best - 1] if best else levels[best] - 1
    return float((levels[best] + below) / 2)


def _reaching(levels: Floats, values: Floats) -> npt.NDArray[np.int64]:
    """How many values are at least as high as each level."""
    found: npt.NDArray[np.int64] = len(values) - np.searchsorted(np.sort(values), levels)
    return found


def _fitted(answers: PairAnswers, shape: RelationShape, blocked: Floats) -> Fitted:
    """Thresholds and figures over all labels."""
    calibrations = list[Calibration]()
    hits = predicted = 0
    for number in range(len(shape.labels)):
        logits, right = answers.logits[:, number], answers.right[:, number]
        threshold = best_threshold(logits, right, answers.gold[number], blocked[:, number])
        related = (logits >= threshold) & (blocked[:, number] < threshold)
        predicted += int(related.sum())
        hits += int((related & right).sum())
        plain = _calibrated(logits, right)
        calibrations.append(replace(plain, threshold=plain.probability(threshold)))
    gold = sum(answers.gold)
    f1 = 2 * hits / max(1, predicted + gold)
    precision, recall = hits / max(1, predicted), hits / max(1, gold)
    return Fitted(
        tuple(calibrations),
        drops_hypernyms=bool(np.isfinite(blocked).any()),
        precision=precision,
        recall=recall,
        f1=f1,
        f1_kept=f1,
        f1_dropped=f1,
    )


def _calibrated(logits: Floats, right: npt.NDArray[np.bool_]) -> Calibration:
    """Platt's scaling by Newton's method."""
    rows = np.stack([logits, np.ones_like(logits)], axis=1)
    if not right.any() or right.all():
        return Calibration()
    weights = np.array([1.0, 0.0])
    for _ in range(50):
        shares = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        gradient = rows.T @ (shares - right) + 1e-3 * (weights - [1.0, 0.0])
        curvature = rows.T @ (rows * (shares * (1 - shares))[:, None]) + 1e-3 * np.eye(2)
        weights = weights - np.clip(np.linalg.solve(curvature, gradient), -1, 1)
    scale, shift = (float(value) for value in weights)
    return Calibration(scale, shift) if scale > 0 else Calibration()
