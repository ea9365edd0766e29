"""`holdfast types`: type systems for typing models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Build a type system from text, and report on it.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="What the type system is called.")]
Texts = Annotated[
    list[Path] | None,
    typer.Option("--text", help="Documents to annotate; by default open abstracts. May repeat."),
]
Data = Annotated[
    Path | None,
    typer.Option(
        "--data", envvar="HOLDFAST_DATA", help="The folder of corpora, which are left out."
    ),
]
Kb = Annotated[str, typer.Option("--kb", help="The knowledge base to link to.")]
Model = Annotated[str, typer.Option("--model", help="The model that finds and links.")]
Source = Annotated[
    str,
    typer.Option("--source", help="Categories: ancestors, types, heads, table:FILE; by commas."),
]
LeastScore = Annotated[float, typer.Option("--least-score", help="Of a concept that is kept.")]
Within = Annotated[float, typer.Option("--within", help="How far it may be behind the best.")]
LeastCount = Annotated[int, typer.Option("--least-count", help="Triples that a type must have.")]
MostShare = Annotated[float, typer.Option("--most-share", help="Of triples that a type may have.")]
Remove = Annotated[Path | None, typer.Option("--remove", help="Types to leave out, one a line.")]
Merge = Annotated[
    Path | None, typer.Option("--merge", help="Lines of a type, a tab and the type it joins.")
]
Documents = Annotated[
    int | None, typer.Option("--documents", min=1, help="How many are read; all if missing.")
]
Share = Annotated[
    float, typer.Option("--share", help="Of the documents, spread evenly; a larger one adds.")
]


@app.command("build")
def build(
    name: Name,
    texts: Texts = None,
    data: Data = None,
    kb: Kb = "open",
    model: Model = "default",
    source: Source = "ancestors,types,heads",
    least_score: LeastScore = 0.8,
    within: Within = 0.02,
    least_count: LeastCount = 20,
    most_share: MostShare = 0.8,
    remove: Remove = None,
    merge: Merge = None,
    documents: Documents = None,
    share: Share = 1.0,
) -> None:
    """Annotate text and make a list of types and triples of it; a run that stopped goes on."""
    from holdfast.systems.bier.training.build import Filter
    from holdfast.systems.bier.training.command import BuildRequest, build_types

    request = BuildRequest(
        name=name,
        texts=tuple(texts or ()),
        data=data,
        kb=kb,
        model=model,
        sources=tuple(source.split(",")),
        filter=Filter(least_score, within, least_count, most_share),
        remove=remove,
        merge=merge,
        documents=documents,
        share=share,
    )
    build_types(request, report=lambda line: typer.echo(line, err=True))


@app.command("report")
def report(
    name: Name,
    out: Annotated[Path, typer.Option("--out", help="The HTML file to write.")],
    judged: Annotated[
        Path | None, typer.Option("--judged", help="Its sample.tsv with the judgements filled in.")
    ] = None,
    results: Annotated[
        Path | None, typer.Option("--results", help="Also store what was counted in this folder.")
    ] = None,
) -> None:
    """Write what a type system holds as one HTML file."""
    from holdfast.cli.stored import store
    from holdfast.experiments.results import circumstances
    from holdfast.systems.bier.training.type_report import describe_types, write_type_report

    write_type_report(name, out, judged=judged)
    typer.echo(f"{out}: written")
    if results is not None:
        told = describe_types(name, judged=judged) | circumstances()
        store(told, results, f"types-{told['types_of']}")
