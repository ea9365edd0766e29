"""What people hand to a command: a text, a file, a folder, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from holdfast.corpora import FORMATS, ReadReport, format_of, read_documents
from holdfast.document import Document
from holdfast.errors import FormatError, UsageError

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The documents behind a command's arguments."""

    arguments: Sequence[str]
    format: str | None = None  # of files, where their extension does not tell
    lenient: bool = False

    @property
    def is_one_text(self) -> bool:
        """Whether this is a single text rather than a collection of documents."""
        if len(self.arguments) != 1:
            return False
        path = _path(self.arguments[0])
        return path is None or (path.is_file() and _format(path, self.format) == "text")

    def documents(
        self, report: ReadReport | None = None, *, marked: bool = False
    ) -> Iterator[Document]:
        """Each document, with the mentions that its file marks only if they are asked for."""
        for argument in self.arguments:
            path = _path(argument)
            if path is None:
                yield Document("", _stdin() if argument == STDIN else argument)
                continue
            for document in read_documents(
                path, format=_format(path, self.format), lenient=self.lenient, report=report
            ):
                yield document if marked else replace(document, mentions=(), relations=())


def _path(argument: str) -> Path | None:
    """The file or folder that the argument names; None if it is a text or standard input."""
    if argument == STDIN or len(argument) > 4096 or "\0" in argument:
        return None
    path = Path(argument)
    try:
        if argument and path.exists():
            return path
    except OSError:
        return None
    looks_like_file = not any(character.isspace() for character in argument) and any(
        path.name.removesuffix(".gz").endswith(extension)
        for described in FORMATS.values()
        for extension in described.extensions
    )
    if looks_like_file:
        raise UsageError(f"{argument}: there is no such file")
    return None


def _format(path: Path, format: str | None) -> str:
    """A file whose name tells nothing is taken as plain text."""
    if format is not None:
        return format
    try:
        return format_of(path)
    except UsageError:
        if path.is_file():
            return "text"
        raise


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {error.object[error.start]:#04x} at {error.start} is not UTF-8; convert the "
            "text to UTF-8 first",
            path="standard input",
        ) from error
