"""`holdfast convert`: documents from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="A file, a folder, or - for standard input.")
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file or folder to write.")],
    source_format: Annotated[
        str | None, typer.Option("--from", help="The format of IN; by default name and content.")
    ] = None,
    target_format: Annotated[
        str | None, typer.Option("--to", help="The format of OUT; by default its extension.")
    ] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Skip and count what is broken in IN.")
    ] = False,
    allow_loss: Annotated[
        bool, typer.Option("--allow-loss", help="Leave out and count what OUT cannot hold.")
    ] = False,
) -> None:
    """Convert documents from one format to another, by extension or --from and --to."""
    from rich.console import Console

    from holdfast.corpora import ReadReport, WriteReport, write_documents
    from holdfast.errors import UsageError
    from holdfast.io.inputs import STDIN, open_inputs
    from holdfast.io.progress import counted

    if str(source) != STDIN and not source.exists():
        raise UsageError(f"{source}: there is no such file or folder")
    read, written = ReadReport(), WriteReport()
    with open_inputs([str(source)], format=source_format, lenient=lenient) as inputs:
        documents = inputs.documents(read, marked=True)
        converted = counted(documents, "documents converted", printed=False)
        write_documents(
            converted, target, format=target_format, allow_loss=allow_loss, report=written
        )
    for line in (*read.summary(), *written.summary()):
        Console(stderr=True).print(line, highlight=False, markup=False, soft_wrap=True)
