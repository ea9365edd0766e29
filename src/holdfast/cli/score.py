"""`holdfast score`: predicted documents against gold ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def score(
    gold: Annotated[Path, typer.Option(help="File with the gold documents.")],
    pred: Annotated[Path, typer.Option(help="File with the predicted documents.")],
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
        bool, typer.Option("--lenient", help="Skip what breaks its format instead of stopping.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Score predicted documents against gold ones, by any end-to-end protocol."""
    import json
    from itertools import islice

    from holdfast.corpora import read_documents
    from holdfast.evaluate import find_mistakes, score_documents

    gold_documents = list(read_documents(gold, format=from_, lenient=lenient))
    predicted = list(read_documents(pred, format=from_, lenient=lenient))
    equivalents = None
    if kb is not None:
        from holdfast.kb import open_kb

        equivalents = open_kb(kb).equivalents
    types = [name.strip() for name in (only or "").split(",") if name.strip()]
    report = score_documents(
        gold_documents, predicted, protocol=protocol, equivalents=equivalents, only=types
    ).with_context(**({"kb": kb} if kb else {}))
    mistakes = list(
        islice(
            find_mistakes(
                gold_documents,
                predicted,
                protocol=protocol,
                equivalents=equivalents,
                only=types,
            ),
            errors,
        )
    )
    if json_:
        listed = {"errors": [mistake.to_json() for mistake in mistakes]} if errors else {}
        typer.echo(json.dumps({**report.to_json(), **listed}, ensure_ascii=False))
        return
    from rich.console import Console

    console = Console()
    console.print(report.to_table())
    if errors:
        from holdfast.evaluate.mistakes import mistakes_table

        console.print(mistakes_table(mistakes))
