"""Rows of figures in a terminal."""

from __future__ import annotations

import pytest

from holdfast.io.show.rows import figure, print_rows


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        ("names", "names"),
        (1234567, "1,234,567"),
        (1744.4, "1,744"),
        (68.78, "68.8"),
        (0.9154, "0.915"),
        (-0.25, "-0.250"),
    ],
)
def test_a_figure_has_the_digits_that_matter(value: object, shown: str) -> None:
    assert figure(value) == shown


def test_every_chosen_column_of_every_row_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[dict[str, object]] = [
        {"model": "default", "speed": 20.7, "other": 1},
        {"model": "names", "speed": 180.2, "other": 2},
        {"model": "unmeasured"},
    ]
    print_rows(rows, {"model": "model", "documents/s": "speed"}, title="Speed")
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert printed == [
        ["Speed"],
        ["model", "documents/s"],
        ["default", "20.7"],
        ["names", "180"],
        ["unmeasured"],
    ]
