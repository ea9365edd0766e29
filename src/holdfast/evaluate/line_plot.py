"""Small line plots as SVG, several beside each other, readable on light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

from holdfast.errors import InvalidValueError

_WIDTH: Final = 360  # of a panel, in pixels, with its margins
_HEIGHT: Final = 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 18, 34, 44  # margins of a panel
_COLUMNS: Final = 2
_STYLE: Final = """
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .line { fill: none; stroke: #0969da; stroke-width: 2; }
  .point { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .grid { stroke: #3d444d; }
    .line { stroke: #58a6ff; }
    .point { fill: #58a6ff; }
  }
"""


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot: points with positive coordinates, in ascending x; both axes are logarithmic."""

    title: str
    x_label: str
    y_label: str
    points: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        if not self.points or any(value <= 0 for point in self.points for value in point):
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


@dataclass(frozen=True, slots=True)
class _Axis:
    """A range of whole decades, laid on pixels."""

    first: int  # exponents of ten
    last: int
    start: float  # the pixel of the first
    end: float

    @classmethod
    def around(cls, values: Sequence[float], start: float, end: float) -> _Axis:
        first, last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        return cls(first, max(last, first + 1), start, end)

    def place(self, value: float) -> float:
        part = (math.log10(value) - self.first) / (self.last - self.first)
        return round(self.start + part * (self.end - self.start), 1)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """(pixel, label) of every decade."""
        for exponent in range(self.first, self.last + 1):
            value = 10.0**exponent
            yield self.place(value), _label(value)


def _draw(panel: Panel) -> Iterator[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    x = _Axis.around([point[0] for point in panel.points], _LEFT, right)
    y = _Axis.around([point[1] for point in panel.points], bottom, _TOP)
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
    places = [(x.place(a), y.place(b)) for a, b in panel.points]
    yield f'<polyline class="line" points="{" ".join(f"{a},{b}" for a, b in places)}"/>'
    for (a, b), (_, value) in zip(places, panel.points, strict=True):
        yield f'<circle class="point" cx="{a}" cy="{b}" r="3.5"><title>{value:,g}</title></circle>'


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
