"""The section of KeBioLM in results/README.md."""

from __future__ import annotations

from typing import Any

from pages.kebiolm import draw_pretraining, kebiolm_section
from pages.overview import render_overview


def _bounded(**figures: float) -> dict[str, float]:
    bounds = {f"{name}_{end}": value for name, value in figures.items() for end in ("low", "high")}
    return {**figures, **bounds}


def _tuned(recipe: str) -> dict[str, Any]:
    figures = _bounded(f1_minilm=0.8, f1_kebiolm=0.82, gain_kebiolm_over_minilm=0.02)
    return {
        "recipe": recipe,
        "title": recipe,
        "protocol": "fine-tuned",
        "task": "gad",
        "references": [{"by": "KeBioLM paper", "f1": 0.843}],
        **figures,
        "deviation_kebiolm": 0.01,
        "f1_always_positive": 0.69,
    }


def test_vectors_stand_beside_what_needs_no_learning() -> None:
    result = {
        "recipe": "transe",
        "title": "TransE",
        "protocol": "link-prediction",
        "references": [],
        "n_scored": 4000,
        "n_entities": 5000,
        "n_relations": 7,
        "n_training_triples": 9000,
        **_bounded(mrr=0.0593, mrr_random=0.0, mrr_frequency=0.0182),
        **_bounded(hits_at_10=0.109, hits_at_10_random=0.0, hits_at_10_frequency=0.047),
    }
    page = render_overview({"transe": result})
    assert "| TransE | **0.059** [0.059, 0.059] | **10.9** [10.9, 10.9] |" in page
    assert "| by frequency | **0.018** [0.018, 0.018] | **4.7** [4.7, 4.7] |" in page
    assert "## link-prediction" not in page


def test_pre_training_tells_how_figures_changed_and_shows_the_curves() -> None:
    log = [
        {"step": 0, "seconds": 0, "bare_masked_loss": 10.5, "detection_f1": 0.05},
        {"step": 9, "seconds": 5, "bare_masked_loss": 3.25, "detection_f1": 0.9, "loss": 4.0},
    ]
    result = {
        "recipe": "kebiolm",
        "title": "KeBioLM",
        "protocol": "pre-training",
        "tokens": 3_200_000,
        **{f"first_{key}": value for key, value in log[0].items()},
        **log[1],
        "history": log,
    }
    page = render_overview({"kebiolm": result})
    row = "| `kebiolm` | 3,200,000 | 10.50 → **3.25** | 5.0 → **90.0** |  |  |"
    assert row in page
    assert "![KeBioLM](kebiolm.svg)" in page
    assert "detection f1" in draw_pretraining(result)


def test_encoders_are_compared_with_the_last_one() -> None:
    page = "\n".join(kebiolm_section({"tune-gad": _tuned("tune-gad")}))
    assert "| gad | minilm | **80.0** [80.0, 80.0] | **2.0** [2.0, 2.0] | 82.3 |" in page
    assert "| gad | kebiolm | **82.0** [82.0, 82.0] ± 1.0 |  | 84.3 |" in page
    assert "| gad | always yes | 69.0 |  |  |" in page


def test_each_kind_of_comparison_has_its_table() -> None:
    recipes = ("tune-gad", "tune-gad-full", "tune-gad-ablations")
    page = "\n".join(kebiolm_section({recipe: _tuned(recipe) for recipe in recipes}))
    assert page.count("### ") == 3
    assert kebiolm_section({}) == []


def test_probing_tells_the_parts_of_each_model() -> None:
    keys = ("recall_at_5", "recall_at_5_type_1", "recall_at_5_type_2")
    report = {**_bounded(**dict.fromkeys(keys, 0.03)), "n_scored": 2000, "n_relations": 12}
    probed = {
        "probe": "knowledge",
        "model": "kebiolm",
        "parts": {"seen": {**report, "right": "01"}},
        "examples": [],
    }
    page = render_overview({"probe-knowledge": probed})
    assert "| `kebiolm` | seen | **3.0** [3.0, 3.0] |" in page
    assert "| 2,000 | 12 |" in page


def test_two_models_that_were_asked_the_same_are_compared_query_by_query() -> None:
    def probed(model: str, right: str) -> dict[str, Any]:
        figures = {"n_scored": 4, "n_relations": 1, **_bounded(recall_at_5=0.5)}
        return {
            "probe": "knowledge",
            "model": model,
            "config": {"most": 4},
            "kb_digest": "a",
            "vectors_digest": "b",
            "parts": {"held_out": {**figures, "right": right}},
            "examples": [
                {"query": "x is [MASK]", "gold": "y", "said": ["y", "z"], "is_right": True}
            ],
        }

    results = {"one": probed("kebiolm", "1101"), "two": probed("kebiolm-twin", "0100")}
    page = "\n".join(kebiolm_section(results))
    assert "`kebiolm` over `kebiolm-twin` **50.0** points [0.0, 100.0]" in page
    assert "| x is [MASK] | y | ✓ y, z |" in page
    other = results | {"two": results["two"] | {"config": {"most": 5}}}
    assert "query by query" not in "\n".join(kebiolm_section(other))
