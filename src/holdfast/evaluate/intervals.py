"""Figures computed from summed counts, with 95 % bootstrap intervals.

A scorer reduces each unit (a document, or a mention) to a few counts; every figure is a ratio of
their sums, or the harmonic mean of two such ratios. So a resample never scores anything again: it
weighs the units' counts and sums them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Row = Mapping[str, float]
"""The counts of one unit; a count that is absent is 0."""

RESAMPLES: Final = 1000
SEED: Final = 13
_LEVEL: Final = 95.0
_CELLS: Final = 4_000_000  # weights held at once


@dataclass(frozen=True, slots=True)
class Ratio:
    """One summed count over another; 0 where the latter is 0."""

    top: str
    bottom: str

    def __call__(self, sums: Mapping[str, FloatArray]) -> FloatArray:
        return _divide(sums[self.top], sums[self.bottom])


@dataclass(frozen=True, slots=True)
class Harmonic:
    """The harmonic mean of a precision and a recall; 0 where both are 0."""

    precision: Ratio
    recall: Ratio

    def __call__(self, sums: Mapping[str, FloatArray]) -> FloatArray:
        precision, recall = self.precision(sums), self.recall(sums)
        return _divide(2 * precision * recall, precision + recall)


Figure = Ratio | Harmonic


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure, and the interval it would fall in for 95 % of similar samples."""

    value: float
    low: float
    high: float


def precision_recall_f1(
    before: str = "",
    after: str = "",
    *,
    hits: str,
    predicted: str,
    gold: str,
    gold_hits: str | None = None,
) -> dict[str, Figure]:
    """The three figures, named e.g. `before` + "f1" + `after`, from the counts so named.

    `gold_hits` is given where the right predictions and the found gold are counted apart.
    """
    precision, recall = Ratio(hits, predicted), Ratio(gold_hits or hits, gold)
    return {
        f"{before}precision{after}": precision,
        f"{before}recall{after}": recall,
        f"{before}f1{after}": Harmonic(precision, recall),
    }


def estimate(
    rows: Sequence[Row],
    figures: Mapping[str, Figure],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Estimate]:
    """Each figure over all rows, with its percentile bootstrap interval.

    Rows are the units that are drawn. The order of rows does not matter; the same seed gives the
    same interval. Where the percentiles leave the figure itself out (few units), the interval is
    stretched to it. Without rows every figure is 0.
    """
    names = sorted({name for row in rows for name in row} | _counts_of(figures))
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows], dtype=np.float64)
    table = table.reshape(len(rows), len(names))
    totals = _by_name(names, table.sum(axis=0, keepdims=True))
    drawn = _by_name(names, _resample(table, resamples, seed))
    return {name: _interval(figure(totals)[0], figure(drawn)) for name, figure in figures.items()}


def _resample(table: FloatArray, resamples: int, seed: int) -> FloatArray:
    """Sums of the counts in each resample. *Shape:* (resamples, counts).

    Equal units are drawn together: n draws among units, grouped by equality, are one multinomial
    draw over the groups. Mentions that are right or wrong are then two groups, not thousands.
    """
    if not len(table):
        return np.zeros((resamples, table.shape[1]))
    groups, sizes = np.unique(table, axis=0, return_counts=True)
    generator = np.random.default_rng(seed)
    step = max(1, _CELLS // len(groups))
    sums = [
        generator.multinomial(len(table), sizes / len(table), size=min(step, resamples - start))
        @ groups
        for start in range(0, resamples, step)
    ]
    return np.concatenate(sums) if sums else np.zeros((0, table.shape[1]))


def _interval(value: np.float64, drawn: FloatArray) -> Estimate:
    if not len(drawn):
        return Estimate(float(value), float(value), float(value))
    tail = (100.0 - _LEVEL) / 2
    low, high = np.percentile(drawn, [tail, 100.0 - tail])
    return Estimate(float(value), float(min(low, value)), float(max(high, value)))


def _counts_of(figures: Mapping[str, Figure]) -> set[str]:
    ratios = [
        ratio
        for figure in figures.values()
        for ratio in ((figure,) if isinstance(figure, Ratio) else (figure.precision, figure.recall))
    ]
    return {name for ratio in ratios for name in (ratio.top, ratio.bottom)}


def _by_name(names: Sequence[str], sums: FloatArray) -> dict[str, FloatArray]:
    return {name: sums[:, column] for column, name in enumerate(names)}


def _divide(top: FloatArray, bottom: FloatArray) -> FloatArray:
    result: FloatArray = np.divide(top, bottom, out=np.zeros_like(top), where=bottom != 0)
    return result
