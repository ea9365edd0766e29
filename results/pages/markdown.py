"""Markdown tables, and figures as they stand in their cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

Result = Mapping[str, Any]
"""One JSON file of results/."""

_HEADLINE: Final = ("accuracy_at_1", "f1")
_TABLE: Final = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table; every row has as many cells as the header."""
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def fill_tables(text: str, tables: Mapping[str, Sequence[str]]) -> str:
    """Replace what stands between `<!-- table: NAME -->` and `<!-- end -->` in a page.

    A table that is not among `tables` stays as it is.
    """

    def filled(match: re.Match[str]) -> str:
        lines = tables.get(match[2])
        return match[0] if lines is None else match[1] + "\n".join(lines) + "\n" + match[3]

    return _TABLE.sub(filled, text)


def percent(value: float) -> str:
    """A fraction as a percentage with one decimal, without the sign."""
    return f"{100 * value:.1f}"


def headline_key(result: Result) -> str:
    """The figure that a result is quoted by: accuracy at 1, or else F1."""
    return next(name for name in _HEADLINE if name in result)


def with_interval(result: Result, key: str = "") -> str:
    """A figure in bold with its interval in brackets; by default the headline figure."""
    name = key or headline_key(result)
    low, high = percent(result[f"{name}_low"]), percent(result[f"{name}_high"])
    return f"**{percent(result[name])}** [{low}, {high}]"
