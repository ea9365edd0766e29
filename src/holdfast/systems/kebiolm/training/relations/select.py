"""Development documents: thresholds, calibration and F1 of related pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from holdfast.document import Document, Span
from holdfast.systems.kebiolm.relations.model import Calibration, Judged
from holdfast.systems.kebiolm.relations.pairs import RelationShape
from holdfast.systems.kebiolm.relations.relater import without_hypernyms
from holdfast.systems.kebiolm.training.relations.data import (
    Above,
    RelationBatch,
    RelationExample,
    gold_pairs,
)
from holdfast.systems.kebiolm.training.relations.model import RelationNetwork

_TOGETHER = 8  # questions of one run
_NOWHERE = Span(0, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The logits of all pairs of some documents, and how many relations are annotated."""

    pairs: tuple[tuple[str, str, str], ...]  # document, head, tail
    logits: npt.NDArray[np.float64]  # (pairs, labels)
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
    examples: Sequence[RelationExample],
    documents: Sequence[Document],
) -> Answers:
    """Ask the model everything."""
    shape = model.shape
    pairs, logits = list[tuple[str, str, str]](), list[npt.NDArray[np.float64]]()
    labels = list[npt.NDArray[np.bool_]]()
    with torch.inference_mode():
        for start in range(0, len(examples), _TOGETHER):
            some = examples[start : start + _TOGETHER]
            logits.append(model(RelationBatch.of(some)).double().numpy())
            for example in some:
                pairs += ((example.document, example.head, t.id) for t in example.asked.judged)
                labels.append(example.labels == 1)
    counts = np.zeros(len(shape.labels), dtype=np.int64)
    for document in documents:
        for found in gold_pairs(document, shape).values():
            counts[list(found)] += 1
    empty = np.zeros((0, len(shape.labels)))
    right = np.concatenate([empty.astype(bool), *labels])
    return Answers(tuple(pairs), np.concatenate([empty, *logits]), right, tuple(counts.tolist()))


def fit(answers: Answers, shape: RelationShape, above: Above | None) -> Fitted:
    """The thresholds with the highest F1 of each label; whether hypernyms are better dropped.

    Without `above` there is no knowledge base to say what is a hypernym, and all are kept.
    """
    calibrations = tuple(
        _calibrated(answers.logits[:, n], answers.right[:, n], answers.gold[n])
        for n in range(len(shape.labels))
    )
    kept = _figures(answers, calibrations, shape, None)
    dropped = kept if above is None else _figures(answers, calibrations, shape, above)
    drops = dropped[2] > kept[2]
    chosen = dropped if drops else kept
    return Fitted(calibrations, drops, *chosen, kept[2], dropped[2])


def best_threshold(
    logits: npt.NDArray[np.float64], right: npt.NDArray[np.bool_], gold: int
) -> float:
    """Between the logits that the highest F1 parts; above all if nothing is right."""
    if not len(logits):
        return 0.0
    order = np.argsort(-logits, kind="stable")
    ordered = logits[order]
    hits = np.cumsum(right[order])
    taken = np.arange(1, len(order) + 1)
    f1 = 2 * hits / np.maximum(1, taken + gold)
    f1[:-1][ordered[:-1] == ordered[1:]] = -1.0  # equal logits cannot be parted
    best = int(f1.argmax())
    if not hits[best]:
        return float(ordered[0] + 1)
    below = ordered[best + 1] if best + 1 < len(ordered) else ordered[best] - 1
    return float((ordered[best] + below) / 2)


def _calibrated(
    logits: npt.NDArray[np.float64], right: npt.NDArray[np.bool_], gold: int
) -> Calibration:
    """Platt's scaling by Newton's method, and the threshold as a probability."""
    scale, shift = 1.0, 0.0
    rows = np.stack([logits, np.ones_like(logits)], axis=1)
    if right.any() and not right.all():
        weights = np.array([1.0, 0.0])
        for _ in range(50):
            shares = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
            gradient = rows.T @ (shares - right) + 1e-3 * (weights - [1.0, 0.0])
            curvature = rows.T @ (rows * (shares * (1 - shares))[:, None]) + 1e-3 * np.eye(2)
            weights = weights - np.clip(np.linalg.solve(curvature, gradient), -1, 1)
        if weights[0] > 0:
            scale, shift = (float(value) for value in weights)
    plain = Calibration(scale, shift)
    threshold = plain.probability(best_threshold(logits, right, gold))
    return Calibration(scale, shift, threshold)


def _figures(
    answers: Answers,
    calibrations: Sequence[Calibration],
    shape: RelationShape,
    above: Above | None,
) -> tuple[float, float, float]:
    """Precision, recall and F1 over all labels."""
    by_document = dict[str, list[Judged]]()
    right = set[tuple[str, Judged]]()
    for place, (document, head, tail) in enumerate(answers.pairs):
        for number, label in enumerate(shape.labels):
            calibration = calibrations[number]
            probability = calibration.probability(float(answers.logits[place, number]))
            if probability >= calibration.threshold:
                judged = Judged(head, tail, label, probability, is_related=True, sentence=_NOWHERE)
                by_document.setdefault(document, []).append(judged)
                if answers.right[place, number]:
                    right.add((document, judged))
    hits = predicted = 0
    for document, related in by_document.items():
        kept = related if above is None else without_hypernyms(related, above)
        predicted += len(kept)
        hits += sum((document, judged) in right for judged in kept)
    gold = sum(answers.gold)
    precision, recall = hits / max(1, predicted), hits / max(1, gold)
    return precision, recall, 2 * hits / max(1, predicted + gold)
