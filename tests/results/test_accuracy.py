from __future__ import annotations

from typing import Any

from markdown_tables import numbers, rows, table
from pages.accuracy import accuracy_table, parts_table, types_table
from pages.overview import render_overview
from results.measured import result


def test_parts_are_shown_where_every_corpus_was_measured() -> None:
    measured = {
        "ablation-ncbi-1-dense": result(0.7),
        "ablation-bc5cdr-disease-1-dense": result(0.8),
        "ablation-ncbi-2-sparse": result(0.7),
    }
    assert list(table(parts_table(measured))) == ["dense names alone"]
    assert parts_table({}) == []


def test_pipelines_stand_side_by_side_for_each_type() -> None:
    def of(strong: float, typed: float) -> dict[str, Any]:
        also = [{"protocol": "typed", "f1": typed, "f1_gene": typed - 0.1}]
        return {"protocol": "strong", "f1": strong, "f1_gene": strong - 0.1, "also": also}

    results = {"strong-biored-default": of(0.7, 0.8), "strong-biored-dictionary": of(0.6, 0.65)}
    typed, strong = table(types_table(results, "biored")).values()
    assert {of: numbers(cell) for of, cell in typed.items()} == {"all": [80, 65], "gene": [70, 55]}
    assert {of: numbers(cell) for of, cell in strong.items()} == {"all": [70, 60], "gene": [60, 50]}
    assert types_table(results, "bc5cdr") == []


def test_a_recipe_has_a_row_with_its_figures_its_size_and_its_references() -> None:
    measured = result(0.5) | {
        "recipe": "mine",
        "title": "Mine",
        "n_scored": 1234,
        "kb": "mesh",
        "kb_names": 5678,
        "accuracy_at_1_gene": 0.25,
        "nil_auroc": 0.875,
    }
    measured["references"].append({"by": "Others", "f1": 0.5, "recall": 0.75})
    header, row = rows(accuracy_table([measured]))
    assert (row[0], row[1]) == ("`mine`", "Mine")
    cells = dict(zip(header, row, strict=True))
    assert numbers(cells["ours"].partition(" ")[2]) == [50.0, 49.0, 51.0, 25.0, 0.875]
    assert (numbers(cells["n"]), numbers(cells["knowledge base"])) == ([1234], [5678])
    first, second = cells["beside"].split("; ")
    assert numbers(first) == [90.0]
    assert "Somebody (an encoder)" in first
    assert numbers(second.replace("f1", "")) == [50.0, 75.0]


def test_each_protocol_has_a_section_of_its_own_recipes() -> None:
    shared = {"title": "A title", "kb": "mesh", "kb_names": None}
    results = {
        name: result(0.5) | shared | {"recipe": name, "protocol": protocol}
        for name, protocol in {"a": "strict", "b": "lenient", "c": "strict"}.items()
    }
    sections = render_overview(results).split("\n## ")[1:]
    found = {s.splitlines()[0]: [row[0] for row in rows(s.splitlines())[1:]] for s in sections}
    assert found == {"strict": ["`a`", "`c`"], "lenient": ["`b`"]}


def test_a_page_without_results_has_no_section() -> None:
    assert "## " not in render_overview({})
