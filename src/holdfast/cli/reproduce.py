"""`holdfast reproduce`: run recipes and store what they measure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from holdfast.experiments.recipe import Recipe


Recipes = Annotated[
    list[str], typer.Argument(metavar="RECIPE...", help="Names or TOML files; all for all.")
]
Data = Annotated[
    Path, typer.Option("--data", envvar="HOLDFAST_DATA", help="The folder of corpora and files.")
]
Results = Annotated[Path, typer.Option("--results", help="The folder to store results in.")]
Encoder = Annotated[
    Path | None,
    typer.Option(
        "--encoder",
        help="The name encoder to fit linkers with; by default what encoder-aligned made.",
    ),
]


def reproduce(
    recipes: Recipes, data: Data, results: Results = Path("results"), encoder: Encoder = None
) -> None:
    """Train and run recipes, and store what they measure as JSON."""
    from holdfast.errors import UsageError
    from holdfast.experiments.recipe import read_recipe, shipped

    if recipes != ["all"]:
        for name in recipes:
            _reproduce(read_recipe(name), data, results, encoder)
        return
    left_out = 0
    for recipe in map(read_recipe, shipped()):
        if recipe.evaluate is None or _is_left_out(recipe):
            continue
        try:
            _reproduce(recipe, data, results, encoder)
        except UsageError as error:  # it needs what is not there; the others do not
            typer.echo(f"{recipe.name}: left out, {error}", err=True)
            left_out += 1
    if left_out:
        raise typer.Exit(1)


def _reproduce(recipe: Recipe, data: Path, results: Path, encoder: Path | None) -> None:
    from holdfast.cli.stored import store
    from holdfast.experiments.results import outcome_to_json
    from holdfast.experiments.run import run_recipe
    from holdfast.experiments.train import train_recipe
    from holdfast.io.progress import progress_bar
    from holdfast.io.show.outcome import print_outcome
    from holdfast.models import trained_model

    measured = recipe.measured
    out = trained_model(recipe.name)
    if recipe.train and not out.exists():  # what was trained is measured as it is
        train_recipe(
            recipe,
            data=data,
            out=out,
            encoder=encoder,
            report=lambda line: typer.echo(line, err=True),
        )
    with progress_bar(f"{recipe.name}, {measured.protocol}") as progress:
        outcome = run_recipe(recipe, data=data, progress=progress)
    store(outcome_to_json(recipe, outcome), results, recipe.name)
    print_outcome(recipe, outcome)


def _is_left_out(recipe: Recipe) -> bool:
    """Whether it needs another tool that the environment does not name, which is said."""
    from holdfast.bench.scispacy_peer import PYTHON, is_scispacy_named

    is_left_out = bool(recipe.measured.peer) and not is_scispacy_named()
    if is_left_out:
        typer.echo(f"{recipe.name}: left out, {PYTHON} is not set", err=True)
    return is_left_out
