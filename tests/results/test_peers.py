from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from markdown_tables import numbers, rows
from pages.peers import draw_peers, render_peers, tools_table
from pages.readme import readme_tables

SVG = {"svg": "http://www.w3.org/2000/svg"}


def measured() -> dict[str, Any]:
    def figure(key: str, value: float) -> dict[str, Any]:
        return {"dev": {key: value, f"{key}_low": value - 0.1, f"{key}_high": value + 0.1}}

    row = {
        "tool": "holdfast",
        "label": "Holdfast",
        "note": "it learned",
        "failed": None,
        "detects": True,
        "version": "0.1.0",
        "install_megabytes": 300.0,
        "build_seconds": 60.0,
        "build_peak_megabytes": 800.0,
        "index_megabytes": 250.0,
        "load_seconds": 1.4,
        "peak_megabytes": 500.0,
        "mentions_per_second": 1000.0,
        "link_rounds": 5,
        "documents_per_second": 20.0,
        "detect_rounds": 2,
        "strict": figure("accuracy_at_1", 0.8),
        "strong": figure("f1", 0.7),
    }
    blind = row | {"tool": "blind", "label": "Blind & co", "note": "", "detects": False}
    del blind["strong"], blind["documents_per_second"], blind["detect_rounds"]
    failed = {
        "tool": "failed",
        "label": "Failed",
        "note": "a model stands in",
        "failed": "build: no compiler",
        "detects": True,
    }
    gold = {"name": "dev", "documents": 2, "mentions": 6, "types": ["Disease"]}
    return {
        "kb": "mesh",
        "kb_names": 1000,
        "kb_entities": 300,
        "threads": 2,
        "machine": "a laptop",
        "sets": [gold],
        "rows": [row, blind, failed],
    }


def test_the_table_has_a_row_per_tool_with_what_it_did_and_says_the_rest_below() -> None:
    lines = tools_table(measured())
    _, ours, blind, failed = rows(lines)
    assert [numbers(cell) for cell in ours[1:]] == [[80], [1000], [70], [20], [1.4], [500], [300]]
    assert blind[3] == "does not detect"
    assert blind[4] == ""
    assert [cell for cell in failed[1:] if cell] == []
    assert "Holdfast: it learned" in lines[-1]
    assert "**Failed failed**: build: no compiler" in lines[-1]
    assert "2 threads, a laptop" in lines[-1]
    assert readme_tables({"bench-peers": measured()})["tools"] == lines


def test_the_page_has_intervals_and_what_building_took() -> None:
    page = render_peers(measured())
    assert "80.0 [70.0, 90.0]" in page
    assert "70.0 [60.0, 80.0]" in page
    built = next(row for row in rows(page.splitlines()) if row[:2] == ["Holdfast", "0.1.0"])
    assert [numbers(cell) for cell in built[2:]] == [[60], [800], [250], [1000], [20, 2]]
    assert "![accuracy against speed](bench-peers.svg)" in page
    assert "6 mentions (Disease) in 2 documents of dev" in page


def test_the_picture_has_a_point_per_tool_that_answered() -> None:
    root = ElementTree.fromstring(draw_peers(measured()))
    linked, found = root.findall("svg:g", SVG)
    words = [text.text for text in linked.findall("svg:text", SVG)]
    assert {"Holdfast", "Blind & co", "mentions a second"} <= {*words}
    assert "Failed" not in words
    assert len(linked.findall("svg:circle", SVG)) == 2
    assert len(found.findall("svg:circle", SVG)) == 1
    names = [
        text for text in linked.findall("svg:text", SVG) if text.text in ("Holdfast", "Blind & co")
    ]
    first, second = (float(text.attrib["y"]) for text in names)
    assert abs(first - second) >= 14  # equal points, and still both names can be read


def test_a_name_stands_inside_the_picture_whatever_its_point() -> None:
    for speed in (1.0, 9.9):
        data = measured()
        data["rows"] = [
            data["rows"][0] | {"label": "a tool of a long name", "mentions_per_second": value}
            for value in (1.0, speed, 9.9)
        ]
        panel = ElementTree.fromstring(draw_peers(data)).findall("svg:g", SVG)[0]
        texts = panel.findall("svg:text", SVG)
        names = [text.attrib for text in texts if text.text == "a tool of a long name"]
        assert len({(name["x"], name["y"]) for name in names}) == len(names) == 3
        for name in names:
            assert name["text-anchor"] == "start"
            assert 0 <= float(name["x"]) <= 360 - 6 * len("a tool of a long name")


def test_the_table_says_who_is_ahead_and_where_several_are() -> None:
    data = measured()
    faster = data["rows"][1] | {"mentions_per_second": 5000.0, "peak_megabytes": 50.0}
    data["rows"][1] = faster
    said = next(line for line in tools_table(data) if line.startswith("Who has"))
    assert "the highest strict accuracy: Holdfast;" in said
    assert "the most mentions/s: Blind & co" in said
    assert "the least memory: Blind & co" in said
    other = {"accuracy_at_1": 0.9, "accuracy_at_1_low": 0.8, "accuracy_at_1_high": 1.0}
    data["sets"].append({**data["sets"][0], "name": "test"})
    for row, own in zip(data["rows"], (0.1, 0.9), strict=False):
        row["strict"] = {**row["strict"], "test": {**other, "accuracy_at_1": own}}
    said = next(line for line in tools_table(data) if line.startswith("Who has"))
    assert "the highest strict accuracy: Holdfast on dev, Blind & co on test" in said
