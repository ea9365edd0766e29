"""What `holdfast score` does: read both sides, compare, and print."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from rich.console import Console

from holdfast.corpora import read_documents
from holdfast.corpora.report import ReadReport
from holdfast.document import Document
from holdfast.evaluate import find_mistakes, score_documents
from holdfast.evaluate.mistakes import mistakes_table
from holdfast.evaluate.report import Report
from holdfast.kb.store import KnowledgeBase, open_kb
from holdfast.text.safe import one_line


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """The options of `holdfast score`; docs/cli.md says what each means."""

    gold: Path
    pred: Path
    protocol: str = "strong"
    kb: str | None = None
    source_format: str | None = None
    only: tuple[str, ...] = ()
    errors: int = 0  # mistakes to show
    lenient: bool = False
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class _Side:
    """The documents of one file, and how many broken pieces of it were skipped."""

    documents: Sequence[Document]
    skipped: int


def run_score(request: ScoreRequest) -> None:
    """Score predicted documents against gold ones and print the figures."""
    gold, predicted = (_read(path, request) for path in (request.gold, request.pred))
    kb = None if request.kb is None else open_kb(request.kb)
    both = gold.documents, predicted.documents
    equivalents = kb.equivalents if kb else None
    report = score_documents(
        *both, protocol=request.protocol, equivalents=equivalents, only=request.only
    )
    report = _with_circumstances(report, request, kb, gold, predicted)
    found = find_mistakes(
        *both, protocol=request.protocol, equivalents=equivalents, only=request.only
    )
    mistakes = list(islice(found, request.errors))
    if request.as_json:
        listed = {"errors": [m.to_json() for m in mistakes]} if request.errors else {}
        print(json.dumps({**report.to_json(), **listed}, ensure_ascii=False))
        return
    console = Console()
    console.print(report.to_table())
    if request.errors:
        console.print(mistakes_table(mistakes))


def _with_circumstances(
    report: Report, request: ScoreRequest, kb: KnowledgeBase | None, gold: _Side, predicted: _Side
) -> Report:
    return report.with_context(
        types=",".join(request.only) or None,
        kb=kb.name if kb else None,
        kb_entities=len(kb) if kb else None,
        kb_names=kb.names if kb else None,
        kb_digest=kb.manifest.digest if kb else None,
        n_gold_skipped=gold.skipped,
        n_pred_skipped=predicted.skipped,
    )


def _read(path: Path, request: ScoreRequest) -> _Side:
    """The documents of a file; what was skipped or left out is said on standard error."""
    report = ReadReport()
    documents = list(
        read_documents(path, format=request.source_format, lenient=request.lenient, report=report)
    )
    if report.skipped:
        kinds = ", ".join(f"{n:,} × {kind}" for kind, n in report.skipped.items())
        _note(f"{path}: skipped {kinds}; first: {report.reasons[0]}")
    for reason, names in report.left_out_names.items():
        _note(f"{path}: left out {report.left_out[reason]:,}, {reason}: {', '.join(names)}")
    return _Side(documents, report.skipped.total())


def _note(line: str) -> None:
    print(one_line(line), file=sys.stderr)
