"""Building, indexing and linking at the scale of UMLS: stage after stage, each done once."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from holdfast.bench.gold_documents import write_bare
from holdfast.bench.kept import measured_once
from holdfast.bench.linking_speed import LinkingJob, measure_linking, measure_start
from holdfast.bench.processes import ROUNDS, confined, run_job
from holdfast.bench.umls_scale.stages import KB, PROGRAM, STAGES
from holdfast.bench.umls_scale.synthetic import SEED, SHARES, KbShape
from holdfast.document import Document
from holdfast.encoders.names import open_name_encoder
from holdfast.kb.store import KnowledgeBase
from holdfast.models import find_model
from holdfast.progress import Progress
from holdfast.types import DISEASE, canonical_type

DISEASES: Final = "diseases"  # the queries of a type that is indexed
OTHERS: Final = "others"
_QUERIES: Final = 1000  # of each kind
_LINKING: Final = "linking"
ALL_STAGES: Final = (*STAGES, _LINKING)


@dataclass(frozen=True, slots=True)
class ScalePlan:
    """What to measure, and where its working files are kept until they are removed by hand."""

    base: KnowledgeBase
    documents: Sequence[Document]  # with gold mentions, whose places and words are asked
    scale: float
    folder: Path  # may hold stages of several scales
    threads: int = 2
    starts: int = ROUNDS  # of fresh processes, whose median is told
    until: str = ""  # the last stage to do, of ALL_STAGES; all if empty


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure that must not be missed."""

    name: str
    limit: float
    measured: float
    is_most: bool  # whether the limit is the most that may be measured, or the least

    def to_json(self) -> dict[str, Any]:
        met = self.measured <= self.limit if self.is_most else self.measured >= self.limit
        return {
            "bar": self.name,
            "limit": self.limit,
            "measured": self.measured,
            "met": met,
        }


def bench_umls_scale(plan: ScalePlan, *, progress: Progress) -> dict[str, Any]:
    """All stages, as results/bench-umls-scale.json holds them; what is done is not redone.

    With `until`, what these stages answered and nothing else.
    """
    shape = KbShape.at(plan.scale)
    folder = plan.folder / _key(plan, shape)
    folder.mkdir(parents=True, exist_ok=True)
    job: dict[str, Any] = {
        "base": str(plan.base.folder.absolute()),
        "folder": str(folder.absolute()),
        "concepts": shape.concepts,
        "names": shape.names,
        "queries": queries_of(plan.documents),
    }
    done: dict[str, Any] = {}
    with confined(plan.threads):
        for place, stage in enumerate(ALL_STAGES):
            progress(stage, place / len(ALL_STAGES))
            run = partial(_run, job, stage) if stage in STAGES else _link
            done[stage] = measured_once(folder / f"{stage}.json", partial(run, plan, folder))
            if stage == plan.until:
                return {"stages": done}
    return _result(plan, done)


def queries_of(documents: Sequence[Document]) -> dict[str, list[str]]:
    """The different words of gold mentions, of diseases and of other types."""
    found: dict[str, dict[str, None]] = {DISEASES: {}, OTHERS: {}}
    for document in documents:
        for mention in document.mentions:
            kind = DISEASES if canonical_type(mention.type) == DISEASE else OTHERS
            found[kind][document.text_of(mention)] = None
    return {kind: list(words)[:_QUERIES] for kind, words in found.items() if words}


def _key(plan: ScalePlan, shape: KbShape) -> str:
    """Names what the stages depend on, so that those of other settings are not taken for them."""
    encoder = open_name_encoder(find_model("encoder"))
    rules = json.dumps([SEED, dict(SHARES), plan.threads]).encode()
    parts = (plan.base.manifest.digest, encoder.digest, hashlib.sha256(rules).hexdigest())
    return "-".join([str(shape.concepts), *(part[:8] for part in parts)])


def _run(job: Mapping[str, Any], stage: str, plan: ScalePlan, folder: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as scratch:
        return run_job(
            PROGRAM,
            {**job, "stage": stage},
            scratch=Path(scratch),
            threads=plan.threads,
            HOLDFAST_HOME=str((folder / "home").absolute()),
        )


def _link(plan: ScalePlan, folder: Path) -> dict[str, Any]:
    """The whole linker over the gold mentions; nothing is scored."""
    home = str((folder / "home").absolute())
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as scratch:
        path = Path(scratch) / "documents.jsonl"
        write_bare(plan.documents, path)
        job = LinkingJob(folder / KB, path, threads=plan.threads)
        linked = measure_linking(job, scratch=Path(scratch), HOLDFAST_HOME=home)
        start = measure_start(job, scratch=Path(scratch), rounds=plan.starts, HOLDFAST_HOME=home)
    return asdict(linked.speed) | {"start_milliseconds": start}


def _result(plan: ScalePlan, done: Mapping[str, Any]) -> dict[str, Any]:
    speed, searches = done[_LINKING], done["recall"]["searches"]
    usual = next(row for row in searches if row["is_usual"])
    bars = (
        Bar("open, seconds", 2.0, round(speed["load_milliseconds"] / 1000, 3), is_most=True),
        Bar("resident memory, MB", 4000.0, speed["resident_megabytes"], is_most=True),
        Bar("recall at 10", 0.95, usual["recall_at_10"].get(DISEASES, 0.0), is_most=False),
        Bar("mentions/s", 500.0, speed["mentions_per_second"], is_most=False),
    )
    return {
        "benchmark": "umls-scale",
        "scale": plan.scale,
        "base": plan.base.name,
        "base_digest": plan.base.manifest.digest,
        "seed": SEED,
        "shares": dict(SHARES),
        "threads": plan.threads,
        "entities": done["kb"]["entities"],
        "names": done["kb"]["names"],
        "indexed_names": done["encode"]["indexed_names"],
        "vectors": done["recall"]["vectors"],
        "disk_megabytes": round(done["kb"]["megabytes"] + done["index"]["megabytes"], 1),
        "bars": [bar.to_json() for bar in bars],
        "stages": dict(done),
    }
