"""Which names a batch of mentions is compared with, found among cached vectors.

All mentions of a batch share their candidates. Names that are encoded anew teach both encoders;
the others count with the vectors they had when they were last encoded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from holdfast.systems.collective.training.data import NameTable


@dataclass(frozen=True, slots=True)
class Negatives:
    """How many of each kind a mention brings into its batch."""

    hard: int = 10  # entities that score above the gold one
    random: int = 10
    encoded: int = 160  # names of a batch that are encoded anew, gold ones always


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows of names for one batch, those to encode anew first."""

    rows: Tensor  # (candidates,)
    encoded: int
    is_gold: Tensor  # (mentions, candidates)


def choose_candidates(
    mentions: Tensor,
    golds: Sequence[Sequence[int]],
    *,
    table: NameTable,
    cache: Tensor,
    negatives: Negatives,
    rng: np.random.Generator,
) -> Candidates:
    """The gold names, those that score above them by the cache, and random ones.

    Of an entity with several names, the gold one is the nearest, and another at random.

    *Shape:* mentions (mentions, width), without gradient; cache (names, width).
    """
    chosen = dict[int, None]()
    hard = Counter[int]()
    scores = mentions @ cache.T if negatives.hard or len(table) > len(table.starts) - 1 else None
    for at, entities in enumerate(golds):
        rows = table.rows_of(entities)
        chosen.update(dict.fromkeys(_gold(rows, None if scores is None else scores[at], rng)))
        if scores is not None and negatives.hard:
            hard.update(_above(scores[at], rows, negatives.hard))
    random = rng.integers(len(table), size=negatives.random * len(golds)).tolist()
    # Random names fill what hard ones leave; both are wanted, so hard ones get half at most.
    frequent = [row for row, _ in hard.most_common() if row not in chosen]
    room = max(0, negatives.encoded - len(chosen))
    fresh = frequent[: room // 2 if random else room]
    chosen.update(dict.fromkeys(fresh))
    chosen.update(dict.fromkeys(random[: max(0, negatives.encoded - len(chosen))]))
    encoded = len(chosen)
    chosen.update(dict.fromkeys(frequent))
    chosen.update(dict.fromkeys(random))
    found = list(chosen)
    owners = table.owner[found]
    is_gold = np.array([np.isin(owners, list(entities)) for entities in golds])
    return Candidates(torch.tensor(found), encoded, torch.from_numpy(is_gold))


def _gold(rows: Sequence[int], scores: Tensor | None, rng: np.random.Generator) -> list[int]:
    if len(rows) < 3 or scores is None:
        return list(rows)
    nearest = rows[int(scores[list(rows)].argmax())]
    return [nearest, rows[int(rng.integers(len(rows)))]]


def _above(scores: Tensor, gold: Sequence[int], most: int) -> list[int]:
    """The best rows that score above every gold one, at most so many."""
    best = float(scores[list(gold)].max())
    top = scores.topk(min(len(scores), most + len(gold)))
    found = zip(top.values.tolist(), top.indices.tolist(), strict=True)
    return [row for score, row in found if score > best and row not in gold][:most]
