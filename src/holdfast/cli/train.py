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
            help="The name encoder to fit a linker with, by default what encoder-aligned made; "
            "or the Hugging Face folder of a detector's encoder, by default MiniLM's.",
        ),
    ] = None,
) -> None:
    """Train what a recipe describes and write it as a model folder."""
    from holdfast.cli.progress import progress_bar
    from holdfast.experiments.recipe import read_recipe
    from holdfast.experiments.run import COLLECTIVE, fitting_encoder, model_folder

    chosen = read_recipe(recipe)
    folder = out or model_folder(chosen.name)
    if chosen.protocol == "encoder":
        from holdfast.systems.rescnn.training.recipe import train_encoder

        train_encoder(chosen, data=data, out=folder, report=lambda line: typer.echo(line, err=True))
    elif chosen.protocol == "detector":
        from holdfast.detect.training.train import train_detector

        train_detector(
            chosen,
            data=data,
            out=folder,
            encoder=encoder,
            report=lambda line: typer.echo(line, err=True),
        )
    elif chosen.linker in COLLECTIVE:
        from holdfast.systems.collective.training.recipe import train_collective

        train_collective(
            chosen, data=data, out=folder, report=lambda line: typer.echo(line, err=True)
        )
    else:
        from holdfast.link.training.train import train_ranked_linker

        opened = fitting_encoder(chosen, encoder)
        with progress_bar(chosen.name) as progress:
            train_ranked_linker(chosen, data=data, out=folder, encoder=opened, progress=progress)
    typer.echo(f"{folder}: trained")
