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
    encoder: Annotated[
        Path | None,
        typer.Option(
            "--encoder",
            help="What to begin or fit with instead of what the recipe says: the folder of a name "
            "encoder for a linker, a Hugging Face folder for a network.",
        ),
    ] = None,
) -> None:
    """Train what a recipe describes and write it as a model folder."""
    from holdfast.experiments.recipe import read_recipe
    from holdfast.experiments.train import train_recipe
    from holdfast.models import trained_model

    chosen = read_recipe(recipe)
    folder = out or trained_model(chosen.name)
    train_recipe(
        chosen,
        data=data,
        out=folder,
        encoder=encoder,
        report=lambda line: typer.echo(line, err=True),
    )
    typer.echo(f"{folder}: trained")
