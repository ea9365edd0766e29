"""`holdfast represent` and `holdfast neighbours`: vectors of mentions, and what is near them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Inputs = Annotated[
    list[str], typer.Argument(metavar="TEXT|FILE|DIR|-", help="A text, files or folders.")
]
Out = Annotated[Path, typer.Option("--out", help="The Arrow file to write.")]
Kb = Annotated[str, typer.Option("--kb", help="The knowledge base to link to.")]
Model = Annotated[str, typer.Option("--model", help="The model that finds and links mentions.")]
TypeModel = Annotated[str | None, typer.Option("--type-model", help="A typing model.")]
Marked = Annotated[bool, typer.Option("--marked", help="Take the mentions that the files mark.")]
Top = Annotated[int, typer.Option("--top", min=1, help="How many types each mention keeps.")]
Dense = Annotated[bool, typer.Option("--dense/--no-dense", help="Also keep dense vectors.")]
From = Annotated[str | None, typer.Option("--from", help="The format of the input.")]


def represent(
    inputs: Inputs,
    out: Out,
    kb: Kb = "open",
    model: Model = "default",
    type_model: TypeModel = None,
    marked: Marked = False,
    top: Top = 32,
    dense: Dense = True,
    source_format: From = None,
) -> None:
    """Write the sparse and dense vectors of all mentions, with the names of their types."""
    from holdfast.io.representing import RepresentRequest, run_represent
    from holdfast.models import DEFAULT_TYPES

    request = RepresentRequest(
        inputs=tuple(inputs),
        out=out,
        kb=kb,
        model=model,
        type_model=type_model or DEFAULT_TYPES,
        marked=marked,
        top=top,
        dense=dense,
        source_format=source_format,
    )
    typer.echo(f"{out}: {run_represent(request):,} mentions", err=True)


def neighbours(
    mention: Annotated[str, typer.Argument(metavar="MENTION", help="The words of a mention.")],
    vectors: Annotated[
        Path, typer.Option("--vectors", help="The mentions to search, as represent wrote them.")
    ],
    context: Annotated[
        str | None, typer.Option("--context", help="A text that has the mention.")
    ] = None,
    type_model: TypeModel = None,
    k: Annotated[int, typer.Option("--k", min=1, help="How many neighbours.")] = 10,
    weights: Annotated[
        Path | None, typer.Option("--weights", help="Lines of a type, a tab and its weight.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """The stored mentions nearest to a mention, with the types that made them near."""
    from holdfast.io.representing import NeighboursRequest, find_neighbours, print_neighbours
    from holdfast.models import DEFAULT_TYPES

    request = NeighboursRequest(
        mention=mention,
        vectors=vectors,
        context=context,
        type_model=type_model or DEFAULT_TYPES,
        k=k,
        weights=weights,
    )
    print_neighbours(find_neighbours(request), as_json=as_json)
