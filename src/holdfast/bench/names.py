"""The speed of the name linker beside others: what `holdfast bench names` measures.

Figures of one run compare with each other and with nothing else, so ratios come first. Everything
runs on the same number of cores. Nothing here is asserted.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from holdfast.bench.gold_documents import (
    CORPORA,
    SPLIT,
    GoldDocument,
    load_gold,
    write_bare,
)
from holdfast.bench.linking_speed import LinkingJob, measure_linking, measure_start
from holdfast.bench.processes import confined, run_job
from holdfast.bench.scispacy_peer import Peer, measure_scispacy
from holdfast.corpora.named.biosyn import read_lenient_dictionary
from holdfast.errors import InputError, UsageError
from holdfast.evaluate.gold_mentions import StrictCase, score_strict
from holdfast.experiments.recipe import read_recipe
from holdfast.experiments.recipe_kb import kb_of, primary_ids
from holdfast.files import numbered_lines
from holdfast.kb.store import KnowledgeBase
from holdfast.progress import Progress

_DICTIONARY: Final = "corpora/ncbi_disease/biosyn/test_dictionary.txt"
_MEDIC: Final = "strict-ncbi-medic"  # the recipe whose knowledge base is MEDIC
_ENCODING: Final = (sys.executable, "-m", "holdfast.bench.encoding_speed")

Ranking = Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure. What is left out of it is left out of the result."""

    data: Path
    kbs: Sequence[KnowledgeBase]  # for our own figures
    threads: int = 2
    model: Path | None = None  # a name encoder's folder; None: encoding is not measured
    names: Path | None = None  # to encode, one a line; None: the lenient NCBI test dictionary
    berts: Sequence[Path] = ()  # files of benchmarks/peers/make_bert_base.py
    scispacy: Path | None = None  # the Python of an environment that has it


def bench_names(plan: Plan, *, progress: Progress) -> dict[str, Any]:
    """All of it, as results/bench-names.json holds it."""
    if plan.berts and plan.model is None:
        raise UsageError("BERT is compared with a name encoder: name its folder with --model")
    measured: dict[str, Any] = {"benchmark": "names", "threads": plan.threads, "ratios": {}}
    gold = load_gold(plan.data)
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder, confined(plan.threads):
        scratch = Path(folder)
        documents = scratch / "documents.jsonl"
        write_bare((item.document for item in gold), documents)
        if plan.model is not None:
            progress("encoding", 0.0)
            measured["encoding"] = _bench_encoding(plan, scratch)
        progress("linking to MEDIC", 0.2)
        measured["linking"] = _bench_linking(plan, gold, documents, scratch, progress)
        measured["own"] = []
        for kb in plan.kbs:
            progress(f"linking to {kb.name}", 0.5)
            measured["own"].append(_bench_own(plan, kb.folder, documents, scratch))
    measured["ratios"] = ratios(measured)
    return measured


def ratios(measured: dict[str, Any]) -> dict[str, float]:
    """How many times as fast we are; over 1 is faster than the peer."""
    found = {}
    if "encoding" in measured:
        first, *others = measured["encoding"]["rows"]
        for row in others:
            speed = first["names_per_second"] / row["names_per_second"]
            found[f"encoding, over {row['encoder']}"] = round(speed, 2)
    linking = measured["linking"]
    ours = linking["ours"]
    for row in linking["scispacy"]["settings"] if linking["scispacy"] else ():
        peer = f"scispaCy with efSearch {row['breadth']}"
        theirs = row["mentions_per_second"]
        found[f"candidates alone, over {peer}"] = round(ours["nearest_per_second"] / theirs, 2)
        again = ours["nearest_anew_per_second"] / theirs
        found[f"candidates alone, equal strings anew, over {peer}"] = round(again, 2)
        found[f"linking, over {peer}"] = round(ours["mentions_per_second"] / theirs, 2)
    return found


def accuracies(
    gold: Sequence[GoldDocument], rankings: Sequence[Ranking], kb: KnowledgeBase
) -> dict[str, dict[str, float]]:
    """Strict accuracy at 1 by corpus; `rankings`: of every mention, in the order of the gold.

    With a bootstrap interval (`low`, `high`) and the number of mentions scored.
    """
    ids = primary_ids(kb)
    cases: dict[str, list[StrictCase]] = {}
    mentions = ((item, m) for item in gold for m in item.document.mentions)
    for (item, mention), ranking in zip(mentions, rankings, strict=True):
        answer = frozenset(ids.get(id, id) for id in mention.ids)
        case = StrictCase(answer, tuple(ranking), item.document.id)
        cases.setdefault(item.corpus, []).append(case)
    result = {}
    for corpus, found in cases.items():
        report = score_strict(found, entities=kb)
        figure = report.figures["accuracy_at_1"]
        result[corpus] = {
            "accuracy_at_1": round(figure.value, 4),
            "low": round(figure.low, 4),
            "high": round(figure.high, 4),
            "mentions": report.counts["n_scored"],
        }
    return result


def _bench_encoding(plan: Plan, scratch: Path) -> dict[str, Any]:
    names = read_names(plan)
    path = scratch / "names.json"
    path.write_text(json.dumps(names), encoding="utf-8")
    job = {
        "names": str(path),
        "model": str(plan.model and plan.model.absolute()),
        "berts": [str(bert.absolute()) for bert in plan.berts],
        "threads": plan.threads,
    }
    answer = run_job(_ENCODING, job, scratch=scratch, threads=plan.threads)
    return {"names": len(names), "rows": answer["rows"]}


def read_names(plan: Plan) -> list[str]:
    """What is encoded, in order."""
    if plan.names is None:
        return [line.name for line in read_lenient_dictionary(plan.data / _DICTIONARY)]
    names = [line.strip() for _, line in numbered_lines(plan.names) if line.strip()]
    if not names:
        raise InputError(f"{plan.names}: holds no names; it must have one on each line")
    return names


def _bench_linking(
    plan: Plan,
    gold: Sequence[GoldDocument],
    documents: Path,
    scratch: Path,
    progress: Progress,
) -> dict[str, Any]:
    kb = kb_of(read_recipe(_MEDIC), data=plan.data, progress=progress)
    job = LinkingJob(kb.folder, documents, threads=plan.threads)
    linked = measure_linking(job, scratch=scratch)
    ours = asdict(linked.speed) | {
        "strict": accuracies(gold, linked.rankings, kb),
        "strict_of_nearest": accuracies(gold, linked.nearest, kb),
    }
    peer = None
    if plan.scispacy is not None:
        progress("scispaCy", 0.3)
        found = measure_scispacy(
            plan.scispacy,
            kb,
            [item.document for item in gold],
            threads=plan.threads,
            scratch=scratch,
        )
        peer = _peer_to_json(found, gold, kb)
    return {"corpora": list(CORPORA), "split": SPLIT, "ours": ours, "scispacy": peer}


def _peer_to_json(peer: Peer, gold: Sequence[GoldDocument], kb: KnowledgeBase) -> dict[str, Any]:
    """Without the rankings, with what they are worth."""
    data = asdict(peer)
    for setting in data["settings"]:
        setting["strict"] = accuracies(gold, setting.pop("rankings"), kb)
    return data


def _bench_own(plan: Plan, kb: Path, documents: Path, scratch: Path) -> dict[str, Any]:
    job = LinkingJob(kb, documents, threads=plan.threads)
    speed = measure_linking(job, scratch=scratch).speed
    return asdict(speed) | {"start_milliseconds": measure_start(job, scratch=scratch)}
