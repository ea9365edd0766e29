"""What kept a term out of the answer, printed for people or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

from holdfast.document import Document
from holdfast.io.why_not import why_not
from holdfast.kb.store import KnowledgeBase
from holdfast.link.rules import read_rules
from holdfast.pipeline import Pipeline
from holdfast.text.safe import json_safe, printable


def print_why_not(
    documents: Iterable[Document],
    term: str,
    *,
    pipeline: Pipeline,
    kb: KnowledgeBase,
    rules: Path | None,
    form: str,
) -> None:
    """One report per document. As JSON, an object with the list of them."""
    said = None if rules is None else read_rules(rules, kb)
    reports = (
        why_not(document, term, pipeline=pipeline, kb=kb, rules=said) for document in documents
    )
    if form == "json":
        told = {"documents": [report.to_json() for report in reports]}
        print(json_safe(json.dumps(told, ensure_ascii=False)))
        return
    console = Console(highlight=False, markup=False, soft_wrap=True)
    for report in reports:
        if report.document_id:
            console.print(report.document_id, style="dim")
        for line in report.lines():
            console.print(printable(line))
