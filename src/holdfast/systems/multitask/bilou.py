"""BILOU tags of words: beginning, inside and last word of a mention, outside, and unit.

Tag 0 is O. Type t of a list has the tags 4t + 1 (B), 4t + 2 (I), 4t + 3 (L) and 4t + 4 (U).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

OUTSIDE: Final = 0
_BEGIN, _INSIDE, _LAST, _UNIT = range(1, 5)

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]


class TaggedSpan(NamedTuple):
    """Words `first` to `last`, both inclusive, as one mention."""

    first: int
    last: int
    type: int = 0  # its place in the list of types


def count_tags(types: int) -> int:
    """How many tags a scheme of so many types has."""
    return 4 * types + 1


def tags_of(chunks: Iterable[TaggedSpan], words: int) -> Integers:
    """The tags of chunks that do not overlap. *Shape:* (words,)"""
    tags = np.zeros(words, dtype=np.int64)
    for first, last, type in chunks:
        if first == last:
            tags[first] = 4 * type + _UNIT
        else:
            tags[first : last + 1] = 4 * type + _INSIDE
            tags[first], tags[last] = 4 * type + _BEGIN, 4 * type + _LAST
    return tags


def chunks_of(tags: Integers) -> Iterator[TaggedSpan]:
    """The mentions of a valid row of tags, from the left."""
    begin = 0
    for place in np.flatnonzero(tags).tolist():
        type, part = divmod(int(tags[place]) - 1, 4)
        if part + 1 in (_BEGIN, _UNIT):
            begin = place
        if part + 1 in (_LAST, _UNIT):
            yield TaggedSpan(begin, place, type)


def is_valid(tags: Integers) -> bool:
    """Whether every mention is complete."""
    if not len(tags):
        return True
    allowed, first, last = _rules(int(tags.max(initial=4) + 3) // 4)
    inner = allowed[tags[:-1], tags[1:]].all()
    return bool(inner and first[tags[0]] and last[tags[-1]])


def best_tags(scores: Floats, transitions: Floats | None = None) -> Integers:
    """The valid row of tags with the highest sum of scores, for the words of one sentence.

    `transitions` are added for each pair of neighbours: rows and columns are the tags before and
    after; its last row holds the scores of first tags, its last column those of last tags.

    *Shape:* scores (words, tags); transitions (tags + 1, tags + 1); result (words,).
    """
    if not len(scores):
        return np.zeros(0, dtype=np.int64)
    if transitions is None:
        free: Integers = scores.argmax(axis=1)
        if is_valid(free):
            return free
    return _viterbi(scores, valid_transitions(scores.shape[1], transitions))


def valid_transitions(tags: int, learned: Floats | None = None) -> npt.NDArray[np.float64]:
    """Learned transitions, by default zeros, with minus infinity where a row would be invalid.

    *Shape:* (tags + 1, tags + 1), as `best_tags` takes them.
    """
    allowed, first, last = _rules((tags - 1) // 4)
    every = np.zeros((tags + 1, tags + 1), dtype=bool)
    every[:tags, :tags], every[tags, :tags], every[:tags, tags] = allowed, first, last
    found = np.zeros(every.shape) if learned is None else learned.astype(np.float64)
    return np.where(every, found, -np.inf)


def _viterbi(scores: Floats, transitions: npt.NDArray[np.float64]) -> Integers:
    words, count = scores.shape
    inner = transitions[:count, :count]
    came_from = np.zeros((words, count), dtype=np.int64)
    total = scores[0] + transitions[count, :count]
    for word in range(1, words):
        every = total[:, None] + inner
        came_from[word] = every.argmax(axis=0)
        total = every.max(axis=0) + scores[word]
    tags = np.empty(words, dtype=np.int64)
    tags[-1] = (total + transitions[:count, count]).argmax()
    for word in range(words - 1, 0, -1):
        tags[word - 1] = came_from[word, tags[word]]
    return tags


@lru_cache(maxsize=16)
def _rules(
    types: int,
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which tag may follow which, which may be first, and which may be last."""
    tags = np.arange(count_tags(types))
    part = np.where(tags == OUTSIDE, OUTSIDE, (tags - 1) % 4 + 1)
    opens = np.isin(part, (_BEGIN, _INSIDE))  # a mention goes on after it
    goes_on = np.isin(part, (_INSIDE, _LAST))  # a mention went on before it
    same = (tags[:, None] - 1) // 4 == (tags - 1) // 4
    allowed = np.where(opens[:, None], goes_on & same, ~goes_on)
    return allowed, ~goes_on, ~opens
