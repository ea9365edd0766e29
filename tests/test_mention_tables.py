"""Tables of strings to link."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from holdfast.errors import FormatError, UsageError
from holdfast.kb import KnowledgeBase
from holdfast.mention_tables import is_table, read_mention_strings, write_linked_table
from holdfast.pipeline import load
from small_kb import make_kb


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return make_kb(tmp_path_factory.mktemp("tables") / "kb")


def linked(kb: KnowledgeBase, path: Path, column: str | None = None) -> list[list[str]]:
    stream = io.StringIO()
    table = read_mention_strings(path, column=column)
    write_linked_table(table, load(kb, detector=None), stream)
    return [line.split("\t") for line in stream.getvalue().splitlines()]


def test_every_row_comes_back_in_order_with_its_answer(kb: KnowledgeBase, tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text('id,diagnosis\n1,"heart attack"\n2,\n3,qqqq\n4,Bleeding\n', encoding="utf-8")
    header, *rows = linked(kb, path, "Diagnosis")
    assert header[:3] == ["id", "diagnosis", "holdfast_id"]
    assert [row[:3] for row in rows] == [
        ["1", "heart attack", "MESH:D002"],
        ["2", "", ""],
        ["3", "qqqq", ""],
        ["4", "Bleeding", rows[3][2]],
    ]
    assert rows[3][2].startswith("MESH:")
    assert 0.0 < float(rows[0][4]) <= 1.0
    assert "Heart Attack" in rows[0][5]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "heart attack\r\nbleeding\n"),
        ("a.tsv", "name\tn\nheart attack\t1\nbleeding\t2\n"),
        ("a.csv", "heart attack,1\nbleeding,2\n"),
    ],
)
def test_the_column_is_found_without_being_named(
    kb: KnowledgeBase, tmp_path: Path, name: str, content: str
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    header, *rows = linked(kb, path)
    assert header[-4:] == ["holdfast_id", "holdfast_label", "holdfast_score", "holdfast_why"]
    assert [row[0] for row in rows] == ["heart attack", "bleeding"]
    assert rows[0][len(header) - 4] == "MESH:D002"


def test_a_column_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,name\n1,x\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"a\.csv: no column is called 'term': id, name"):
        read_mention_strings(path, column="term")


def test_a_file_of_another_kind_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.csv"):
        read_mention_strings(tmp_path / "a.xlsx")


def test_corpora_are_not_tables() -> None:
    assert is_table(Path("a.csv"), None)
    assert is_table(Path("A.TSV.gz"), None)
    assert not is_table(Path("a.pubtator.txt"), None)
    assert not is_table(Path("a.mentions.tsv"), None)
    assert not is_table(Path("a.tsv"), "iob")
