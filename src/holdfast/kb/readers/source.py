"""Opening what people downloaded: UTF-8 lines and rows, plain or gzipped, one at a time.

Everything here raises FormatError with the file and the line, or InputError for a file that
cannot be opened; a compressed file is known by its first bytes, whatever it is called.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Final

from holdfast.errors import FormatError, InputError

StrPath = str | PathLike[str]

_GZIP_MAGIC: Final = b"\x1f\x8b"
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_BYTE_ORDER_MARK: Final = "\ufeff"


@contextmanager
def open_bytes(path: StrPath) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked if it is gzipped. An empty file is a FormatError."""
    try:
        with Path(path).open("rb") as file:
            magic = file.read(2)
            file.seek(0)
            if not magic:
                raise FormatError("the file is empty", path=path)
            if magic == _GZIP_MAGIC:
                with gzip.GzipFile(fileobj=file) as unpacked:
                    yield io.BufferedReader(unpacked)
            else:
                yield file
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(
            f"the gzip file is damaged or cut short ({error}); download it again", path=path
        ) from error


def raw_lines(path: StrPath) -> Iterator[tuple[int, str]]:
    """Each line with its end, and its number from 1. A byte order mark is dropped."""
    with open_bytes(path) as file:
        number = 0
        for number, raw in enumerate(file, start=1):
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise FormatError(_not_utf8(raw, error, number), path=path, line=number) from None
            yield number, line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
        if not number:
            raise FormatError("the file is empty", path=path)


def _not_utf8(raw: bytes, error: UnicodeDecodeError, number: int) -> str:
    if number == 1 and raw.startswith(_UTF16_MARKS):
        return "the file is UTF-16, not UTF-8; save it as UTF-8"
    return f"byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8"


def numbered_lines(path: StrPath) -> Iterator[tuple[int, str]]:
    """Each line without its end (LF or CRLF), and its number from 1."""
    for number, line in raw_lines(path):
        yield number, line.rstrip("\r\n")


def check_width(fields: list[str], columns: int, *, path: StrPath, line: int) -> None:
    """Refuse a row that does not have exactly that many fields."""
    if len(fields) != columns:
        raise FormatError(
            f"{len(fields)} fields where {columns} are expected", path=path, line=line
        )


def tab_rows(path: StrPath, *, columns: int) -> Iterator[tuple[int, list[str]]]:
    """Rows of a tab-separated file without quoting, all of the same width."""
    for number, line in numbered_lines(path):
        fields = line.split("\t")
        check_width(fields, columns, path=path, line=number)
        yield number, fields


def csv_rows(path: StrPath, *, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Rows quoted as CSV is, with the number of the line on which each begins.

    A quoted field may hold line ends. Empty lines are left out.
    """
    rows = csv.reader((line for _, line in raw_lines(path)), delimiter=delimiter, strict=True)
    start = 1
    try:
        for fields in rows:
            if fields:
                yield start, fields
            start = rows.line_num + 1
    except csv.Error as error:
        raise FormatError(_csv_problem(str(error)), path=path, line=start) from None


def _csv_problem(message: str) -> str:
    if "unexpected end of data" in message or "field limit" in message:
        return "a quote that opens in this row is never closed"
    if "expected after" in message:
        return 'text follows a closing quote; write a quote inside a quoted field as ""'
    return f"not a row of CSV ({message})"


def find_in_folder(folder: StrPath, name: str) -> Path | None:
    """The file of that name, or name.gz, in the folder or anywhere below it.

    None if there is none; several below the folder are an InputError.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{root}: not a folder; give the folder that holds {name}")
    for candidate in (root / name, root / f"{name}.gz"):
        if candidate.is_file():
            return candidate
    found = sorted([*root.rglob(name), *root.rglob(f"{name}.gz")])
    if len(found) > 1:
        raise InputError(f"{root}: holds several {name}, such as {found[0]} and {found[1]}")
    return found[0] if found else None
