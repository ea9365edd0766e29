"""Rows of what people downloaded, one at a time, and files by name in a folder."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from holdfast.errors import FormatError, InputError
from holdfast.files import StrPath, numbered_lines, raw_lines


def check_width(fields: list[str], columns: int, *, path: StrPath, line: int) -> None:
    """Refuse a row that does not have exactly that many fields."""
    if len(fields) != columns:
        raise FormatError(
            f"{len(fields)} fields where {columns} are expected", path=path, line=line
        )


def tab_rows(path: StrPath, *, columns: int) -> Iterator[tuple[int, list[str]]]:
    """Rows of a tab-separated file without quoting, all of the same width."""
    for number, line in numbered_lines(path):
        fields = line.split("\t")
        check_width(fields, columns, path=path, line=number)
        yield number, fields


def csv_rows(path: StrPath, *, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Rows quoted as CSV is, with the number of the line on which each begins.

    A quoted field may hold line ends. Empty lines are left out.
    """
    rows = csv.reader((line for _, line in raw_lines(path)), delimiter=delimiter, strict=True)
    start = 1
    try:
        for fields in rows:
            if fields:
                yield start, fields
            start = rows.line_num + 1
    except csv.Error as error:
        raise FormatError(_csv_problem(str(error)), path=path, line=start) from None


def _csv_problem(message: str) -> str:
    if "unexpected end of data" in message:
        return "a quote that opens in this row is never closed"
    if "field limit" in message:
        most = f"{csv.field_size_limit():,}"
        return f"a cell of more than {most} characters; is a quote that opens in it never closed?"
    if "expected after" in message:
        return 'text follows a closing quote; write a quote inside a quoted field as ""'
    return f"not a row of CSV ({message})"


def find_in_folder(folder: StrPath, name: str) -> Path | None:
    """The file of that name, or name.gz, in the folder or anywhere below it.

    None if there is none; several below the folder are an InputError.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{root}: not a folder; give the folder that holds {name}")
    for candidate in (root / name, root / f"{name}.gz"):
        if candidate.is_file():
            return candidate
    found = sorted([*root.rglob(name), *root.rglob(f"{name}.gz")])
    if len(found) > 1:
        raise InputError(f"{root}: holds several {name}, such as {found[0]} and {found[1]}")
    return found[0] if found else None
