"""Work that takes a while says how far it is."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.training.time_left import counted, time_left


def clock(step: float) -> Iterator[float]:
    now = 0.0
    while True:
        yield now
        now += step


def test_items_are_counted_when_nothing_was_said_for_a_while() -> None:
    ticks, lines = clock(4.0), list[str]()
    assert list(counted(range(10), "read", lines.append, clock=lambda: next(ticks))) == [*range(10)]
    assert lines[0].startswith("read: 4 of 10")
    assert len(lines) == 2


def test_what_is_done_at_once_says_nothing() -> None:
    lines = list[str]()
    assert list(counted("abc", "read", lines.append)) == ["a", "b", "c"]
    assert lines == []


def test_time_is_told_in_seconds_and_then_in_minutes() -> None:
    assert (time_left(40), time_left(240)) == ("  40 s left", "  4 min left")
