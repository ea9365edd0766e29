"""What the probes measured, on the page of results."""

from __future__ import annotations

from typing import Any

from markdown_tables import numbers, rows
from pages.probes import embedding_section, probe_section

STARTS = ("MiniLM's", "another")
STAGES = ("pre-aligned", "fine-tuned")
CORPORA = ("ncbi-disease", "bc5cdr-disease")


def probe(**row: object) -> dict[str, Any]:
    usual = {
        "linker": "MiniLM",
        "setting": "window of 3",
        "accuracy_at_1": 0.75,
        "accuracy_at_1_low": 0.5,
        "accuracy_at_1_high": 1.0,
        "change": -0.25,
        "paper_dev": 0.911,
        "paper_test": 0.81,
    }
    return {
        "probe": "attention-window",
        "split": "dev",
        "n_scored": 4,
        "dictionary_names": 2,
        "training_pairs": 5,
        "steps": 6,
        "seed": 7,
        "rows": [usual | row],
        "differs": "Other models.",
    }


def test_a_probe_s_row_has_the_change_and_the_papers_figures() -> None:
    section = probe_section(probe())
    _, row = rows(section)
    assert row[:2] == ["MiniLM", "window of 3"]
    assert [numbers(cell) for cell in row[2:]] == [[75.0, 50.0, 100.0], [25.0], [91.1], [81.0]]
    assert row[3].startswith("-")
    assert section[-1] == "Other models."


def test_a_linker_as_it_is_has_no_change_and_may_have_no_figure_of_the_paper() -> None:
    _, row = rows(probe_section(probe(setting="as it is", paper_dev=None)))
    assert row[3:5] == ["", ""]
    assert numbers(row[5]) == [81.0]


def embeddings(seeds: int) -> dict[str, Any]:
    return {
        "rows": [
            {"stage": stage, "embeddings": start, "seed": seed}
            | {c: {"accuracy_at_1": 0.9 + seed / 50, "accuracy_at_1_new": 0.5} for c in CORPORA}
            for stage in STAGES
            for start in STARTS
            for seed in range(seeds)
        ],
        "differences": [
            {"stage": stage, "embeddings": start, "corpus": corpus}
            | {"difference": -0.012, "low": -0.02, "high": 0.003}
            for stage in STAGES
            for start in STARTS[1:]
            for corpus in CORPORA
        ],
        "comparison": "embeddings",
        "align_steps": 4,
        "tune_steps": 3,
        "seeds": seeds,
        "names": 10,
        "training_mentions": 5,
        "texts": 7,
        "pieces": 9,
        "pieces_in_texts": 8,
        "n_scored": dict.fromkeys(CORPORA, 6),
        "n_new": dict.fromkeys(CORPORA, 2),
    }


def test_embeddings_have_a_row_per_stage_corpus_and_start_in_their_order() -> None:
    _, *found = rows(embedding_section(embeddings(seeds=2)))
    assert [row[:3] for row in found] == [
        [stage, start, name] for stage in STAGES for name in ("NCBI", "BC5CDR") for start in STARTS
    ]
    assert [numbers(cell) for cell in found[1][3:]] == [[91.0, 90.0, 92.0], [50.0], [1.2, 2.0, 0.3]]
    assert all((row[-1] == "") == (row[1] == STARTS[0]) for row in found)


def test_one_seed_has_no_mean_beside_it() -> None:
    _, first, *_ = rows(embedding_section(embeddings(seeds=1)))
    assert numbers(first[3]) == [90.0]
