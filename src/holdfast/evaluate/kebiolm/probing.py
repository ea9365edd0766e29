"""Knowledge probing: the share of queries that a model fills in rightly, relation by relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from holdfast.evaluate.intervals import RESAMPLES, SEED, Estimate
from holdfast.evaluate.report import Report

LEAST: Final = 10
"""Queries that a relation must have to count in a mean over relations."""


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


def score_probing(answered: Sequence[Answered], *, least: int = LEAST) -> Report:
    """Recall@5 as the mean over relations; `type_1` and `type_2` by where the answer's words are.

    Relations with fewer than `least` queries are left out of a mean, in which each would weigh as
    much as the others; `recall_at_5_of_queries` is over all queries. A figure that no relation has
    queries enough for is left out.
    """
    parts = {
        "recall_at_5": _by_relation(answered, least),
        "recall_at_5_of_queries": [[one.is_right for one in answered]] if answered else [],
        "recall_at_5_type_1": _by_relation([o for o in answered if o.is_within], least),
        "recall_at_5_type_2": _by_relation([o for o in answered if not o.is_within], least),
    }
    counts = {
        "n_scored": len(answered),
        "n_type_1": sum(one.is_within for one in answered),
        "n_relations": len(parts["recall_at_5"]),
        "n_right": sum(one.is_right for one in answered),
    }
    every = len({one.relation for one in answered})
    counts["n_relations_with_few_queries"] = every - counts["n_relations"]
    return Report(
        "probing",
        {name: _mean(own) for name, own in parts.items() if own},
        counts=counts,
        unit="query",
    )


def _by_relation(answered: Sequence[Answered], least: int) -> list[list[bool]]:
    found = dict[str, list[bool]]()
    for one in answered:
        found.setdefault(one.relation, []).append(one.is_right)
    return [own for own in found.values() if len(own) >= least]


def _mean(groups: Sequence[Sequence[bool]]) -> Estimate:
    """The mean over groups of each one's share of right answers.

    The interval is that of Jeffreys' prior in each group: none right of so many is not certainly
    none of all.
    """
    rng = np.random.default_rng(SEED)
    drawn = np.zeros(RESAMPLES)
    for own in groups:
        right = sum(own)
        drawn += rng.beta(right + 0.5, len(own) - right + 0.5, size=RESAMPLES)
    value = float(np.mean([np.mean(own) for own in groups]))
    low, high = np.percentile(drawn / len(groups), [2.5, 97.5])
    return Estimate(value, min(float(low), value), max(float(high), value))
