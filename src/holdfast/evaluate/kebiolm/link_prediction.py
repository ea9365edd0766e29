"""Link prediction: the missing end of a triple, among all entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from holdfast.evaluate.intervals import Figure, Ratio
from holdfast.evaluate.report import Report, build_report

HEADLINE: Final = "model"


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a right answer stands; among `tied` answers of one score, each place is as likely."""

    first: int  # from 1
    tied: int = 1

    @property
    def reciprocal(self) -> float:
        """The mean of 1 / place."""
        return float((1 / np.arange(self.first, self.first + self.tied)).mean())

    def within(self, count: int) -> float:
        """How likely it is among the first `count`."""
        return min(max(count - self.first + 1, 0), self.tied) / self.tied


def score_link_prediction(places: Mapping[str, Sequence[Sequence[Placed]]]) -> Report:
    """Mean reciprocal rank and hits at 10 of several scorers that answered the same questions.

    `places` has those of the right answers by scorer and triple, whose questions are drawn
    together; those of "model" are the headline, the others' figures end in their names. Differences
    to the model's have intervals of their own.
    """
    rows = [dict[str, float](n=float(len(triple))) for triple in places[HEADLINE]]
    figures = dict[str, Figure]()
    for scorer, own in places.items():
        after = "" if scorer == HEADLINE else f"_{scorer}"
        for row, triple in zip(rows, own, strict=True):
            row[f"mrr{after}"] = sum(place.reciprocal for place in triple)
            row[f"hits_at_10{after}"] = sum(place.within(10) for place in triple)
        figures |= {f"mrr{after}": Ratio(f"mrr{after}", "n")}
        figures |= {f"hits_at_10{after}": Ratio(f"hits_at_10{after}", "n")}
    for scorer in (name for name in places if name != HEADLINE):
        for row in rows:
            row[f"gain_{scorer}"] = row["mrr"] - row[f"mrr_{scorer}"]
        figures[f"mrr_gain_over_{scorer}"] = Ratio(f"gain_{scorer}", "n")
    return build_report(
        "link-prediction",
        rows,
        figures,
        counts={"n_scored": sum(map(len, places[HEADLINE]))},
        left_out={},
        unit="triple",
    )
