"""One shard: read, link, write. Every engine runs this code and no other."""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Final

from holdfast.batch.outputs import output_format
from holdfast.batch.places import open_place
from holdfast.batch.plan import Shard
from holdfast.batch.records import Broken, RecordReader
from holdfast.batch.settings import Linking
from holdfast.batch.state import DEADLY, SHARDS, Attempts, Finished, Quarantined, keep
from holdfast.batch.tally import ShardTally
from holdfast.corpora import WriteReport
from holdfast.document import Document
from holdfast.errors import ArtifactError, InputError, KnowledgeBaseError
from holdfast.pipeline import Pipeline

OnLinked = Callable[[int], None]
"""Called with the number of documents of the shard that are linked so far."""

_DIED: Final = "the process that linked it died each time; it may need more memory than there is"
_NO_FAULT_OF_DOCUMENTS: Final = (OSError, ArtifactError, KnowledgeBaseError)
_OUT_OF_MEMORY: Final = 70  # exit code
_MANY: Final = 20  # documents of a shard
_BETWEEN_RELEASES: Final = 50  # documents


@dataclass(frozen=True, slots=True)
class BatchJob:
    """What every process of a job must know."""

    linking: Linking
    format: str
    strict: bool
    out: str


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A document and its record's number in the source."""

    record: int
    document: Document


class Worker:
    """Annotates shards, one after the other. The pipeline is loaded by the first."""

    def __init__(self, job: BatchJob) -> None:
        self._job = job
        self._place = open_place(job.out)
        self._format = output_format(job.format)
        self._reader = RecordReader(strict=job.strict)

    @cached_property
    def _pipeline(self) -> Pipeline:
        return self._job.linking.load()

    def annotate(self, shard: Shard, on_linked: OnLinked = lambda _: None) -> Finished:
        """Write the shard's output and state. An error leaves neither.

        A process that runs out of memory ends, as if the system had ended it: the note of its
        attempt stays, so that the document that needs so much is found in the end.
        """
        began = time.perf_counter()
        attempts = Attempts.begin(self._place, shard)
        try:
            finished = self._annotate(shard, attempts, on_linked, began)
        except MemoryError:
            os._exit(_OUT_OF_MEMORY)
        except BaseException:
            attempts.end()
            raise
        attempts.end()
        return finished

    def _annotate(
        self, shard: Shard, attempts: Attempts, on_linked: OnLinked, began: float
    ) -> Finished:
        documents, faults = self._read(shard)
        if attempts.deaths >= DEADLY:
            faults |= self._examine(documents, attempts)
        if faults and self._job.strict:
            record, reason = min(faults.items())
            raise InputError(f"{shard.source.name}, record {record + 1}: {reason}")
        try:
            tally, content = self._write(_without(documents, faults), on_linked)
        except _NO_FAULT_OF_DOCUMENTS:
            raise
        except Exception:
            found = {} if self._job.strict else self._examine(documents, attempts)
            new = found.keys() - faults.keys()
            tried = sum(1 for _ in _without(documents, faults))
            if not new or _MANY <= tried == len(new):
                raise  # no fault of the documents: none of many can be linked
            faults |= found
            tally, content = self._write(_without(documents, faults), on_linked)
        finished = Finished(
            name=shard.name,
            file=f"{SHARDS}/{shard.name}{self._format.extension}",
            size=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            tally=tally,
            quarantined=tuple(_quarantined(shard, documents, faults)),
            seconds=time.perf_counter() - began,
        )
        keep(self._place, finished, content)
        return finished

    def _read(self, shard: Shard) -> tuple[list[_Numbered], dict[int, str]]:
        """The shard's documents, and by record why others are none."""
        records = self._reader.read(shard.source, shard.start, shard.stop)
        if len(records) != shard.records:
            raise InputError(
                f"{shard.source.name}: changed while it was read; begin again in another folder"
            )
        documents, faults = list[_Numbered](), dict[int, str]()
        for number, record in enumerate(records, shard.start):
            if isinstance(record, Broken):
                faults[number] = record.reason
                continue
            documents.append(_Numbered(number, record))
            if character := _unwritable(record):
                faults[number] = f"holds half a character ({character}), which no file can hold"
        return documents, faults

    def _write(
        self, documents: Iterable[Document], on_linked: OnLinked
    ) -> tuple[ShardTally, bytes]:
        """Link the documents and write them; what depends on documents is in both results."""
        tally, report, stream = ShardTally(), WriteReport(), BytesIO()
        linked = tally.counted(self._pipeline.pipe(documents))
        self._format.write(_announced(linked, on_linked), stream, report)
        tally.lost.update(report.lost)
        return tally, stream.getvalue()

    def _examine(self, documents: Sequence[_Numbered], attempts: Attempts) -> dict[int, str]:
        """Which documents cannot be linked or written, found by doing each by itself."""
        found = dict.fromkeys(attempts.deadly, _DIED)
        for one in documents:
            if one.record in found:
                continue
            attempts.note(one.record)
            try:
                linked = self._pipeline(one.document)
                self._format.write([linked], BytesIO(), WriteReport())
            except (*_NO_FAULT_OF_DOCUMENTS, MemoryError):
                raise
            except Exception as error:
                found[one.record] = " ".join(f"{type(error).__name__}: {error}".split())
        attempts.note(None)
        return found


def _without(documents: Sequence[_Numbered], faults: Mapping[int, str]) -> Iterator[Document]:
    return (one.document for one in documents if one.record not in faults)


def _announced(documents: Iterable[Document], on_linked: OnLinked) -> Iterator[Document]:
    for number, document in enumerate(documents, 1):
        on_linked(number)
        yield document
        if number % _BETWEEN_RELEASES == 0:
            _release_memory()


def _release_memory() -> None:
    """Give back what the C library keeps of freed memory: about 80 MB in each of many processes."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library than GNU's
            ctypes.CDLL(None).malloc_trim(0)


def _unwritable(document: Document) -> str:
    """The first lone surrogate of the document, as U+D800; "" if there is none."""
    kinds = (passage.kind for passage in document.passages)
    pairs = (part for pair in document.metadata for part in pair)
    for text in (document.id, document.text, *kinds, *pairs):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            return f"U+{ord(text[error.start]):04X}"
    return ""


def _quarantined(
    shard: Shard, documents: Sequence[_Numbered], faults: Mapping[int, str]
) -> Iterator[Quarantined]:
    known = {one.record: one.document for one in documents}
    for record, reason in sorted(faults.items()):
        document = known.get(record)
        yield Quarantined(
            source=shard.source.name,
            record=record + 1,
            reason=reason,
            id="" if document is None else document.id,
            text=None if document is None else document.text,
        )
