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
    from dataclasses import asdict

    from holdfast.models import list_models
    from holdfast.registry import MODELS
    from holdfast.text.safe import one_line

    folders = list_models()
    if as_json:
        named = [{"name": name, **asdict(model)} for name, model in MODELS.items()]
        said = {"models": named, "folders": [folder.to_json() for folder in folders]}
        print(json.dumps(said, ensure_ascii=False))
        return

    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table

    console = Console(highlight=False, markup=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("--model", "finds", "links", ""):
        table.add_column(column)
    for name, model in MODELS.items():
        table.add_row(name, model.detector, model.linker or model.detector, model.about)
    console.print(table)
    for folder in folders:
        console.print()
        console.print(one_line(_describe(folder)), style="bold")
        for what, words in (
            ("trained on", _first_of(folder.training_data)),
            ("measured", "; ".join(f"{w} {100 * f:.1f}" for w, f in folder.results.items())),
        ):
            if words:
                console.print(Padding(one_line(f"{what}: {words}"), (0, 0, 0, 4)))


def _describe(folder: ModelFolder) -> str:
    """In one line: name, kind, size, licence, and whether `--model` takes it."""
    parts = [folder.kind, f"{folder.megabytes:.1f} MB"]
    if folder.parameters:
        parts.append(f"{folder.parameters / 1e6:.1f}M parameters")
    parts += [folder.licence] * bool(folder.licence)
    parts.append("ships" if folder.is_shipped else "--model" if folder.is_choice else "a part")
    return f"{folder.name}: {', '.join(parts)}"


def _first_of(data: Sequence[str]) -> str:
    """A few of them; `--json` has all."""
    more = f"; and {len(data) - _SHOWN} more" if len(data) > _SHOWN else ""
    return "; ".join(data[:_SHOWN]) + more
