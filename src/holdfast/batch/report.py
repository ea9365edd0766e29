"""The report of a job: what was found, what was not read, and how long it took."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from holdfast.batch.places import OutputPlace
from holdfast.batch.plan import Shard
from holdfast.batch.state import Finished, finished_shard
from holdfast.batch.tally import ShardTally
from holdfast.kb.store import KnowledgeBase
from holdfast.text.safe import json_safe

TOP: Final = 50  # concepts that a report lists


@dataclass(slots=True)
class Total:
    """All shards of a job together. One shard at a time is held in memory."""

    tally: ShardTally = field(default_factory=ShardTally)
    shards: int = 0
    quarantined: int = 0
    worker_seconds: float = 0.0
    bytes: int = 0
    with_quarantined: set[str] = field(default_factory=set)  # names of shards

    def add(self, finished: Finished) -> None:
        self.tally.merge(finished.tally)
        self.shards += 1
        self.worker_seconds += finished.seconds
        self.bytes += finished.size
        self.quarantined += len(finished.quarantined)
        if finished.quarantined:
            self.with_quarantined.add(finished.name)


@dataclass(frozen=True, slots=True)
class Timing:
    """How long this run took; an earlier run of the same job is not in it."""

    engine: str
    workers: int
    wall_seconds: float
    documents: int  # linked by this run
    worker_deaths: int = 0

    def to_json(self, total: Total) -> dict[str, Any]:
        per_second = self.documents / self.wall_seconds if self.wall_seconds else 0.0
        spent = total.worker_seconds
        return {
            "engine": self.engine,
            "workers": self.workers,
            "worker_deaths": self.worker_deaths,
            "wall_seconds": round(self.wall_seconds, 3),
            "documents_this_run": self.documents,
            "documents_per_second": round(per_second, 3),
            "worker_seconds": round(spent, 3),
            "documents_per_worker_second": round(total.tally.documents / spent, 3) if spent else 0,
        }


def report_json(
    total: Total,
    *,
    kb: KnowledgeBase,
    settings: dict[str, Any],
    left_out: dict[str, int],
    timing: Timing,
) -> dict[str, Any]:
    """The report, flat but for tables and settings."""
    tally = total.tally
    return {
        "documents": tally.documents,
        "quarantined": total.quarantined,
        "characters": tally.characters,
        "mentions": tally.mentions,
        "linked": tally.linked,
        "nil": tally.nil,
        "nil_share": round(tally.nil / tally.mentions, 4) if tally.mentions else 0.0,
        "distinct_concepts": len(tally.concepts),
        "shards": total.shards,
        "output_bytes": total.bytes,
        "types": _ordered(tally.types.items()),
        "vocabularies": _ordered(tally.vocabularies.items()),
        "top_concepts": [
            {"id": id, "label": _label(kb, id), "mentions": count}
            for id, count in list(_ordered(tally.concepts.items()).items())[:TOP]
        ],
        "not_held_by_the_format": _ordered(tally.lost.items()),
        "files_left_out": left_out,
        "timing": timing.to_json(total),
        "settings": settings,
    }


def _ordered(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    """The most frequent first; equally frequent ones by name."""
    return dict(sorted(counts, key=lambda pair: (-pair[1], pair[0])))


def _label(kb: KnowledgeBase, id: str) -> str:
    """The preferred name; empty for ids of another vocabulary, such as those of variants."""
    row = kb.row_of(id)
    return "" if row is None else kb.label_at(row)


def quarantine_lines(place: OutputPlace, shards: Sequence[Shard], total: Total) -> bytes:
    """What is not in the output, one JSON object a line, in the order of the input."""
    lines = list[str]()
    for shard in shards:
        if shard.name not in total.with_quarantined:
            continue
        finished = finished_shard(place, shard)
        assert finished is not None
        for one in finished.quarantined:
            lines.append(json_safe(json.dumps(one.to_json(), ensure_ascii=False)) + "\n")
    return "".join(lines).encode()
