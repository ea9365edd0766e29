"""The page of large jobs, and what all of PubMed costs."""

from __future__ import annotations

from typing import Any

from markdown_tables import rows
from pages.large_jobs import cost_table, render_large_jobs

MEDLINE: dict[str, Any] = {
    "kb": "open",
    "model": "default",
    "documents": 50_000,
    "quarantined": 1,
    "mentions": 400_000,
    "linked": 350_000,
    "output_bytes": 100_000_000,
    "pss_mb": 1000.0,
    "top_concepts": [{"id": "MESH:D006801", "label": "Humans", "mentions": 7}],
    "timing": {
        "workers": 2,
        "wall_seconds": 1000.0,
        "worker_seconds": 1900.0,
        "documents_this_run": 50_000,
    },
    "machine": "a laptop",
    "commit": "abc",
}
SCALING = {
    "kb": "mesh",
    "model": "default",
    "shard_size": 250,
    "rows": [
        {
            "workers": n,
            "documents_per_second": 10.0 * n,
            "pss_mb": 1.0,
            "anonymous_of_a_worker_mb": 1.0,
        }
        for n in (1, 2)
    ],
    "gain": 2.0,
    "more_mb": 200.0,
    "same_output": False,
    "machine": "a laptop",
    "commit": "abc",
}


def test_the_cost_of_pubmed_is_the_measured_speed_multiplied() -> None:
    _, *found = rows(cost_table(MEDLINE))
    assert found[0] == ["1", "38,000,000 / (50.0 × 1) s = 8.8 days", "422", "76 GB"]
    assert found[1][1:3] == ["38,000,000 / (50.0 × 100) s = 2.1 hours", "422"]


def test_a_run_that_was_interrupted_is_told_by_the_seconds_of_its_workers() -> None:
    again = MEDLINE | {"timing": MEDLINE["timing"] | {"documents_this_run": 10}}
    told = cost_table(again)
    assert "in 950 s (the mean of the workers" in told[0]
    assert rows(told)[1][1] == "38,000,000 / (52.6 × 1) s = 8.4 days"


def test_the_page_holds_what_was_measured_and_nothing_else() -> None:
    page = render_large_jobs({"bench-batch-scaling": SCALING, "other": {}})
    assert "**2.00** times" in page
    assert "the output is **not the same**" in page
    assert "## Killed" not in page
    both = render_large_jobs({"bench-batch-scaling": SCALING, "bench-batch-medline": MEDLINE})
    assert "| Humans (`MESH:D006801`) | 7 |" in both


def test_kills_tell_how_far_the_jobs_were() -> None:
    measured = {
        "kb": "mesh",
        "model": "default",
        "shard_size": 20,
        "kills": 3,
        "seconds_before_each": [[4.0, 2.5], [3.25]],
        "shards_done_at_each": [[0, 7], [12]],
        "shards": 50,
        "documents": 1000,
        "same_output": True,
        "same_counts": True,
        "machine": "a laptop",
        "commit": "abc",
    }
    page = render_large_jobs({"bench-batch-kills": measured})
    assert "went on: 4.0, 2.5; 3.2. Of 50 shards, 0, 7, 12 were done then. The output is" in page
