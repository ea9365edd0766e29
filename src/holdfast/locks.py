"""One writer at a time: a lock file beside the folder that is being made."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TextIO

_LOG: Final = logging.getLogger(__name__)


@contextmanager
def one_writer(folder: Path) -> Iterator[None]:
    """Within the block no other process is in such a block for the same folder; others wait.

    The lock ends with its process, however that ends. Nothing is locked on systems that have no
    locks of this kind (Windows, some network drives). OSError if the parent cannot be written.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    path = folder.with_name(f".{folder.name}.lock")
    stream = _locked(path)
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()
        stream.close()


def _locked(path: Path) -> TextIO:
    """The lock file, open and locked. Its last owner may have deleted it: then it is made anew."""
    while True:
        stream = path.open("w", encoding="utf-8")
        try:
            _lock(stream, path)
            if _is_at(stream, path):
                return stream
        except BaseException:
            stream.close()
            raise
        stream.close()


def _lock(stream: TextIO, path: Path) -> None:
    if sys.platform == "win32":
        return
    import fcntl

    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        _LOG.warning("another process is making %s: waiting for it", path.name[1:-5])
        fcntl.flock(stream, fcntl.LOCK_EX)
    except OSError:
        pass  # a file system without locks


def _is_at(stream: TextIO, path: Path) -> bool:
    """Whether the open file is the one under this name."""
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat())
    except FileNotFoundError:
        return False
