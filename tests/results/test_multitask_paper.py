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
