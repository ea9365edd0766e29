"""Tags of words: outside (O), beginning (B) or inside (I) a mention of a type.

Tag 0 is O; type i of a list has the tags 2 * i + 1 for B and 2 * i + 2 for I.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

OUTSIDE: Final = 0


class Chunk(NamedTuple):
    """Words `start` to `end` (exclusive) as one mention."""

    start: int
    end: int
    type: int  # its place in the list of types


def beginning(type: int) -> int:
    return 2 * type + 1


def inside(type: int) -> int:
    return 2 * type + 2


def best_tags(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """The row of tags with the highest sum of scores in which I follows B or I of its type.

    *Shape:* (words, tags) to (words,).
    """
    free = scores.argmax(axis=1) if len(scores) else np.zeros(0, dtype=np.int64)
    return free if _is_valid(free) else _viterbi(scores)


def chunks(tags: npt.NDArray[np.int64]) -> Iterator[Chunk]:
    """The mentions of a valid row of tags, from the left."""
    starts = np.flatnonzero(tags % 2 == 1)
    goes_on = (tags > 0) & (tags % 2 == 0)
    breaks = np.append(np.flatnonzero(~goes_on), len(tags))
    ends = breaks[np.searchsorted(breaks, starts, side="right")]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        yield Chunk(start, end, int(tags[start]) // 2)


def _is_valid(tags: npt.NDArray[np.int64]) -> bool:
    before = np.append(OUTSIDE, tags[:-1])
    follows = (before == tags) | (before == tags - 1)
    return bool(np.all(follows | (tags % 2 == 1) | (tags == OUTSIDE)))


def _viterbi(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    words, count = scores.shape
    begins = np.arange(1, count, 2)
    insides = begins + 1
    came_from = np.zeros((words, count), dtype=np.int8 if count < 128 else np.int64)
    total = scores[0].astype(np.float64)
    total[insides] = -np.inf
    for word in range(1, words):
        best = int(total.argmax())
        before = np.full(count, best)
        before[insides] = np.where(total[insides] >= total[begins], insides, begins)
        came_from[word] = before
        total = total[before] + scores[word]
    tags = np.empty(words, dtype=np.int64)
    tags[-1] = total.argmax()
    for word in range(words - 1, 0, -1):
        tags[word - 1] = came_from[word, tags[word]]
    return tags
