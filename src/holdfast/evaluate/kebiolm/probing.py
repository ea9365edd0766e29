"""Knowledge probing: the share of queries that a model fills in rightly, relation by relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.evaluate.intervals import RESAMPLES, SEED, Estimate
from holdfast.evaluate.report import Report


@dataclass(frozen=True, slots=True)
class Answered:
    """A query and what the model said."""

    part: str  # whether its triple was seen
    relation: str
    query: str
    is_within: bool  # type 1: the answer's words occur in the query
    is_right: bool
    gold: str
    said: tuple[str, ...]


def score_probing(answered: Sequence[Answered]) -> Report:
    """Recall@5 as the mean over relations; `type_1` and `type_2` by where the answer's words are.

    Intervals draw queries anew within each relation.
    """
    every = {
        "recall_at_5": list(answered),
        "recall_at_5_type_1": [one for one in answered if one.is_within],
        "recall_at_5_type_2": [one for one in answered if not one.is_within],
    }
    figures = {name: _macro(own) for name, own in every.items()}
    counts = {
        "n_scored": len(answered),
        "n_type_1": len(every["recall_at_5_type_1"]),
        "n_relations": len({one.relation for one in answered}),
        "n_right": sum(one.is_right for one in answered),
    }
    return Report("probing", figures, counts=counts, unit="query")


def _macro(answered: Sequence[Answered]) -> Estimate:
    by_relation = dict[str, list[bool]]()
    for one in answered:
        by_relation.setdefault(one.relation, []).append(one.is_right)
    if not by_relation:
        return Estimate(0.0, 0.0, 0.0)
    rng = np.random.default_rng(SEED)
    value, drawn = 0.0, np.zeros(RESAMPLES)
    for own in by_relation.values():
        share = float(np.mean(own))
        value += share
        draws: npt.NDArray[np.int64] = rng.binomial(len(own), share, size=RESAMPLES)
        drawn += draws / len(own)
    value /= len(by_relation)
    low, high = np.percentile(drawn / len(by_relation), [2.5, 97.5])
    return Estimate(value, min(float(low), value), max(float(high), value))
