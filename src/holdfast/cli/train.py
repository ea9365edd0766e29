"""`holdfast train`: train what a recipe describes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def train(
    recipe: Annotated[str, typer.Argument(metavar="RECIPE", help="A recipe's name, or its TOML.")],
    data: Annotated[
        Path,
        typer.Option("--data", envvar="HOLDFAST_DATA", help="The folder of corpora and files."),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The model folder to write; by default in the home folder."),
    ] = None,
) -> None:
    """Train what a recipe describes and write it as a model folder."""
    from holdfast.cli.progress import progress_bar
    from holdfast.evaluate.recipe import read_recipe
    from holdfast.evaluate.run import model_folder
    from holdfast.training.ranked_linker import train_ranked_linker

    chosen = read_recipe(recipe)
    folder = out or model_folder(chosen)
    with progress_bar(chosen.name) as progress:
        train_ranked_linker(chosen, data=data, out=folder, progress=progress)
    typer.echo(f"{folder}: trained")
