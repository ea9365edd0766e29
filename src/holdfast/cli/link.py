"""`holdfast link`: find and link the concepts in texts."""

from __future__ import annotations

from typing import Annotated

import typer

FORMATS = ("text", "json", "tsv", "pubtator", "bioc", "brat")


def link(
    inputs: Annotated[
        list[str],
        typer.Argument(metavar="TEXT|FILE|-", help="A text, files or folders, or - for stdin."),
    ],
    kb: Annotated[
        str, typer.Option("--kb", help="The knowledge base to link to: a name or a folder.")
    ] = "open",
    only: Annotated[
        str | None, typer.Option("--only", help="Types to link, e.g. disease,chemical.")
    ] = None,
    output: Annotated[
        str, typer.Option("--format", help=f"How to print: {', '.join(FORMATS)}.")
    ] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    top: Annotated[
        int, typer.Option("--top", min=1, help="How many candidates each mention keeps.")
    ] = 5,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show every candidate and its evidence.")
    ] = False,
    source_format: Annotated[
        str | None, typer.Option("--from", help="The format of the files; by default by name.")
    ] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Skip and count what is broken in the input.")
    ] = False,
) -> None:
    """Find and link the concepts in a text, in files, or in what comes on standard input."""
    from rich.console import Console

    from holdfast.corpora import ReadReport
    from holdfast.inputs import Inputs
    from holdfast.output import print_documents
    from holdfast.pipeline import load

    chosen = None if only is None else only.split(",")
    report = ReadReport()
    texts = Inputs(inputs, format=source_format, lenient=lenient)
    pipeline = load(kb, only=chosen, top=top)
    print_documents(
        pipeline.pipe(texts.documents(report)),
        "json" if as_json else output,
        one=texts.is_one_text,
        explain=explain,
    )
    for line in report.summary():
        Console(stderr=True).print(line, highlight=False, markup=False, soft_wrap=True)
