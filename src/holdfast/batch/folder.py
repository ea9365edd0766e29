"""The folder of a job: new or resumed, and of one process at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from holdfast.artifacts import why_not_written
from holdfast.batch.places import LocalPlace, OutputPlace, is_remote
from holdfast.errors import HoldfastError, UsageError


def check_folder(
    place: OutputPlace, out: str, *, has_own: bool, is_job: bool, resume: bool
) -> None:
    """A folder is new, or it holds a job that is to be resumed or that others work at, too.

    `has_own`: it has this job's manifest; `is_job`: it has that of any task of it.
    """
    if has_own and not resume:
        raise UsageError(
            f"{out} already holds this job; --resume goes on with it, or begin in another folder"
        )
    if is_job:
        return
    strangers = [name for name in place.names() if not name.startswith(".")]
    if strangers:
        raise UsageError(
            f"{out} holds something else ({strangers[0]}); name a new folder for the output"
        )


def check_apart(out: str, inputs: Iterable[str]) -> None:
    """The output lies in no folder that is read: --resume would take it for further input."""
    for one in inputs:
        if _lies_in(out, one):
            raise UsageError(
                f"{out}: lies in the input folder {one}; name an output folder elsewhere"
            )


def _lies_in(out: str, folder: str) -> bool:
    out, folder = (place.removeprefix("file://") for place in (out, folder))
    if is_remote(out) or is_remote(folder):
        return f"{out.rstrip('/')}/".startswith(f"{folder.rstrip('/')}/")
    within = Path(folder).resolve()
    return within.is_dir() and Path(out).resolve().is_relative_to(within)


@contextmanager
def names_full_disk(place: OutputPlace) -> Iterator[None]:
    """A disk that is full when the manifest or the report is written is one line, too."""
    try:
        yield
    except OSError as error:
        where = error.filename or place.at("")
        raise HoldfastError(
            f"{where}: {why_not_written(error)}; mend it and give --resume"
        ) from error


@contextmanager
def locked(place: OutputPlace, manifest: str) -> Iterator[None]:
    """No two processes do the same job in the same folder, where that can be told."""
    if not isinstance(place, LocalPlace):
        yield
        return
    place.folder.mkdir(parents=True, exist_ok=True)
    path = place.folder / f".{manifest}.lock"
    with path.open("w", encoding="utf-8") as stream:
        if not _lock(stream) or not _is_at(stream, path):
            raise UsageError(f"{place.folder}: another process is at this job; wait for it")
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _is_at(stream: TextIO, path: Path) -> bool:
    """Whether the open file is still the one of that name: who ends removes its lock."""
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _lock(stream: TextIO) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        return True
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
