"""Holdfast in pandas: columns of strings, and frames of mentions."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdfast
from command import call
from holdfast import Document, Mention, Span
from holdfast.errors import UsageError
from small_kb import make_kb

pd = pytest.importorskip("pandas")

from holdfast.plugins.pandas import MENTION_COLUMNS, link_strings, mentions_frame  # noqa: E402


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_kb(tmp_path_factory.mktemp("kb") / "small").folder


def test_a_column_of_strings_gets_ids_on_its_own_index(kb: Path) -> None:
    frame = pd.DataFrame({"diagnosis": ["heart attack", None, "qqqq", " heart attack "]})
    frame.index = [7, 3, 3, 1]
    frame["concept"] = link_strings(frame["diagnosis"], kb=kb)["id"]
    assert frame.index.tolist() == [7, 3, 3, 1]
    assert frame["concept"].tolist() == ["MESH:D002", pd.NA, pd.NA, "MESH:D002"]


def test_strings_are_linked_as_the_command_line_links_them(kb: Path, tmp_path: Path) -> None:
    strings = ["heart attack", "myocardal infarcton", "bleeding and TNF", "zzz"]
    path = tmp_path / "strings.tsv"
    path.write_text("mention\n" + "\n".join(strings) + "\n", encoding="utf-8")
    printed = call("link", "--mentions", path, "--header", "--kb", kb).stdout
    rows = [line.split("\t") for line in printed.splitlines()[1:]]
    ours = link_strings(pd.Series(strings), kb=kb)
    assert ours["id"].fillna("").tolist() == [row[1] for row in rows]
    assert [f"{s:.4f}" if s == s else "" for s in ours["score"]] == [row[3] for row in rows]
    assert ours["nearest_id"].fillna("").tolist() == [row[5] for row in rows]
    assert ours["nearest_id"].notna().any()


def test_an_empty_column_has_the_same_columns(kb: Path) -> None:
    empty = link_strings(pd.Series([], dtype="string"), kb=kb)
    full = link_strings(pd.Series(["TNF"]), kb=kb)
    assert len(empty) == 0
    assert empty.dtypes.equals(full.dtypes)


def test_a_value_that_is_no_string_is_named_with_its_row(kb: Path) -> None:
    with pytest.raises(UsageError, match=r"row 'b': 3\.5 is no string"):
        link_strings(pd.Series(["TNF", 3.5], index=["a", "b"]), kb=kb)


def test_documents_become_one_row_per_mention(kb: Path) -> None:
    documents = list(holdfast.load(kb).pipe(["TNF in a heart attack.", "", "Bleeding."]))
    frame = mentions_frame(documents)
    assert frame[["text", "id", "start", "end"]].values.tolist() == [
        ["TNF", "HGNC:1", 0, 3],
        ["heart attack", "MESH:D002", 9, 21],
        ["Bleeding", "MESH:D004", 0, 8],
    ]
    best = documents[0].mentions[0].best
    assert best is not None
    assert frame["score"][0] == best.score


def test_nil_unlinked_and_interrupted_mentions_keep_what_they_are() -> None:
    mentions = (
        Mention((Span(0, 1), Span(2, 3)), ids=("NIL",)),
        Mention((Span(2, 3),), type="Gene"),
        Mention((Span(4, 5),), ids=("X:1", "X:2"), status="negated"),
    )
    frame = mentions_frame([Document("7", "a b c", mentions=mentions)])
    assert frame["id"].tolist() == ["NIL", pd.NA, "X:1"]
    assert frame["ids"].tolist() == [("NIL",), (), ("X:1", "X:2")]
    assert frame["spans"][0] == ((0, 1), (2, 3))
    assert frame["status"].tolist() == [pd.NA, pd.NA, "negated"]
    assert frame["text"][0] == "a b"


def test_no_mentions_make_an_empty_frame_of_the_same_columns() -> None:
    frame = mentions_frame([])
    assert {name: str(type) for name, type in frame.dtypes.items()} == MENTION_COLUMNS
