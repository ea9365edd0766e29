"""`holdfast relate`: find and link the concepts in texts, and say which of them are related."""

from __future__ import annotations

from typing import Annotated

import typer

Inputs = Annotated[
    list[str] | None,
    typer.Argument(metavar="TEXT|FILE|DIR|-", help="A text, files or folders, or - for stdin."),
]
Kb = Annotated[str, typer.Option("--kb", help="The knowledge base to link to: a name or a folder.")]
Model = Annotated[
    str, typer.Option("--model", help="The relation model: one of `holdfast models`, or a folder.")
]
Linker = Annotated[
    str, typer.Option("--linker", help="The model that finds and links the mentions.")
]
Linked = Annotated[
    bool,
    typer.Option(
        "--linked",
        help="Take the mentions and ids that the input has; its relations are made anew.",
    ),
]
Format = Annotated[
    str, typer.Option("--format", help="How to print: text, json, pubtator or bioc.")
]
Json = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
MinScore = Annotated[
    float, typer.Option("--min-score", help="Leave out relations that score less: from 0 to 1.")
]
From = Annotated[
    str | None,
    typer.Option("--from", help="The format of the input; by default by name and content."),
]
Lenient = Annotated[
    bool, typer.Option("--lenient", help="Skip and count what is broken in the input.")
]


def relate(
    inputs: Inputs = None,
    kb: Kb = "open",
    model: Model = "relations-bc5cdr-int8",
    linker: Linker = "default",
    linked: Linked = False,
    output: Format = "text",
    as_json: Json = False,
    min_score: MinScore = 0.0,
    source_format: From = None,
    lenient: Lenient = False,
) -> None:
    """Say which chemicals cause which diseases, as far as each text says so."""
    from holdfast.io.relating import RelateRequest, run_relate

    request = RelateRequest(
        inputs=tuple(inputs or ()),
        kb=kb,
        model=model,
        linker=linker,
        linked=linked,
        format="json" if as_json else output,
        min_score=min_score,
        source_format=source_format,
        lenient=lenient,
    )
    run_relate(request)
