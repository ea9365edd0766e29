"""What is odd in somebody's table, noted while it is read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

_EXAMPLES: Final = 3
_LISTS: Final = (";", "|")  # what else people put between the items of a list
_OFTEN: Final = 0.2  # of a column's cells that must hold commas before they look like lists


@dataclass(frozen=True, slots=True)
class WrongSeparator:
    """A column whose cells look like lists with something else between the items."""

    column: str  # "synonyms", "type" or "xrefs"
    mark: str  # what seems to separate them
    cells: int  # that hold it
    line: int  # of the first
    example: str


@dataclass(slots=True)
class _Column:
    """The cells of one column that may hold lists."""

    cells: int = 0
    separated: int = 0  # that hold the separator
    by_mark: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[int, str]] = field(default_factory=dict)  # line and cell, by mark


class TableNotes:
    """Notes of one table; a reader tells it rows and cells as it goes."""

    def __init__(self) -> None:
        self.line = 0  # of the row that was read last
        self.nameless = 0  # rows without a name, which were left out
        self.nameless_lines: list[int] = []  # the first of them
        self._columns: dict[str, _Column] = {}

    def leave_out(self, line: int) -> None:
        """A row without a name."""
        self.nameless += 1
        if len(self.nameless_lines) < _EXAMPLES:
            self.nameless_lines.append(line)

    def cell(self, column: str, text: str, *, separator: str, line: int) -> None:
        """A cell that may hold a list, and what is taken to stand between its items."""
        if not text:
            return
        known = self._columns.setdefault(column, _Column())
        known.cells += 1
        known.separated += separator in text
        for mark in (*_LISTS, ","):
            if mark != separator and _looks_like_list(text, mark):
                known.by_mark[mark] += 1
                known.first.setdefault(mark, (line, text))

    def wrong_separators(self) -> list[WrongSeparator]:
        """Columns that hold another separator than the given one.

        Names have commas ("Infarction, Myocardial"), so commas count only where the separator
        never occurs and they are frequent.
        """
        found = list[WrongSeparator]()
        for name, column in self._columns.items():
            marks = [mark for mark in _LISTS if column.by_mark[mark]]
            is_comma = not column.separated and column.by_mark[","] >= _OFTEN * column.cells
            if not marks and column.by_mark[","] and is_comma:
                marks = [","]
            found += [
                WrongSeparator(name, mark, column.by_mark[mark], *column.first[mark])
                for mark in marks
            ]
        return found


def _looks_like_list(text: str, mark: str) -> bool:
    """Whether the mark stands between things that have letters, unlike that of "1,2-diol"."""
    parts = text.split(mark)
    return len(parts) > 1 and all(any(map(str.isalpha, part)) for part in parts if part.strip())
