from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from markdown_tables import numbers, rows
from pages.dual_encoder_paper import collective_tables
from pages.dual_encoder_speed import draw_curves


def figures(**values: float) -> dict[str, float]:
    """Each with an interval of a point to both sides."""
    found = dict[str, float]()
    for name, value in values.items():
        found |= {name: value, f"{name}_low": value - 0.01, f"{name}_high": value + 0.01}
    return found


def ranked(linker: str, **reference: float) -> dict[str, Any]:
    own = figures(
        accuracy_at_1=0.7,
        accuracy_at_1_in_kb=0.8,
        map_in_kb=0.85,
        recall_at_10_in_kb=0.9,
        accuracy_at_1_normalised=0.95,
        map_normalised=0.97,
    )
    references = [{"by": "the paper", **reference}] if reference else []
    circumstances = {"recipe": f"{linker}-bc5cdr", "n_documents": 500}
    return {"linker": linker, **circumstances, **own, "references": references}


def test_given_mentions_stand_beside_the_paper() -> None:
    results = {
        "collective-bc5cdr": ranked("collective", accuracy_at_1=0.807, map=0.851),
        "blink-bc5cdr": ranked("blink", accuracy_at_1_normalised=0.972),
    }
    _, blink, collective = rows(collective_tables(results))
    assert (blink[0], collective[0]) == ("BLINK", "collective")
    assert numbers(blink[4]) == [95.0, 94.0, 96.0, 97.2]
    assert numbers(collective[1]) == [80.0, 79.0, 81.0, 80.7]
    assert collective[4] == "", "nothing is retrieved, so nothing is normalised"
    assert numbers(collective[6]) == [70.0, 69.0, 71.0]


def test_fewer_documents_are_said_and_what_the_paper_lacks_stands_alone() -> None:
    few = ranked("blink", accuracy_at_1=0.747) | {"n_documents": 60}
    joined = ranked("joined", accuracy_at_1=0.807) | {"recipe": "joined-bc5cdr-mesh"}
    joined["accuracy_at_1_of_names"] = 0.9
    results = {
        "collective-bc5cdr": ranked("collective"),
        "blink-bc5cdr": few,
        "joined-bc5cdr-mesh": joined,
    }
    _, blink, _, alone, both = rows(collective_tables(results))
    assert (blink[0].split()[0], numbers(blink[0])) == ("BLINK", [60])
    assert numbers(blink[1]) == [80.0, 79.0, 81.0, 74.7]
    assert 80.7 not in numbers(" ".join(both))
    assert [numbers(cell) for cell in alone[1:]] == [[], [], [], [], [], [90.0]]


def test_strong_and_partial_have_their_own_reference() -> None:
    strong = figures(f1=0.7, f1_in_kb=0.76, precision=0.8, recall=0.72)
    result = {
        **strong,
        "linker": "collective",
        "recipe": "collective-bc5cdr-end-to-end-spans",
        "n_documents": 500,
        "also": [
            {"protocol": "partial", **figures(f1=0.72, f1_in_kb=0.78)},
            {"protocol": "mention", "f1": 0.86},
        ],
        "references": [
            {"by": "exhaustive spans", "f1": 0.738},
            {"by": "exhaustive spans, partial", "f1": 0.752},
        ],
    }
    _, row, _ = rows(collective_tables({"collective-bc5cdr-end-to-end-spans": result}))
    assert [numbers(cell) for cell in row[1:]] == [
        [80.0],
        [72.0],
        [70.0, 69.0, 71.0, 73.8],
        [76.0, 75.0, 77.0, 73.8],
        [72.0, 71.0, 73.0, 75.2],
        [78.0, 77.0, 79.0, 75.2],
        [86.0],
    ]


def test_what_was_not_run_is_quoted_in_brackets() -> None:
    result = {
        **figures(f1=0.7, precision=0.8, recall=0.72),
        "linker": "scispacy",
        "recipe": "scispacy-bc5cdr",
        "n_documents": 500,
        "also": [{"protocol": "partial", **figures(f1=0.72)}],
        "references": [{"by": "scispaCy", "f1": 0.223}, {"by": "scispaCy, partial", "f1": 0.24}],
    }
    *_, measured, quoted = rows(collective_tables({"scispacy-bc5cdr": result}))
    assert [numbers(cell) for cell in measured[3:]] == [
        [70.0, 69.0, 71.0, 22.3],
        [],
        [72.0, 71.0, 73.0, 24.0],
        [],
        [],
    ]
    assert "MedType" in quoted[0]
    assert [numbers(cell) for cell in quoted[1:]] == [[15.3], [51.0], [23.5], [], [25.7], [], []]
    assert all(cell.startswith("(") for cell in quoted[1:] if cell)


def test_speed_stands_beside_the_papers_and_shows_the_curves() -> None:
    measured = {
        "corpus": "bc5cdr",
        "rows": [{"system": "collective", "mentions_per_second": 123.4}],
        "over_single": 4.0,
        "over_blink": 20.0,
        "candidates": 10,
        "documents": 8,
        "threads": 2,
        "machine": "a laptop",
        "training": {"times_faster": {"one mention": 2.5, "another": 3.5, "a third": None}},
    }
    lines = collective_tables({"bench-collective-bc5cdr": measured})
    name, *speeds = rows(lines)[-1]
    assert (name, [numbers(cell) for cell in speeds]) == ("collective", [[123.4], [402.5]])
    text = "\n".join(lines)
    assert re.findall(r"([\d.]+)×", text) == ["4.0", "20.0", "2.5", "3.5"]
    assert "a third" not in text
    assert "(bench-collective-bc5cdr.svg)" in text
    measured["training"] = {"curves": {}, "times_faster": {}}
    assert ".svg" not in "\n".join(collective_tables({"bench-collective-bc5cdr": measured}))


def test_over_all_of_mesh_the_paper_has_nothing() -> None:
    over_mesh = ranked("collective", accuracy_at_1=0.807) | {"recipe": "collective-bc5cdr-mesh"}
    assert "80.7" not in "".join(collective_tables({"collective-bc5cdr-mesh": over_mesh}))


def test_nothing_measured_is_nothing_shown() -> None:
    assert collective_tables({}) == []


def test_every_curve_is_drawn_for_every_figure() -> None:
    curve = [
        {"seconds": 10.0, "accuracy": 0.4, "recall_at_10": 0.5},
        {"seconds": 20.0, "accuracy": 0.9, "recall_at_10": 0.95},
    ]
    root = ElementTree.fromstring(draw_curves({"curves": {"quick": curve, "slow": curve}}))
    names = {"svg": "http://www.w3.org/2000/svg"}
    assert len(root.findall(".//svg:polyline", names)) == 4
    words = [text.text for text in root.findall(".//svg:text", names)]
    assert {"accuracy on dev", "recall@10 on dev"} <= {*words}
    assert (words.count("quick"), words.count("slow")) == (2, 2)
