"""Overlapping windows over a long row of tokens, for networks that read so many at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from holdfast.errors import InvalidValueError


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens that are read together, and those among them whose outcome is kept.

    `0 <= start <= first < last <= end`; all are places in the whole row, ends exclusive.
    """

    start: int
    end: int
    first: int
    last: int

    @property
    def kept(self) -> slice:
        """The kept tokens, counted from the window's start."""
        return slice(self.first - self.start, self.last - self.start)


def windows(count: int, *, size: int, overlap: int) -> Iterator[Window]:
    """Windows over `count` tokens, from the left, all of one length; none if there is no token.

    As few windows of at most `size` tokens as it takes for neighbours to share at least `overlap`,
    and each as short as that allows. Every token is kept by one window: the one where the nearer
    edge of the two, those of the row left aside, is farthest from it.
    """
    if not 0 <= overlap < size:
        raise InvalidValueError(f"windows of {size} cannot overlap by {overlap}; give 0 to size-1")
    if count <= size:
        if count:
            yield Window(0, count, 0, count)
        return
    number = -(-(count - overlap) // (size - overlap))
    length = -(-(count + (number - 1) * overlap) // number)
    starts = [place * (count - length) // (number - 1) for place in range(number)]
    first = 0
    for place, start in enumerate(starts):
        end = start + length
        last = count if place + 1 == number else (starts[place + 1] + end + 1) // 2
        yield Window(start, end, first, last)
        first = last
