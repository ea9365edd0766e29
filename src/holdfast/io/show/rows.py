"""Rows of figures for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table


def print_rows(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], *, title: str = ""
) -> None:
    """Print a table with one line per row; `columns` maps each heading to the row's key.

    Words may be broken into lines where the terminal is narrow, figures never.
    """
    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for heading, key in columns.items():
        is_figure = any(isinstance(row.get(key), int | float) for row in rows)
        table.add_column(heading, justify="right" if is_figure else "left", no_wrap=is_figure)
    for row in rows:
        table.add_row(*(figure(row.get(key)) for key in columns.values()))
    Console(highlight=False, markup=False).print(table)


def figure(value: Any) -> str:
    """A figure with the digits that matter, words as they are, and nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        size = abs(value)
        return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 1 else f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
