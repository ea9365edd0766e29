"""Your own vocabulary: a CSV, TSV or JSONL file with an id and a name in each row.

JSONL is known by .jsonl or .ndjson or a first line that begins with a brace. Otherwise the
delimiter is that of the extension (.csv, .tsv), or the one of tab, comma, semicolon and pipe that
the first line has most of. Fields are quoted as in CSV. Files may be gzipped.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from holdfast.errors import FormatError, UsageError
from holdfast.files import StrPath, numbered_lines
from holdfast.kb.readers.columns import REQUIRED, find_columns, looks_like_header
from holdfast.kb.readers.fields import canonical_curie, curie_of_iri, distinct, split_list
from holdfast.kb.readers.source import csv_rows
from holdfast.kb.readers.table_notes import TableNotes
from holdfast.kb.records import Entry, Record
from holdfast.types import canonical_type

_JSON_SUFFIXES: Final = frozenset({".jsonl", ".ndjson"})
_DELIMITER_OF_SUFFIX: Final = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_DELIMITERS: Final = "\t,;|"

# JSON can escape half of a character, which no UTF-8 file can hold.
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")

_Row = Mapping[str, object]  # from column to cell; JSON may have lists and numbers as cells


@dataclass(frozen=True, slots=True)
class _Layout:
    """What the caller said about the table."""

    path: Path
    chosen: Mapping[str, str | None]  # from role to column
    separator: str
    prefix: str
    type: str | None
    notes: TableNotes | None


def read_table(
    path: StrPath,
    *,
    id_column: str | None = None,
    name_column: str | None = None,
    synonyms_column: str | None = None,
    type_column: str | None = None,
    definition_column: str | None = None,
    xrefs_column: str | None = None,
    separator: str = "|",
    prefix: str | None = None,
    type: str | None = None,
    notes: TableNotes | None = None,
) -> Iterator[Record]:
    """One entry per row; rows with the same id add their names to one entity.

    Columns are found by their header (id, name, … and the usual other words for them), or are the
    ones named here. A table of two columns and no such header is read as id and name.

    separator  between the synonyms, types or xrefs of one cell; JSON may have lists instead
    prefix     put before ids without a colon; by default the file's stem, so that "17" in
               terms.tsv is terms:17
    type       the type of rows that give none
    notes      takes down what is odd; rows without a name are left out then, and else an error
    """
    chosen = {
        "id": id_column,
        "name": name_column,
        "synonyms": synonyms_column,
        "type": type_column,
        "definition": definition_column,
        "xrefs": xrefs_column,
    }
    if not separator:
        raise UsageError("the separator between synonyms is empty")
    return _entries(_Layout(Path(path), chosen, separator, prefix or file_stem(path), type, notes))


def _entries(layout: _Layout) -> Iterator[Record]:
    path, notes = layout.path, layout.notes
    keys: tuple[str, ...] | None = None
    columns: dict[str, str] = {}
    is_named = False
    for line, row in _rows(layout):
        if keys != tuple(row):
            keys, columns = tuple(row), _columns(row, layout, line)
        if notes is not None:
            notes.line = line
            if not _text(row.get(columns["name"]), columns["name"], layout, line):
                notes.leave_out(line)
                continue
        is_named = True
        yield _entry(row, columns, layout, line)
    if keys is None:
        raise FormatError("no row after the header", path=path)
    if not is_named:
        raise FormatError(f"no row has a name (column {columns['name']!r} is empty)", path=path)


def file_stem(path: StrPath) -> str:
    """The file's name up to its first dot, fit to be a prefix: "my terms.tsv.gz" is my_terms."""
    return re.sub(r"[^\w-]+", "_", Path(path).name.lstrip(".").partition(".")[0]) or "table"


def _rows(layout: _Layout) -> Iterator[tuple[int, _Row]]:
    suffix = Path(layout.path.name.removesuffix(".gz")).suffix.casefold()
    _, first = next(numbered_lines(layout.path))
    if suffix in _JSON_SUFFIXES or first.lstrip().startswith("{"):
        return _json_rows(layout.path)
    if first.lstrip().startswith("["):
        message = "a JSON array; write one object per line instead (JSONL)"
        raise FormatError(message, path=layout.path, line=1)
    return _delimited_rows(layout, suffix)


def _json_rows(path: Path) -> Iterator[tuple[int, _Row]]:
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"not JSON ({error})", path=path, line=number) from None
        if not isinstance(row, dict):
            message = f"a line holds one JSON object, not {line.strip()[:40]}"
            raise FormatError(message, path=path, line=number)
        yield number, row


def _delimited_rows(layout: _Layout, suffix: str) -> Iterator[tuple[int, _Row]]:
    """Rows by column name. A row may lack cells at its end, as editors strip them."""
    delimiter = _delimiter(layout.path, suffix)
    rows = csv_rows(layout.path, delimiter=delimiter)
    comments = (row for row in rows if len(row[1]) > 1 or not row[1][0].startswith("#"))
    start, cells = next(comments, (0, []))
    if not cells:
        raise FormatError("no row in the file", path=layout.path)
    header = _header(cells, layout, start)
    # Without a header, the first row is data like the others.
    body = rows if cells is header else chain([(start, cells)], rows)
    for number, fields in body:
        if len(fields) > len(header):
            raise FormatError(
                f"{len(fields)} fields where the header has {len(header)}; "
                f"put quotes around a field that holds {delimiter!r}",
                path=layout.path,
                line=number,
            )
        if any(field.strip() for field in fields):
            yield number, dict(zip(header, fields, strict=False))


def _delimiter(path: Path, suffix: str) -> str:
    """The extension's delimiter if the header has it, else the one that it has most of."""
    lines = (line for _, line in numbered_lines(path) if line.strip())
    first = next(lines, "")
    while first.startswith("#") and not any(mark in first for mark in _DELIMITERS):
        first = next(lines, "")
    usual = _DELIMITER_OF_SUFFIX.get(suffix)
    if usual is not None and usual in first:
        return usual
    counts = Counter({mark: first.count(mark) for mark in _DELIMITERS})
    mark, count = counts.most_common(1)[0]
    return mark if count else usual or "\t"


def _header(cells: list[str], layout: _Layout, line: int) -> list[str]:
    """The column names: the first row itself, or id and name for two columns without header."""
    cells[0] = cells[0].removeprefix("#")
    cells[:] = [cell.strip() for cell in cells]
    asked = any(layout.chosen.values())
    if not asked and not looks_like_header(cells):
        if len(cells) == 2:
            return list(REQUIRED)
        raise FormatError(
            f"no column of {_listed(cells)} is called id or name; "
            "add a header such as id, name, synonyms, type, or say which columns they are",
            path=layout.path,
            line=line,
        )
    repeated = [cell for cell, count in Counter(cells).items() if count > 1 and cell]
    if repeated:
        message = f"two columns are called {repeated[0]!r}"
        raise FormatError(message, path=layout.path, line=line)
    for column in filter(None, layout.chosen.values()):
        if "id" not in find_columns(cells, {"id": column}):
            raise UsageError(f"{layout.path}: no column {column!r}; there are {_listed(cells)}")
    return cells


def _columns(row: _Row, layout: _Layout, line: int) -> dict[str, str]:
    columns = find_columns(tuple(row), layout.chosen)
    for role in REQUIRED:
        if role not in columns:
            wanted = layout.chosen.get(role) or role
            message = f"no column {wanted!r}; there are {_listed(tuple(row))}"
            raise FormatError(message, path=layout.path, line=line)
    return columns


def _listed(cells: Sequence[str]) -> str:
    shown = ", ".join(repr(cell[:30]) for cell in cells[:8])
    return f"{shown}, …" if len(cells) > 8 else shown


def _entry(row: _Row, columns: Mapping[str, str], layout: _Layout, line: int) -> Entry:
    def text(role: str) -> str:
        return _text(row.get(columns.get(role, "")), columns.get(role, ""), layout, line)

    def listed(role: str) -> list[str]:
        column = columns.get(role, "")
        cell = row.get(column)
        if isinstance(cell, list):
            return [_text(item, column, layout, line) for item in cell]
        joined = _text(cell, column, layout, line)
        if layout.notes is not None:
            layout.notes.cell(role, joined, separator=layout.separator, line=line)
        return split_list(joined, layout.separator)

    for role in REQUIRED:
        if not text(role):
            message = f"the {role} is missing (column {columns[role]!r} is empty)"
            raise FormatError(message, path=layout.path, line=line)
    curie, name = _curie(text("id"), layout, line), text("name")
    kinds = listed("type") or ([layout.type] if layout.type else [])
    return Entry(
        id=curie,
        name=name,
        synonyms=distinct(listed("synonyms"), but=name),
        types=distinct(map(canonical_type, kinds)),
        definition=text("definition"),
        xrefs=distinct((_xref(xref, layout, line) for xref in listed("xrefs")), but=curie),
    )


def _text(cell: object, column: str, layout: _Layout, line: int) -> str:
    """A cell as text with single spaces. JSON's null is nothing; a whole number is its digits."""
    if cell is None:
        return ""
    if isinstance(cell, str) or (isinstance(cell, int) and not isinstance(cell, bool)):
        text = " ".join(str(cell).split())
        if text.isascii() or not _LONE_SURROGATE.search(text):
            return text
    message = f"{column!r} is {json.dumps(cell)[:40]}, not text"
    raise FormatError(message, path=layout.path, line=line)


def _curie(ident: str, layout: _Layout, line: int) -> str:
    if any(character.isspace() for character in ident):
        message = f"the id {ident!r} has a space in it; is this the column of names?"
        raise FormatError(message, path=layout.path, line=line)
    return curie_of_iri(ident, prefix=layout.prefix) or (
        ident if ":" in ident else f"{layout.prefix}:{ident}"
    )


def _xref(xref: str, layout: _Layout, line: int) -> str:
    curie = curie_of_iri(xref, prefix="") or canonical_curie(xref)
    if not curie or curie.startswith(":"):
        message = f"the xref {xref!r} has no prefix; write it like MESH:D000544"
        raise FormatError(message, path=layout.path, line=line)
    return curie
