"""The figures that a recipe measured, for people to read in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from holdfast.experiments.outcome import Outcome
from holdfast.experiments.recipe import Recipe


def print_outcome(recipe: Recipe, outcome: Outcome) -> None:
    """Print a table for each protocol, then the published figures to compare them with."""
    console = Console(highlight=False, markup=False)
    console.print(Text(recipe.title, style="bold"))
    for report in outcome.reports:
        console.print(report.to_table())
    for reference in recipe.references:
        figures = ", ".join(f"{name} {value:.3f}" for name, value in reference.figures.items())
        note = f" ({reference.differs})" if reference.differs else ""
        console.print(f"beside: {reference.by}: {figures}{note}", style="dim")
