"""`holdfast score`: predicted documents against gold ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Protocol = Annotated[
    str,
    typer.Option(help="strong, partial, mention, typed, document, bc5cdr, per-token or relations."),
]
Kb = Annotated[
    str | None, typer.Option(help="Knowledge base whose cross-references make ids equal.")
]
From = Annotated[
    str | None,
    typer.Option("--from", help="Format of both files, where their names do not tell."),
]
Only = Annotated[str | None, typer.Option(help="Score these types alone, e.g. disease,chemical.")]
Errors = Annotated[
    int, typer.Option(min=0, help="Also show the first N mistakes, mention by mention.")
]
Lenient = Annotated[
    bool, typer.Option("--lenient", help="Skip and count what breaks the files' format.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def score(
    gold: Annotated[Path, typer.Option(help="File or folder with the gold documents.")],
    pred: Annotated[Path, typer.Option(help="File or folder with the predicted documents.")],
    protocol: Protocol = "strong",
    kb: Kb = None,
    from_: From = None,
    only: Only = None,
    errors: Errors = 0,
    lenient: Lenient = False,
    json_: Json = False,
) -> None:
    """Score predicted documents against gold ones, by any end-to-end protocol."""
    from holdfast.io.scoring import ScoreRequest, run_score

    request = ScoreRequest(
        gold=gold,
        pred=pred,
        protocol=protocol,
        kb=kb,
        source_format=from_,
        only=tuple(name.strip() for name in (only or "").split(",") if name.strip()),
        errors=errors,
        lenient=lenient,
        as_json=json_,
    )
    run_score(request)
