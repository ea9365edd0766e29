"""`holdfast models`: what there is to link with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from holdfast.models import ModelFolder

_SHOWN: Final = 12  # of what a model was trained on


def models(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List the models: what `link --model` takes, and the folders that ship or were trained."""
    import json

    from holdfast.models import PIPELINE, list_models
    from holdfast.text.safe import one_line

    folders = list_models()
    if as_json:
        print(json.dumps({"models": [m.to_json() for m in folders]}, ensure_ascii=False))
        return

    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table

    console = Console(highlight=False, markup=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("--model", "parts", ""):
        table.add_column(column)
    for model in folders:
        if model.kind == PIPELINE:
            table.add_row(*map(one_line, (model.name, ", ".join(model.parts), model.about)))
    console.print(table)
    for folder in folders:
        if folder.kind == PIPELINE:
            continue
        console.print()
        console.print(one_line(_describe(folder)), style="bold")
        for what, words in (
            ("trained on", _first_of(folder.training_data)),
            ("measured", "; ".join(f"{w} {100 * f:.1f}" for w, f in folder.results.items())),
        ):
            if words:
                console.print(Padding(one_line(f"{what}: {words}"), (0, 0, 0, 4)))


def _describe(folder: ModelFolder) -> str:
    """In one line: name, kind, size, licence, and whether it comes with the package."""
    parts = [folder.kind, f"{folder.megabytes:.1f} MB"]
    if folder.parameters:
        parts.append(f"{folder.parameters / 1e6:.1f}M parameters")
    parts += [folder.licence] * bool(folder.licence)
    parts += ["ships"] * folder.is_shipped
    return f"{folder.name}: {', '.join(parts)}"


def _first_of(data: Sequence[str]) -> str:
    """A few of them; `--json` has all."""
    more = f"; and {len(data) - _SHOWN} more" if len(data) > _SHOWN else ""
    return "; ".join(data[:_SHOWN]) + more
