"""`holdfast models`: what there is to link with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

import typer

_SHOWN: Final = 5  # of what a model was trained on


def models(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List the models: what `link --model` takes, and the folders that ship or were trained."""
    import json
    from dataclasses import asdict

    from holdfast.models import list_models
    from holdfast.registry import MODELS

    folders = list_models()
    if as_json:
        named = [{"name": name, **asdict(model)} for name, model in MODELS.items()]
        said = {"models": named, "folders": [folder.to_json() for folder in folders]}
        print(json.dumps(said, ensure_ascii=False))
        return

    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("--model", "finds", "links", ""):
        table.add_column(column)
    for name, model in MODELS.items():
        table.add_row(name, model.detector, model.linker or model.detector, model.about)
    console.print(table)
    console.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("folder", "", "holds a", "MB", "parameters", "trained on", "measured"):
        table.add_column(column, overflow="fold")
    for folder in folders:
        table.add_row(
            folder.name,
            "shipped" if folder.is_shipped else "--model" if folder.is_choice else "",
            folder.kind,
            f"{folder.megabytes:.1f}",
            "" if folder.parameters is None else f"{folder.parameters:,}",
            _first_of(folder.training_data),
            "; ".join(f"{what} {figure:g}" for what, figure in folder.results.items()),
        )
    console.print(table)


def _first_of(data: Sequence[str]) -> str:
    """A few of them; `--json` has all."""
    more = f"; and {len(data) - _SHOWN} more" if len(data) > _SHOWN else ""
    return "; ".join(data[:_SHOWN]) + more
