"""`holdfast score`: predicted documents against gold ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from holdfast.document import Document
    from holdfast.kb import KnowledgeBase


def score(
    gold: Annotated[Path, typer.Option(help="File or folder with the gold documents.")],
    pred: Annotated[Path, typer.Option(help="File or folder with the predicted documents.")],
    protocol: Annotated[
        str,
        typer.Option(help="strong, partial, mention, typed, document, bc5cdr or per-token."),
    ] = "strong",
    kb: Annotated[
        str | None,
        typer.Option(help="Knowledge base whose cross-references make ids equal."),
    ] = None,
    from_: Annotated[
        str | None,
        typer.Option("--from", help="Format of both files, where their names do not tell."),
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="Score these types alone, e.g. disease,chemical.")
    ] = None,
    errors: Annotated[
        int, typer.Option(min=0, help="Also show the first N mistakes, mention by mention.")
    ] = 0,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Skip and count what breaks the files' format.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Score predicted documents against gold ones, by any end-to-end protocol."""
    import json
    from itertools import islice

    from holdfast.evaluate import find_mistakes, score_documents

    gold_documents, n_gold_skipped = _read(gold, from_, lenient=lenient)
    predicted, n_pred_skipped = _read(pred, from_, lenient=lenient)
    base = None if kb is None else _open_kb(kb)
    equivalents = base.equivalents if base else None
    types = [name.strip() for name in (only or "").split(",") if name.strip()]
    report = score_documents(
        gold_documents, predicted, protocol=protocol, equivalents=equivalents, only=types
    )
    report = report.with_context(
        types=",".join(types) or None,
        kb=base.name if base else None,
        kb_entities=len(base) if base else None,
        kb_names=base.names if base else None,
        kb_digest=base.manifest.digest if base else None,
        n_gold_skipped=n_gold_skipped,
        n_pred_skipped=n_pred_skipped,
    )
    found = find_mistakes(
        gold_documents, predicted, protocol=protocol, equivalents=equivalents, only=types
    )
    mistakes = list(islice(found, errors))
    if json_:
        listed = {"errors": [mistake.to_json() for mistake in mistakes]} if errors else {}
        typer.echo(json.dumps({**report.to_json(), **listed}, ensure_ascii=False))
        return
    from rich.console import Console

    from holdfast.evaluate.mistakes import mistakes_table

    console = Console()
    console.print(report.to_table())
    if errors:
        console.print(mistakes_table(mistakes))


def _open_kb(name: str) -> KnowledgeBase:
    from holdfast.kb import open_kb

    return open_kb(name)


def _read(path: Path, format_: str | None, *, lenient: bool) -> tuple[list[Document], int]:
    """The documents, and how many broken pieces of the file were skipped."""
    from holdfast.corpora import read_documents
    from holdfast.corpora.report import ReadReport
    from holdfast.text.safe import one_line

    report = ReadReport()
    documents = list(read_documents(path, format=format_, lenient=lenient, report=report))
    if report.skipped:
        kinds = ", ".join(f"{n:,} × {kind}" for kind, n in report.skipped.items())
        said = f"{path}: skipped {kinds}; first: {report.reasons[0]}"
        typer.echo(one_line(said), err=True)
    for reason, names in report.left_out_names.items():
        left = f"{path}: left out {report.left_out[reason]:,}, {reason}: {', '.join(names)}"
        typer.echo(one_line(left), err=True)
    return documents, report.skipped.total()
