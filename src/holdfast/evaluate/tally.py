"""What a scorer hands over: counts per document, and the figures to make of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from holdfast.evaluate.align import Pair
from holdfast.evaluate.equality import Equality
from holdfast.evaluate.intervals import Figure, Row


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of one protocol. The rows' "gold" and "predicted" are the denominators of the
    headline recall and precision."""

    rows: Sequence[Row]  # one per document
    figures: Mapping[str, Figure]  # headline first
    n_scored: int  # gold mentions that took part
    left_out: Mapping[str, int]  # gold mentions that did not, by reason
    counts: Mapping[str, int] = field(default_factory=dict)  # more, by their JSON key


Scorer = Callable[[Sequence[Pair], Equality], Tally]
