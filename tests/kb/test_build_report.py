"""`kb build` tells the owner of a vocabulary what is odd in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command import call
from holdfast.kb import open_kb


def build(tmp_path: Path, *tables: str, options: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """What the build of these tables finds, as JSON has it; the same stands in the log."""
    arguments = list[str | Path]()
    for number, text in enumerate(tables):
        path = tmp_path / f"{'ab'[number]}.tsv"
        path.write_text(text, encoding="utf-8")
        arguments += ["--table", path]
    done = call("kb", "build", "mine", *arguments, *options, "--json")
    assert done.returncode == 0, done.stderr
    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    told = call("kb", "build", "mine", *arguments, *options, "--force")
    lines = [line for line in told.stderr.splitlines() if line.startswith("mine: ")]
    assert [line for line in lines if " %" not in line][1:] == [
        f"mine: {finding['message']}" for finding in findings
    ]
    return findings


def test_a_clean_table_has_no_findings(tmp_path: Path) -> None:
    table = (
        "id\tname\tsynonyms\ttype\txrefs\n"
        "X:1\tquaggle fever\tquaggles|fever, quaggle|1,2-quagglol disease\tdisease\tM:1|M:2\n"
        "X:2\tzibol\t2,3;4,5-zibol\tdrug\t\n"
    )
    assert build(tmp_path, table) == []


def test_ids_that_come_twice_are_told_with_their_names_and_lines(tmp_path: Path) -> None:
    table = "id\tname\nX:1\tquaggle fever\nX:2\tzibol\nX:1\tred quaggles\nX:2\tzibol\n"
    renamed, same = build(tmp_path, table)
    assert (renamed["kind"], renamed["count"]) == ("repeated id", 1)
    assert renamed["message"] == (
        "1 row repeats an id under another name, now a synonym: X:1 is “quaggle fever” "
        "(line 2 of a.tsv) and “red quaggles” (line 4 of a.tsv)"
    )
    assert (same["kind"], same["count"]) == ("repeated id", 1)
    assert open_kb("mine").entity("X:1").synonyms == ("red quaggles",)


def test_the_same_id_in_two_files_is_no_mistake(tmp_path: Path) -> None:
    assert build(tmp_path, "id\tname\nX:1\tquaggle fever\n", "id\tname\nX:1\tquaggles\n") == []


def test_names_of_several_ids_are_told(tmp_path: Path) -> None:
    (shared,) = build(
        tmp_path,
        "id\tname\tsynonyms\nX:1\tquaggle fever\tQF\nX:2\tred fever\tQuaggle Fevers\n",
        "id\tname\nY:7\tQF\n",
    )
    assert (shared["kind"], shared["count"]) == ("shared name", 2)
    assert shared["message"] == (
        "2 names stand for several ids: “quaggle fever” of X:1 (line 2 of a.tsv) and X:2 (line 3 "
        "of a.tsv); “QF” of X:1 (line 2 of a.tsv) and Y:7 (line 2 of b.tsv)"
    )


@pytest.mark.parametrize(
    ("cell", "separator", "mark"),
    [
        ("quaggles; QF", "|", ";"),
        ("quaggles|red fever;QF", "|", ";"),
        ("quaggles|QF", ";", "|"),
        ("quaggles, QF, red fever", "|", ","),
    ],
)
def test_a_separator_that_looks_wrong_is_told(
    tmp_path: Path, cell: str, separator: str, mark: str
) -> None:
    table = f"id\tname\tsynonyms\nX:1\tzibol\t\nX:2\tquaggle fever\t{cell}\n"
    (found,) = build(tmp_path, table, options=("--separator", separator))
    assert (found["kind"], found["count"]) == ("separator", 1)
    assert f"1 cell holds “{mark}” in the synonyms of a.tsv (line 3: “{cell}”)" in found["message"]
    assert found["message"].endswith(f"--separator '{mark}'")
    assert build_again(tmp_path, mark) == []


def build_again(tmp_path: Path, mark: str) -> list[dict[str, Any]]:
    """What is found when the advice is followed, but for what the old separator tells then."""
    path = tmp_path / "a.tsv"
    options = ("--separator", mark, "--force", "--json")
    done = call("kb", "build", "mine", "--table", path, *options)
    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return [finding for finding in findings if f"“{mark}”" in finding["message"].split("(")[0]]


def test_a_comma_in_a_few_names_is_no_separator(tmp_path: Path) -> None:
    rows = "".join(f"X:{n}\tthing {n}\tthe thing {n}\n" for n in range(9))
    table = f"id\tname\tsynonyms\n{rows}X:9\tquaggle fever\tfever, quaggle\n"
    assert build(tmp_path, table) == []


def test_rows_without_a_name_are_left_out_and_told(tmp_path: Path) -> None:
    table = "id\tname\tsynonyms\nX:1\t\tquaggles\nX:2\tzibol\t\nX:3\t \t\n"
    (found,) = build(tmp_path, table)
    assert (found["kind"], found["count"]) == ("no name", 2)
    assert found["message"] == "2 rows without a name are left out: a.tsv, line 2, 4"
    assert len(open_kb("mine")) == 1


def test_a_table_without_any_name_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("id\tname\nX:1\t\n", encoding="utf-8")
    done = call("kb", "build", "mine", "--table", tmp_path / "a.tsv")
    assert done.returncode == 1
    assert "a.tsv: no row has a name (column 'name' is empty)" in done.stderr


def test_types_of_ones_own_are_told_and_a_misspelled_one_is_guessed(tmp_path: Path) -> None:
    table = "id\tname\ttype\nX:1\tquaggle fever\tDiseese\nX:2\tzibol test\tassay\n"
    (found,) = build(tmp_path, table)
    assert (found["kind"], found["count"]) == ("own type", 2)
    assert found["message"] == (
        "types of your own, which `--only` takes too: Diseese (1 entity, line 2 of a.tsv; did you "
        "mean Disease?), assay (1 entity, line 3 of a.tsv)"
    )
