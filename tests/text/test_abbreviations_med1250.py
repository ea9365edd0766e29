"""Abbreviations on MED1250, by Ab3P's protocol."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.experiments.recipe import read_recipe
from holdfast.experiments.run import run_recipe


@pytest.mark.parametrize("recipe", ["abbreviations-med1250", "abbreviations-med1250-odd"])
def test_f1_on_med1250_is_at_least_89_percent(data_dir: Path, recipe: str) -> None:
    report = run_recipe(read_recipe(recipe), data=data_dir).reports[0]
    assert report.counts["n_gold"] > 500
    assert report["f1"] >= 0.89
