"""Which row of a table is its header, and which column holds the strings to link.

A header is never linked, and a row of data is never taken for a header. The first row is

- a header, if one of its cells is a word that such tables use ("diagnosis", "drug name") and none
  is a number or date; or if it has a word above a column of numbers, dates or ids; or if its cells
  are written like variables ("patient_id");
- data, if one of its cells is a number or date, or if all are names of the knowledge base and so
  are some of those below each.

Otherwise nobody can tell, and the user is asked. So it is with the column: it is the only one
whose header says so, or the only one that holds text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from holdfast.errors import UsageError

Row = tuple[str, ...]
IsName = Callable[[str], bool]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SAYS_SO: Final = _words(
    "mention string term diagnosis diagnose dx disease disorder condition illness comorbidity drug "
    "medication medicine substance chemical compound treatment therapy prescription ingredient "
    "phenotype symptom sign finding complaint problem indication reaction concept entity allergy "
    "allergen procedure organism species bacterium pathogen microbe virus gene protein tissue "
    "organ anatomy cancer tumor tumour morphology histology"
)
_MAY_SAY_SO: Final = _words("name label text description verbatim value content title")
_ENDS: Final = _words(
    "mention string term name label text description verbatim diagnosis dx complaint medication "
    "indication"
)
_OTHERS_NAMES: Final = _words(
    "patient first last middle given family full user file doctor physician provider nurse "
    "hospital clinic site study country city street column sheet table department"
)
_PLURALS: Final = {"diagnoses": "diagnosis", "species": "species", "bacteria": "bacterium"}
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NOT_LETTER: Final = re.compile(r"[\W_]+")
_NUMBER: Final = re.compile(r"[-+]?[\d.,\s]*\d[\d.,\s]*(?:[eE][-+]?\d+)?%?")
_DATE: Final = re.compile(
    r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}(?:[T ]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(?::\d{2})?|"
    r"\d{1,2}[- ]?[A-Za-z]{3,9}[- ,]*\d{2,4}|[A-Za-z]{3,9} \d{1,2},? \d{4}"
)
_ID: Final = re.compile(
    r"(?=\S*\d)[A-Za-z]{0,8}[-_:.#]?\d[\w.:-]*|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|"
    r"[A-Za-z]+:[\w.]*\d[\w.]*|[A-Z]\d[0-9A-Z](?:\.\w{1,4})?|https?://\S+|\S+@\S+\.\S+"
)
_VARIABLE: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.][A-Za-z0-9]+)*")
_MOSTLY: Final = 0.8  # the share of a column's cells that say of what kind it is
_LONGEST_VALUE: Final = 40  # characters
_LOOKED_AT: Final = 200  # rows
_SHARE_OF_NAMES: Final = 0.2  # of a column of names, what the knowledge base lists at least


def has_header(first: Row, rest: Sequence[Row], is_name: IsName) -> bool | None:
    """Whether the first row is a header; None if it cannot be told."""
    cells = [cell.strip() for cell in first]
    has_value = any(_is_value(cell) for cell in cells)
    if any(_says(cell) for cell in cells):
        return None if has_value else True
    if has_value:
        return False
    columns = [_column(rest, i) for i in range(len(cells))]
    if any(cell and _holds_values(below) for cell, below in zip(cells, columns, strict=True)):
        return True
    if all(map(_VARIABLE.fullmatch, cells)) and any("_" in cell for cell in cells):
        return True
    named = [
        bool(cell) and is_name(cell) and _are_names(below, is_name)
        for cell, below in zip(cells, columns, strict=True)
    ]
    return False if all(named) else None


def column_of(header: Row, rows: Sequence[Row], asked: str | None, *, where: str) -> int:
    """The column of the strings: the one asked for, by name or number from 1, or the only one."""
    width = len(header) or max((len(row) for row in rows), default=1)
    if asked is not None:
        return _asked_column(header, rows, asked, width, where)
    texts = [i for i in range(width) if _holds_text(_column(rows, i))] or list(range(width))
    for tier in (_SAYS_SO, _MAY_SAY_SO):
        said = [i for i in texts if header and _says(header[i], tier)]
        if len(said) == 1:
            return said[0]
        if said:
            raise _which(header, rows, width, where)
    if len(texts) == 1:
        return texts[0]
    raise _which(header, rows, width, where)


def names_column(cell: str) -> bool:
    """Whether a cell is one of the words that head a column of strings."""
    return _says(cell)


def _asked_column(header: Row, rows: Sequence[Row], asked: str, width: int, where: str) -> int:
    wanted = asked.strip().casefold()
    found = [i for i, name in enumerate(header) if name.strip().casefold() == wanted]
    if len(found) == 1:
        return found[0]
    if len(found) > 1:
        places = " and ".join(str(i + 1) for i in found)
        raise UsageError(f"{where}: columns {places} are called {asked!r}; say --column NUMBER")
    if wanted.isdecimal() and 1 <= int(wanted) <= width:
        return int(wanted) - 1
    listed = _listed(header, rows, width)
    raise UsageError(f"{where}: no column is called {asked!r}; there is: {listed}")


def _which(header: Row, rows: Sequence[Row], width: int, where: str) -> UsageError:
    listed = _listed(header, rows, width)
    kind = "NAME" if header else "NUMBER"
    return UsageError(f"{where}: which column to link? say --column {kind}; there is: {listed}")


def _listed(header: Row, rows: Sequence[Row], width: int) -> str:
    if header:
        return ", ".join(f"{i} {name.strip()!r}" for i, name in enumerate(header, 1))
    examples = [next((c for c in _column(rows, i) if c), "") for i in range(width)]
    return ", ".join(f"{i} (such as {text[:30]!r})" for i, text in enumerate(examples, 1))


def _says(cell: str, words: frozenset[str] = _SAYS_SO | _MAY_SAY_SO) -> bool:
    """Whether a header says that strings stand below: "diagnosis", "Drug Name", "primary_dx"."""
    parts = _NOT_LETTER.sub(" ", _CAMEL.sub(" ", cell)).casefold().split()
    if not 0 < len(parts) <= 3 or _OTHERS_NAMES & set(parts):
        return False
    last = _singular(parts[-1])
    if len(parts) == 1:
        return last in words
    is_kind = any(_singular(part) in _SAYS_SO for part in parts[:-1])
    is_variable = "_" in cell and last in _SAYS_SO
    if last not in _ENDS and not is_variable:
        return False
    return bool(words & _SAYS_SO) if is_kind or last in _SAYS_SO else bool(words & _MAY_SAY_SO)


def _singular(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "is", "us")) else word


def _column(rows: Sequence[Row], index: int) -> list[str]:
    """The cells of a column that are not empty, of the first rows."""
    cells = (row[index].strip() for row in rows[:_LOOKED_AT] if index < len(row))
    return [cell for cell in cells if cell]


def _is_value(cell: str) -> bool:
    return len(cell) <= _LONGEST_VALUE and bool(_NUMBER.fullmatch(cell) or _DATE.fullmatch(cell))


def _is_id(cell: str) -> bool:
    return len(cell) <= _LONGEST_VALUE and bool(_ID.fullmatch(cell))


def _holds_values(cells: Sequence[str]) -> bool:
    """Whether a column holds numbers, dates or ids."""
    found = sum(_is_value(cell) or _is_id(cell) for cell in cells)
    return bool(cells) and found >= _MOSTLY * len(cells)


def _holds_text(cells: Sequence[str]) -> bool:
    """Whether a column holds words: letters, and neither numbers, dates, ids nor single letters."""
    words = [
        cell
        for cell in cells
        if len(cell) > 1
        and any(map(str.isalpha, cell))
        and not _is_id(cell)
        and not _is_value(cell)
    ]
    return len(words) > (1 - _MOSTLY) * len(cells)


def _are_names(cells: Sequence[str], is_name: IsName) -> bool:
    if not cells:
        return True
    return sum(map(is_name, cells)) >= _SHARE_OF_NAMES * len(cells)
