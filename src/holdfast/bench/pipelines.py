"""Documents a second, latency, start-up and memory of whole pipelines, on this machine.

Figures of one run compare with each other and with nothing else. Each model is measured in a
process of its own. Nothing here is asserted.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from holdfast import artifacts
from holdfast.bench.processes import (
    ROUNDS,
    confined,
    environment_of,
    read_memory,
    repeat,
    run_job,
    seconds_of,
    serve_job,
)
from holdfast.corpora.jsonl import read_jsonl
from holdfast.document import Document
from holdfast.kb.build import build_kb
from holdfast.kb.derive import records_by_source
from holdfast.kb.store import KnowledgeBase
from holdfast.pipeline import load
from holdfast.progress import Progress

PROGRAM: Final = (sys.executable, "-m", "holdfast.bench.pipelines")
_SEED: Final = 13


@dataclass(frozen=True, slots=True)
class PipelineSpeed:
    """A pipeline over a list of documents; times are medians of the rounds."""

    model: str
    types: str  # the typing model behind it, or nothing
    kb_names: int
    kb_megabytes: float  # on disk
    documents: int
    mentions: int  # that it found
    documents_per_second: float  # a stream of documents
    rounds: int
    p50_milliseconds: float  # of one document at a time, in one round
    p99_milliseconds: float
    load_milliseconds: float  # again, with the files in the system's cache
    resident_megabytes: float  # after all that, with the mapped pages that were touched
    private_megabytes: float  # of which no mapped file


@dataclass(frozen=True, slots=True)
class PipelineTask:
    """What is linked, and with how many threads."""

    documents: Sequence[Document]
    only: Sequence[str] | None
    threads: int


@dataclass(frozen=True, slots=True)
class StartTime:
    """A fresh process that links one text: from its start to its answer."""

    seconds: float  # the median
    peak_megabytes: float  # resident memory, the most of all rounds


def bench_pipeline(
    kb: KnowledgeBase,
    task: PipelineTask,
    *,
    models: Sequence[str],  # the first is also measured over smaller vocabularies
    start_kb: KnowledgeBase,
    sizes: Sequence[int],
    types: str | None = None,  # a typing model that the first is measured with once more
    progress: Progress,
) -> dict[str, Any]:
    """All of it, as results/bench-pipeline.json holds it. Gold mentions are not looked at."""
    plain = [replace(document, mentions=(), relations=()) for document in task.documents]
    task = replace(task, documents=plain)
    with confined(task.threads):
        progress("starting fresh processes", 0.0)
        start = measure_start(start_kb, plain[0].text[:1500], threads=task.threads)
        rows = []
        measured: list[tuple[str, str | None]] = [(model, None) for model in models]
        if types is not None:
            measured.insert(1, (models[0], types))
        for done, (model, typing) in enumerate(measured):
            words = model if typing is None else f"{model} with types"
            progress(f"{words} over {kb.names:,} names", 0.1 + 0.6 * done / len(measured))
            rows.append(asdict(measure_pipeline(kb, task, model=model, types=typing)))
        growth = measure_growth(kb, task, model=models[0], sizes=sizes, progress=progress)
        return {
            "benchmark": "pipeline",
            "kb": kb.name,
            "threads": task.threads,
            "only": None if task.only is None else list(task.only),
            "rows": rows,
            "growth": [asdict(point) for point in growth],
            "start_kb": start_kb.name,
            "start_kb_names": start_kb.names,
            "start_seconds": start.seconds,
            "start_peak_megabytes": start.peak_megabytes,
        }


def measure_pipeline(
    kb: KnowledgeBase,
    task: PipelineTask,
    *,
    model: str,
    types: str | None = None,
    **environment: str,
) -> PipelineSpeed:
    """In a process of its own, whose home folder may be another."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        documents = Path(folder) / "documents.jsonl"
        lines = (json.dumps(document.to_json()) + "\n" for document in task.documents)
        documents.write_text("".join(lines), encoding="utf-8")
        job = {
            "kb": str(kb.folder.absolute()),
            "documents": str(documents),
            "only": None if task.only is None else list(task.only),
            "model": model,
            "types": types,
        }
        answer = run_job(PROGRAM, job, scratch=Path(folder), threads=task.threads, **environment)
        return PipelineSpeed(**answer)


def measure_growth(
    kb: KnowledgeBase, task: PipelineTask, *, model: str, sizes: Sequence[int], progress: Progress
) -> Iterator[PipelineSpeed]:
    """Measure over random parts of the knowledge base with about so many names each.

    Sizes that it does not have are left out.
    """
    for done, size in enumerate(size for size in sizes if size < kb.names):
        progress(f"{size:,} names", 0.7 + 0.3 * done / len(sizes))
        with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
            part = _part_of(kb, size, Path(folder) / "kb")
            home = _scratch_home(Path(folder) / "home")
            yield measure_pipeline(part, task, model=model, HOLDFAST_HOME=str(home))


def measure_start(kb: KnowledgeBase, text: str, *, threads: int) -> StartTime:
    """Of `holdfast link` with the model that it takes by itself."""
    command = [sys.executable, "-m", "holdfast", "link", text, "--kb", str(kb.folder), "--json"]
    seconds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=environment_of(threads))
        seconds.append(time.perf_counter() - began)
    kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return StartTime(round(statistics.median(seconds), 3), round(kilobytes * 1024 / 1e6, 1))


def _part_of(kb: KnowledgeBase, names: int, folder: Path) -> KnowledgeBase:
    counts = np.diff(np.append(kb.first_name, kb.names))
    order = np.random.default_rng(_SEED).permutation(len(kb))
    chosen = order[: int(np.searchsorted(np.cumsum(counts[order]), names)) + 1]
    parts = records_by_source(kb, sorted(chosen.tolist()))
    build_kb(folder, name=f"{kb.name}-{names}", parts=parts)
    return KnowledgeBase(folder)


def _scratch_home(folder: Path) -> Path:
    """A home folder with the models of the usual one: the indexes of a part go away with it."""
    folder.mkdir()
    (folder / "models").symlink_to(artifacts.home() / "models", target_is_directory=True)
    return folder


def _measure(job: dict[str, Any]) -> dict[str, Any]:
    """In the process that measures: a PipelineSpeed as JSON."""
    documents = list(read_jsonl(Path(job["documents"])))
    # What one round learned must not speed up the next.
    load_new = partial(
        load, job["kb"], only=job["only"], top=1, model=job["model"], types=job["types"]
    )
    # Also warms up.
    mentions = sum(len(document.mentions) for document in load_new().pipe(documents))
    loading = repeat(lambda: seconds_of(load_new))
    streaming = repeat(lambda: _seconds(load_new().pipe(documents)))
    one_by_one = load_new()
    latencies = [1000 * seconds_of(partial(one_by_one, document)) for document in documents]
    memory = read_memory()
    kb = KnowledgeBase(Path(job["kb"]))
    size = sum(path.stat().st_size for path in kb.folder.iterdir() if path.is_file())
    return asdict(
        PipelineSpeed(
            model=job["model"],
            types=job["types"] or "",
            kb_names=kb.names,
            kb_megabytes=round(size / 1e6, 1),
            documents=len(documents),
            mentions=mentions,
            documents_per_second=round(len(documents) / streaming.seconds, 1),
            rounds=streaming.rounds,
            p50_milliseconds=round(float(np.percentile(latencies, 50)), 3),
            p99_milliseconds=round(float(np.percentile(latencies, 99)), 3),
            load_milliseconds=round(1000 * loading.seconds, 1),
            resident_megabytes=memory.resident,
            private_megabytes=memory.private,
        )
    )


def _seconds(documents: Iterable[Document]) -> float:
    """Until all of them are there."""
    return seconds_of(lambda: sum(1 for _ in documents))


if __name__ == "__main__":
    serve_job(_measure)
