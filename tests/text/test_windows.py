"""Windows over rows of tokens: each token is kept once, with as much around it as there can be."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import InvalidValueError
from holdfast.text.windows import Window, windows

COUNTS = st.integers(0, 600)
SIZES = st.integers(2, 200).flatmap(
    lambda size: st.tuples(st.just(size), st.integers(0, min(size - 1, 64)))
)


@settings(deadline=None)
@given(COUNTS, SIZES)
def test_every_token_is_kept_by_one_window_in_order(count: int, sizes: tuple[int, int]) -> None:
    found = list(windows(count, size=sizes[0], overlap=sizes[1]))
    kept = [place for w in found for place in range(w.first, w.last)]
    assert kept == list(range(count))
    assert all(w.start <= w.first < w.last <= w.end for w in found)


@settings(deadline=None)
@given(COUNTS, SIZES)
def test_windows_have_one_length_of_at_most_the_size(count: int, sizes: tuple[int, int]) -> None:
    found = list(windows(count, size=sizes[0], overlap=sizes[1]))
    assert len({w.end - w.start for w in found}) <= 1
    assert all(w.end - w.start <= sizes[0] for w in found)
    assert all(w.start >= 0 and w.end <= count for w in found)


@settings(deadline=None)
@given(COUNTS, SIZES)
def test_neighbours_share_at_least_the_overlap(count: int, sizes: tuple[int, int]) -> None:
    found = list(windows(count, size=sizes[0], overlap=sizes[1]))
    assert all(one.end - other.start >= sizes[1] for one, other in pairwise(found))


@settings(deadline=None)
@given(COUNTS, SIZES)
def test_a_token_is_kept_where_the_nearer_edge_is_farthest(
    count: int, sizes: tuple[int, int]
) -> None:
    found = list(windows(count, size=sizes[0], overlap=sizes[1]))

    def room(place: int, window: Window) -> int:
        """Tokens to the nearer edge that is not an end of the row."""
        left = place - window.start if window.start else count
        right = window.end - 1 - place if window.end < count else count
        return min(left, right)

    for place, window in enumerate(found):
        near = found[max(0, place - 2) : place + 3]
        for token in (window.first, window.last - 1):
            best = max(room(token, w) for w in near if w.start <= token < w.end)
            assert room(token, window) >= best - 1  # windows do not all start equally far apart


def test_a_short_row_is_one_window() -> None:
    assert list(windows(5, size=8, overlap=3)) == [Window(0, 5, 0, 5)]


def test_a_row_that_is_little_too_long_is_cut_in_two_halves_that_overlap() -> None:
    assert list(windows(10, size=8, overlap=2)) == [Window(0, 6, 0, 5), Window(4, 10, 5, 10)]


def test_no_tokens_are_no_windows() -> None:
    assert list(windows(0, size=8, overlap=2)) == []


@pytest.mark.parametrize(("size", "overlap"), [(8, 8), (8, -1), (0, 0)])
def test_an_overlap_that_cannot_be_is_refused(size: int, overlap: int) -> None:
    with pytest.raises(InvalidValueError, match=f"windows of {size} cannot overlap by {overlap}"):
        list(windows(20, size=size, overlap=overlap))
