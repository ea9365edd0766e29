"""Tables of strings to link: which row is the header, which column is linked, what comes back."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

from command import call
from holdfast.io.mention_tables import is_table
from holdfast.kb import Entry, KnowledgeBase
from small_kb import make_kb, of_entries

ADDED = [
    "holdfast_id",
    "holdfast_label",
    "holdfast_score",
    "holdfast_why",
    "nearest_id",
    "nearest_name",
    "nearest_score",
    "nearest_why",
]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return make_kb(tmp_path_factory.mktemp("tables") / "kb")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "table.csv"


def written(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8", newline="")
    return path


def linked(kb: KnowledgeBase, path: Path, *options: str) -> list[dict[str, str]]:
    """The rows that `holdfast link --mentions` prints, by column."""
    done = call("link", "--mentions", path, "--kb", kb.folder, *options)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout), delimiter="\t"))


def problem(kb: KnowledgeBase, path: Path, *options: str) -> str:
    """The one line with which the command refuses."""
    done = call("link", "--mentions", path, "--kb", kb.folder, *options)
    assert done.returncode != 0
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


def test_every_row_comes_back_in_order_with_its_answer(kb: KnowledgeBase, table: Path) -> None:
    written(table, 'id,diagnosis\n1,"heart attack"\n2,\n3,qqqq\n4,Bleeding\n1,"heart attack"\n')
    rows = linked(kb, table)
    assert list(rows[0]) == ["id", "diagnosis", *ADDED]
    assert [row["id"] for row in rows] == ["1", "2", "3", "4", "1"]
    assert [row["holdfast_id"] for row in rows] == ["MESH:D002", "", "", "MESH:D004", "MESH:D002"]
    assert rows[0]["holdfast_label"] == "Myocardial Infarction"
    assert 0.0 < float(rows[0]["holdfast_score"]) <= 1.0
    assert "Heart Attack" in rows[0]["holdfast_why"]
    assert all(not rows[i][column] for i in (1, 2) for column in ADDED)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "heart attack\r\nbleeding\n"),
        ("a.txt", "Diagnosis\nheart attack\nbleeding\n"),
        ("a.tsv", "name\tn\nheart attack\t1\nbleeding\t2\n"),
        ("a.csv", "heart attack,1\nbleeding,2\n"),
        ("a.csv", "heart attack\nbleeding\n"),
        ("a.csv", "\ufeffdiagnosis\nheart attack\nbleeding\n"),
        ("a.csv", "id;Primary Diagnosis;n\n1;heart attack;2,5\n2;bleeding;3,5\n"),
        ("a.csv", "id|drug_name\n7|heart attack\n8|bleeding\n"),
        ("a.csv", "id\tdisease\n7\theart attack\n8\tbleeding\n"),
        ("a.csv", "code,what,seen\nI21.9,heart attack,2020-01-05\nR58,bleeding,2021-03-04\n"),
        ("a.csv", "P-001,heart attack,2020-01-05\nP-002,bleeding,2021-03-04\n"),
        ("a.csv", "patient_name,mention\nAnn Other,heart attack\nBob Other,bleeding\n"),
        ("a.csv", "name,diagnosis\nAnn Other,heart attack\nBob Other,bleeding\n"),
    ],
)
def test_header_and_column_are_recognised(
    kb: KnowledgeBase, tmp_path: Path, name: str, content: str
) -> None:
    rows = linked(kb, written(tmp_path / name, content))
    assert [row["holdfast_id"] for row in rows] == ["MESH:D002", "MESH:D004"]


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (
            "hart attack\nbleeding\n",
            (),
            "is the first row ('hart attack') a header? say --header or --no-header",
        ),
        (
            "foo,bar\nheart attack,bleeding\n",
            (),
            "is the first row ('foo', 'bar') a header? say --header or --no-header",
        ),
        (
            "foo,bar\nheart attack,bleeding\n",
            ("--header",),
            "which column to link? say --column NAME; there is: 1 'foo', 2 'bar'",
        ),
        (
            "disease,drug\nheart attack,aspirin\n",
            (),
            "which column to link? say --column NAME; there is: 1 'disease', 2 'drug'",
        ),
        (
            "heart attack,bleeding\n",
            ("--no-header",),
            "which column to link? say --column NUMBER; there is: 1 (such as 'heart attack'), "
            "2 (such as 'bleeding')",
        ),
        (
            "id,name\n1,x\n",
            ("--column", "term"),
            "no column is called 'term'; there is: 1 'id', 2 'name'",
        ),
        (
            "id,name\n1,x\n",
            ("--column", "3"),
            "no column is called '3'; there is: 1 'id', 2 'name'",
        ),
        (
            "note,note\nx,y\n",
            ("--column", "note"),
            "columns 1 and 2 are called 'note'; say --column NUMBER",
        ),
    ],
)
def test_what_cannot_be_told_is_asked_in_one_line(
    kb: KnowledgeBase, table: Path, content: str, options: tuple[str, ...], said: str
) -> None:
    written(table, content)
    assert problem(kb, table, *options) == f"holdfast: {table}: {said}"


def test_a_column_is_named_in_any_case_or_by_its_number(kb: KnowledgeBase, table: Path) -> None:
    written(table, "disease,drug\nbleeding,heart attack\n")
    for column in ("DRUG", "2"):
        (row,) = linked(kb, table, "--column", column)
        assert row["holdfast_id"] == "MESH:D002"
    written(table, "bleeding,heart attack\n")
    (row,) = linked(kb, table, "--column", "2", "--no-header")
    assert (row["column_1"], row["mention"], row["holdfast_id"]) == (
        "bleeding",
        "heart attack",
        "MESH:D002",
    )


def test_a_header_that_is_said_to_be_data_is_linked_and_the_other_way_round(
    kb: KnowledgeBase, table: Path
) -> None:
    written(table, "heart attack\nbleeding\n")
    assert [row["heart attack"] for row in linked(kb, table, "--header")] == ["bleeding"]
    written(table, "bleeding\nqqqq\n")
    assert len(linked(kb, table, "--no-header")) == 2


def test_a_row_that_is_too_long_is_an_error_with_its_line(kb: KnowledgeBase, table: Path) -> None:
    written(table, "diagnosis\nbleeding\nheart attack, old\nbleeding\nbleeding\nbleeding\n")
    said = problem(kb, table)
    assert f"{table}, line 3" in said or f"{table}:3" in said
    assert "2 fields where the first row has 1" in said


def test_a_gzipped_table_is_read(kb: KnowledgeBase, tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"diagnosis\nheart attack\n"))
    assert [row["holdfast_id"] for row in linked(kb, path)] == ["MESH:D002"]


def test_a_table_that_was_linked_before_keeps_its_columns(kb: KnowledgeBase, table: Path) -> None:
    written(table, "diagnosis,holdfast_id\nheart attack,old\n")
    (row,) = linked(kb, table)
    assert (row["holdfast_id"], row["holdfast_id_2"]) == ("old", "MESH:D002")


def test_csv_keeps_what_the_cells_hold(kb: KnowledgeBase, table: Path) -> None:
    written(table, 'diagnosis,note\nheart attack,"a ""b"",\nc"\n')
    done = call("link", "--mentions", table, "--kb", kb.folder, "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert row["note"] == 'a "b",\nc'
    assert row["holdfast_id"] == "MESH:D002"


def test_json_holds_candidates_nearest_and_fields(kb: KnowledgeBase, table: Path) -> None:
    written(table, "id,diagnosis\n1,heart attack\n2,hart attack\n3,n/a\n")
    done = call("link", "--mentions", table, "--kb", kb.folder, "--json", "--top", "1")
    data = json.loads(done.stdout)
    assert data["column"] == "diagnosis"
    first, second, third = data["rows"]
    assert first["ids"] == ["MESH:D002"]
    assert first["fields"] == {"id": "1", "diagnosis": "heart attack"}
    assert len(first["candidates"]) == 1
    assert first["nearest"] is None
    assert second["ids"] == [] or second["nearest"] is None
    assert (third["ids"], third["candidates"], third["nearest"]) == ([], [], None)
    lines = call("link", "--mentions", table, "--kb", kb.folder, "--format", "jsonl").stdout
    assert [json.loads(line)["string"] for line in lines.splitlines()] == [
        "heart attack",
        "hart attack",
        "n/a",
    ]


def test_text_is_a_table_for_people_and_explain_adds_candidates(
    kb: KnowledgeBase, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    written(table, "diagnosis\nheart attack\nheart attack\nqqqq\n")
    plain = call("link", "--mentions", table, "--kb", kb.folder, "--format", "text").stdout
    assert "heart attack ×2" in plain
    assert "MESH:D002" in plain
    assert "none of these" in plain
    assert "not chosen" not in plain
    explained = call(
        "link", "--mentions", table, "--kb", kb.folder, "--format", "text", "--explain"
    ).stdout
    assert "not chosen: Haemorrhage" in explained
    (*_, row) = linked(kb, table, "--explain", "--top", "2")
    assert row["holdfast_candidates"].count(" | ") == 1


def test_a_format_of_documents_is_refused_for_a_table(kb: KnowledgeBase, table: Path) -> None:
    written(table, "diagnosis\nheart attack\n")
    assert "tsv, csv, json, jsonl, text" in problem(kb, table, "--format", "brat")


def test_a_spreadsheet_takes_no_answer_for_a_formula(tmp_path: Path) -> None:
    own = of_entries(tmp_path / "kb", Entry("own:1", "=cmd|calc", types=("Disease",)))
    (row,) = linked(own, written(tmp_path / "a.csv", "diagnosis\ncmd calc\n"))
    assert (row["holdfast_id"], row["holdfast_label"]) == ("own:1", "'=cmd|calc")


def test_a_file_of_another_kind_is_wrong_use(kb: KnowledgeBase, tmp_path: Path) -> None:
    assert ".csv" in problem(kb, written(tmp_path / "a.txt", "a\n"), "--column", "term")


def test_corpora_are_not_tables() -> None:
    assert is_table(Path("a.csv"), None)
    assert is_table(Path("A.TSV.gz"), None)
    assert not is_table(Path("a.pubtator.txt"), None)
    assert not is_table(Path("a.mentions.tsv"), None)
    assert not is_table(Path("a.tsv"), "iob")
