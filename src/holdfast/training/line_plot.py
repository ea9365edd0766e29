"""Small line plots as SVG, several beside each other, readable on light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol
from xml.sax.saxutils import escape

from holdfast.errors import InvalidValueError

WIDTH: Final = 360  # of a panel, in pixels, with its margins
HEIGHT: Final = 250
LEFT, RIGHT, TOP, BOTTOM = 62, WIDTH - 18, 34, HEIGHT - 44  # of what is inside the axes
_COLUMNS: Final = 2
KINDS: Final = ("", " other", " third")  # of lines: classes of the style
_STEPS: Final = (1, 2, 5, 10)  # between ticks of a linear axis, times a power of ten
_TICKS: Final = 5  # of a linear axis, about
_STYLE: Final = """
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .line { fill: none; stroke: #0969da; stroke-width: 2; }
  .point { fill: #0969da; }
  .other.line { stroke: #bc4c00; stroke-dasharray: 6 4; }
  .other.point { fill: #bc4c00; }
  .third.line { stroke: #1a7f37; stroke-dasharray: 2 3; }
  .third.point { fill: #1a7f37; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .grid { stroke: #3d444d; }
    .line { stroke: #58a6ff; }
    .point { fill: #58a6ff; }
    .other.line { stroke: #f0883e; }
    .other.point { fill: #f0883e; }
    .third.line { stroke: #3fb950; }
    .third.point { fill: #3fb950; }
  }
"""

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """Points in ascending x, none of them negative."""

    points: Points
    name: str = ""  # shown in the panel, if there is one

    def __post_init__(self) -> None:
        if not self.points:
            raise InvalidValueError(f"the line {self.name!r} has no points")
        for value in (value for point in self.points for value in point):
            if not 0 <= value < math.inf:
                raise InvalidValueError(f"the line {self.name!r}: {value} cannot be drawn")
        places = [x for x, _ in self.points]
        if places != sorted(places):
            raise InvalidValueError(f"the line {self.name!r} goes back, from {max(places)}")


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot of up to three lines; both axes are logarithmic, or else linear from 0 on."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    is_linear: bool = False

    def __post_init__(self) -> None:
        if not 1 <= len(self.lines) <= len(KINDS):
            most = len(KINDS)
            raise InvalidValueError(
                f"{self.title!r}: {len(self.lines)} lines; it takes 1 to {most}"
            )
        values = [value for line in self.lines for point in line.points for value in point]
        if not self.is_linear and min(values) == 0:
            raise InvalidValueError(f"{self.title!r}: a log plot needs points above 0")


def draw_panels(panels: Sequence[Panel]) -> str:
    """An SVG document with the panels in rows of two."""
    return draw_document([(panel.title, _draw(panel)) for panel in panels])


def draw_document(drawn: Sequence[tuple[str, Iterable[str]]]) -> str:
    """An SVG document of panels, each with its title and its elements, in rows of two."""
    rows = math.ceil(len(drawn) / _COLUMNS)
    width, height = WIDTH * min(_COLUMNS, len(drawn)), HEIGHT * rows
    title = escape(", ".join(title for title, _ in drawn))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{title}</title>",
        f"<style>{_STYLE}</style>",
    ]
    for number, (_, elements) in enumerate(drawn):
        row, column = divmod(number, _COLUMNS)
        lines.append(f'<g transform="translate({column * WIDTH} {row * HEIGHT})">')
        lines.extend(elements)
        lines.append("</g>")
    return "\n".join([*lines, "</svg>"]) + "\n"


class Axis(Protocol):
    """A range of values, laid on pixels."""

    def place(self, value: float) -> float: ...

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Pixels and labels."""
        ...


@dataclass(frozen=True, slots=True)
class Decades:
    """A logarithmic axis over whole powers of ten."""

    first: int  # exponents of ten
    last: int
    start: float  # the pixel of the first
    end: float

    @classmethod
    def around(cls, values: Sequence[float], start: float, end: float) -> Decades:
        first, last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        return cls(first, max(last, first + 1), start, end)

    def place(self, value: float) -> float:
        part = (math.log10(value) - self.first) / (self.last - self.first)
        return round(self.start + part * (self.end - self.start), 1)

    def ticks(self) -> Iterator[tuple[float, str]]:
        for exponent in range(self.first, self.last + 1):
            value = 10.0**exponent
            yield self.place(value), _label(value)


@dataclass(frozen=True, slots=True)
class FromZero:
    """A linear axis that begins at 0."""

    step: float
    steps: int
    start: float  # the pixel of 0
    end: float

    @classmethod
    def around(cls, values: Sequence[float], start: float, end: float) -> FromZero:
        highest = max(values) or 1.0
        power = 10.0 ** math.floor(math.log10(highest / _TICKS))
        step = next(s for s in (n * power for n in _STEPS) if s * _TICKS >= highest)
        return cls(step, math.ceil(highest / step), start, end)

    def place(self, value: float) -> float:
        part = value / (self.step * self.steps)
        return round(self.start + part * (self.end - self.start), 1)

    def ticks(self) -> Iterator[tuple[float, str]]:
        for number in range(self.steps + 1):
            value = number * self.step
            yield self.place(value), _label(round(value, 9))


def _draw(panel: Panel) -> Iterator[str]:
    kind = FromZero if panel.is_linear else Decades
    points = [point for line in panel.lines for point in line.points]
    x: Axis = kind.around([point[0] for point in points], LEFT, RIGHT)
    y: Axis = kind.around([point[1] for point in points], BOTTOM, TOP)
    yield from draw_frame(panel.title, panel.x_label, panel.y_label, x, y)
    for number, line in enumerate(panel.lines):
        yield from _draw_line(line, x, y, kind=KINDS[number])
        if line.name:  # below right, where a curve that rises leaves room
            height = BOTTOM - 12 - 18 * (len(panel.lines) - 1 - number)
            left = RIGHT - 190
            yield f'<path class="line{KINDS[number]}" d="M{left} {height - 4}h28"/>'
            yield draw_text(left + 36, height, line.name, anchor="start")


def draw_frame(title: str, x_label: str, y_label: str, x: Axis, y: Axis) -> Iterator[str]:
    """The grid of a panel, with the labels of its ticks and axes."""
    for place, label in x.ticks():
        yield f'<path class="grid" d="M{place} {TOP}V{BOTTOM}"/>'
        yield draw_text(place, BOTTOM + 16, label, anchor="middle")
    for place, label in y.ticks():
        yield f'<path class="grid" d="M{LEFT} {place}H{RIGHT}"/>'
        yield draw_text(LEFT - 6, place + 4, label, anchor="end")
    middle = (LEFT + RIGHT) / 2
    yield draw_text(middle, 18, title, anchor="middle", kind="title")
    yield draw_text(middle, HEIGHT - 10, x_label, anchor="middle")
    turned = f"rotate(-90 14 {(TOP + BOTTOM) / 2})"
    yield draw_text(14, (TOP + BOTTOM) / 2, y_label, anchor="middle", transform=turned)


def _draw_line(line: Line, x: Axis, y: Axis, *, kind: str) -> Iterator[str]:
    places = [(x.place(a), y.place(b)) for a, b in line.points]
    yield f'<polyline class="line{kind}" points="{" ".join(f"{a},{b}" for a, b in places)}"/>'
    for (a, b), (_, value) in zip(places, line.points, strict=True):
        yield (
            f'<circle class="point{kind}" cx="{a}" cy="{b}" r="3.5">'
            f"<title>{value:,g}</title></circle>"
        )


def draw_text(
    x: float, y: float, text: str, *, anchor: str, kind: str = "", transform: str = ""
) -> str:
    """A text at a place; `anchor` says which end of it is there."""
    extra = f' class="{kind}"' if kind else ""
    extra += f' transform="{transform}"' if transform else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{extra}>{escape(text)}</text>'


def _label(value: float) -> str:
    """1000 as "1k", a million as "1M"; below 1 as it is."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"
