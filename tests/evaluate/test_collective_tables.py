from __future__ import annotations

from typing import Any

from holdfast.evaluate.collective_tables import collective_tables


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
    lines = collective_tables(results)
    blink, collective = (line.split(" | ") for line in lines if "**" in line)
    assert blink[0] == "| BLINK"
    assert blink[4] == "**95.0** [94.0, 96.0] (97.2)"
    assert collective[1] == "**80.0** [79.0, 81.0] (80.7)"
    assert collective[4] == "", "nothing is retrieved, so nothing is normalised"
    assert collective[6] == "**70.0** [69.0, 71.0] |"


def test_fewer_documents_are_said_and_what_the_paper_lacks_stands_alone() -> None:
    few = ranked("blink", accuracy_at_1=0.747) | {"n_documents": 60}
    joined = ranked("joined", accuracy_at_1=0.807) | {"recipe": "joined-bc5cdr-mesh"}
    joined["accuracy_at_1_of_names"] = 0.9
    results = {
        "collective-bc5cdr": ranked("collective"),
        "blink-bc5cdr": few,
        "joined-bc5cdr-mesh": joined,
    }
    lines = collective_tables(results)
    blink, _, both = (line for line in lines if "**" in line)
    assert blink.startswith("| BLINK (60 documents) | **80.0** [79.0, 81.0] (74.7) |")
    assert "(80.7)" not in both
    assert "| the name linker alone, over all of MeSH |  |  |  |  |  | 90.0 |" in lines


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
    (row,) = (
        line
        for line in collective_tables({"collective-bc5cdr-end-to-end-spans": result})
        if "**" in line
    )
    assert row.split(" | ")[1:] == [
        "80.0",
        "72.0",
        "**70.0** [69.0, 71.0] (73.8)",
        "**76.0** [75.0, 77.0] (73.8)",
        "**72.0** [71.0, 73.0] (75.2)",
        "**78.0** [77.0, 79.0] (75.2)",
        "86.0 |",
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
    lines = collective_tables({"scispacy-bc5cdr": result})
    assert "**70.0** [69.0, 71.0] (22.3)" in lines[-2]
    assert "**72.0** [71.0, 73.0] (24.0)" in lines[-2]
    assert lines[-1] == "| MedType (the paper's) | (15.3) | (51.0) | (23.5) |  | (25.7) |  |  |"


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
    text = "\n".join(collective_tables({"bench-collective-bc5cdr": measured}))
    assert "| collective | 123.4 | 402.5 |" in text
    assert "**4.0×**" in text
    assert "**20.0×**" in text
    assert "trains **2.5×** as fast as one mention, **3.5×** as fast as another:" in text
    assert "(bench-collective-bc5cdr.svg)" in text
    measured["training"] = {"curves": {}, "times_faster": {}}
    assert ".svg" not in "\n".join(collective_tables({"bench-collective-bc5cdr": measured}))


def test_over_all_of_mesh_the_paper_has_nothing() -> None:
    over_mesh = ranked("collective", accuracy_at_1=0.807) | {"recipe": "collective-bc5cdr-mesh"}
    assert "80.7" not in "".join(collective_tables({"collective-bc5cdr-mesh": over_mesh}))


def test_nothing_measured_is_nothing_shown() -> None:
    assert collective_tables({}) == []
