"""What can go wrong, as one tree.

HoldfastError                 anything Holdfast raises on purpose; `str(error)` is one line
├── UsageError                a command or call that cannot mean anything (exit code 2)
├── InputError                a file or text from outside that cannot be used as it is
│   ├── FormatError           … because it breaks its own format; knows its file and line
│   └── LossError             … because the output format cannot hold it
├── InvalidValueError         a Document, Mention, … that contradicts itself
├── KnowledgeBaseError        a knowledge base that is missing, damaged or too new
│   └── UnknownEntityError    an id that the knowledge base does not hold
├── ArtifactError             a model folder that is missing, damaged or too new
└── FetchError                something that could not be downloaded or verified
"""

from __future__ import annotations

from os import PathLike


class HoldfastError(Exception):
    """The root. The message is one line: the offending value, where it is, what to do."""


class UsageError(HoldfastError):
    """A command or call that cannot mean anything, however good the data."""


class InputError(HoldfastError):
    """A file or text from outside that cannot be used as it is."""


class FormatError(InputError):
    """Input that breaks its own format, with the place where it does.

    `line` counts from 1. Either part of the place may be unknown.
    """

    def __init__(
        self, message: str, *, path: str | PathLike[str] | None = None, line: int | None = None
    ) -> None:
        self.message = message
        self.path = None if path is None else str(path)
        self.line = line
        place = ", ".join(
            part
            for part in (self.path, None if line is None else f"line {line}")
            if part is not None
        )
        super().__init__(f"{place}: {message}" if place else message)


class LossError(InputError):
    """The output format cannot hold something that the document has."""


class InvalidValueError(HoldfastError, ValueError):
    """A value that contradicts itself, refused at construction."""


class KnowledgeBaseError(HoldfastError):
    """A knowledge base that is missing, damaged, or written by a newer Holdfast."""


class UnknownEntityError(KnowledgeBaseError, LookupError):
    """An id that the knowledge base does not hold."""


class ArtifactError(HoldfastError):
    """A model folder that is missing, damaged, or written by a newer Holdfast."""


class FetchError(HoldfastError):
    """Something that could not be downloaded, or whose hash is not the pinned one."""
