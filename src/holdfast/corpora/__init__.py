"""Corpora: documents in and out of the formats that people have.

    for document in read_documents("train.pubtator.txt"):
        ...
    write_documents(documents, "train.bioc.json")

Readers stream: one document is in memory at a time. FORMATS is the table of what there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import TextIO

from holdfast.corpora.folders import read_file, read_folder
from holdfast.corpora.formats import FORMATS, Format, format_named, format_of, format_to_read
from holdfast.corpora.losses import Losses
from holdfast.corpora.report import ReadReport, WriteReport
from holdfast.document import Document
from holdfast.errors import LossError, UsageError
from holdfast.files import replacing, replacing_text

__all__ = [
    "FORMATS",
    "Format",
    "ReadReport",
    "WriteReport",
    "dumps",
    "format_of",
    "format_to_read",
    "read_documents",
    "write_documents",
    "write_to",
]


def read_documents(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    lenient: bool = False,
    report: ReadReport | None = None,
) -> Iterator[Document]:
    """The documents of a file, or of every file at and below a folder, one at a time, in order.

    `format` is a name of FORMATS; by default a file's extension decides, and what stands in it
    where the extension may mean several formats. What is broken raises FormatError; with `lenient`
    it is skipped and counted in `report`, and so is a broken file of a folder.
    """
    place = Path(path)
    report = ReadReport() if report is None else report
    if place.is_dir():
        yield from read_folder(place, format=format, lenient=lenient, report=report)
        return
    if not place.exists():
        raise UsageError(f"{place}: there is no such file or folder")
    yield from read_file(
        place, format or format_to_read(place) or format_of(place), lenient=lenient, report=report
    )


def write_documents(
    documents: Iterable[Document],
    path: str | PathLike[str],
    *,
    format: str | None = None,
    allow_loss: bool = False,
    report: WriteReport | None = None,
) -> None:
    """Write a file, or a folder for brat and text. After an error, nothing is there.

    What the format cannot hold raises LossError; with `allow_loss` it is left out and counted in
    `report`. A file that exists is replaced, a folder only if it is empty.
    """
    place = Path(path)
    name = format or format_of(place, option="--to")
    target = format_named(name)
    losses = Losses(name, allow=allow_loss, report=report)
    try:
        if target.write_files is not None:
            target.write_files(documents, place, losses)
        elif target.write_binary is not None:
            with replacing(place) as stream:
                target.write_binary(documents, stream, losses)
        elif target.write is not None:
            with replacing_text(place) as text:
                target.write(documents, text, losses)
        else:
            raise _read_only(name)
    except UnicodeEncodeError as error:
        raise _surrogate(name, error) from error


def write_to(
    documents: Iterable[Document],
    stream: TextIO,
    format: str,
    *,
    allow_loss: bool = False,
    report: WriteReport | None = None,
) -> None:
    """Write to an open stream of text, such as standard output, as the documents come.

    For brat these are the annotation lines without the text.
    """
    target = format_named(format)
    if target.write is None:
        raise _read_only(format)
    losses = Losses(format, allow=allow_loss, report=report)
    try:
        target.write(documents, stream, losses)
    except UnicodeEncodeError as error:
        raise _surrogate(format, error) from error


def dumps(
    documents: Iterable[Document],
    format: str,
    *,
    allow_loss: bool = False,
    report: WriteReport | None = None,
) -> str:
    """The documents in a format, as one string."""
    stream = StringIO(newline="")
    write_to(documents, stream, format, allow_loss=allow_loss, report=report)
    return stream.getvalue()


def _read_only(name: str) -> UsageError:
    texts = ", ".join(n for n, f in FORMATS.items() if f.write is not None)
    return UsageError(f"{name} cannot be written here; text formats are {texts}")


def _surrogate(name: str, error: UnicodeEncodeError) -> LossError:
    character = f"U+{ord(error.object[error.start]):04X}"
    around = error.object[max(error.start - 20, 0) : error.start]
    return LossError(f"{name} cannot hold the lone surrogate {character} after {around!r}")
