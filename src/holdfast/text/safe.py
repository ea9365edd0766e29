"""Strings from outside, made safe to print: a document, a file's name or a vocabulary may hold
escape codes that steer a terminal, or cells that a spreadsheet takes for formulas."""

from __future__ import annotations

import re
from io import StringIO
from typing import Final, TextIO

_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
# Control characters other than tab and line feed, what reverses the direction of writing, and
# lone surrogates, which no encoding holds.
_UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_BLANKS: Final = re.compile(r"\s+")
_FORMULA: Final = re.compile("'*[=+@\uff1d\uff0b\uff20-]")
_GUARDED: Final = re.compile("'+[=+@\uff1d\uff0b\uff20-]")
_NUMBER: Final = re.compile(r"[+-][\d.,]+(?:[eE][+-]?\d+)?", re.ASCII)
_RAW_IN_JSON: Final = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """The text, as long as before, with U+FFFD for every character that could steer a terminal."""
    return _UNPRINTABLE.sub(_REPLACEMENT, text)


def one_line(text: str) -> str:
    """The printable text with every run of blanks, line ends too, as one space."""
    return printable(_BLANKS.sub(" ", text))


def json_safe(line: str) -> str:
    """The JSON with escapes for what `printable` replaces; it means what it meant."""
    return _RAW_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


def guard_cell(cell: str) -> str:
    """The cell, after an apostrophe if a spreadsheet would take it for a formula.

    Formulas start with `=`, `+`, `-` or `@`, also in their full width. A number is no formula.
    `unguard_cell` restores every cell.
    """
    is_formula = _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if is_formula else cell


def unguard_cell(cell: str) -> str:
    """The cell that `guard_cell` was given."""
    return cell[1:] if _GUARDED.match(cell) else cell


class SafeTerminal(StringIO):
    """A stream of text that goes on to a terminal, as `printable` text alone."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(printable(text))

    def flush(self) -> None:
        self._stream.flush()


def safe_stream(stream: TextIO) -> TextIO:
    """The stream itself, which keeps every character, unless it is a terminal."""
    return SafeTerminal(stream) if stream.isatty() else stream
