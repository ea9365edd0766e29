"""Strings to link, one a row: the column of disease names that everybody has.

    holdfast link --mentions diseases.csv --column diagnosis > linked.tsv

The table comes back with what each string was linked to in further columns, rows in their order:
see holdfast.io.linked_tables. Which column that is, and whether there is a header, is decided by
holdfast.io.table_columns.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from holdfast.errors import FormatError, UsageError
from holdfast.files import numbered_lines, raw_lines
from holdfast.io.table_columns import IsName, Row, column_of, has_header, names_column
from holdfast.kb.readers.source import csv_rows

SUFFIXES: Final = (".txt", ".csv", ".tsv")
_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}
_OTHERS: Final = (",", ";", "\t", "|")
_SNIFFED: Final = 100  # lines
_AGREE: Final = 0.8  # the share of rows of one width that makes a delimiter credible


@dataclass(frozen=True, slots=True)
class MentionTable:
    """A header, which may be empty, the rows, and which column holds the strings."""

    header: Row
    rows: tuple[Row, ...]
    column: int

    @property
    def column_names(self) -> Row:
        """The header; without one, "mention" for the strings and "column_2" and so on."""
        width = max((len(row) for row in self.rows), default=1)
        made_up = ("mention" if i == self.column else f"column_{i + 1}" for i in range(width))
        return self.header or tuple(made_up)

    def string_of(self, row: Row) -> str:
        """The row's string; "" where the row is too short."""
        return row[self.column].strip() if self.column < len(row) else ""

    def strings(self) -> Iterator[str]:
        return map(self.string_of, self.rows)


def is_table(path: Path, format: str | None) -> bool:
    """Whether the file is a table of strings rather than a corpus of marked documents."""
    name = path.name.casefold().removesuffix(".gz")
    is_corpus = name.endswith((".pubtator.txt", ".mentions.tsv"))
    return format is None and not is_corpus and name.endswith(SUFFIXES)


def read_mention_strings(
    path: Path,
    *,
    column: str | None = None,
    header: bool | None = None,
    is_name: IsName = lambda _: False,
) -> MentionTable:
    """A text file (a string a line), or a CSV or TSV file, plain or gzipped.

    `column`: a name of the header, or a number from 1. `header`: whether the first row is one.
    `is_name`: whether a string is a name of the knowledge base. What is not said is decided as
    holdfast.io.table_columns tells; a UsageError asks where that cannot be done.
    """
    suffix = Path(path.name.casefold().removesuffix(".gz")).suffix
    if suffix not in SUFFIXES:
        raise UsageError(f"{path}: a table of strings ends in {', '.join(SUFFIXES)}")
    if suffix == ".txt":
        return _read_lines(path, column=column, header=header)
    numbered = list(csv_rows(path, delimiter=_delimiter_of(path, _DELIMITERS[suffix])))
    rows = _checked([(line, tuple(fields)) for line, fields in numbered], path)
    is_numbered = column is None or column.strip().isdecimal()
    if header is None:
        header = has_header(rows[0], rows[1:], is_name) if is_numbered else True
    if header is None:
        shown = ", ".join(repr(cell.strip()[:30]) for cell in rows[0])
        raise UsageError(
            f"{path}: is the first row ({shown}) a header? say --header or --no-header"
        )
    first, rest = (rows[0], rows[1:]) if header else ((), rows)
    return MentionTable(first, tuple(rest), column_of(first, rest, column, where=str(path)))


def _read_lines(path: Path, *, column: str | None, header: bool | None) -> MentionTable:
    """A line is a string, unless the first one heads the others: "diagnosis"."""
    lines = [(line,) for _, line in numbered_lines(path)]
    if header is None:
        header = names_column(lines[0][0])
    first, rest = (lines[0], lines[1:]) if header else ((), lines)
    if column is not None and column.strip().casefold() not in ("1", *map(str.casefold, first)):
        raise UsageError(f"{path}: a text file has no columns; name it .csv or .tsv if it has")
    return MentionTable(first, tuple(rest), 0)


def _delimiter_of(path: Path, usual: str) -> str:
    """The usual delimiter, if it cuts most rows to one width, or else the one that does."""
    sample = [line for _, line in islice(raw_lines(path), _SNIFFED)]
    found = {delimiter: _agreement(sample, delimiter) for delimiter in _OTHERS}
    credible = [d for d in _OTHERS if found[d][0] >= _AGREE and found[d][1] > 1]
    if usual in credible or not credible:
        return usual
    return max(credible, key=lambda delimiter: found[delimiter])


def _agreement(sample: Sequence[str], delimiter: str) -> tuple[float, int]:
    """The share of rows that have the commonest width, and that width."""
    try:
        widths = Counter(len(row) for row in csv.reader(sample, delimiter=delimiter) if row)
    except csv.Error:
        return 0.0, 0
    width, count = widths.most_common(1)[0] if widths else (0, 0)
    return count / max(1, widths.total()), width


def _checked(rows: Sequence[tuple[int, Row]], path: Path) -> list[Row]:
    """The rows without empty cells beyond the width of the first; a longer one is an error."""
    if not rows:
        raise FormatError("the file has no rows", path=path)
    width = len(rows[0][1])
    checked = list[Row]()
    for line, row in rows:
        if any(cell.strip() for cell in row[width:]):
            raise FormatError(
                f"{len(row)} fields where the first row has {width}; quote a field that holds the "
                "delimiter, or name a file of one string a line .txt",
                path=path,
                line=line,
            )
        checked.append(row[:width])
    return checked
