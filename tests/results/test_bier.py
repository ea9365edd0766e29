"""The section of BIER in results/README.md, and its plot."""

from __future__ import annotations

from typing import Any

from pages.bier import LOW, bier_section, draw_low_supervision
from pages.overview import render_overview


def measured(recipe: str, protocol: str, **figures: float) -> dict[str, Any]:
    bounds = {f"{name}_{end}": value for name, value in figures.items() for end in ("low", "high")}
    return {
        "recipe": recipe,
        "title": recipe.upper(),
        "protocol": protocol,
        "references": [{"by": "the paper", "sparse_dot": 0.875}],
        **figures,
        **bounds,
    }


LABELS = measured("bier-labels", "labels", sparse_dot=0.86, oracle=0.9)
FEW = measured(
    LOW,
    "low-supervision",
    **{
        f"{curve}_{k}": 0.5
        for curve in ("sparse", "dense", "trigrams", "frozen")
        for k in (5, 10, 25, 50, 75, 100, 200, "all")
    },
)
TUNED = measured("bier-classifier-untuned-tuned-5", "label-classifier", accuracy=0.4)


def test_every_figure_stands_beside_the_papers() -> None:
    page = render_overview({"bier-labels": LABELS})
    assert "| sparse dot | **86.0** [86.0, 86.0] | 87.5 the paper |" in page
    assert "## labels" not in page, "no table of one figure per recipe"
    assert bier_section({}) == []


def test_few_labelled_mentions_are_a_table_and_a_plot() -> None:
    results = {LOW: FEW, "bier-classifier-untuned-tuned-5": TUNED}
    page = "\n".join(bier_section(results))
    assert "| 5 | 50.0 | 50.0 | 50.0 | 50.0 |  | 40.0 |" in page
    plot = draw_low_supervision(results)
    assert plot.count("<polyline") == 5
    assert draw_low_supervision({LOW: FEW}).count("<polyline") == 4


def test_classifiers_are_one_table() -> None:
    stems = ("bier-classifier-bier-frozen", "bier-classifier-untuned-tuned")
    results = {stem: measured(stem, "label-classifier", accuracy=0.9) for stem in stems}
    page = "\n".join(bier_section(results))
    assert "| typing model, frozen | **90.0** [90.0, 90.0] |" in page
    assert "| untuned encoder, fine-tuned | **90.0**" in page
    assert page.count("### ") == 1
