"""The pages of this checkout are made from its results, and from nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from holdfast.experiments.results import read_results
from holdfast.models import MEASURED
from make_pages import filled_pages, make_pages

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """Every file that `make results` writes, by its path below the checkout."""
    return dict(make_pages(read_results(RESULTS), filled_pages()))


def test_every_page_says_what_was_measured(made: dict[str, str]) -> None:
    for name, text in made.items():
        assert (ROOT / name).read_text("utf-8") == text, f"{name}: stale; run `make results`"


def test_no_page_or_plot_in_results_is_written_by_hand(made: dict[str, str]) -> None:
    there = {
        p.relative_to(ROOT).as_posix() for p in RESULTS.iterdir() if p.suffix in (".md", ".svg")
    }
    assert there == {name for name in made if name.startswith("results/")}


def test_every_plot_that_a_page_shows_is_made(made: dict[str, str]) -> None:
    shown = {
        target
        for name, text in made.items()
        if name.startswith("results/") and name.endswith(".md")
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    }
    assert shown
    assert {f"results/{target}" for target in shown} <= {*made}


def test_every_model_that_ships_has_figures_of_its_own_weights(made: dict[str, str]) -> None:
    figures = json.loads(made[f"src/holdfast/weights/{MEASURED}"])
    assert {*figures} == {"detector", "encoder", "linker"}
    assert all(figures.values())
