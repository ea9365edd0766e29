from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidValueError
from holdfast.training.line_plot import Line, Panel, draw_panels

SVG = "{http://www.w3.org/2000/svg}"
positive = st.floats(1e-4, 1e9)
lines_of_points = st.lists(
    st.lists(st.tuples(positive, positive), min_size=1, max_size=6), min_size=1, max_size=2
)


@given(lines_of_points, st.booleans())
def test_every_point_lies_within_its_panel(
    lines: list[list[tuple[float, float]]], is_linear: bool
) -> None:
    drawn = tuple(Line(tuple(sorted(points)), "<name>") for points in lines)
    picture = draw_panels([Panel("a & b", "x", "<y>", drawn, is_linear=is_linear)])
    root = ElementTree.fromstring(picture)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    circles = root.findall(f".//{SVG}circle")
    assert len(circles) == sum(map(len, lines))
    for circle in circles:
        assert 0 < float(circle.attrib["cx"]) < width
        assert 0 < float(circle.attrib["cy"]) < height


def test_two_lines_are_told_apart() -> None:
    lines = (Line(((1, 0.2), (2, 0.8)), "collective"), Line(((1, 0.1), (2, 0.4)), "one mention"))
    root = ElementTree.fromstring(draw_panels([Panel("t", "x", "y", lines, is_linear=True)]))
    assert {line.attrib["class"] for line in root.iter(f"{SVG}polyline")} == {"line", "line other"}
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"collective", "one mention", "0", "0.8"} <= {*words}


def test_a_log_plot_has_no_zero_and_a_linear_one_may() -> None:
    line = Line(((0.0, 0.0), (1.0, 0.5)))
    with pytest.raises(InvalidValueError, match="above 0"):
        Panel("t", "x", "y", (line,))
    assert "polyline" in draw_panels([Panel("t", "x", "y", (line,), is_linear=True)])


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ((), "no points"),
        (((1.0, -2.0),), "-2.0 cannot be drawn"),
        (((1.0, float("nan")),), "nan cannot be drawn"),
        (((2.0, 1.0), (1.0, 1.0)), "goes back, from 2.0"),
    ],
)
def test_a_line_refuses_what_cannot_be_drawn(
    points: tuple[tuple[float, float], ...], said: str
) -> None:
    with pytest.raises(InvalidValueError, match=said):
        Line(points)


@pytest.mark.parametrize("number", [0, 4])
def test_a_plot_has_up_to_three_lines(number: int) -> None:
    with pytest.raises(InvalidValueError, match="it takes 1 to 3"):
        Panel("t", "x", "y", (Line(((1, 1),)),) * number)
