"""How fast, how large: documents a second, latency, start-up and memory, on this machine.

Figures of one run compare with each other and with nothing else. Nothing here is asserted.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from holdfast.document import Document
from holdfast.kb.build import Progress, build_kb
from holdfast.kb.derive import records_by_source
from holdfast.kb.store import KnowledgeBase
from holdfast.pipeline import load

ROUNDS: Final = 5
SIZES: Final = (10_000, 100_000, 750_000)
_SEED: Final = 13


@dataclass(frozen=True, slots=True)
class Throughput:
    """A pipeline over a list of documents: the median of several rounds, after one to warm up."""

    kb_names: int
    kb_megabytes: float
    documents: int
    mentions: int
    documents_per_second: float
    mentions_per_second: float
    p50_milliseconds: float  # of one document
    p99_milliseconds: float
    load_milliseconds: float


def measure_pipeline(
    kb: KnowledgeBase, documents: Sequence[Document], *, only: Sequence[str] | None
) -> Throughput:
    started = time.perf_counter()
    pipeline = load(kb.folder, only=only, top=1)
    loaded = time.perf_counter() - started
    mentions = sum(len(pipeline(document).mentions) for document in documents)
    rounds, latencies = [], []
    for _ in range(ROUNDS):
        # What one round learned must not speed up the next.
        pipeline = load(kb.folder, only=only, top=1)
        began = time.perf_counter()
        for document in documents:
            start = time.perf_counter()
            pipeline(document)
            latencies.append(time.perf_counter() - start)
        rounds.append(time.perf_counter() - began)
    seconds = statistics.median(rounds)
    size = sum(path.stat().st_size for path in kb.folder.iterdir() if path.is_file())
    return Throughput(
        kb_names=kb.names,
        kb_megabytes=round(size / 1e6, 1),
        documents=len(documents),
        mentions=mentions,
        documents_per_second=round(len(documents) / seconds, 1),
        mentions_per_second=round(mentions / seconds, 1),
        p50_milliseconds=round(float(np.percentile(latencies, 50)) * 1000, 3),
        p99_milliseconds=round(float(np.percentile(latencies, 99)) * 1000, 3),
        load_milliseconds=round(loaded * 1000, 1),
    )


def measure_growth(
    kb: KnowledgeBase,
    documents: Sequence[Document],
    *,
    only: Sequence[str] | None,
    sizes: Sequence[int] = SIZES,
    progress: Progress,
) -> Iterator[Throughput]:
    """The same over random parts of the knowledge base with about so many names each."""
    for done, size in enumerate(sizes):
        progress(f"{size:,} names", done / len(sizes))
        with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
            part = _part_of(kb, size, Path(folder) / "kb")
            yield measure_pipeline(part, documents, only=only)


def _part_of(kb: KnowledgeBase, names: int, folder: Path) -> KnowledgeBase:
    counts = np.diff(np.append(kb.first_name, kb.names))
    order = np.random.default_rng(_SEED).permutation(len(kb))
    chosen = order[: int(np.searchsorted(np.cumsum(counts[order]), names)) + 1]
    parts = records_by_source(kb, sorted(chosen.tolist()))
    build_kb(folder, name=f"{kb.name}-{names}", parts=parts)
    return KnowledgeBase(folder)


@dataclass(frozen=True, slots=True)
class Start:
    """A fresh process that links one text: from its start to its answer."""

    seconds: float  # the median
    peak_megabytes: float  # resident memory, the most of all rounds


def measure_start(kb: KnowledgeBase, text: str) -> Start:
    command = [sys.executable, "-m", "holdfast", "link", text, "--kb", str(kb.folder), "--json"]
    seconds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(time.perf_counter() - began)
    kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return Start(round(statistics.median(seconds), 3), round(kilobytes / 1024, 1))


def bench_pipeline(
    kb: KnowledgeBase,
    documents: Sequence[Document],
    *,
    only: Sequence[str] | None,
    start_kb: KnowledgeBase,
    progress: Progress,
) -> dict[str, Any]:
    """All of it, as results/bench-pipeline.json holds it. Gold mentions are not looked at."""
    documents = [replace(document, mentions=(), relations=()) for document in documents]
    progress("starting fresh processes", 0.0)
    start = measure_start(start_kb, documents[0].text[:1500])
    progress(f"{kb.names:,} names", 0.1)
    whole = measure_pipeline(kb, documents, only=only)
    growth = list(measure_growth(kb, documents, only=only, progress=progress))
    return {
        "benchmark": "pipeline",
        "detector": "dictionary",
        "linker": "names",
        "kb": kb.name,
        "threads": 1,
        **asdict(whole),
        "growth": [asdict(point) for point in growth],
        "start_kb": start_kb.name,
        "start_kb_names": start_kb.names,
        "start_seconds": start.seconds,
        "start_peak_megabytes": start.peak_megabytes,
    }
