"""Small line plots as SVG, several beside each other, readable on light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol
from xml.sax.saxutils import escape

from holdfast.errors import InvalidValueError

_WIDTH: Final = 360  # of a panel, in pixels, with its margins
_HEIGHT: Final = 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 18, 34, 44  # margins of a panel
_COLUMNS: Final = 2
_KINDS: Final = ("", " other", " third")  # of lines: classes of the style
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
        if not 1 <= len(self.lines) <= len(_KINDS):
            most = len(_KINDS)
            raise InvalidValueError(
                f"{self.title!r}: {len(self.lines)} lines; it takes 1 to {most}"
            )
        values = [value for line in self.lines for point in line.points for value in point]
        if not self.is_linear and min(values) == 0:
            raise InvalidValueError(f"{self.title!r}: a log plot needs points above 0")


def draw_panels(panels: Sequence[Panel]) -> str:
    """An SVG document with the panels in rows of two."""
    rows = math.ceil(len(panels) / _COLUMNS)
    width, height = _WIDTH * min(_COLUMNS, len(panels)), _HEIGHT * rows
    title = escape(", ".join(panel.title for panel in panels))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{title}</title>",
        f"<style>{_STYLE}</style>",
    ]
    for number, panel in enumerate(panels):
        row, column = divmod(number, _COLUMNS)
        lines.append(f'<g transform="translate({column * _WIDTH} {row * _HEIGHT})">')
        lines.extend(_draw(panel))
        lines.append("</g>")
    return "\n".join([*lines, "</svg>"]) + "\n"


class _Axis(Protocol):
    """A range of values, laid on pixels."""

    def place(self, value: float) -> float: ...

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Pixels and labels."""
        ...


@dataclass(frozen=True, slots=True)
class _Decades:
    first: int  # exponents of ten
    last: int
    start: float  # the pixel of the first
    end: float

    @classmethod
    def around(cls, values: Sequence[float], start: float, end: float) -> _Decades:
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
class _FromZero:
    step: float
    steps: int
    start: float  # the pixel of 0
    end: float

    @classmethod
    def around(cls, values: Sequence[float], start: float, end: float) -> _FromZero:
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
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    kind = _FromZero if panel.is_linear else _Decades
    points = [point for line in panel.lines for point in line.points]
    x: _Axis = kind.around([point[0] for point in points], _LEFT, right)
    y: _Axis = kind.around([point[1] for point in points], bottom, _TOP)
    for place, label in x.ticks():
        yield f'<path class="grid" d="M{place} {_TOP}V{bottom}"/>'
        yield _text(place, bottom + 16, label, anchor="middle")
    for place, label in y.ticks():
        yield f'<path class="grid" d="M{_LEFT} {place}H{right}"/>'
        yield _text(_LEFT - 6, place + 4, label, anchor="end")
    middle = (_LEFT + right) / 2
    yield _text(middle, 18, panel.title, anchor="middle", kind="title")
    yield _text(middle, _HEIGHT - 10, panel.x_label, anchor="middle")
    turned = f"rotate(-90 14 {(_TOP + bottom) / 2})"
    yield _text(14, (_TOP + bottom) / 2, panel.y_label, anchor="middle", transform=turned)
    for number, line in enumerate(panel.lines):
        yield from _draw_line(line, x, y, kind=_KINDS[number])
        if line.name:  # below right, where a curve that rises leaves room
            height = bottom - 12 - 18 * (len(panel.lines) - 1 - number)
            left = right - 190
            yield f'<path class="line{_KINDS[number]}" d="M{left} {height - 4}h28"/>'
            yield _text(left + 36, height, line.name, anchor="start")


def _draw_line(line: Line, x: _Axis, y: _Axis, *, kind: str) -> Iterator[str]:
    places = [(x.place(a), y.place(b)) for a, b in line.points]
    yield f'<polyline class="line{kind}" points="{" ".join(f"{a},{b}" for a, b in places)}"/>'
    for (a, b), (_, value) in zip(places, line.points, strict=True):
        yield (
            f'<circle class="point{kind}" cx="{a}" cy="{b}" r="3.5">'
            f"<title>{value:,g}</title></circle>"
        )


def _text(
    x: float, y: float, text: str, *, anchor: str, kind: str = "", transform: str = ""
) -> str:
    extra = f' class="{kind}"' if kind else ""
    extra += f' transform="{transform}"' if transform else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{extra}>{escape(text)}</text>'


def _label(value: float) -> str:
    """1000 as "1k", a million as "1M"; below 1 as it is."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"
