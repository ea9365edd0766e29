"""All tools over one vocabulary and the same documents: what `holdfast bench peers` measures."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from holdfast import artifacts
from holdfast.bench.kept import measured_once
from holdfast.bench.peers.gold import (
    GoldSet,
    load_gold_set,
    requests_of,
    score_found,
    score_rankings,
)
from holdfast.bench.peers.measure import (
    Measured,
    PeerTask,
    measure_tool,
    version_key,
    write_rows,
)
from holdfast.bench.peers.tools import Tool, environments_folder
from holdfast.bench.processes import PATIENCE, ROUNDS, confined
from holdfast.corpora.named.splits import CorpusSplit
from holdfast.errors import HoldfastError
from holdfast.evaluate.report import Report
from holdfast.experiments.results import circumstances
from holdfast.kb.store import KnowledgeBase
from holdfast.progress import Progress

_STRICT = ("accuracy_at_1", "accuracy_at_5", "accuracy_at_1_in_kb")
_STRONG = ("f1", "precision", "recall")


@dataclass(frozen=True, slots=True)
class PeersPlan:
    """What to compare, and on what."""

    data: Path  # holds the corpora
    kb: KnowledgeBase
    tools: Sequence[Tool]
    sets: Sequence[CorpusSplit]
    environments: Path | None = None  # None: the folder in the home folder
    threads: int = 2
    most: int | None = None  # documents of each set; None: all
    limit: float = 4 * 3600.0  # seconds that a tool may take for one answer
    rounds: int = ROUNDS
    patience: float = PATIENCE


def bench_peers(plan: PeersPlan, *, progress: Progress) -> dict[str, Any]:
    """A row per tool, as results/bench-peers.json holds them. One that fails says so in its row.

    Rows are kept as they are measured, each with its commit, until `forget_rows`: a run that was
    interrupted, or in which a tool failed, goes on with the tools that are missing, and tools may
    be measured one by one.
    """
    kb = plan.kb
    sets = [load_gold_set(chosen, kb, data=plan.data, most=plan.most) for chosen in plan.sets]
    with tempfile.TemporaryDirectory(prefix="holdfast-peers-") as scratch, confined(plan.threads):
        task = PeerTask(
            rows=Path(scratch) / "rows.jsonl",
            key=kb.manifest.digest[:12],
            documents=requests_of(sets),
            environments=environments_folder(plan.environments),
            indexes=artifacts.home() / "peers" / "indexes",
            threads=plan.threads,
            limit=plan.limit,
            rounds=plan.rounds,
            patience=plan.patience,
        )
        progress("writing the vocabulary", 0.0)
        write_rows(kb, task.rows)
        rows, kept = [], _kept(plan)
        for done, tool in enumerate(plan.tools):
            progress(tool.label, done / len(plan.tools))
            measure = partial(_row, tool, task, sets, kb)
            rows.append(measured_once(kept / f"{tool.name}-{version_key(tool)}.json", measure))
    return {
        "benchmark": "peers",
        "kb": kb.name,
        "kb_entities": len(kb),
        "kb_names": kb.names,
        "kb_digest": kb.manifest.digest,
        "threads": plan.threads,
        "sets": [gold.to_json() | {"name": gold.name} for gold in sets],
        "rows": rows,
    }


def forget_rows(plan: PeersPlan) -> None:
    """Remove the rows that are kept, once they are stored: the next run measures all anew."""
    shutil.rmtree(_kept(plan), ignore_errors=True)


def _kept(plan: PeersPlan) -> Path:
    """The folder of rows that may stand beside each other."""
    sets = [list(chosen) for chosen in plan.sets]
    machine = circumstances()["machine"]
    shared = [plan.kb.manifest.digest, sets, plan.most, plan.threads, machine]
    key = hashlib.sha256(json.dumps(shared).encode()).hexdigest()[:12]
    return artifacts.home() / "peers" / "rows" / key


def _row(tool: Tool, task: PeerTask, sets: Sequence[GoldSet], kb: KnowledgeBase) -> dict[str, Any]:
    """What was measured of a tool; `failed` is None, or the reason why the rest is missing."""
    measured = Measured()
    failed = _failure(partial(measure_tool, tool, task, measured))
    scores: dict[str, Any] = {}

    def score() -> None:
        if measured.rankings is not None:
            reports = score_rankings(sets, measured.rankings, kb)
            scores["strict"] = {name: _figures(r, _STRICT) for name, r in reports.items()}
        if measured.found is not None:
            reports = score_found(sets, measured.found, kb)
            scores["strong"] = {name: _figures(r, _STRONG) for name, r in reports.items()}

    failed = _failure(score) or failed
    row: dict[str, Any] = {"tool": tool.name, "label": tool.label, "note": tool.note}
    row |= {"failed": failed, "detects": tool.detects}
    return row | measured.figures | scores


def _failure(work: Callable[[], None]) -> str | None:
    """Why the work failed; None if it did not. What a tool answers may be anything."""
    try:
        work()
    except (HoldfastError, OSError) as error:
        return str(error)
    except (ValueError, TypeError, KeyError) as error:
        return f"an answer that cannot be read ({type(error).__name__}: {error})"
    return None


def _figures(report: Report, names: Sequence[str]) -> dict[str, Any]:
    data = report.to_json()
    wanted = [key for name in names for key in (name, f"{name}_low", f"{name}_high")]
    wanted += [key for key in ("n_scored", "n_ties") if key in data]
    return {key: data[key] for key in wanted}
