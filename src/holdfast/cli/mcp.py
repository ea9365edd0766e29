"""`holdfast mcp`: tools for assistants, over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def mcp(
    kb: Annotated[str, typer.Option("--kb", help="The knowledge base: name or folder.")] = "open",
    model: Annotated[
        str, typer.Option("--model", help="One of `holdfast models`, or a model folder.")
    ] = "default",
    only: Annotated[
        str | None, typer.Option("--only", help="Types to link, e.g. disease,chemical.")
    ] = None,
    top: Annotated[
        int, typer.Option("--top", min=1, help="How many candidates each mention keeps.")
    ] = 5,
    rules: Annotated[
        Path | None, typer.Option("--rules", help="A TOML file that blocks, pins or adds names.")
    ] = None,
) -> None:
    """Serve annotate, search, explain and entity to an assistant on standard input and output."""
    from holdfast.plugins.assistant import serve_assistant

    types = None if only is None else tuple(only.split(","))
    serve_assistant(kb=kb, model=model, only=types, top=top, rules=rules)
