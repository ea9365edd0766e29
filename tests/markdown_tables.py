"""Tables of Markdown as values, so that tests ask for figures and not for punctuation."""

from __future__ import annotations

import re
from collections.abc import Sequence


def rows(lines: Sequence[str]) -> list[list[str]]:
    """The cells of every row of every table, headers too, rules left out."""
    cells = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in lines
        if line.startswith("|")
    ]
    return [row for row in cells if not all(re.fullmatch(":?-+:?", cell) for cell in row)]


def table(lines: Sequence[str]) -> dict[str, dict[str, str]]:
    """The first words of a row -> column -> cell, of the only table."""
    header, *body = rows(lines)
    assert len({row[0] for row in body}) == len(body), "a row is there twice"
    return {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in body}


def numbers(cell: str) -> list[float]:
    """The figures of a cell, in their order."""
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", cell)]
