"""`holdfast link`: find and link the concepts in texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FORMATS = ("text", "json", "tsv", "pubtator", "bioc", "brat")


def link(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT|FILE|-", help="A text, files or folders, or - for stdin."),
    ] = None,
    mentions: Annotated[
        Path | None,
        typer.Option("--mentions", help="Link what a file marks: a table of strings, or a corpus."),
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="With --mentions: the table's column of strings.")
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
        str, typer.Option("--format", help=f"How to print: {', '.join(FORMATS)}.")
    ] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    top: Annotated[
        int, typer.Option("--top", min=1, help="How many candidates each mention keeps.")
    ] = 5,
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
    source_format: Annotated[
        str | None, typer.Option("--from", help="The format of the files; by default by name.")
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
    from holdfast.inputs import Inputs
    from holdfast.kb import open_kb
    from holdfast.mention_tables import is_table, read_mention_strings, write_linked_table
    from holdfast.output import check_format, print_documents
    from holdfast.pipeline import OF_MODEL, load

    if bool(inputs) == (mentions is not None):
        raise UsageError("name a text, files or -; or else --mentions FILE")
    form = "json" if as_json else output
    check_format(form)
    if why_not is not None and (mentions is not None or form not in ("text", "json")):
        raise UsageError("--why-not explains the mentions found in texts, as text or with --json")
    base = open_kb(kb)
    with progress_bar(base.name) as progress:
        pipeline = load(
            base,
            model=model,
            only=None if only is None else only.split(","),
            detector=None if mentions else OF_MODEL,
            top=top,
            nested=nested,
            rules=rules,
            progress=progress,
        )
    if why_not is not None:
        from holdfast.show_why_not import print_why_not

        texts = Inputs(inputs or [], format=source_format, lenient=lenient)
        documents = texts.documents(ReadReport())
        print_why_not(documents, why_not, pipeline=pipeline, kb=base, rules=rules, form=form)
        return
    if mentions is not None and is_table(mentions, source_format):
        write_linked_table(read_mention_strings(mentions, column=column), pipeline, sys.stdout)
        return
    report = ReadReport()
    texts = Inputs(inputs or [str(mentions)], format=source_format, lenient=lenient)
    documents = texts.documents(report, marked=mentions is not None)
    linked = counted(pipeline.pipe(documents), "documents linked", printed=True)
    print_documents(linked, form, one=texts.is_one_text, explain=explain)
    for line in report.summary():
        Console(stderr=True).print(line, highlight=False, markup=False, soft_wrap=True)
