"""The records of a source, one by one: documents, and what is broken and why.

Records are numbered from 0 in the order of the file, broken ones too, so that a shard is the same
records whoever reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Final

from holdfast.batch.inputs import InputFile, InputSource
from holdfast.batch.places import file_at
from holdfast.corpora import ReadReport
from holdfast.corpora.formats import format_named
from holdfast.document import Document
from holdfast.errors import HoldfastError, InputError

_OF_ANNOTATIONS: Final = frozenset({"annotation", "mention", "mentions", "relation", "label"})
"""What is broken in annotations that the input already has matters to nobody: they are dropped."""


_HINT: Final = "; --lenient skips"  # what readers say of an option that other commands have


@dataclass(frozen=True, slots=True)
class Broken:
    """A record that is no document, or what of a file cannot be read."""

    reason: str


@dataclass(slots=True)
class _Skipped(ReadReport):
    """Keeps every reason why something other than an annotation was skipped."""

    broken: list[str] = field(default_factory=list)
    read_from: str = ""  # where the file is read, for one at an address a temporary copy

    def skip(self, kind: str, reason: str) -> None:
        if kind not in _OF_ANNOTATIONS:
            self.broken.append(reason)

    def taken(self, file: InputFile) -> list[Broken]:
        """What was skipped since the last call."""
        found, self.broken = self.broken, []
        return [self.as_broken(reason, file) for reason in found]

    def as_broken(self, reason: str, file: InputFile) -> Broken:
        """The reason names the file, but not where it lies: output does not depend on that."""
        return Broken(self._with(reason, file.name).replace(file.location, file.name))

    def as_message(self, reason: str, file: InputFile) -> str:
        """The reason names the file where the user has it."""
        return self._with(reason, file.location)

    def _with(self, reason: str, name: str) -> str:
        return reason.replace(self.read_from, name) if self.read_from else reason


def read_records(source: InputSource, *, strict: bool) -> Iterator[Document | Broken]:
    """The source's documents without their annotations, and what is broken, in order.

    A file that breaks in the middle, such as a truncated archive, ends in a Broken record. With
    `strict`, whatever is broken raises instead.
    """
    for file in source.files:
        skipped = _Skipped()
        try:
            for document in _documents(file, skipped, strict=strict):
                yield from skipped.taken(file)
                yield document
        except InputError as error:
            if strict:
                what = skipped.as_message(str(error).partition(_HINT)[0], file)
                raise InputError(f"{what}; without --strict it goes to the quarantine") from error
            yield from skipped.taken(file)
            yield skipped.as_broken(str(error), file)
        except (HoldfastError, OSError, MemoryError):  # no fault of the file
            raise
        except Exception as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            broken = f"{file.name}: the rest of the file cannot be read ({reason})"
            if strict:
                raise InputError(broken) from error
            yield from skipped.taken(file)
            yield Broken(broken)
        else:
            yield from skipped.taken(file)


def _documents(file: InputFile, report: _Skipped, *, strict: bool) -> Iterator[Document]:
    with file_at(file.location) as path:
        report.read_from = str(path)
        for document in format_named(file.format).read(path, lenient=not strict, report=report):
            id = file.document_id or document.id
            yield replace(document, id=id, mentions=(), relations=())


class RecordReader:
    """Reads ranges of records; the file that was read last stays open at its place.

    Ranges of one source that ascend are read in one pass, however many there are.
    """

    def __init__(self, *, strict: bool) -> None:
        self._strict = strict
        self._source: InputSource | None = None
        self._next = 0
        self._records: Iterator[Document | Broken] = iter(())
        self._open = ExitStack()

    def read(self, source: InputSource, start: int, stop: int) -> list[Document | Broken]:
        """Records `start` to `stop`, fewer if there are not so many."""
        if source != self._source or start < self._next:
            self.close()
            records = read_records(source, strict=self._strict)
            self._open.callback(records.close)  # type: ignore[attr-defined]
            self._source, self._next, self._records = source, 0, records
        found = list[Document | Broken]()
        while self._next < stop:
            record = next(self._records, None)
            if record is None:
                break
            if self._next >= start:
                found.append(record)
            self._next += 1
        return found

    def close(self) -> None:
        """Forget the file that is open."""
        self._open.close()
        self._source = None
