"""The scores of entities from the scores of their names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ScoredEntity:
    """An entity with the score of all its names."""

    entity: int
    place: int  # of the best name, among those given
    score: float


def score_entities(scores: Floats, owners: Rows) -> list[ScoredEntity]:
    """The entities that own names of these scores, highest score first; ties by their best name.

    An entity's score is the log-sum-exp of its names' scores, as in training: its best name counts
    most and each further one adds. Of two entities that share a name, the one wins whose other
    names score higher.

    *Shape:* (names,) each.
    """
    order = np.lexsort((np.arange(len(scores)), -scores))
    distinct, first, number = np.unique(owners[order], return_index=True, return_inverse=True)
    places, sorted_scores = order[first], scores[order]
    best = scores[places]
    totals = best + np.log(np.bincount(number, weights=np.exp(sorted_scores - best[number])))
    ranked = np.lexsort((places, -totals))
    columns = (distinct[ranked].tolist(), places[ranked].tolist(), totals[ranked].tolist())
    return [ScoredEntity(*row) for row in zip(*columns, strict=True)]


def rows_of_owners(owner: Rows, wanted: Rows) -> Rows:
    """The places of the wanted entities' names in an ascending column of owners."""
    distinct = np.unique(wanted)
    starts = np.searchsorted(owner, distinct)
    counts = np.searchsorted(owner, distinct, side="right") - starts
    before = np.cumsum(counts) - counts
    rows: Rows = np.arange(counts.sum()) + np.repeat(starts - before, counts)
    return rows
