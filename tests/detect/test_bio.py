"""Rows of tags: the best valid one, and the mentions in it."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.detect.bio import OUTSIDE, Chunk, beginning, best_tags, chunks, inside

TYPES = 2
TAGS = 2 * TYPES + 1


def is_valid(tags: tuple[int, ...]) -> bool:
    insides = {inside(type): {inside(type), beginning(type)} for type in range(TYPES)}
    return all(
        after not in insides or before in insides[after]
        for before, after in pairwise((OUTSIDE, *tags))
    )


scores_of_words = st.integers(1, 5).flatmap(
    lambda words: st.lists(
        st.lists(st.integers(-4, 4), min_size=TAGS, max_size=TAGS), min_size=words, max_size=words
    ).map(lambda rows: np.array(rows, dtype=np.float32))
)


@settings(deadline=None)
@given(scores_of_words)
def test_the_best_row_is_that_of_trying_all(scores: npt.NDArray[np.float32]) -> None:
    def total(tags: tuple[int, ...]) -> float:
        return float(sum(row[tag] for row, tag in zip(scores, tags, strict=True)))

    best = max(total(tags) for tags in product(range(TAGS), repeat=len(scores)) if is_valid(tags))
    found = tuple(best_tags(scores).tolist())
    assert is_valid(found)
    assert total(found) == best


def test_no_words_have_no_tags() -> None:
    assert best_tags(np.zeros((0, TAGS), dtype=np.float32)).tolist() == []
    assert list(chunks(np.zeros(0, dtype=np.int64))) == []


def test_a_beginning_ends_the_mention_before_it() -> None:
    tags = np.array([beginning(0), inside(0), beginning(0), OUTSIDE, beginning(1), inside(1)])
    assert list(chunks(tags)) == [Chunk(0, 2, 0), Chunk(2, 3, 0), Chunk(4, 6, 1)]


@settings(deadline=None)
@given(scores_of_words)
def test_mentions_spell_the_tags_they_come_from(scores: npt.NDArray[np.float32]) -> None:
    tags = best_tags(scores)
    spelt = np.full(len(tags), OUTSIDE)
    for chunk in chunks(tags):
        spelt[chunk.start] = beginning(chunk.type)
        spelt[chunk.start + 1 : chunk.end] = inside(chunk.type)
    assert spelt.tolist() == tags.tolist()
