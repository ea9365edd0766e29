"""Strings to link, one a row: the column of disease names that everybody has.

    holdfast link --mentions diseases.csv --column diagnosis > linked.tsv

The table comes back with what each string was linked to in further columns, rows in their order.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from holdfast.document import Document, Mention, Span
from holdfast.errors import FormatError, UsageError
from holdfast.files import numbered_lines
from holdfast.kb.readers.source import csv_rows
from holdfast.registry import Step

SUFFIXES: Final = (".txt", ".csv", ".tsv")
ADDED: Final = ("holdfast_id", "holdfast_label", "holdfast_score", "holdfast_why")

_HEADERS: Final = frozenset({"mention", "name", "term", "text", "string", "label"})
_BLANKS: Final = str.maketrans("\t\r\n", "   ")


@dataclass(frozen=True, slots=True)
class MentionTable:
    """A header, which may be empty, the rows, and which column holds the strings."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    column: int

    def strings(self) -> Iterator[str]:
        """The string of each row; "" where the row is too short."""
        return (row[self.column].strip() if self.column < len(row) else "" for row in self.rows)


def is_table(path: Path, format: str | None) -> bool:
    """Whether the file is a table of strings rather than a corpus of marked documents."""
    name = path.name.casefold().removesuffix(".gz")
    is_corpus = name.endswith((".pubtator.txt", ".mentions.tsv"))
    return format is None and not is_corpus and name.endswith(SUFFIXES)


def read_mention_strings(path: Path, *, column: str | None = None) -> MentionTable:
    """A text file (a string a line), or a CSV or TSV file, plain or gzipped.

    The column is the one named, or else the first that is called "mention", "name", "term" and
    the like; then the first row is a header. Otherwise there is no header, and the first column
    counts.
    """
    suffix = Path(path.name.removesuffix(".gz")).suffix.casefold()
    if suffix not in SUFFIXES:
        raise UsageError(f"{path}: a table of strings ends in {', '.join(SUFFIXES)}")
    if suffix == ".txt":
        if column is not None:
            raise UsageError(f"{path}: a text file has no columns")
        return MentionTable((), tuple((line,) for _, line in numbered_lines(path)), 0)
    rows = [tuple(row) for _, row in csv_rows(path, delimiter="," if suffix == ".csv" else "\t")]
    first = [field.strip().casefold() for field in rows[0]]
    if column is not None:
        if column.casefold() not in first:
            raise FormatError(f"no column is called {column!r}: {', '.join(rows[0])}", path=path)
        return MentionTable(rows[0], tuple(rows[1:]), first.index(column.casefold()))
    named = next((i for i, name in enumerate(first) if name in _HEADERS), None)
    if named is None:
        return MentionTable((), tuple(rows), 0)
    return MentionTable(rows[0], tuple(rows[1:]), named)


def link_strings(strings: Sequence[str], link: Step) -> Iterator[Mention | None]:
    """Each string linked as a document of its own; None for an empty one. Equal ones once."""
    linked: dict[str, Mention | None] = {"": None}
    for string in strings:
        if string not in linked:
            whole = Mention((Span(0, len(string)),))
            (linked[string],) = link(Document("", string, mentions=(whole,))).mentions
        yield linked[string]


def write_linked_table(table: MentionTable, link: Step, stream: TextIO) -> None:
    """The table with the columns ADDED, separated by tabs; without a header, one is made up."""
    width = max((len(row) for row in table.rows), default=1)
    header = table.header or ("mention", *(f"column_{i}" for i in range(2, width + 1)))
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerow((*header, *ADDED))
    for row, mention in zip(table.rows, link_strings(list(table.strings()), link), strict=True):
        padded = (*row, *[""] * (len(header) - len(row)))
        writer.writerow((*(field.translate(_BLANKS) for field in padded), *_answer(mention)))


def _answer(mention: Mention | None) -> tuple[str, ...]:
    if mention is None or not mention.is_linked:
        return ("",) * len(ADDED)
    best = mention.candidates[0]
    why = "; ".join(evidence.detail for evidence in best.evidence)
    return "|".join(mention.ids), best.label, f"{best.score:.4f}", why
