from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.blocks import in_blocks, in_threads, is_single


@given(st.lists(st.integers()), st.integers(1, 9))
def test_blocks_keep_order_and_all_but_the_last_are_full(items: list[int], size: int) -> None:
    blocks = list(in_blocks(items, size))
    assert [item for block in blocks for item in block] == items
    assert all(len(block) == size for block in blocks[:-1])
    assert all(blocks)


def test_what_came_before_an_error_is_not_lost() -> None:
    def broken() -> Iterator[int]:
        yield from (1, 2, 3)
        raise ValueError("line 4 is broken")

    blocks = in_blocks(broken(), 2)
    assert [next(blocks), next(blocks)] == [[1, 2], [3]]
    with pytest.raises(ValueError, match="line 4"):
        next(blocks)


@given(st.lists(st.integers(), max_size=60), st.integers(1, 3))
def test_threads_answer_in_order(items: list[int], threads: int) -> None:
    assert list(in_threads(lambda item: -item, items, threads=threads)) == [-i for i in items]


def test_threads_work_at_once_and_a_slow_item_keeps_its_place() -> None:
    passed = Event()

    def slowly(item: int) -> int:
        if item == 0:
            assert passed.wait(timeout=30), "nobody works while the first one waits"
        elif item == 1:
            passed.set()
        return item

    assert list(in_threads(slowly, range(9), threads=2)) == list(range(9))


def test_threads_lose_nothing_that_came_before_the_stream_broke() -> None:
    def broken() -> Iterator[int]:
        yield from range(3)
        raise ValueError("line 4 is broken")

    answers = in_threads(str, broken(), threads=2)
    assert list(islice(answers, 3)) == ["0", "1", "2"]
    with pytest.raises(ValueError, match="line 4"):
        next(answers)


def test_what_one_item_raises_ends_the_answers_there() -> None:
    answers = in_threads(lambda item: 1 // (item - 2), range(9), threads=2)
    assert [next(answers), next(answers)] == [-1, -1]
    with pytest.raises(ZeroDivisionError):
        next(answers)
    assert list(answers) == []


def test_threads_take_a_bounded_number_ahead() -> None:
    taken = list[int]()

    def noted() -> Iterator[int]:
        for item in count():
            taken.append(item)
            yield item

    answers = in_threads(lambda item: item, noted(), threads=2)
    assert list(islice(answers, 5)) == [0, 1, 2, 3, 4]
    assert len(taken) < 50


@pytest.mark.parametrize("number", range(5))
def test_one_item_is_told_from_several_and_none_is_lost(number: int) -> None:
    is_one, again = is_single(iter(range(number)))
    assert is_one == (number == 1)
    assert list(again) == list(range(number))


@pytest.mark.parametrize("number", range(4))
def test_a_stream_that_breaks_breaks_where_it_did(number: int) -> None:
    def broken() -> Iterator[int]:
        yield from range(number)
        raise ValueError("broken")

    if number == 0:
        with pytest.raises(ValueError, match="broken"):
            is_single(broken())
        return
    _, again = is_single(broken())
    assert list(islice(again, number)) == list(range(number))
    with pytest.raises(ValueError, match="broken"):
        next(again)
