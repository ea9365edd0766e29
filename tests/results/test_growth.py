from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from markdown_tables import numbers, rows
from pages.growth import draw_growth, render_growth


def measured() -> dict[str, Any]:
    point = {
        "build_seconds": 0.5,
        "build_peak_megabytes": 90.0,
        "kb": "growth",
        "kb_names": 1000,
        "disk_megabytes": 1.0,
        "documents": 2,
        "mentions": 3,
        "mentions_per_second": 400.0,
        "rounds": 5,
        "p50_milliseconds": 1.0,
        "p99_milliseconds": 2.0,
        "load_milliseconds": 3.0,
        "resident_megabytes": 50.0,
        "private_megabytes": 20.0,
    }
    larger = point | {"kb_names": 10_000, "rounds": 1}
    return {"kb": "mesh", "threads": 1, "machine": "a laptop", "points": [point, larger]}


def test_the_page_has_a_row_per_size_and_marks_what_was_repeated_less() -> None:
    page = render_growth(measured())
    header, first, second = rows(page.splitlines())
    usual = [[0.5], [90], [3], [50, 20], [400], [1, 2], [1]]
    assert [numbers(cell) for cell in first] == [[1000], *usual]
    usual[4] = [400, 1]  # the rounds
    assert [numbers(cell) for cell in second] == [[10_000], *usual]
    assert len(header) == len(first)
    assert "1 thread, a laptop" in page
    assert "3 gold mentions of diseases in 2 documents, linked to names of mesh" in page


def test_the_plot_has_four_labelled_panels_of_all_points() -> None:
    root = ElementTree.fromstring(draw_growth(measured()))
    names = {"svg": "http://www.w3.org/2000/svg"}
    assert len(root.findall("svg:g", names)) == 4
    assert len(root.findall(".//svg:circle", names)) == 8
    words = {text.text for text in root.findall(".//svg:text", names)}
    assert {"names", "mentions a second", "Memory after linking", "1k", "10k"} <= words
