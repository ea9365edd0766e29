"""The files that a job reads, as sources: what is cut into shards.

A source is a file, or a run of files with one document each: a folder of 10,000 texts must not
become 10,000 output files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

from holdfast.batch.places import beginning_of, is_remote, remote_files
from holdfast.corpora import ReadReport, format_of, format_to_read
from holdfast.corpora.folders import (
    NO_DOCUMENT,
    ONE_DOCUMENT,
    FoundFile,
    document_id,
    find_files,
    nothing_read,
    reason_by_name,
)
from holdfast.corpora.formats import format_named
from holdfast.errors import InputError, UsageError

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_STEM: Final = 60
_TEXTS: Final = "texts"


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file of documents."""

    location: str  # an absolute path, or the address of a file system that Arrow knows
    name: str  # for people: the file's name, or its path below the folder that was named
    format: str
    size: int  # in bytes, as it lies there
    document_id: str = ""  # of its only document, where the file itself names none

    @property
    def stem(self) -> str:
        """The name without folders and extensions, of characters that every file system takes."""
        return _UNSAFE.sub("_", Path(self.name).name.partition(".")[0])[:_LONGEST_STEM] or "file"


@dataclass(frozen=True, slots=True)
class InputSource:
    """What is cut into shards: one file, or several files of one document each."""

    number: int  # from 0, in the order of the arguments
    files: tuple[InputFile, ...]

    @property
    def name(self) -> str:
        """For people: the file's name, or that of the first and the last file."""
        first, last = self.files[0].name, self.files[-1].name
        return first if len(self.files) == 1 else f"{first} … {last}"

    @property
    def stem(self) -> str:
        """How its output files are called, after their number."""
        return self.files[0].stem if len(self.files) == 1 else _TEXTS

    @property
    def size(self) -> int:
        """Of all its files, at least 1."""
        return max(1, sum(file.size for file in self.files))


@dataclass(frozen=True, slots=True)
class JobInputs:
    """The sources of a job, and what was found beside them in folders and left out."""

    sources: tuple[InputSource, ...]
    left_out: dict[str, int]  # by reason


def find_sources(
    arguments: Sequence[str], *, format: str | None, documents_per_shard: int
) -> JobInputs:
    """The sources behind files, folders and addresses, in their order.

    `format` is that of all files; by default each file's name decides, and then its content.
    """
    if format is not None:
        format_named(format)
    report, ids = ReadReport(), set[str]()
    files = [file for argument in arguments for file in _files(argument, format, report, ids)]
    runs = list(_runs(files, documents_per_shard))
    sources = tuple(InputSource(number, run) for number, run in enumerate(runs))
    return JobInputs(sources, dict(report.left_out))


def _runs(files: Iterable[InputFile], most: int) -> Iterator[tuple[InputFile, ...]]:
    """Each file by itself; neighbours that have one document each in runs of at most so many."""
    for is_one, group in groupby(files, key=lambda file: file.format in ONE_DOCUMENT):
        neighbours = list(group)
        size = most if is_one else 1
        for start in range(0, len(neighbours), size):
            yield tuple(neighbours[start : start + size])


def _files(
    argument: str, format: str | None, report: ReadReport, ids: set[str]
) -> Iterator[InputFile]:
    """The files of one argument. `ids` are those of documents that are named after their files."""
    if is_remote(argument):
        yield from _remote(argument, format, report, ids)
        return
    path = Path(argument.removeprefix("file://"))
    if path.is_dir():
        yield from _folder(path, format, report, ids)
    elif path.exists():
        found = format or _format(path)
        name = _readable(path.name)
        id = _document_id(FoundFile(path, found, name), ids)
        yield InputFile(str(path.absolute()), name, found, path.stat().st_size, id)
    else:
        raise UsageError(f"{argument}: there is no such file or folder")


def _format(path: Path) -> str:
    """By name and content. What cannot be read goes by its name: its reader says what is wrong."""
    try:
        return format_to_read(path) or format_of(path)
    except InputError:
        return format_of(path)


def _folder(
    folder: Path, format: str | None, report: ReadReport, ids: set[str]
) -> Iterator[InputFile]:
    found = False
    for file in find_files(folder, format=format, report=report):
        found = True
        try:
            size = file.path.stat().st_size
        except OSError as error:  # a link to nothing
            raise InputError(f"{file.path}: {error.strerror}; remove it or mend it") from error
        id = _document_id(file, ids)
        yield InputFile(str(file.path.absolute()), file.name, file.format, size, id)
    if not found:
        raise UsageError(f"{folder}: {nothing_read(report)}")


def _document_id(file: FoundFile, ids: set[str]) -> str:
    """Of a file with one document and no id in it, unlike those of the others; else ""."""
    if file.format not in ONE_DOCUMENT:
        return ""
    count, number, id = len(ids), 1, document_id(file, ids)
    while len(ids) == count:  # another folder has a file of this name
        number += 1
        ids.add(f"{id} ({number})")
    return id if number == 1 else f"{id} ({number})"


def _readable(name: str) -> str:
    """A file's name; bytes that are not UTF-8 become U+FFFD."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _remote(
    address: str, format: str | None, report: ReadReport, ids: set[str]
) -> Iterator[InputFile]:
    """The file at an address, or the files below it, as those of a folder.

    The beginning of each is fetched to see its format, unless that is given or its name tells it.
    """
    found = False
    for remote in remote_files(address):
        is_alone = remote.location == address
        reason, kind = "", format
        if not is_alone:
            reason = next(filter(None, map(reason_by_name, Path(remote.name).parts)), "")
        if not reason and kind is None:
            with beginning_of(remote.location) as copy:
                kind = format_to_read(copy)
            reason = "" if kind else NO_DOCUMENT
        if reason and is_alone:
            raise InputError(
                f"{remote.location}: of no format that is known; name its format with --from"
            )
        if kind == "brat":
            raise InputError(
                f"{remote.location}: brat's annotations stand beside their text; copy both here"
            )
        if reason:
            report.leave_out(reason, remote.name)
            continue
        assert kind is not None
        found = True
        id = _document_id(FoundFile(Path(remote.name), kind, remote.name), ids)
        yield InputFile(remote.location, remote.name, kind, remote.size, id)
    if not found:
        raise UsageError(f"{address}: {nothing_read(report)}")
