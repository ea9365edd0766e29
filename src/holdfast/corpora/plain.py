"""Plain text: one document in a file, whose stem is its id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Final, TextIO

from holdfast.corpora.brat import file_stem
from holdfast.corpora.losses import Holds, Losses
from holdfast.corpora.reading import Reading
from holdfast.corpora.report import ReadReport
from holdfast.document import Document
from holdfast.errors import FormatError, UsageError
from holdfast.files import marked_text, read_text, replacing_folder, replacing_text

HOLDS: Final = Holds(mentions=False)


def read_plain(
    path: str | PathLike[str], *, lenient: bool = False, report: ReadReport | None = None
) -> Iterator[Document]:
    """The only document of a file."""
    reading = Reading(path, lenient=lenient, report=report)
    try:
        text = read_text(reading.path)
    except FormatError as error:
        reading.refuse("document", error.message, line=error.line)
        return
    yield Document(Path(reading.path.name.removesuffix(".gz")).stem, text)


def write_plain(documents: Iterable[Document], stream: TextIO, losses: Losses) -> None:
    """The text alone. Several texts would run together, so there may be only one."""
    for number, document in enumerate(documents):
        if number:
            raise UsageError("plain text holds one document; name a folder to write several")
        stream.write(_text(document, losses))
        losses.report.count(mentions=0, relations=0)


def write_plain_files(documents: Iterable[Document], path: Path, losses: Losses) -> None:
    """`path` is a folder that will hold every document, or the `.txt` file of the only one."""
    if path.name.endswith((".txt", ".txt.gz")):
        with replacing_text(path) as stream:
            write_plain(documents, stream, losses)
        return
    with replacing_folder(path) as folder:
        for document in documents:
            stem = file_stem(document, losses, folder, ".txt")
            with (folder / f"{stem}.txt").open("x", encoding="utf-8", newline="") as stream:
                write_plain([document], stream, losses)


def _text(document: Document, losses: Losses) -> str:
    text = losses.fit(document, HOLDS).text
    if not text:
        losses.lose("an empty text", document, how="writes a line feed for")
    return marked_text(text) or "\n"
