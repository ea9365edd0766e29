"""Where a job reads and writes: folders of this machine, or file systems that Arrow knows.

An address has a scheme (`s3://bucket/folder`, `gs://…`, `hdfs://…`); everything else is a path.
What is written is there whole or not at all.
"""

from __future__ import annotations

import re
import secrets
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from holdfast.artifacts import why_not_written
from holdfast.errors import HoldfastError, UsageError
from holdfast.files import is_part, write_durably

_CHUNK: Final = 1 << 20  # bytes that are copied at once
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_WHOLE_OBJECTS: Final = frozenset({"s3", "gcs", "abfs"})
"""File systems whose files appear when their writer ends: nothing is renamed there."""


def is_remote(location: str) -> bool:
    """Whether it is an address of another file system than this machine's."""
    return _ADDRESS.match(location) is not None and not location.startswith("file://")


class OutputPlace(Protocol):
    """A folder of output files, whose names may have folders before them."""

    def write(self, name: str, content: bytes) -> None:
        """Write a file durably, whole or not at all, over an older one. OSError if it fails."""

    def read(self, name: str) -> bytes | None:
        """A file's content; None if it is not there."""

    def names(self, folder: str = "") -> list[str]:
        """The files in the folder or below it, sorted; what a killed writer left is none."""

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""

    def sweep(self, names: Collection[str]) -> None:
        """Remove what killed writers left of files that are called so, before the first dot."""

    def at(self, name: str) -> str:
        """Where a file is, for people."""


@dataclass(frozen=True, slots=True)
class LocalPlace:
    """A folder of this machine, or one that it mounts."""

    folder: Path

    def write(self, name: str, content: bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(path, content)

    def read(self, name: str) -> bytes | None:
        try:
            return (self.folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def names(self, folder: str = "") -> list[str]:
        paths = (path for path in (self.folder / folder).rglob("*") if path.is_file())
        return sorted(p.relative_to(self.folder).as_posix() for p in paths if not is_part(p))

    def remove(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)

    def sweep(self, names: Collection[str]) -> None:
        for path in self.folder.rglob(".*.part"):
            if _is_part_of(path, names):
                path.unlink(missing_ok=True)

    def at(self, name: str) -> str:
        return str(self.folder / name)


@dataclass(frozen=True, slots=True)
class ArrowPlace:
    """A folder of a file system that Arrow knows."""

    files: Any  # pyarrow.fs.FileSystem
    folder: str  # in that file system
    address: str  # for people

    def write(self, name: str, content: bytes) -> None:
        path = self._path(name)
        self.files.create_dir(path.rpartition("/")[0], recursive=True)
        is_whole = self.files.type_name in _WHOLE_OBJECTS
        head, _, tail = path.rpartition("/")
        temporary = path if is_whole else f"{head}/.{tail}.{secrets.token_hex(4)}.part"
        try:
            with self.files.open_output_stream(temporary, compression=None) as stream:
                stream.write(content)
            if temporary != path:
                self.files.move(temporary, path)
        except BaseException:
            if temporary != path:
                with suppress(OSError):
                    self.files.delete_file(temporary)
            raise

    def read(self, name: str) -> bytes | None:
        try:
            with self.files.open_input_stream(self._path(name), compression=None) as stream:
                return bytes(stream.read())
        except FileNotFoundError:
            return None

    def names(self, folder: str = "") -> list[str]:
        return [name for name in self._all(folder) if not is_part(Path(name))]

    def remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            self.files.delete_file(self._path(name))

    def sweep(self, names: Collection[str]) -> None:
        for name in self._all(""):
            if _is_part_of(Path(name), names):
                self.remove(name)

    def at(self, name: str) -> str:
        return f"{self.address.rstrip('/')}/{name}"

    def _all(self, folder: str) -> list[str]:
        from pyarrow import fs

        below = f"{self.folder}/{folder}".rstrip("/")
        chosen = fs.FileSelector(below, recursive=True, allow_not_found=True)
        found = self.files.get_file_info(chosen)
        start = len(self.folder.rstrip("/")) + 1
        return sorted(info.path[start:] for info in found if info.type == fs.FileType.File)

    def _path(self, name: str) -> str:
        return f"{self.folder.rstrip('/')}/{name}"


def _is_part_of(path: Path, names: Collection[str]) -> bool:
    return is_part(path) and path.name[1:].partition(".")[0] in names


def open_place(location: str) -> OutputPlace:
    """The folder at a path or an address; UsageError if Arrow does not know the address."""
    if is_remote(location):
        files, folder = _arrow(location)
        return ArrowPlace(files, folder, location)
    return LocalPlace(Path(location.removeprefix("file://")).absolute())


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file to read on another file system."""

    location: str
    name: str  # below the address that was named
    size: int


def remote_files(address: str) -> Iterator[RemoteFile]:
    """The file at an address, or every file below it, by name. UsageError if there is none."""
    from pyarrow import fs

    files, path = _arrow(address)
    info = files.get_file_info(path)
    if info.type == fs.FileType.File:
        yield RemoteFile(address, info.base_name, info.size)
        return
    chosen = fs.FileSelector(path, recursive=True, allow_not_found=True)
    below = [i for i in files.get_file_info(chosen) if i.type == fs.FileType.File and i.size]
    if not below:
        raise UsageError(f"{address}: there is no such file or folder")
    for info in sorted(below, key=lambda info: str(info.path)):
        name = info.path[len(path.rstrip("/")) + 1 :]
        yield RemoteFile(f"{address.rstrip('/')}/{name}", name, info.size)


@contextmanager
def file_at(location: str) -> Iterator[Path]:
    """The file at a location; one of another file system is a copy for as long as the block is.

    A copy that fails is a HoldfastError and no InputError: a network or a full disk is at fault,
    and not the file, which must not go to the quarantine for it.
    """
    if not is_remote(location):
        yield Path(location)
        return
    with _copy_of(location, most=None) as copy:
        yield copy


@contextmanager
def beginning_of(location: str) -> Iterator[Path]:
    """The first megabyte of a file of another file system, under its name; a copy as by `file_at`.

    A compressed file breaks off in it.
    """
    with _copy_of(location, most=_CHUNK) as copy:
        yield copy


@contextmanager
def _copy_of(location: str, *, most: int | None) -> Iterator[Path]:
    files, path = _arrow(location)
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        copy = Path(folder) / path.rpartition("/")[2]
        try:
            with files.open_input_stream(path, compression=None) as stream, copy.open("wb") as out:
                while chunk := stream.read(_CHUNK):
                    out.write(chunk)
                    if most is not None and out.tell() >= most:
                        break
        except OSError as error:
            raise HoldfastError(
                f"{location}: cannot be copied here ({why_not_written(error)}); mend it and give "
                "--resume"
            ) from error
        yield copy


def _arrow(address: str) -> tuple[Any, str]:
    from pyarrow import fs, lib

    try:
        files, path = fs.FileSystem.from_uri(address)
    except (lib.ArrowException, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(f"{address}: no file system that Arrow knows ({reason})") from error
    return files, path
