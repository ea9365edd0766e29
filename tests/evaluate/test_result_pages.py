"""The pages of this checkout are made from its results, and from nothing else."""

from __future__ import annotations

import json
from pathlib import Path

from holdfast.evaluate.tables import SHIPPED, readme_tables, shipped_figures
from holdfast.experiments.results import fill_tables, read_results, render
from holdfast.models import MEASURED, WEIGHTS, manifest_of

ROOT = Path(__file__).parents[2]


def test_every_table_says_what_was_measured() -> None:
    results = read_results(ROOT / "results")
    page, readme = ((ROOT / name).read_text("utf-8") for name in ("results/README.md", "README.md"))
    assert page == render(results)
    assert readme == fill_tables(readme, readme_tables(results))


def test_what_the_package_says_of_its_models_was_measured_of_them() -> None:
    digests = {name: manifest_of(WEIGHTS / name).digest for name in SHIPPED}
    figures = shipped_figures(read_results(ROOT / "results"), digests)
    assert json.loads((WEIGHTS / MEASURED).read_text("utf-8")) == figures
    assert all(figures.values())
