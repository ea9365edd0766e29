"""How long something will still take, as the lines of a training say it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

SILENCE: Final = 15.0  # seconds without a line, after which one is due


def time_left(seconds: float) -> str:
    """ "  4 min left", with the space that parts it from the line before it."""
    return f"  {seconds / 60:.0f} min left" if seconds >= 90 else f"  {seconds:.0f} s left"


def counted(
    items: Sequence[T],
    about: str,
    report: Callable[[str], None],
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[T]:
    """Yield the items, and report how many are done whenever that was last said a while ago."""
    began = reported = clock()
    for done, item in enumerate(items):
        if done and clock() - reported > SILENCE:
            reported = clock()
            left = (reported - began) / done * (len(items) - done)
            report(f"{about}: {done:,} of {len(items):,}{time_left(left)}")
        yield item
