from __future__ import annotations

from typing import Any

from holdfast.evaluate.tables import (
    brief_table,
    parts_table,
    peers_table,
    readme_tables,
    shipped_figures,
    speed_table,
    types_table,
)


def result(value: float) -> dict[str, Any]:
    reference = {"by": "Somebody", "differs": "an encoder", "accuracy_at_1": 0.9}
    return {
        "accuracy_at_1": value,
        "accuracy_at_1_low": value - 0.01,
        "accuracy_at_1_high": value + 0.01,
        "references": [reference],
    }


def test_the_readme_shows_figures_with_intervals_and_what_others_reach() -> None:
    table = brief_table({"names-ncbi": result(0.912), "of no interest": result(0.5)})
    assert len(table) == 3
    assert "| **91.2** [90.2, 92.2] | 90.0 Somebody |" in table[-1]


def test_a_ranking_counts_what_can_be_linked_and_stands_beside_one_figure() -> None:
    known = {"accuracy_at_1_in_kb": 0.8, "accuracy_at_1_in_kb_low": 0.79}
    known["accuracy_at_1_in_kb_high"] = 0.81
    measured = result(0.7) | known | {"protocol": "ranked"}
    measured["references"] = [{"by": "Somebody", "accuracy_at_1": 0.9, "map": 0.95}]
    table = brief_table({"collective-bc5cdr": measured})
    ours = "**80.0** [79.0, 81.0] where the entity is one of them; 70.0 of all"
    assert table[-1].endswith(f"| {ours} | 90.0 Somebody |")


def test_parts_are_shown_where_every_corpus_was_measured() -> None:
    measured = {
        "ablation-ncbi-1-dense": result(0.7),
        "ablation-bc5cdr-disease-1-dense": result(0.8),
        "ablation-ncbi-2-sparse": result(0.7),
    }
    assert [row.split(" | ")[0] for row in parts_table(measured)[2:]] == ["| dense names alone"]
    assert parts_table({}) == []


def test_pipelines_stand_side_by_side_for_each_type() -> None:
    def of(strong: float, typed: float) -> dict[str, Any]:
        also = [{"protocol": "typed", "f1": typed, "f1_gene": typed - 0.1}]
        return {"protocol": "strong", "f1": strong, "f1_gene": strong - 0.1, "also": also}

    results = {"strong-biored-default": of(0.7, 0.8), "strong-biored-dictionary": of(0.6, 0.65)}
    assert types_table(results, "biored") == [
        "| F1, default / dictionary | all | gene |",
        "|---|---|---|",
        "| … with their type | 80.0 / 65.0 | 70.0 / 55.0 |",
        "| … with their entity (strong) | 70.0 / 60.0 | 60.0 / 50.0 |",
    ]
    assert types_table(results, "bc5cdr") == []


def test_peers_stand_beside_us_with_their_accuracy() -> None:
    strict = {"ncbi-disease": {"accuracy_at_1": 0.5}}
    ours = {
        "mentions_per_second": 2000.0,
        "nearest_per_second": 5000.0,
        "nearest_anew_per_second": 3000.0,
    }
    measured = {
        "machine": "a laptop",
        "ratios": {"linking, over scispaCy": 2.0},
        "linking": {
            "corpora": ["ncbi-disease"],
            "ours": ours | {"strict": strict, "strict_of_nearest": strict},
            "scispacy": {
                "settings": [{"breadth": 20, "mentions_per_second": 10, "strict": strict}]
            },
        },
    }
    table = peers_table(measured)
    assert "| Holdfast, dense names alone | 5,000 | 50.0 |" in table
    assert "| … equal strings each time anew, as scispaCy does | 3,000 | 50.0 |" in table
    assert "| scispaCy, efSearch 20 | 10 | 50.0 |" in table
    assert table[-1] == "linking, over scispaCy: **2.0×** (a laptop)."
    assert set(readme_tables({"bench-names": measured})) == {"accuracy", "peers"}


def test_pipelines_stand_side_by_side_and_the_first_one_grows() -> None:
    speed = {
        "model": "default",
        "kb_names": 1000,
        "documents_per_second": 42.0,
        "p50_milliseconds": 20.0,
        "p99_milliseconds": 31.0,
        "load_milliseconds": 300.0,
        "resident_megabytes": 512.0,
        "private_megabytes": 256.0,
    }
    measured = {
        "machine": "a laptop",
        "threads": 2,
        "rows": [speed, speed | {"model": "names"}],
        "growth": [speed | {"kb_names": 10, "documents_per_second": 50.0}],
        "start_kb_names": 1000,
        "start_seconds": 1.5,
        "start_peak_megabytes": 200.0,
    }
    table = speed_table(measured)
    assert "| `names` | 42 | 20.0 / 31.0 | 300 | 512 (256) |" in table
    assert table[-1].startswith("`default` over smaller vocabularies: 50 documents/s over 10 names")
    assert "answers in 1.50 s" in table[-1]


def test_models_that_ship_get_what_was_measured_of_them() -> None:
    measured = {
        "linker-biored": result(0.78125) | {"model_digest": "new"},
        "strong-bc5cdr-default": result(0.5) | {"model_digest": "old+new"},
        "names-ncbi": result(0.25),
    }
    figures = shipped_figures(measured, {"linker": "new", "detector": "newer"})
    assert figures["linker"] == {"BioRED dev, strict accuracy": 0.7812}
    assert figures["names"] == {"NCBI test, lenient accuracy with a ranker": 0.25}
    assert figures["detector"] == {}  # measured of other weights
