"""`holdfast evaluate`: run a recipe and print what it measures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    recipe: Annotated[str, typer.Argument(metavar="RECIPE", help="A recipe's name, or its TOML.")],
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            envvar="HOLDFAST_DATA",
            help="The folder of corpora and files; the working folder if missing.",
        ),
    ] = Path(),
    model: Annotated[
        Path | None,
        typer.Option("--model", help="The model folder; by default the recipe's last trained."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Run a recipe and print what it measures, beside what others published."""
    import json

    from holdfast.experiments.recipe import read_recipe
    from holdfast.experiments.results import outcome_to_json
    from holdfast.experiments.run import run_recipe
    from holdfast.io.progress import progress_bar
    from holdfast.io.show.outcome import print_outcome

    chosen = read_recipe(recipe)
    with progress_bar(chosen.name) as progress:
        outcome = run_recipe(chosen, data=data, model=model, progress=progress)
    if as_json:
        print(json.dumps(outcome_to_json(chosen, outcome), ensure_ascii=False))
    else:
        print_outcome(chosen, outcome)
