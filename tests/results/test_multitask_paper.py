"""Table 2 of the multi-task paper in results/README.md."""

from __future__ import annotations

from typing import Any

from pages.multitask_paper import multitask_tables
from pages.overview import render_overview


def report(protocol: str, f1: float, **more: float) -> dict[str, Any]:
    figures = {"precision": f1 + 0.1, "recall": f1 - 0.1, "f1": f1, "f1_low": f1, "f1_high": f1}
    return {"protocol": protocol, **figures, **more}


def result(*reports: dict[str, Any], paper: float, task: str) -> dict[str, Any]:
    beside = [{"by": f"the paper, {task}", "f1": paper}, {"by": "the paper, other", "f1": 0.1}]
    return {**reports[0], "also": list(reports[1:]), "references": beside}


def test_a_row_has_each_task_where_it_was_measured() -> None:
    joint = result(
        report("strong", 0.6),
        report("mention", 0.8),
        report("per-token", 0.7, accuracy=0.9, linking_accuracy=0.95),
        paper=0.65,
        task="linking",
    )
    alone = result(
        report("mention", 0.5),
        report("per-token", 0.5, accuracy=0.4),
        paper=0.8,
        task="recognition",
    )
    lines = multitask_tables(
        {
            "multitask-bc5cdr-train": joint,
            "multitask-bc5cdr-single-token-recognition": alone,
        }
    )
    assert lines[1] == "### BC5CDR test, trained on train"
    assert lines[5:] == [
        "| single-task, per token | 60.0, 40.0, **50.0** [50.0, 50.0] (80.0) |  |  "
        "| recognition 40.0 |",
        "| hierarchical, per entity, losses summed | 90.0, 70.0, **80.0** [80.0, 80.0] |  "
        "| 70.0, 50.0, **60.0** [60.0, 60.0] (65.0) | linking 95.0 |",
    ]


def test_nothing_measured_is_no_section() -> None:
    assert multitask_tables({}) == []
    assert "multi-task paper" not in render_overview({})


def test_training_over_many_classes_stands_below_the_tables() -> None:
    many = {
        "entities": 35000,
        "documents": 1094,
        "steps": 60,
        "seconds": 81.2,
        "peak_megabytes": 4321,
        "model_megabytes": 120,
        "machine": "2 cores",
    }
    joint = result(report("strong", 0.6), paper=0.65, task="linking")
    results = {"multitask-bc5cdr-train": joint, "bench-multitask-classes": many}
    assert "35,000 made-up entities" in multitask_tables(results)[-1]
    assert "81 s from start to export and 4.3 GB" in multitask_tables(results)[-1]
    assert multitask_tables({"bench-multitask-classes": many}) == []


def test_a_claim_holds_only_where_intervals_lie_apart() -> None:
    def linked(low: float, high: float) -> dict[str, Any]:
        bounds = {"f1": (low + high) / 2, "f1_low": low, "f1_high": high}
        return {**result(report("strong", 0.5), paper=0.6, task="linking"), **bounds}

    stem = "multitask-bc5cdr-"
    results = {
        f"{stem}single-entity-linking": linked(0.55, 0.60),
        f"{stem}single-token-linking": linked(0.44, 0.48),
        f"{stem}hierarchical-token": linked(0.46, 0.50),
    }
    page = multitask_tables(results)
    apart = [line for line in page if line.startswith("| single-task: per entity")]
    assert apart[0].endswith("| yes |")
    overlapping = [line for line in page if line.startswith("| per token: hierarchical")]
    assert overlapping[0].endswith("| intervals overlap |")
    assert not any(line.startswith("| hierarchical: per entity") for line in page)
    results[f"{stem}single-token-linking-seed1"] = linked(0.53, 0.57)
    seeds = [line for line in multitask_tables(results) if "per entity above per token" in line]
    assert seeds[0].endswith("| intervals overlap |")
    assert "**46.0** [44.0, 48.0]; **55.0** [53.0, 57.0]" in seeds[0]
