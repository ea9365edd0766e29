"""How many of the nearest names an index finds, counted against comparing all 8-bit vectors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from holdfast.names.index import NameMatches
from holdfast.names.vectors import Bytes, Floats, whole_numbers

K: Final = 10
_BLOCK: Final = 1 << 14  # vectors compared at once
_ROUNDING: Final = 1e-5  # of cosines, which are added up in another order


def exact_scores(queries: Floats, shards: Iterable[Bytes]) -> Floats:
    """The K highest cosines of each query, highest first; names with equal vectors count each.

    *Shape:* (queries, width) to (queries, K). Less than K names, and cosines below 0, give 0.
    """
    whole = whole_numbers(queries)
    lengths = np.maximum(np.linalg.norm(whole, axis=1, keepdims=True), 1)
    best = np.zeros((len(whole), K), dtype=np.float32)
    for shard in shards:
        for start in range(0, len(shard), _BLOCK):
            block = shard[start : start + _BLOCK].astype(np.float32)
            cosines = (whole @ block.T) / np.maximum(np.linalg.norm(block, axis=1), 1) / lengths
            # Few queries have a new one among their K highest, once some blocks are compared.
            rows = np.flatnonzero(cosines.max(axis=1, initial=0) > best.min(axis=1))
            both = np.hstack([best[rows], cosines[rows]])
            best[rows] = np.partition(both, -K, axis=1)[:, -K:]
    highest: Floats = -np.sort(-best, axis=1)
    return highest


def recall_at_10(found: NameMatches, exact: Floats) -> float:
    """The part of the K nearest that was found; a name as near as the last of them is one of them.

    Only queries with K names above 0 count.
    """
    counted = exact[:, -1] > 0
    if not counted.any():
        return 0.0
    hits = found.scores[counted, :K] >= exact[counted, -1:] - _ROUNDING
    return round(float(hits.mean()), 4)
