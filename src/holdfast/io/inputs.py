"""What people hand to a command: texts, files, folders, or standard input."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from holdfast.corpora import FORMATS, ReadReport, format_of, format_to_read, read_documents
from holdfast.corpora.folders import BROKEN, find_files, nothing_read, read_file
from holdfast.corpora.formats import EXTENSIONS, extension_of, format_named
from holdfast.document import Document
from holdfast.errors import FormatError, InputError, UsageError
from holdfast.files import BOM, is_empty

STDIN: Final = "-"

_STDIN_NAME: Final = "standard input"
_TABLES: Final = (".csv", ".xls", ".xlsx", ".ods")
# Of files that hold no documents as they are: who names one means the file, and no text.
_SUFFIXES: Final = frozenset(
    {*_TABLES, ".doc", ".docx", ".htm", ".html", ".log", ".md", ".odt", ".pdf", ".rtf", ".zip"}
)
_BEGINNINGS: Final = ("/", "./", "../", "~/")
_GLOB: Final = re.compile(r"\*\.\w|/\*|\*/|^\*$")
_LONGEST_PATH: Final = 255  # characters; what is longer and ends in ".txt" is prose
_SHORT: Final = 4  # characters of an extension, with its dot, that is near too many others
_CLOSE: Final = 0.85


@dataclass(frozen=True, slots=True)
class _Source:
    """One argument: a text, or else the file or folder at `path`."""

    text: str = ""
    path: Path | None = None
    format: str | None = None  # of a file; of a folder only where all its files have it
    is_stdin: bool = False  # the file is a copy of it
    fault: InputError | None = None  # why the file cannot be read


@dataclass(frozen=True, slots=True)
class Inputs:
    """The documents behind a command's arguments; `open_inputs` makes it."""

    sources: Sequence[_Source]
    lenient: bool = False

    @property
    def is_one_text(self) -> bool:
        """Whether this is a single text rather than a collection of documents."""
        if len(self.sources) != 1:
            return False
        (source,) = self.sources
        return source.path is None or (source.format == "text" and not source.path.is_dir())

    def documents(
        self, report: ReadReport | None = None, *, marked: bool = False
    ) -> Iterator[Document]:
        """Each document, with the mentions that its file marks only if they are asked for.

        Where `lenient` and there are several arguments, a file that is broken is left out.
        """
        report = ReadReport() if report is None else report
        for source in self.sources:
            try:
                for document in self._read(source, report):
                    yield document if marked else replace(document, mentions=(), relations=())
            except (InputError, OSError) as error:
                if not self.lenient or len(self.sources) == 1:
                    raise
                report.skip("file", str(error))
                report.leave_out(BROKEN, str(source.path))

    def _read(self, source: _Source, report: ReadReport) -> Iterator[Document]:
        if source.fault is not None:
            raise source.fault
        if source.path is None:
            yield Document("", source.text)
        elif source.path.is_dir():
            yield from read_documents(
                source.path, format=source.format, lenient=self.lenient, report=report
            )
        elif source.is_stdin:
            yield from _read_stdin(source, report, lenient=self.lenient)
        else:
            assert source.format is not None
            yield from read_file(source.path, source.format, lenient=self.lenient, report=report)


@contextmanager
def open_inputs(
    arguments: Sequence[str], *, format: str | None = None, lenient: bool = False
) -> Iterator[Inputs]:
    """The documents behind the arguments, all of which are looked at before the first is read.

    An argument is a file, a folder, `-` for standard input, or else a text. `format` is that of
    all of them but texts; by default each file's name decides, and then what stands in it.
    """
    if format is not None:
        format_named(format)
    if [*arguments].count(STDIN) > 1:
        raise UsageError("standard input (-) can be read only once")
    with ExitStack() as stack:
        sources = list[_Source]()
        for argument in arguments:
            if argument == STDIN:
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="holdfast-"))
                sources.append(_stdin(Path(folder) / "stdin", format))
            else:
                sources.append(_source(argument, format, lenient=lenient and len(arguments) > 1))
        yield Inputs(sources, lenient=lenient)


def _source(argument: str, format: str | None, *, lenient: bool) -> _Source:
    """Where `lenient`, a file that cannot be read is left out when its turn comes."""
    path = _path(argument)
    if path is None:
        return _Source(argument.removeprefix(BOM))
    if not path.is_dir():
        try:
            return _Source(path=path, format=format or _format(path))
        except InputError as error:
            if not lenient:
                raise
            return _Source(path=path, fault=error)
    report = ReadReport()
    if next(find_files(path, format=format, report=report), None) is None:
        raise UsageError(f"{path}: {nothing_read(report)}")
    return _Source(path=path, format=format)


def _path(argument: str) -> Path | None:
    """The file or folder that the argument names; None if it is a text."""
    if len(argument) > 4096 or "\0" in argument:
        return None
    path = Path(argument)
    try:
        if argument and path.exists():
            return path
        is_below = path.parent != Path() and path.parent.exists()
    except OSError:
        return None
    if _looks_like_a_path(argument, is_below=is_below):
        raise UsageError(f"{argument}: there is no such file or folder")
    return None


def _looks_like_a_path(argument: str, *, is_below: bool) -> bool:
    """Whether what names no file was meant to. `is_below`: the folder that it would be in exists.

    "HER2/neu" is a text, and so are "p.V600E" and "E.coli".
    """
    if "\n" in argument or not argument.strip() or len(argument) > _LONGEST_PATH:
        return False
    suffix = Path(argument.removesuffix(".gz")).suffix.casefold()
    if extension_of(Path(argument)) or suffix in _SUFFIXES:
        return True
    if any(character.isspace() for character in argument):
        return False
    if argument.startswith(_BEGINNINGS) or argument.endswith("/") or _GLOB.search(argument):
        return True
    misspelled = len(suffix) > _SHORT and get_close_matches(suffix, EXTENSIONS, 1, _CLOSE)
    return bool(misspelled) or ("/" in argument and is_below)


def _format(path: Path) -> str:
    """The format of a file that was named by itself."""
    if path.suffix.casefold() in _TABLES:
        raise UsageError(
            f"{path} is a table; link a column of it with --mentions {path}, or all of it as one "
            "text with --from text"
        )
    found = format_to_read(path)
    if found is None and not extension_of(path):
        raise InputError(
            f"{path}: neither text nor of a format that is known; extract its text first, or name "
            f"its format with --from, one of {', '.join(FORMATS)}"
        )
    return found or format_of(path)


def _stdin(copy: Path, format: str | None) -> _Source:
    """Standard input as a file: readers may go back in it."""
    with copy.open("wb") as stream:
        shutil.copyfileobj(sys.stdin.buffer, stream)
    if is_empty(copy) and format in (None, "text"):
        return _Source("")
    try:
        found = format or format_to_read(copy)
    except FormatError as error:
        raise FormatError(error.message, path=_STDIN_NAME, line=error.line) from error
    if found is None:
        raise FormatError(
            f"not text; name its format with --from, one of {', '.join(FORMATS)}", path=_STDIN_NAME
        )
    return _Source(path=copy, format=found, is_stdin=True)


def _read_stdin(source: _Source, report: ReadReport, *, lenient: bool) -> Iterator[Document]:
    """Its documents; whatever is said of the copy is said of standard input."""
    assert source.path is not None
    assert source.format is not None
    try:
        for document in read_file(source.path, source.format, lenient=lenient, report=report):
            yield replace(document, id="") if source.format == "text" else document
    except FormatError as error:
        raise FormatError(error.message, path=_STDIN_NAME, line=error.line) from error
    finally:
        report.reasons[:] = [r.replace(str(source.path), _STDIN_NAME) for r in report.reasons]
