"""`holdfast link`: find and link the concepts in texts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.options import with_options

FORMATS = ("text", "json", "tsv", "pubtator", "bioc", "brat", "sssom")

Inputs = Annotated[
    list[str] | None,
    typer.Argument(metavar="TEXT|FILE|DIR|-", help="A text, files or folders, or - for stdin."),
]
Mentions = Annotated[
    Path | None,
    typer.Option("--mentions", help="Link what a file marks: a table of strings, or a corpus."),
]
Column = Annotated[
    str | None,
    typer.Option("--column", help="With --mentions: the column of strings, by name or number."),
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="With --mentions: is the first row a header?"),
]
Kb = Annotated[str, typer.Option("--kb", help="The knowledge base to link to: a name or a folder.")]
Model = Annotated[str, typer.Option("--model", help="One of `holdfast models`, or a model folder.")]
Only = Annotated[str | None, typer.Option("--only", help="Types to link, e.g. disease,chemical.")]
Format = Annotated[
    str | None,
    typer.Option("--format", help=f"How to print: {', '.join(FORMATS)}; tables: csv, jsonl."),
]
Json = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
Top = Annotated[int, typer.Option("--top", min=1, help="How many candidates each mention keeps.")]
MinScore = Annotated[
    float, typer.Option("--min-score", help="Links that score less become NIL: from 0 to 1.")
]
Explain = Annotated[bool, typer.Option("--explain", help="Show every candidate and its evidence.")]
Nested = Annotated[
    bool, typer.Option("--nested", help="Also find mentions of another type inside longer ones.")
]
WhyNot = Annotated[
    str | None,
    typer.Option("--why-not", metavar="TERM", help="Say what kept a term out of the answer."),
]
Rules = Annotated[
    Path | None, typer.Option("--rules", help="A TOML file that blocks, pins or adds names.")
]
MapTo = Annotated[
    str | None,
    typer.Option("--map-to", help="Give ids of this vocabulary: UMLS, MONDO, NCBIGene, …"),
]
Types = Annotated[
    bool, typer.Option("--types", help="Also say in words what kind of thing each mention is.")
]
TypeModel = Annotated[
    str | None,
    typer.Option("--type-model", help="The typing model of --types: a name or a folder."),
]
From = Annotated[
    str | None,
    typer.Option("--from", help="The format of the input; by default by name and content."),
]
Lenient = Annotated[
    bool, typer.Option("--lenient", help="Skip and count what is broken in the input.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOptions:
    """The options; docs/cli.md says what each means."""

    inputs: Inputs = None
    mentions: Mentions = None
    column: Column = None
    header: Header = None
    kb: Kb = "open"
    model: Model = "default"
    only: Only = None
    output: Format = None
    as_json: Json = False
    top: Top = 5
    min_score: MinScore = 0.0
    explain: Explain = False
    nested: Nested = False
    why_not: WhyNot = None
    rules: Rules = None
    map_to: MapTo = None
    types: Types = False
    type_model: TypeModel = None
    source_format: From = None
    lenient: Lenient = False


@with_options(LinkOptions)
def link(asked: LinkOptions) -> None:
    """Find and link the concepts in a text, in files, or in what comes on standard input."""
    from holdfast.errors import UsageError
    from holdfast.io.linking import LinkArguments, run_link

    if asked.as_json and asked.output not in (None, "json"):
        raise UsageError(f"--json and --format {asked.output}: name one of them")
    request = LinkArguments(
        inputs=tuple(asked.inputs or ()),
        mentions=asked.mentions,
        column=asked.column,
        header=asked.header,
        kb=asked.kb,
        model=asked.model,
        only=None if asked.only is None else tuple(asked.only.split(",")),
        format="json" if asked.as_json else asked.output,
        top=asked.top,
        min_score=asked.min_score,
        explain=asked.explain,
        nested=asked.nested,
        why_not=asked.why_not,
        rules=asked.rules,
        map_to=asked.map_to,
        types=asked.types,
        type_model=asked.type_model,
        source_format=asked.source_format,
        lenient=asked.lenient,
    )
    run_link(request)
