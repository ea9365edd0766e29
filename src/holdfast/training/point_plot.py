"""Named points as SVG, several plots beside each other, readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
_FAR: Final = 8  # lines above or below a point, at most


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
        box = _free(point.name, left, top, taken)
        taken.append(box)
        if abs(box.middle - top) > _ROOM:  # too far to see whose name it is
            end = min(max(left, box.left), box.right)
            edge = box.middle - _ROOM / 2 if box.middle > top else box.middle + _ROOM / 2
            yield (
                f'<line class="grid" x1="{left}" y1="{top}" x2="{end:.1f}" y2="{edge:.1f}"></line>'
            )
        yield draw_text(round(box.left, 1), box.middle + 4, point.name, anchor="start")


def _free(name: str, left: float, top: float, taken: Sequence[_Box]) -> _Box:
    """The nearest place for a name that nothing else takes: beside its point, above or below."""
    long = _LETTER * len(name)
    starts = (left + _GAP, left - _GAP - long, left - long / 2)
    steps = sorted(range(-_FAR, _FAR + 1), key=lambda step: (abs(step), step))
    places = ((start, top + _ROOM * step) for step in steps for start in starts)
    boxes = [_Box(start, start + long, middle) for start, middle in places]
    inside = [b for b in boxes if b.left >= LEFT and b.right <= WIDTH and TOP <= b.middle <= BOTTOM]
    free = (box for box in inside if not any(box.overlaps(other) for other in taken))
    return next(free, inside[0] if inside else boxes[0])


@dataclass(frozen=True, slots=True)
class _Box:
    """Where a point or a name is, in pixels."""

    left: float
    right: float
    middle: float  # height of its middle

    def overlaps(self, other: _Box) -> bool:
        is_beside = self.right <= other.left or other.right <= self.left
        return not is_beside and abs(self.middle - other.middle) < _ROOM
