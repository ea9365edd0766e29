"""Sources cut into shards with stable numbers.

A source is measured first: its digest, and how many records it has. Measuring reads the whole
source once, which takes far less time than linking it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from holdfast.artifacts import sha256_of
from holdfast.batch.inputs import InputFile, InputSource
from holdfast.batch.places import file_at
from holdfast.batch.records import read_records
from holdfast.errors import UsageError

_SHARE: Final = re.compile(r"(\d+)/(\d+)", re.ASCII)
_BESIDE_BRAT: Final = (".txt", ".a2")  # files that are read with brat's annotations


@dataclass(frozen=True, slots=True)
class MeasuredSource:
    """What is known of a source once it was read."""

    source: InputSource
    sha256: str
    records: int  # documents and broken records

    def to_json(self) -> dict[str, Any]:
        """As the manifest has it: without the place where the source lies."""
        return {
            "number": self.source.number,
            "name": self.source.name,
            "format": self.source.files[0].format,
            "files": len(self.source.files),
            "records": self.records,
            "sha256": self.sha256,
        }


@dataclass(frozen=True, slots=True)
class Shard:
    """Some consecutive records of a source, which become one output file."""

    source: InputSource
    index: int  # from 0, in its source
    start: int  # the first record
    stop: int  # the record after the last

    @property
    def name(self) -> str:
        """How its files are called, without an extension; the same in every run."""
        return f"{self.source.number:05d}-{self.source.stem}-{self.index:04d}"

    @property
    def records(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a job that one of several tasks does: the third of a hundred is 3/100."""

    part: int  # from 1
    parts: int

    @classmethod
    def parse(cls, text: str) -> Share:
        """From "3/100"; UsageError if it is none."""
        found = _SHARE.fullmatch(text)
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise UsageError(f"--shard {text}: write it as 3/100, from 1/100 to 100/100")
        return cls(int(found[1]), int(found[2]))

    @property
    def ending(self) -> str:
        """Of the names of files that each task has for itself: none waits for another."""
        return "" if self.parts == 1 else f"-{self.part}-of-{self.parts}"


WHOLE: Final = Share(1, 1)


def measure(source: InputSource, *, strict: bool, records: int | None = None) -> MeasuredSource:
    """Read the source once. With `strict`, a broken record raises.

    `records`: how many there are, where that is known; then only the digest is made.
    """
    sha256 = digest_of(source)
    if records is None:
        records = sum(1 for _ in read_records(source, strict=strict))
    return MeasuredSource(source, sha256, records)


def digest_of(source: InputSource) -> str:
    """The sha256 of a file; of several, that of their names and sha256s."""
    if len(source.files) == 1:
        return _digest_of_file(source.files[0])
    whole = hashlib.sha256()
    for file in source.files:
        whole.update(f"{file.name}\0{_digest_of_file(file)}\n".encode())
    return whole.hexdigest()


def _digest_of_file(file: InputFile) -> str:
    with file_at(file.location) as path:
        digests = [sha256_of(path), *(sha256_of(other) for other in _beside(path, file.format))]
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def _beside(path: Path, format: str) -> list[Path]:
    if format != "brat":
        return []
    return [p for p in map(path.with_suffix, _BESIDE_BRAT) if p.exists()]


def sources_of_share(sources: Sequence[InputSource], share: Share) -> list[InputSource]:
    """The sources that a share has shards of, told by the sizes of the files alone."""
    chosen = list[InputSource]()
    total, start = sum(source.size for source in sources), 0
    for source in sources:
        end = start + source.size
        # In whole numbers: [start, end) meets [part - 1, part) of `parts` equal parts of the total.
        if start * share.parts < share.part * total and end * share.parts > (
            (share.part - 1) * total
        ):
            chosen.append(source)
        start = end
    return chosen


def shards_of_share(
    sources: Sequence[InputSource], measured: Sequence[MeasuredSource], share: Share, *, size: int
) -> list[Shard]:
    """The shards of `size` records whose beginning, by size of the files, lies in the share.

    `measured` are the sources of the share. Every shard is in one share, whatever the number of
    shares, and depends on nothing but the files and `size`.
    """
    total = sum(source.size for source in sources)
    starts, start = dict[int, int](), 0
    for source in sources:
        starts[source.number] = start
        start += source.size
    chosen = list[Shard]()
    for one in measured:
        cut = list(_cut(one, size))
        for shard in cut:
            place = starts[one.source.number] * len(cut) + one.source.size * shard.index
            if place * share.parts // (total * len(cut)) == share.part - 1:
                chosen.append(shard)
    return chosen


def _cut(measured: MeasuredSource, size: int) -> Iterator[Shard]:
    """At least one: a source without records has an empty output file."""
    for index, start in enumerate(range(0, max(1, measured.records), size)):
        yield Shard(measured.source, index, start, min(start + size, measured.records))
