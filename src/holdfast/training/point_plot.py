"""Named points as SVG, several plots beside each other, readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final
from xml.sax.saxutils import escape

from holdfast.errors import InvalidValueError
from holdfast.training.line_plot import (
    BOTTOM,
    KINDS,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Decades,
    FromZero,
    draw_document,
    draw_frame,
    draw_text,
)

_ROOM: Final = 14  # pixels between the middles of two names
_LETTER: Final = 6.3  # pixels of a letter, about
_GAP: Final = 8  # pixels between a point and its name


@dataclass(frozen=True, slots=True)
class NamedPoint:
    """A point above 0 on a logarithmic x axis, and at least 0 on a linear y axis."""

    name: str
    x: float
    y: float
    is_own: bool = False  # drawn in the first colour; the others in the second

    def __post_init__(self) -> None:
        if self.x <= 0 or self.y < 0:
            raise InvalidValueError(f"the point {self.name!r}: {self.x}, {self.y} cannot be drawn")


@dataclass(frozen=True, slots=True)
class PointPanel:
    """One plot of points."""

    title: str
    x_label: str
    y_label: str
    points: tuple[NamedPoint, ...]

    def __post_init__(self) -> None:
        if not self.points:
            raise InvalidValueError(f"{self.title!r}: there are no points")


def draw_points(panels: Sequence[PointPanel]) -> str:
    """An SVG document with the panels in rows of two."""
    return draw_document([(panel.title, _draw(panel)) for panel in panels])


def _draw(panel: PointPanel) -> Iterator[str]:
    x = Decades.around([point.x for point in panel.points], LEFT, RIGHT)
    y = FromZero.around([point.y for point in panel.points], BOTTOM, TOP)
    yield from draw_frame(panel.title, panel.x_label, panel.y_label, x, y)
    taken = [_Box(x.place(p.x) - _GAP, x.place(p.x) + _GAP, y.place(p.y)) for p in panel.points]
    for point in sorted(panel.points, key=lambda point: -point.y):
        left, top = x.place(point.x), y.place(point.y)
        kind = KINDS[0] if point.is_own else KINDS[1]
        yield (
            f'<circle class="point{kind}" cx="{left}" cy="{top}" r="4">'
            f"<title>{escape(point.name)}: {point.x:,g}, {point.y:,g}</title></circle>"
        )
        long = _LETTER * len(point.name)
        fits = left + _GAP + long < WIDTH
        box = _Box(left + _GAP, left + _GAP + long, top)
        if not fits:
            box = _Box(left - _GAP - long, left - _GAP, top)
        while any(box.overlaps(other) for other in taken):
            box = replace(box, middle=box.middle + 1)
        taken.append(box)
        place, anchor = (box.left, "start") if fits else (box.right, "end")
        yield draw_text(place, box.middle + 4, point.name, anchor=anchor)


@dataclass(frozen=True, slots=True)
class _Box:
    """Where a point or a name is, in pixels."""

    left: float
    right: float
    middle: float  # height of its middle

    def overlaps(self, other: _Box) -> bool:
        is_beside = self.right <= other.left or other.right <= self.left
        return not is_beside and abs(self.middle - other.middle) < _ROOM
