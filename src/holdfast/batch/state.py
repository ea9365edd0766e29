"""What a job remembers of its shards: which are done, and which killed the process that did them.

The output of a shard is written first and its state last, so that a shard with a state is whole.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from holdfast.batch.places import OutputPlace
from holdfast.batch.plan import Shard
from holdfast.batch.tally import ShardTally
from holdfast.errors import HoldfastError

SHARDS: Final = "shards"
_STATE: Final = ".state"
_DONE: Final = ".json.gz"
_ATTEMPTS: Final = ".attempts"
_MOST_DEATHS: Final = 12
DEADLY: Final = 2
"""How often a process must die, at a shard or at a document, before chance is ruled out."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A record that is not in the output, and why."""

    source: str
    record: int  # in its source, from 1
    reason: str
    id: str = ""
    text: str | None = None  # if there is a document

    def to_json(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if value not in ("", None)}


@dataclass(frozen=True, slots=True)
class Finished:
    """A shard that is done."""

    name: str
    file: str  # of the output, in the job's folder
    size: int
    sha256: str
    tally: ShardTally
    quarantined: tuple[Quarantined, ...]
    seconds: float  # that its worker took

    def to_bytes(self) -> bytes:
        data = {
            "file": self.file,
            "size": self.size,
            "sha256": self.sha256,
            "tally": self.tally.to_json(),
            "quarantined": [one.to_json() for one in self.quarantined],
            "seconds": self.seconds,
        }
        return gzip.compress(json.dumps(data).encode(), mtime=0)

    @classmethod
    def from_bytes(cls, name: str, content: bytes) -> Finished:
        data = json.loads(gzip.decompress(content))
        return cls(
            name=name,
            file=data["file"],
            size=data["size"],
            sha256=data["sha256"],
            tally=ShardTally.from_json(data["tally"]),
            quarantined=tuple(Quarantined(**one) for one in data["quarantined"]),
            seconds=data["seconds"],
        )


def keep(place: OutputPlace, finished: Finished, content: bytes) -> None:
    """Write the output of a shard, and then that it is done."""
    place.write(finished.file, content)
    place.write(f"{_STATE}/{finished.name}{_DONE}", finished.to_bytes())


def finished_shard(place: OutputPlace, shard: Shard) -> Finished | None:
    """The shard's state, if its output is there as it was written; None if it must be done."""
    content = place.read(f"{_STATE}/{shard.name}{_DONE}")
    if content is None:
        return None
    try:
        finished = Finished.from_bytes(shard.name, content)
    except (OSError, EOFError, ValueError, KeyError, TypeError, zlib.error):
        return None
    output = place.read(finished.file)
    if output is None or hashlib.sha256(output).hexdigest() != finished.sha256:
        return None
    return finished


@dataclass(slots=True)
class Attempts:
    """How often the process that worked on a shard died, and at which documents."""

    place: OutputPlace
    shard: Shard
    deaths: int = 0
    at: Counter[int] = field(default_factory=Counter)  # deaths by record

    @classmethod
    def begin(cls, place: OutputPlace, shard: Shard) -> Attempts:
        """One more attempt. What an earlier one left behind tells that it did not end.

        HoldfastError if there were too many.
        """
        attempts = cls(place, shard)
        content = place.read(attempts._name)
        if content is not None:
            data = json.loads(content)
            attempts.deaths = data["deaths"] + 1
            attempts.at = Counter({int(key): count for key, count in data["at"].items()})
            if data["doing"] is not None:
                attempts.at[data["doing"]] += 1
        if attempts.deaths >= _MOST_DEATHS:
            raise HoldfastError(
                f"shard {shard.name}: the process that links it died {attempts.deaths} times; is "
                "there enough memory? --resume goes on with it"
            )
        attempts.note(None)
        return attempts

    def note(self, record: int | None) -> None:
        """Remember what is being done: one record, or the whole shard."""
        at = {str(key): count for key, count in sorted(self.at.items())}
        data = {"deaths": self.deaths, "at": at, "doing": record}
        self.place.write(self._name, json.dumps(data).encode())

    def end(self) -> None:
        self.place.remove(self._name)

    @property
    def deadly(self) -> frozenset[int]:
        """The records that killed their process often enough."""
        return frozenset(record for record, deaths in self.at.items() if deaths >= DEADLY)

    @property
    def _name(self) -> str:
        return f"{_STATE}/{self.shard.name}{_ATTEMPTS}"


def forget_attempts(place: OutputPlace, shards: Iterable[Shard]) -> None:
    """A job that was killed as a whole says nothing of its shards."""
    wanted = {f"{_STATE}/{shard.name}{_ATTEMPTS}" for shard in shards}
    for name in place.names(_STATE):
        if name in wanted:
            place.remove(name)
