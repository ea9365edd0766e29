"""Files that are sent as the body of a request, read by the readers of corpora.

Readers read files. The body is kept in a file that exists in memory alone where the system has
such files, so that no text is written to a disk.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from holdfast.corpora import read_documents
from holdfast.document import Document
from holdfast.errors import FormatError, HoldfastError
from holdfast.server.failures import Failure

READABLE: Final = ("text", "pubtator", "bioc-json", "bioc-xml", "jsonl", "json")
_GZIP: Final = b"\x1f\x8b"


def read_upload(body: bytes, format: str, *, marked: bool = False) -> list[Document]:
    """The documents of a file, with the mentions that it marks only if they are asked for.

    A Failure names the line that breaks the format, and quotes nothing of it.
    """
    if format not in READABLE:
        raise Failure("invalid_option", f"from must be one of {', '.join(READABLE)}")
    if body.startswith(_GZIP):  # a few bytes could unpack to any number
        raise Failure("invalid_format", "the body is compressed; send it as it is")
    try:
        with _as_file(body) as path:
            documents = list(read_documents(path, format=format))
    except FormatError as error:
        place = "" if error.line is None else f" in line {error.line}"
        raise _broken(format, place) from None
    except (HoldfastError, UnicodeDecodeError, RecursionError):
        raise _broken(format, "") from None
    if format == "text":
        documents = [replace(document, id="") for document in documents]
    return documents if marked else [_bare(document) for document in documents]


def _broken(format: str, place: str) -> Failure:
    return Failure(
        "invalid_format",
        f"the body breaks the format {format}{place}; `holdfast convert` says why, as messages "
        "of the service quote no text",
    )


def _bare(document: Document) -> Document:
    return replace(document, mentions=(), relations=())


@contextmanager
def _as_file(body: bytes) -> Iterator[Path]:
    if hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create("holdfast"), "wb") as stream:
            stream.write(body)
            stream.flush()
            yield Path(f"/proc/self/fd/{stream.fileno()}")
    else:
        with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
            path = Path(folder) / "upload"
            path.write_bytes(body)
            yield path
