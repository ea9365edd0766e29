"""From token scores to mentions that do not overlap: BIO tags, or every span with a probability.

Spans are rows (first, last) of token numbers, both inclusive.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.detect.bio import best_tags, chunks

Spans = npt.NDArray[np.int64]


def spans_of_words(firsts: npt.NDArray[Any], tokens: int, *, longest: int) -> Spans:
    """Every run of up to `longest` words, from a word's first token to a word's last.

    Ordered by first token, then by last. *Shape:* firsts (words,), the place of each word's first
    token among so many `tokens`, ascending; result (spans, 2).
    """
    lasts = np.append(firsts, tokens)[1:] - 1
    start = np.repeat(np.arange(len(firsts)), longest)
    end = start + np.tile(np.arange(longest), len(firsts))
    inside = end < len(firsts)
    return np.stack([firsts[start[inside]], lasts[end[inside]]], axis=1).astype(np.int64)


def spans_of_tags(scores: npt.NDArray[np.float32], firsts: npt.NDArray[Any]) -> Spans:
    """The mentions of the best valid row of tags; a word is tagged by its first token.

    *Shape:* scores (tokens, 3), for outside, begin and inside; firsts (words,).
    """
    if not len(firsts):
        return np.zeros((0, 2), dtype=np.int64)
    lasts = np.append(firsts, len(scores))[1:] - 1
    found = [(firsts[c.start], lasts[c.end - 1]) for c in chunks(best_tags(scores[firsts]))]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def choose_spans(spans: Spans, probabilities: npt.NDArray[Any], *, threshold: float) -> list[int]:
    """The rows of the best set of spans without overlaps, by first token.

    A span is worth the log-odds of its probability beyond those of the threshold, so that the set
    is the most probable one if spans were independent; spans at or below the threshold are never
    taken. The best set is found exactly, by going through the spans in the order of their ends.
    """
    kept = np.flatnonzero(probabilities > threshold)
    kept = kept[np.lexsort((kept, spans[kept, 0], spans[kept, 1]))]
    if not len(kept):
        return []
    worth = log_odds(probabilities[kept]) - log_odds(np.array([threshold]))
    firsts, lasts = spans[kept, 0], spans[kept, 1]
    # How many of the kept spans end before each begins: those it can be joined to.
    before = np.searchsorted(lasts, firsts, side="left").tolist()
    best = [0.0]
    for at, value in enumerate(worth.tolist()):
        best.append(max(best[at], best[before[at]] + value))
    chosen = list[int]()
    at = len(kept)
    while at:
        if best[at] == best[at - 1]:
            at -= 1
        else:
            chosen.append(int(kept[at - 1]))
            at = before[at - 1]
    return chosen[::-1]


def log_odds(probabilities: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Finite also for 0 and 1."""
    safe = np.clip(probabilities.astype(np.float64), 1e-9, 1 - 1e-9)
    odds: npt.NDArray[np.float64] = np.log(safe) - np.log1p(-safe)
    return odds
