"""Mentions linked a second: the whole linker over a knowledge base, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from holdfast.bench.processes import (
    ROUNDS,
    environment_of,
    megabytes_in,
    read_memory,
    repeat,
    run_job,
    seconds_of,
    serve_job,
)
from holdfast.corpora.jsonl import read_jsonl
from holdfast.document import Document, Mention
from holdfast.encoders.names import open_name_encoder
from holdfast.errors import HoldfastError
from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking.dense_names import dense_index_of
from holdfast.models import find_model
from holdfast.names.dense import DenseIndex
from holdfast.pipeline import Pipeline, load

PROGRAM: Final = (sys.executable, "-m", "holdfast.bench.linking_speed")
TOP: Final = 10  # candidates that a linker returns
_ONE_BY_ONE: Final = 2000  # different mentions whose latency is measured
_START: Final = "start"
_READY: Final = b"ready\n"
_WARM_UP: Final = "a mention that is not in the corpus"

Ranking = list[tuple[str, float]]  # ids with scores, best first


@dataclass(frozen=True, slots=True)
class LinkingSpeed:
    """A linker over the marked mentions of some documents; times are medians of the rounds."""

    kb: str
    kb_names: int
    disk_megabytes: float  # the knowledge base with its indexes
    documents: int
    mentions: int
    mentions_per_second: float  # a stream of documents
    rounds: int
    nearest_per_second: float  # mentions looked up in the dense index and no more
    nearest_anew_per_second: float  # the same, equal strings each time anew
    p50_milliseconds: float  # of one mention at a time
    p99_milliseconds: float
    load_milliseconds: float  # opening knowledge base and linker again, to the first answer
    resident_megabytes: float  # after linking, with the mapped pages that were touched
    private_megabytes: float  # of which no mapped file
    peak_megabytes: float


@dataclass(frozen=True, slots=True)
class LinkingJob:
    """What to measure with."""

    kb: Path
    documents: Path  # JSON lines: documents with bare mentions, as `bare` makes them
    threads: int = 1

    def to_json(self) -> dict[str, Any]:
        return {
            "kb": str(self.kb.absolute()),
            "documents": str(self.documents.absolute()),
            "threads": self.threads,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LinkingJob:
        return cls(
            kb=Path(data["kb"]),
            documents=Path(data["documents"]),
            threads=int(data["threads"]),
        )


def bare(document: Document) -> Document:
    """The document with the places of its mentions, and nothing else that people noted."""
    mentions = [Mention(spans=m.spans) for m in document.mentions]
    return replace(document, mentions=tuple(mentions), relations=())


def open_linker(kb: KnowledgeBase) -> Pipeline:
    """The linker that is measured, new: it remembers nothing of earlier documents."""
    return load(kb, model=["linker"], marked=True, top=TOP)


@dataclass(frozen=True, slots=True)
class Linked:
    """What a linker did, and how fast."""

    speed: LinkingSpeed
    rankings: list[Ranking]  # of each mention in order
    nearest: list[Ranking]  # the same by the dense index alone, which sees no document


def measure_linking(job: LinkingJob, *, scratch: Path, **environment: str) -> Linked:
    """Measure in a new process; the cores it may use are those of this one."""
    answer = run_job(PROGRAM, job.to_json(), scratch=scratch, threads=job.threads, **environment)
    rankings, nearest = (
        [[(id, score) for id, score in ranking] for ranking in answer[key]]
        for key in ("rankings", "nearest")
    )
    return Linked(LinkingSpeed(**answer["speed"]), rankings, nearest)


def measure_start(
    job: LinkingJob, *, scratch: Path, rounds: int = ROUNDS, **environment: str
) -> float:
    """Milliseconds from the start of a process to its first answer, the median."""
    path = scratch / "start.json"
    path.write_text(json.dumps(job.to_json()), encoding="utf-8")
    command = [*PROGRAM, _START, str(path)]
    inherited = environment_of(job.threads, **environment)

    def start() -> float:
        began = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=inherited) as process:
            assert process.stdout is not None
            said = process.stdout.readline()
            seconds = time.perf_counter() - began
        if said != _READY:
            raise HoldfastError(f"{job.kb}: a new process did not get ready; see above")
        return seconds

    start()
    return round(1000 * repeat(start, rounds=rounds).seconds, 1)


def _measure(job: LinkingJob) -> dict[str, Any]:
    """In the process that measures: a LinkingSpeed and the rankings, as JSON."""
    kb = _ready(job)  # also reads the files once, so that they are in the system's cache
    loading = repeat(lambda: seconds_of(partial(_ready, job)))
    documents = list(read_jsonl(job.documents))
    open_new = partial(open_linker, kb)
    linked = list(open_new().pipe(documents))  # also warms up
    mentions = [mention for document in linked for mention in document.mentions]
    rounds = repeat(lambda: _seconds_of_a_round(open_new(), documents))
    latencies = 1000 * np.array(_seconds_one_by_one(open_new(), documents))
    memory = read_memory()
    texts = [document.text_of(mention) for document in linked for mention in document.mentions]
    index = dense_index_of(kb, open_name_encoder(find_model("encoder")))
    nearest = _nearest(kb, index, texts)
    looking = repeat(lambda: seconds_of(partial(_nearest, kb, index, texts)))
    anew = repeat(lambda: seconds_of(partial(_nearest, kb, index, texts, anew=True)))
    speed = LinkingSpeed(
        kb=kb.name,
        kb_names=kb.names,
        disk_megabytes=megabytes_in(kb.folder),
        documents=len(documents),
        mentions=len(mentions),
        mentions_per_second=round(len(mentions) / rounds.seconds, 1),
        rounds=rounds.rounds,
        nearest_per_second=round(len(mentions) / looking.seconds, 1),
        nearest_anew_per_second=round(len(mentions) / anew.seconds, 1),
        p50_milliseconds=round(float(np.percentile(latencies, 50)), 3),
        p99_milliseconds=round(float(np.percentile(latencies, 99)), 3),
        load_milliseconds=round(1000 * loading.seconds, 1),
        resident_megabytes=memory.resident,
        private_megabytes=memory.private,
        peak_megabytes=memory.peak,
    )
    rankings = [[(c.entity_id, c.score) for c in m.candidates] for m in mentions]
    return {"speed": asdict(speed), "rankings": rankings, "nearest": nearest}


def _nearest(
    kb: KnowledgeBase, index: DenseIndex, texts: Sequence[str], *, anew: bool = False
) -> list[Ranking]:
    """The entities of the nearest names, each once, with the cosines of the nearest.

    `anew`: equal strings are encoded and looked up each time, which the index itself never does.
    """
    if anew:
        found = index.search_vectors(index.encoder.encode(texts), TOP)
    else:
        found = index.search(texts, TOP)
    entities = np.where(found.rows < 0, -1, kb.entity_of_name[found.rows].astype(np.int64))
    rankings = []
    for row, scores in zip(entities.tolist(), found.scores.tolist(), strict=True):
        pairs = zip(row, scores, strict=True)
        best = {entity: score for entity, score in reversed(list(pairs)) if entity >= 0}
        rankings.append([(kb.id_at(e), best[e]) for e in dict.fromkeys(row) if e >= 0])
    return rankings


def _ready(job: LinkingJob) -> KnowledgeBase:
    """Opened, and the linker answered once: what is opened lazily is open then."""
    kb = KnowledgeBase(job.kb)
    open_linker(kb)(_document_of(_WARM_UP))
    return kb


def _seconds_of_a_round(linker: Pipeline, documents: Sequence[Document]) -> float:
    linker(_document_of(_WARM_UP))
    return seconds_of(lambda: list(linker.pipe(documents)))


def _seconds_one_by_one(linker: Pipeline, documents: Sequence[Document]) -> list[float]:
    """Of each different mention, in a document of its own words."""
    texts = dict.fromkeys(d.text_of(m).strip() for d in documents for m in d.mentions)
    asked = [_document_of(text) for text in texts if text][:_ONE_BY_ONE]
    linker(_document_of(_WARM_UP))
    return [seconds_of(partial(linker, document)) for document in asked]


def _document_of(text: str) -> Document:
    return Document("", text, mentions=(Mention.at(0, len(text)),))


def _main() -> None:
    if sys.argv[1] != _START:
        serve_job(lambda data: _measure(LinkingJob.from_json(data)))
        return
    _ready(LinkingJob.from_json(json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))))
    sys.stdout.buffer.write(_READY)
    sys.stdout.flush()


if __name__ == "__main__":
    _main()
