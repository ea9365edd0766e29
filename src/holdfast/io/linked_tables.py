"""Tables of linked strings: linked in batches, equal strings once, and printed."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, TextIO

from holdfast.document import NIL, Document, Mention, Span
from holdfast.errors import UsageError
from holdfast.io.linked_strings import LinkedRow, LinkedString
from holdfast.io.mention_tables import MentionTable
from holdfast.io.show.strings import print_strings
from holdfast.io.sssom import write_sssom
from holdfast.text.safe import guard_cell, json_safe, safe_stream

FORMATS: Final = ("tsv", "csv", "json", "jsonl", "text", "sssom")
ADDED: Final = ("holdfast_id", "holdfast_label", "holdfast_score", "holdfast_why")
NEAREST: Final = ("nearest_id", "nearest_name", "nearest_score", "nearest_why")
EXPLAINED: Final = "holdfast_candidates"

_BLANKS: Final = str.maketrans("\t\r\n", "   ")


def check_table_format(name: str) -> None:
    """UsageError if tables are not printed so."""
    if name not in FORMATS:
        raise UsageError(
            f"a table of strings is not printed as {name!r}; there is: {', '.join(FORMATS)}"
        )


def print_table(
    table: MentionTable,
    rows: Iterable[LinkedRow],
    stream: TextIO,
    *,
    format: str = "tsv",
    explain: bool = False,
) -> None:
    """Print the rows as they come; with `explain`, every candidate too."""
    check_table_format(format)
    stream = safe_stream(stream)
    if format == "text":
        _write_text(rows, explain=explain)
    elif format == "json":
        _write_json(table, rows, stream)
    elif format == "jsonl":
        _write_json_lines(table, rows, stream)
    elif format == "sssom":
        write_sssom((_as_document(row.string) for row in rows if row.string.text), stream)
    else:
        delimiter = "," if format == "csv" else "\t"
        _write_columns(table, rows, stream, delimiter=delimiter, explain=explain)


def _write_columns(
    table: MentionTable, rows: Iterable[LinkedRow], stream: TextIO, *, delimiter: str, explain: bool
) -> None:
    """The table with the columns ADDED and NEAREST; without a header, one is made up."""
    header = table.column_names
    added = (*ADDED, *NEAREST, *([EXPLAINED] if explain else []))
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow((*header, *_unlike(added, header)))
    for row in rows:
        fields = (*row.fields, *[""] * (len(header) - len(row.fields)))
        if delimiter == "\t":
            fields = tuple(field.translate(_BLANKS) for field in fields)
        answer = (*_answer(row.string), *_nearest(row.string))
        if explain:
            answer = (*answer, _candidates(row.string))
        writer.writerow((*fields, *map(_safe, answer)))


def _unlike(added: Sequence[str], header: Sequence[str]) -> list[str]:
    """The names of the new columns, with a number where the table has one of that name."""
    names = list[str]()
    for name in added:
        taken = {*header, *names}
        numbered = (f"{name}_{i}" for i in range(2, len(taken) + 3))
        names.append(name if name not in taken else next(n for n in numbered if n not in taken))
    return names


def _answer(linked: LinkedString) -> tuple[str, ...]:
    chosen = linked.chosen
    if not linked.ids:
        return ("",) * len(ADDED)
    labels = "|".join(candidate.label or candidate.name for candidate in chosen)
    score = f"{min(candidate.score for candidate in chosen):.4f}" if chosen else ""
    why = "; ".join(dict.fromkeys(e.detail for candidate in chosen for e in candidate.evidence))
    return "|".join(linked.ids), labels, score, why


def _nearest(linked: LinkedString) -> tuple[str, ...]:
    nearest = linked.nearest
    if nearest is None:
        return ("",) * len(NEAREST)
    why = "; ".join(evidence.detail for evidence in nearest.evidence)
    return nearest.entity_id, nearest.label or nearest.name, f"{nearest.score:.4f}", why


def _candidates(linked: LinkedString) -> str:
    """Every candidate in one cell: "MESH:D009203 Myocardial Infarction 0.3014 | …"."""
    found = linked.mention.candidates if linked.mention else ()
    return " | ".join(f"{c.entity_id} {c.label or c.name} {c.score:.4f}" for c in found)


def _safe(cell: str) -> str:
    """What a spreadsheet does not take for a formula, on one line."""
    return guard_cell(cell.translate(_BLANKS))


def _as_document(string: LinkedString) -> Document:
    """The string as one mention; what says nothing is NIL."""
    mention = string.mention or Mention.at(0, 1, ids=(NIL,))
    whole = replace(mention, spans=(Span(0, len(string.text)),))
    return Document("", string.text, mentions=(whole,))


def _as_json(table: MentionTable, row: LinkedRow) -> dict[str, Any]:
    fields = dict(zip(table.column_names, row.fields, strict=False))
    return {**row.string.to_json(), "fields": fields}


def _json_line(table: MentionTable, row: LinkedRow) -> str:
    return json_safe(json.dumps(_as_json(table, row), ensure_ascii=False))


def _write_json(table: MentionTable, rows: Iterable[LinkedRow], stream: TextIO) -> None:
    """One object: the column's name, and the rows in order."""
    name = json.dumps(table.column_names[table.column], ensure_ascii=False)
    stream.write(f'{{"column": {name}, "rows": [')
    between = "\n"
    try:
        for row in rows:
            stream.write(between + _json_line(table, row))
            between = ",\n"
    finally:  # after an error or Ctrl-C too: the rows that are done can be read
        stream.write("\n]}\n")


def _write_json_lines(table: MentionTable, rows: Iterable[LinkedRow], stream: TextIO) -> None:
    for row in rows:
        stream.write(_json_line(table, row) + "\n")


def _write_text(rows: Iterable[LinkedRow], *, explain: bool) -> None:
    print_strings((row.string for row in rows), explain=explain)
