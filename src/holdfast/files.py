"""Files that are read strictly and written whole or not at all.

What is read may be gzipped, whatever it is called; what is written is gzipped if its name ends in
`.gz`. Everything here raises FormatError with the file and the line, or InputError for a file that
cannot be opened.
"""

from __future__ import annotations

import codecs
import gzip
import os
import re
import secrets
import shutil
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Final, TextIO, cast

from holdfast.errors import FormatError, InputError, UsageError

_CHUNK: Final = 1 << 20
BOM: Final = "\ufeff"
_EMPTY: Final = "the file is empty"
_GZIP_MAGIC: Final = b"\x1f\x8b"
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_PART: Final = re.compile(r"\..+\.[0-9a-f]{8}\.part")

StrPath = str | PathLike[str]


@contextmanager
def open_bytes(path: StrPath) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked if it is gzipped. An empty file is a FormatError."""
    try:
        with Path(path).open("rb") as file:
            magic = file.read(2)
            file.seek(0)
            if not magic:
                raise FormatError(_EMPTY, path=path)
            if magic == _GZIP_MAGIC:
                with gzip.open(file, "rb") as unpacked:
                    if not unpacked.peek(1):
                        raise FormatError(_EMPTY, path=path)
                    yield cast(BinaryIO, unpacked)
            else:
                yield file
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"not a whole gzip file ({error}); is it cut off?", path=path) from error


def raw_lines(path: StrPath, *, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """(line number from 1, line with its end), without a byte order mark.

    Only a line feed ends a line. A file without any line is a FormatError.
    """
    with open_bytes(path) as stream:
        number = 0
        for number, raw in enumerate(stream, 1):
            line = _decode(raw, path, number, encoding)
            yield number, line.removeprefix(BOM) if number == 1 else line
        if not number:
            raise FormatError(_EMPTY, path=path)


def read_lines(path: StrPath, *, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """(line number from 1, line without its line feed)."""
    for number, line in raw_lines(path, encoding=encoding):
        yield number, line.removesuffix("\n")


def numbered_lines(path: StrPath, *, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """(line number from 1, line without its end, LF or CRLF)."""
    for number, line in raw_lines(path, encoding=encoding):
        yield number, line.removesuffix("\n").removesuffix("\r")


def read_text(path: StrPath) -> str:
    """Every character as it stands, line endings too, without a byte order mark."""
    with open_bytes(path) as stream:
        return _decode(stream.read(), path, 1, "utf-8").removeprefix(BOM)


def marked_text(text: str) -> str:
    """What `read_text` reads as this text: one that starts with U+FEFF needs a mark before it."""
    return BOM + text if text.startswith(BOM) else text


def starts_with_mark(path: StrPath) -> bool:
    """Whether the file starts with UTF-8's byte order mark."""
    with open_bytes(path) as stream:
        return stream.read(3) == BOM.encode()


def read_head(path: StrPath, size: int) -> bytes:
    """The first bytes of the file, unpacked if it is gzipped."""
    with open_bytes(path) as stream:
        return stream.read(size)


def is_empty(path: StrPath) -> bool:
    """Whether the file has no byte, or unpacks to none. One that cannot be opened is not empty."""
    try:
        with open_bytes(path):
            return False
    except FormatError as error:
        return error.message == _EMPTY
    except InputError:
        return False


def read_chunks(path: StrPath) -> Iterator[str]:
    """The text in pieces of about a million characters, without a byte order mark."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, at_start = 1, True
    with open_bytes(path) as stream:
        while True:
            raw = stream.read(_CHUNK)
            try:
                chunk = decoder.decode(raw, final=not raw)
            except UnicodeDecodeError as error:
                place = line + error.object[: error.start].count(b"\n")
                raise FormatError(_not_utf8(error), path=path, line=place) from error
            yield chunk.removeprefix(BOM) if at_start else chunk
            at_start = False
            line += chunk.count("\n")
            if not raw:
                return


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream whose content becomes the file when the block ends without an error."""
    temporary = _beside(path)
    try:
        with ExitStack() as stack:
            stream: BinaryIO = stack.enter_context(temporary.open("xb"))
            if path.suffix.casefold() == ".gz":
                zipped = gzip.GzipFile("", "wb", fileobj=stream, mtime=0)
                stream = cast(BinaryIO, stack.enter_context(zipped))
            yield stream
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_durably(path: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all, also after a crash of the machine."""
    temporary = _beside(path)
    try:
        with temporary.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, where the system can."""
    if sys.platform == "win32":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def is_part(path: Path) -> bool:
    """Whether a file is what a writer that was killed left behind."""
    return _PART.fullmatch(path.name) is not None


@contextmanager
def replacing_text(path: Path) -> Iterator[TextIO]:
    """A stream for UTF-8 text that replaces the file; line feeds are written as they are."""
    with replacing(path) as stream, TextIOWrapper(stream, encoding="utf-8", newline="") as text:
        yield text


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """A folder that becomes `path` when the block ends without an error.

    `path` may exist only as an empty folder: nobody's files are replaced.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{path} already exists and is not an empty folder; name another")
    temporary = _beside(path)
    temporary.mkdir()
    try:
        yield temporary
        temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _beside(path: Path) -> Path:
    """Where a file is written before it takes its name; InputError without its folder."""
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; make it first")
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")


def _decode(raw: bytes, path: StrPath, line: int, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        place = line + raw.count(b"\n", 0, error.start)
        raise FormatError(_not_utf8(error, encoding), path=path, line=place) from error


def _not_utf8(error: UnicodeDecodeError, encoding: str = "utf-8") -> str:
    if error.object.startswith(_UTF16_MARKS):
        return "the file is UTF-16, not UTF-8; save it as UTF-8"
    byte, name = error.object[error.start], "UTF-8" if encoding == "utf-8" else encoding
    return f"byte 0x{byte:02x} is not {name}; convert the file to UTF-8"
