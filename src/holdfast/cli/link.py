"""`holdfast link`: find and link the concepts in texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FORMATS = ("text", "json", "tsv", "pubtator", "bioc", "brat", "sssom")


def link(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT|FILE|DIR|-", help="A text, files or folders, or - for stdin."),
    ] = None,
    mentions: Annotated[
        Path | None,
        typer.Option("--mentions", help="Link what a file marks: a table of strings, or a corpus."),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option("--column", help="With --mentions: the column of strings, by name or number."),
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="With --mentions: is the first row a header?"),
    ] = None,
    kb: Annotated[
        str, typer.Option("--kb", help="The knowledge base to link to: a name or a folder.")
    ] = "open",
    model: Annotated[
        str, typer.Option("--model", help="One of `holdfast models`, or a model folder.")
    ] = "default",
    only: Annotated[
        str | None, typer.Option("--only", help="Types to link, e.g. disease,chemical.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--format", help=f"How to print: {', '.join(FORMATS)}; tables: csv, jsonl."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    top: Annotated[
        int, typer.Option("--top", min=1, help="How many candidates each mention keeps.")
    ] = 5,
    min_score: Annotated[
        float, typer.Option("--min-score", help="Links that score less become NIL: from 0 to 1.")
    ] = 0.0,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show every candidate and its evidence.")
    ] = False,
    nested: Annotated[
        bool,
        typer.Option("--nested", help="Also find mentions of another type inside longer ones."),
    ] = False,
    why_not: Annotated[
        str | None,
        typer.Option("--why-not", metavar="TERM", help="Say what kept a term out of the answer."),
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option("--rules", help="A TOML file that blocks, pins or adds names."),
    ] = None,
    map_to: Annotated[
        str | None,
        typer.Option("--map-to", help="Give ids of this vocabulary: UMLS, MONDO, NCBIGene, …"),
    ] = None,
    source_format: Annotated[
        str | None,
        typer.Option("--from", help="The format of the input; by default by name and content."),
    ] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Skip and count what is broken in the input.")
    ] = False,
) -> None:
    """Find and link the concepts in a text, in files, or in what comes on standard input."""
    import sys

    from rich.console import Console

    from holdfast.cli.progress import counted, progress_bar
    from holdfast.corpora import ReadReport
    from holdfast.errors import UsageError
    from holdfast.io.inputs import open_inputs
    from holdfast.io.linked_tables import check_table_format, link_rows, names_of, print_table
    from holdfast.io.mention_tables import is_table, read_mention_strings
    from holdfast.io.output import check_format, print_documents
    from holdfast.io.show import print_unmapped
    from holdfast.kb import open_kb
    from holdfast.pipeline import load
    from holdfast.text.safe import safe_stream

    if bool(inputs) == (mentions is not None):
        raise UsageError("name a text, files or -; or else --mentions FILE")
    is_strings = mentions is not None and is_table(mentions, source_format)
    form = "json" if as_json else output or ("tsv" if is_strings else "text")
    (check_table_format if is_strings else check_format)(form)
    if why_not is not None and (mentions is not None or form not in ("text", "json")):
        raise UsageError("--why-not explains the mentions found in texts, as text or with --json")
    base = open_kb(kb)
    table = None
    if mentions is not None and is_strings:
        known = names_of(base)
        table = read_mention_strings(mentions, column=column, header=header, is_name=known)
    with progress_bar(base.name, quiet=1.0) as progress:
        pipeline = load(
            base,
            model=model,
            only=None if only is None else only.split(","),
            marked=mentions is not None,
            top=top,
            min_score=min_score,
            nested=nested,
            rules=rules,
            map_to=map_to,
            progress=progress,
        )
    if why_not is not None:
        from holdfast.io.show_why_not import print_why_not

        with open_inputs(inputs or [], format=source_format, lenient=lenient) as texts:
            documents = texts.documents(ReadReport())
            print_why_not(documents, why_not, pipeline=pipeline, kb=base, rules=rules, form=form)
        return
    if table is not None:
        kinds = None if only is None else only.split(",")
        rows = counted(link_rows(table, base, pipeline, only=kinds), "rows linked", printed=True)
        print_table(table, rows, safe_stream(sys.stdout), format=form, explain=explain)
        print_unmapped(pipeline.functions())
        return
    report = ReadReport()
    with open_inputs(inputs or [str(mentions)], format=source_format, lenient=lenient) as texts:
        documents = texts.documents(report, marked=mentions is not None)
        linked = counted(pipeline.pipe(documents), "documents linked", printed=True)
        print_documents(linked, form, one=texts.is_one_text, explain=explain)
    print_unmapped(pipeline.functions())
    for line in report.summary():
        Console(stderr=True).print(line, highlight=False, markup=False, soft_wrap=True)
