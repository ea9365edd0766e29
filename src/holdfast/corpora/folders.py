"""The documents below a folder: every file is read by its own format, by name and then by content.

Folders inside it are read too, in the order of their names. brat's annotations are read with the
text beside them, as one document. What holds no document is left out, and named in the report.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from holdfast.corpora.brat import ANNOTATION_SUFFIXES
from holdfast.corpora.formats import FORMATS, extension_of, format_named, format_of, format_to_read
from holdfast.corpora.report import ReadReport
from holdfast.corpora.sniff import HEAD, MAY_BE, RECOGNISED, is_text, sniff
from holdfast.document import Document
from holdfast.errors import InputError, UsageError
from holdfast.files import is_empty, read_head

ONE_DOCUMENT: Final = ("text", "brat")
"""Formats whose files have one document, and no id in it."""

_BRAT_PARTS: Final = (".txt", ".a2")  # what may stand beside brat's annotations
_TABLES: Final = (".csv", ".xls", ".xlsx", ".ods")
_NO_PROSE: Final = (
    *(".css", ".htm", ".html", ".js", ".py", ".r", ".rtf", ".sh", ".svg", ".tex"),
    *(".a2", ".cfg", ".conf", ".ini", ".lock", ".toml", ".yaml", ".yml"),
)
_ABOUT: Final = frozenset(  # of files that come with documents, and are none
    {"authors", "changelog", "citation", "copying", "licence", "license", "notice", "readme"}
)

HIDDEN: Final = "hidden"
EMPTY: Final = "empty"
TABLE: Final = "tables (--mentions links a column of strings)"
NO_TEXT: Final = "not text"
NO_DOCUMENT: Final = "of a kind that holds no documents"
OTHER_FORMAT: Final = "of another format than --from"
SEEN: Final = "folders that are read already, by another way"
BROKEN: Final = "broken"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read, how, and its name below the folder."""

    path: Path
    format: str
    name: str


@dataclass(slots=True)
class _Walk:
    """A walk through a folder, and the folders that it went through."""

    root: Path
    format: str | None
    report: ReadReport
    seen: set[tuple[int, int]] = field(default_factory=set)

    def files(self, folder: Path) -> Iterator[FoundFile]:
        """Every file at or below the folder that holds documents."""
        here = folder.stat()
        self.seen.add((here.st_dev, here.st_ino))
        try:
            entries = sorted(folder.iterdir(), key=lambda path: path.name)
        except OSError as error:
            raise InputError(f"{folder}: {error.strerror}") from error
        annotated = _annotated(entries) if self.format in (None, "brat") else frozenset()
        for path in entries:
            name = self.name(path)
            if path.name.startswith("."):
                self.report.leave_out(HIDDEN, f"{name}/" if path.is_dir() else name)
            elif path.is_dir():
                yield from self.folder(path)
            elif path.suffix in _BRAT_PARTS and path.stem in annotated:
                continue
            else:
                yield from self.file(path, name)

    def folder(self, path: Path) -> Iterator[FoundFile]:
        there = path.stat()
        if (there.st_dev, there.st_ino) in self.seen:
            self.report.leave_out(SEEN, f"{self.name(path)}/")
        else:
            yield from self.files(path)

    def file(self, path: Path, name: str) -> Iterator[FoundFile]:
        """At most one: none if the file holds no document."""
        reason, format = _judge(path, self.format)
        if reason:
            self.report.leave_out(reason, name)
        else:
            yield FoundFile(path, format, name)

    def name(self, path: Path) -> str:
        """The path below the folder. Bytes that are not UTF-8 become U+FFFD."""
        raw = path.relative_to(self.root).as_posix().encode("utf-8", "surrogateescape")
        return raw.decode("utf-8", "replace")


def find_files(folder: Path, *, format: str | None, report: ReadReport) -> Iterator[FoundFile]:
    """The files at or below the folder that hold documents, by name.

    With `format`, every file is of that format, except those whose name says otherwise.
    """
    return _Walk(folder, format, report).files(folder)


def _annotated(entries: list[Path]) -> frozenset[str]:
    """The stems of the files that have brat's annotations beside them."""
    return frozenset(path.stem for path in entries if path.suffix in ANNOTATION_SUFFIXES)


def reason_by_name(name: str) -> str:
    """Why a file of a folder is left out whatever stands in it; "" if it may hold documents."""
    if name.startswith("."):
        return HIDDEN
    folded = name.casefold()
    suffix = Path(folded.removesuffix(".gz")).suffix
    if suffix in _TABLES:
        return TABLE
    is_about = folded.partition(".")[0] in _ABOUT
    is_no_prose = suffix in _NO_PROSE and not extension_of(Path(name))
    return NO_DOCUMENT if is_about or is_no_prose else ""


def _judge(path: Path, wanted: str | None) -> tuple[str, str]:
    """Why the file is left out, or "" and its format.

    A file that cannot be opened counts as one of documents: its reader says what is wrong.
    """
    extension = extension_of(path)
    named = format_of(path) if extension else None
    reason = reason_by_name(path.name)
    if reason != TABLE and wanted is not None and _is_named_otherwise(extension, named, wanted):
        return OTHER_FORMAT, ""
    if reason:
        return reason, ""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return NO_TEXT, ""
        if named != "brat" and is_empty(path):
            return EMPTY, ""
        if wanted is None:
            return _by_content(path, extension)
        return _as_wanted(path, extension, wanted)
    except (InputError, OSError):
        return "", wanted or named or "text"


def _by_content(path: Path, extension: str) -> tuple[str, str]:
    format = format_to_read(path)
    if format is not None:
        return "", format
    if not is_text(read_head(path, HEAD)):
        return NO_TEXT, ""
    return (TABLE if extension == ".tsv" else NO_DOCUMENT), ""


def _is_named_otherwise(extension: str, named: str | None, wanted: str) -> bool:
    """Whether the name says that the file is of another format. `.txt` says nothing."""
    if named is not None and FORMATS[named].read is FORMATS[wanted].read:
        return False
    if wanted == "brat" or extension not in ("", ".txt"):
        return wanted not in MAY_BE.get(extension, ())
    return False


def _as_wanted(path: Path, extension: str, wanted: str) -> tuple[str, str]:
    """A file whose name says nothing is left out if it is clearly of another format."""
    head = read_head(path, HEAD)
    if wanted != "parquet" and not is_text(head):
        return NO_TEXT, ""
    if extension and extension not in MAY_BE:
        return "", wanted
    found = sniff(head)
    if found in RECOGNISED:
        is_same = FORMATS[found].read is FORMATS[wanted].read
        is_other = not is_same and (found, wanted) != ("jsonl", "json")
    else:
        is_other = wanted in RECOGNISED
    return (OTHER_FORMAT, "") if is_other else ("", wanted)


def read_file(
    path: Path, format: str, *, id: str = "", lenient: bool, report: ReadReport
) -> Iterator[Document]:
    """The documents of one file, counted in the report. `id` replaces that of its only document."""
    is_first = True
    for read in format_named(format).read(path, lenient=lenient, report=report):
        document = replace(read, id=id) if id else read
        report.files += is_first
        is_first = False
        report.count(mentions=len(document.mentions), relations=len(document.relations))
        report.formats[format] += 1
        report.see_id(document.id)
        yield document


def read_folder(
    folder: Path, *, format: str | None, lenient: bool, report: ReadReport
) -> Iterator[Document]:
    """The documents of every file at and below the folder.

    The id of a text is its path below the folder, without `.txt`. Where `lenient`, a file that
    breaks its format as a whole is left out. A folder without a file to read is a UsageError.
    """
    ids, found = set[str](), False
    for file in find_files(folder, format=format, report=report):
        found = True
        files, skipped = report.files, report.skipped.total()
        id = document_id(file, ids) if file.format in ONE_DOCUMENT else ""
        try:
            yield from read_file(file.path, file.format, id=id, lenient=lenient, report=report)
        except (InputError, OSError) as error:
            if not lenient:
                raise
            report.skip("file", str(error))
            report.leave_out(BROKEN, file.name)
            continue
        if report.files == files:
            is_broken = report.skipped.total() > skipped
            report.leave_out(BROKEN if is_broken else NO_DOCUMENT, file.name)
    if not found:
        raise UsageError(f"{folder}: {nothing_read(report)}")


def nothing_read(report: ReadReport) -> str:
    """Why a folder has no documents, in one line."""
    reasons = "; ".join(f"{r}: {', '.join(names)}" for r, names in report.left_out_names.items())
    return f"no file in this folder holds documents{f' ({reasons})' if reasons else ''}"


def document_id(file: FoundFile, taken: set[str]) -> str:
    """The file's name without its extension; with it where another file has the same."""
    name = file.name.removesuffix(".gz")
    suffixes = ANNOTATION_SUFFIXES if file.format == "brat" else (".txt",)
    short = next((name.removesuffix(s) for s in suffixes if name.endswith(s)), name)
    id = file.name if short in taken else short
    taken.add(id)
    return id
