from __future__ import annotations

from markdown_tables import numbers, rows
from pages.markdown import fill_tables
from pages.readme import brief_table, peers_table, readme_tables, speed_table
from results.measured import result


def test_the_readme_shows_figures_with_intervals_and_what_others_reach() -> None:
    _, (_, ours, others) = rows(
        brief_table({"names-ncbi": result(0.912), "of no interest": result(0.5)})
    )
    assert numbers(ours) == [91.2, 90.2, 92.2]
    assert (numbers(others), "Somebody" in others) == ([90.0], True)


def test_what_training_mentions_add_is_told_in_the_same_cell() -> None:
    measured = {"strict-ncbi-ranked-training": result(0.89), "strict-ncbi-ranked": result(0.83)}
    _, (_, ours, others) = rows(brief_table(measured))
    assert numbers(ours) == [89.0, 88.0, 90.0, 83.0]
    assert numbers(others) == [90.0]


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
    lines = peers_table(measured)
    found = {tuple(numbers(cell)[0] for cell in row[1:]) for row in rows(lines)[1:]}
    assert {(5000, 50), (3000, 50), (10, 50)} <= found
    (peer,) = (row for row in rows(lines) if "scispaCy, efSearch 20" in row[0])
    assert numbers(peer[1]) == [10]
    assert numbers(lines[-1]) == [2.0]
    assert "a laptop" in lines[-1]
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
    lines = speed_table(measured)
    names = next(row for row in rows(lines) if "names" in row[0] and numbers(row[1]))
    assert [numbers(cell) for cell in names[1:]] == [[42], [20, 31], [300], [512, 256]]
    assert numbers(lines[-1])[:2] == [50, 10]
    assert 1.5 in numbers(lines[-1])


def test_only_what_stands_between_the_marks_of_a_known_table_is_replaced() -> None:
    page = "before\n<!-- table: accuracy -->\nstale\n<!-- end -->\nafter\n"
    filled = fill_tables(page, {"accuracy": ["new", "lines"]})
    assert filled == page.replace("stale", "new\nlines")
    assert fill_tables(page, {"another": ["new"]}) == page
