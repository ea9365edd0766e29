"""A text and the stretches marked in it, as a tree: for displays that nest what overlaps.

Marks that lie inside others become their children. One that crosses the end of another is cut
there, and its rest is a second piece beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

from holdfast.mention import Span

Mark = TypeVar("Mark")


@dataclass(frozen=True, slots=True)
class MarkedPiece(Generic[Mark]):
    """A marked stretch, and the stretches marked inside it, ascending."""

    span: Span
    mark: Mark
    inside: tuple[MarkedPiece[Mark], ...]


def nested(marks: Iterable[tuple[Span, Mark]]) -> tuple[MarkedPiece[Mark], ...]:
    """The pieces of all marks, ascending; of equal spans, the first mark is around the others."""
    given = list(marks)
    waiting = [(span.start, -span.end, number) for number, (span, _) in enumerate(given)]
    heapify(waiting)
    pieces = list[MarkedPiece[Mark]]()
    while waiting:
        start, end, number = heappop(waiting)
        span, mark = Span(start, -end), given[number][1]
        inside = list[tuple[Span, Mark]]()
        while waiting and waiting[0][0] < span.end:
            first, last, other = heappop(waiting)
            inside.append((Span(first, min(-last, span.end)), given[other][1]))
            if -last > span.end:
                heappush(waiting, (span.end, last, other))
        pieces.append(MarkedPiece(span, mark, nested(inside)))
    return tuple(pieces)
