"""`holdfast models`: the models there are, and those that can be fetched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from holdfast.models import ModelFolder

app = typer.Typer(
    help="List the models, fetch one that is not in the package, or join your own.",
    invoke_without_command=True,
)

_SHOWN = 12  # training data of a model; `--json` has all


@app.callback()
def models(
    context: typer.Context,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME|DIR", help="Only this one, also a folder elsewhere."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List the models: what `link --model` takes, and the parts that they are made of."""
    if context.invoked_subcommand is not None:
        return
    import json

    from holdfast.model_store import offered
    from holdfast.models import describe_model, list_models

    folders = list_models() if model is None else [describe_model(model)]
    here = {folder.name for folder in folders}
    more = [m for m in offered().values() if model is None and m.name not in here]
    if as_json:
        listed = {
            "models": [folder.to_json() for folder in folders],
            "offered": [{"name": m.name, "megabytes": m.megabytes, "about": m.about} for m in more],
        }
        print(json.dumps(listed, ensure_ascii=False))
        return
    _print_pipelines(folders)
    _print_parts(folders)
    for m in more:
        typer.echo(f"\n{m.name}: {m.about}, {m.megabytes:.1f} MB; `holdfast models get {m.name}`")


@app.command()
def get(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="As `models` lists them.")],
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="DIR|URL",
            help="A folder or https address with model folders; by default the checkout's models/.",
        ),
    ] = "",
) -> None:
    """Put models that are not in the package into the home folder, checked against their sha256."""
    from holdfast.io.progress import progress_bar
    from holdfast.model_store import get_model

    for name in names:
        with progress_bar(name) as progress:
            folders = get_model(name, source=source, progress=progress)
        for folder in folders:
            typer.echo(f"{folder.name} is in {folder}")


@app.command()
def join(
    new: Annotated[Path, typer.Argument(metavar="DIR", help="The model folder to write.")],
    parts: Annotated[
        list[str],
        typer.Argument(metavar="MODEL...", help="Names or folders, in the order of the flow."),
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace a model that is there.")] = False,
) -> None:
    """Join a detector, a linker and what else you trained to one model for `link --model`."""
    from holdfast.models import check_replaceable
    from holdfast.parts import join_models

    check_replaceable(new, force=force)
    join_models(new, parts)
    typer.echo(f"{new}: {', '.join(parts)}")


def _print_pipelines(folders: Sequence[ModelFolder]) -> None:
    from rich.console import Console
    from rich.table import Table

    from holdfast.models import PIPELINE
    from holdfast.text.safe import one_line

    if not any(model.kind == PIPELINE for model in folders):
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("--model", "parts", ""):
        table.add_column(column, overflow="fold")
    for model in folders:
        if model.kind == PIPELINE:
            table.add_row(*map(one_line, (model.name, ", ".join(model.parts), model.about)))
    Console(highlight=False, markup=False).print(table)


def _print_parts(folders: Sequence[ModelFolder]) -> None:
    from rich.console import Console
    from rich.padding import Padding

    from holdfast.models import PIPELINE
    from holdfast.text.safe import one_line

    console = Console(highlight=False, markup=False)
    for folder in folders:
        if folder.kind == PIPELINE:
            continue
        console.print()
        console.print(one_line(_describe(folder)), style="bold")
        for what, words in (
            ("trained on", _first_of(folder.training_data)),
            ("by the recipes", ", ".join(folder.recipes)),
            ("measured", "; ".join(f"{w} {100 * f:.1f}" for w, f in folder.results.items())),
        ):
            if words:
                console.print(Padding(one_line(f"{what}: {words}"), (0, 0, 0, 4)))


def _describe(folder: ModelFolder) -> str:
    """In one line: name, kind, size, licence, and whether it comes with the package."""
    parts = [folder.kind]
    if folder.megabytes:
        parts.append(f"{folder.megabytes:.1f} MB")
    if folder.parameters:
        parts.append(f"{folder.parameters / 1e6:.1f}M parameters")
    parts += [folder.licence] * bool(folder.licence)
    parts += ["ships"] * folder.is_shipped
    return f"{folder.name}: {', '.join(parts)}"


def _first_of(data: Sequence[str]) -> str:
    """A few of them; `--json` has all."""
    more = f"; and {len(data) - _SHOWN} more" if len(data) > _SHOWN else ""
    return "; ".join(data[:_SHOWN]) + more
