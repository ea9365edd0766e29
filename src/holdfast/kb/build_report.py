"""What the owner of a vocabulary should know of a build: duplicates, odd cells, unknown types."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast.kb.own_types import own_types
from holdfast.kb.readers.table_notes import TableNotes, WrongSeparator
from holdfast.kb.records import Entry
from holdfast.kb.store import KnowledgeBase
from holdfast.types import TYPES

_EXAMPLES: Final = 3
_TYPES_LISTED: Final = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of thing that a build came across."""

    kind: str  # "repeated id", "shared name", "separator", "no name" or "own type"
    count: int  # of rows, names or entities
    message: str  # one line, with the first examples

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Place:
    """A row of a file; line 0 is an unknown one."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"line {self.line} of {self.file}" if self.line else self.file


class BuildWatch:
    """Sees the entries of a build as they are entered, and tells afterwards what it noticed.

    It keeps 18 bytes per entity, and a few examples.
    """

    def __init__(self) -> None:
        self._files: list[tuple[str, TableNotes]] = []
        self._file_of = array("H")  # by entity, as its first entry says
        self._line_of = array("q")
        self._name_of = array("q")  # the hash of its preferred name
        self._repeated = 0
        self._renamed = 0
        self._examples: list[tuple[int, str, _Place]] = []  # entity, other name, where

    def start(self, path: Path) -> TableNotes:
        """Called before a file is read; the notes are for its reader to fill."""
        self._files.append((path.name, TableNotes()))
        return self._files[-1][1]

    def entered(self, row: int, entry: Entry) -> None:
        """Called for every entry, with its entity's row; rows count up as they are first met."""
        file = len(self._files) - 1
        line = self._files[file][1].line
        if row == len(self._name_of):
            self._file_of.append(file)
            self._line_of.append(line)
            self._name_of.append(hash(entry.name))
        elif self._file_of[row] == file:  # several files may speak of one entity
            self._repeated += 1
            if self._name_of[row] != hash(entry.name):
                self._renamed += 1
                if len(self._examples) < _EXAMPLES:
                    place = _Place(self._files[file][0], line)
                    self._examples.append((row, entry.name, place))

    def findings(self, kb: KnowledgeBase) -> list[Finding]:
        """All that was noticed, of the knowledge base that was built."""
        return [
            *self._nameless(),
            *self._repeated_ids(kb),
            *self._shared_names(kb),
            *self._separators(),
            *self._own_types(kb),
        ]

    def _nameless(self) -> Iterator[Finding]:
        for file, notes in self._files:
            if notes.nameless:
                lines = ", ".join(map(str, notes.nameless_lines))
                more = ", …" if notes.nameless > len(notes.nameless_lines) else ""
                rows = _counted(notes.nameless, "row without a name is", "rows without a name are")
                message = f"{rows} left out: {file}, line {lines}{more}"
                yield Finding("no name", notes.nameless, message)

    def _repeated_ids(self, kb: KnowledgeBase) -> Iterator[Finding]:
        if self._renamed:
            shown = (
                f"{kb.id_at(row)} is “{kb.label_at(row)}” ({self._place(row)}) and “{name}” "
                f"({place})"
                for row, name, place in self._examples
            )
            rows = _counted(self._renamed, "row repeats", "rows repeat")
            message = f"{rows} an id under another name, now a synonym: {_listed(shown)}"
            yield Finding("repeated id", self._renamed, message)
        if same := self._repeated - self._renamed:
            rows = _counted(same, "row repeats", "rows repeat")
            yield Finding("repeated id", same, f"{rows} an id and its name; they were joined")

    def _shared_names(self, kb: KnowledgeBase) -> Iterator[Finding]:
        groups = _shared(kb)
        if not groups.size:
            return
        shown = list[str]()
        for key in groups[:_EXAMPLES]:
            start, end = kb.exact.ranges(np.array([key], dtype=np.uint64))
            names = kb.exact.rows[start[0] : end[0]].tolist()
            owners = dict.fromkeys(int(kb.entity_of_name[name]) for name in names)
            ids = " and ".join(
                f"{kb.id_at(row)} ({self._place(row)})" for row in list(owners)[:_EXAMPLES]
            )
            shown.append(f"“{kb.name_at(names[0])}” of {ids}")
        names_shared = _counted(len(groups), "name stands", "names stand")
        message = f"{names_shared} for several ids: {_listed(shown)}"
        yield Finding("shared name", len(groups), message)

    def _separators(self) -> Iterator[Finding]:
        for file, notes in self._files:
            for wrong in notes.wrong_separators():
                yield Finding("separator", wrong.cells, _separator_message(file, wrong))

    def _own_types(self, kb: KnowledgeBase) -> Iterator[Finding]:
        counts = {type: kb.rows_of_types([type]) for type in own_types(kb)}
        if not counts:
            return
        listed = [
            f"{type} ({_counted(len(rows), 'entity', 'entities')}, {self._place(int(rows[0]))}"
            f"{_meant(type)})"
            for type, rows in list(counts.items())[:_TYPES_LISTED]
        ]
        message = f"types of your own, which `--only` takes too: {', '.join(listed)}"
        if len(counts) > _TYPES_LISTED:
            message += f" and {len(counts) - _TYPES_LISTED} more"
        yield Finding("own type", sum(map(len, counts.values())), message)

    def _place(self, row: int) -> _Place:
        return _Place(self._files[self._file_of[row]][0], self._line_of[row])


def _shared(kb: KnowledgeBase) -> npt.NDArray[np.uint64]:
    """The keys of names that several entities have, in the order of the names."""
    keys, owner = kb.exact.keys, kb.entity_of_name[kb.exact.rows]
    is_shared = (keys[1:] == keys[:-1]) & (owner[1:] != owner[:-1])
    shared, first = np.unique(keys[1:][is_shared], return_index=True)
    return shared[np.argsort(kb.exact.rows[1:][is_shared][first], kind="stable")]


def _separator_message(file: str, wrong: WrongSeparator) -> str:
    cells = _counted(wrong.cells, "cell holds", "cells hold")
    return (
        f"{cells} “{wrong.mark}” in the {wrong.column} of {file} (line {wrong.line}: "
        f"“{wrong.example[:60]}”), which separates nothing; if it should, build again with "
        f"--separator '{wrong.mark}'"
    )


def _meant(type: str) -> str:
    close = get_close_matches(type.capitalize(), TYPES, n=1, cutoff=0.75)
    return f"; did you mean {close[0]}?" if close else ""


def _counted(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"


def _listed(items: Iterator[str] | Sequence[str]) -> str:
    return "; ".join(items)
