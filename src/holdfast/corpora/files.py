"""Files that are read strictly and written whole or not at all. A trailing `.gz` means gzip."""

from __future__ import annotations

import codecs
import gzip
import secrets
import shutil
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, Final, TextIO, cast

from holdfast.errors import FormatError, UsageError

_CHUNK: Final = 1 << 20
_BOM: Final = "\ufeff"


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, unzipped; a damaged archive or an empty file is a FormatError."""
    zipped = path.suffix.casefold() == ".gz"
    try:
        with gzip.open(path, "rb") if zipped else path.open("rb") as stream:
            if not stream.peek(1):
                raise FormatError("the file is empty", path=path)
            yield cast(BinaryIO, stream)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FormatError(f"not a whole gzip file ({error})", path=path) from error


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """(line number from 1, line without its line feed), without a byte order mark."""
    with open_bytes(path) as stream:
        for number, raw in enumerate(stream, 1):
            line = _decode(raw, path, number).removesuffix("\n")
            yield number, line.removeprefix(_BOM) if number == 1 else line


def read_text(path: Path) -> str:
    """Every character as it stands, line endings too."""
    with open_bytes(path) as stream:
        return _decode(stream.read(), path, 1)


def read_chunks(path: Path) -> Iterator[str]:
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
            yield chunk.removeprefix(_BOM) if at_start else chunk
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


@contextmanager
def replacing_text(path: Path) -> Iterator[TextIO]:
    """The same for UTF-8 text; line feeds are written as they are."""
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
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")


def _decode(raw: bytes, path: Path, line: int) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        place = line + raw.count(b"\n", 0, error.start)
        raise FormatError(_not_utf8(error), path=path, line=place) from error


def _not_utf8(error: UnicodeDecodeError) -> str:
    return f"byte 0x{error.object[error.start]:02x} is not UTF-8; convert the file to UTF-8"
