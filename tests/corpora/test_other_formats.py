"""JSON lines, BigBIO, Parquet, plain text and the mention table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.corpora import ReadReport, WriteReport, dumps, read_documents, write_documents
from holdfast.document import NIL, Candidate, Document, Evidence, Mention, Span
from holdfast.errors import FormatError, LossError, UsageError


def saved(tmp_path: Path, content: str, name: str) -> Path:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    return path


def test_json_lines_name_the_line_of_what_is_broken(tmp_path: Path) -> None:
    good = json.dumps(Document("1", "a").to_json())
    path = saved(tmp_path, f"{good}\n\n{{\n", "x.jsonl")
    with pytest.raises(FormatError, match=r"x\.jsonl, line 3: not JSON"):
        list(read_documents(path))
    report = ReadReport()
    assert [d.id for d in read_documents(path, lenient=True, report=report)] == ["1"]
    assert report.skipped == {"document": 1}


def test_lenient_json_lines_lose_the_broken_mention_alone(tmp_path: Path) -> None:
    data = {
        "id": "1",
        "text": "ab",
        "mentions": [
            {"id": "m1", "spans": [[0, 1]], "text": "z"},
            {"id": "m2", "spans": [[1, 2]], "text": "b"},
        ],
        "relations": [{"type": "r", "arguments": [{"mention_id": "m1"}, {"mention_id": "m2"}]}],
    }
    path = saved(tmp_path, json.dumps(data), "x.jsonl")
    with pytest.raises(FormatError, match="line 1: document '1': mention 0-1 says 'z'"):
        list(read_documents(path))
    report = ReadReport()
    (document,) = read_documents(path, lenient=True, report=report)
    assert [m.id for m in document.mentions] == ["m2"]
    assert report.skipped == {"mention": 1, "relation": 1}


@pytest.mark.parametrize("content", ["3\n", "[]\n", '{"id": "1"}\n', '{"id": 1, "text": "a"}\n'])
def test_json_that_is_no_document_is_a_format_error(tmp_path: Path, content: str) -> None:
    with pytest.raises(FormatError, match="line 1"):
        list(read_documents(saved(tmp_path, content, "x.jsonl")))


def test_bigbio_is_read_with_its_vocabularies(tmp_path: Path) -> None:
    entity = {"type": "Gene", "text": ["TP53"], "offsets": [[0, 4]]}
    normalized = [{"db_name": "NCBIGene", "db_id": "7157"}, {"db_name": "mesh", "db_id": "MESH:D1"}]
    data = {
        "id": "0",
        "document_id": "11",
        "passages": [
            {"id": "p", "type": "title", "text": ["TP53 is"], "offsets": [[0, 7]]},
            {"id": "q", "type": "abstract", "text": ["bad"], "offsets": [[8, 11]]},
        ],
        "entities": [
            {"id": "e1", "normalized": normalized, **entity},
            {"id": "e2", "normalized": [{"db_name": "MESH", "db_id": "-1"}], **entity},
        ],
        "relations": [{"id": "r", "type": "x", "arg1_id": "e1", "arg2_id": "e2"}],
        "events": [{}],
        "coreferences": [],
    }
    report = ReadReport()
    path = saved(tmp_path, json.dumps([data], indent=1), "x.bigbio.json")
    (document,) = read_documents(path, report=report)
    assert (document.id, document.text) == ("11", "TP53 is\nbad")
    assert [m.ids for m in document.mentions] == [("NCBIGene:7157", "MESH:D1"), (NIL,)]
    assert [a.mention_id for a in document.relations[0].arguments] == ["e1", "e2"]
    assert report.ignored == {"event": 1}
    data["entities"] = [{**entity, "id": "e1", "text": ["TP54"]}]
    path = saved(tmp_path, json.dumps([data]), "x.bigbio.json")
    with pytest.raises(FormatError, match="says 'TP54', the text there is 'TP53'"):
        list(read_documents(path))


def test_bigbio_has_no_place_for_relations_of_entities_or_metadata() -> None:
    with pytest.raises(LossError, match="bigbio cannot hold metadata: document 1, 'year'"):
        dumps([Document("1", "a", metadata=(("year", "1999"),))], "bigbio")


def test_a_file_that_is_not_parquet_is_a_format_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"x\.parquet: not a Parquet file"):
        list(read_documents(saved(tmp_path, "no", "x.parquet")))


def test_parquet_groups_are_read_in_order(tmp_path: Path) -> None:
    documents = [Document(str(number), "text") for number in range(2300)]
    write_documents(iter(documents), tmp_path / "x.parquet")
    assert list(read_documents(tmp_path / "x.parquet")) == documents


def test_a_folder_of_text_files_is_read_and_written(tmp_path: Path) -> None:
    documents = [Document("a", "one\r\n"), Document("b", "two")]
    write_documents(documents, tmp_path / "out", format="text")
    assert list(read_documents(tmp_path / "out")) == documents
    (tmp_path / "out" / "c.txt").write_bytes(b"caf\xe9")
    with pytest.raises(FormatError, match=r"c\.txt, line 1: byte 0xe9 is not UTF-8"):
        list(read_documents(tmp_path / "out"))
    report = ReadReport()
    assert list(read_documents(tmp_path / "out", lenient=True, report=report)) == documents
    assert report.skipped == {"document": 1}
    assert report.left_out_names == {"broken": ["c.txt"]}


def test_plain_text_refuses_mentions_and_a_second_document(tmp_path: Path) -> None:
    with pytest.raises(LossError, match="text cannot hold mentions: document 1, mention 0-1"):
        dumps([Document("1", "a", mentions=(Mention.at(0, 1),))], "text")
    with pytest.raises(UsageError, match="one document"):
        write_documents([Document("1", "a"), Document("2", "b")], tmp_path / "x.txt")
    assert not any(tmp_path.iterdir())


def test_the_mention_table_has_the_best_candidate(tmp_path: Path) -> None:
    why = (Evidence("exact", "MeSH name\t“ovarian cancer”"),)
    best = Candidate("MESH:D010051", "ovarian cancer", 0.98765, "Ovarian Neoplasms", why)
    mention = Mention(
        (Span(0, 7), Span(18, 24)), "Disease", ("MESH:D010051",), candidates=(best, best)
    )
    report = WriteReport()
    document = Document("1", "ovarian or breast cancer", mentions=(mention,))
    text = dumps([document, Document("2", "x")], "mentions", report=report)
    assert text == (
        "document_id\tstart\tend\tmention\ttype\tids\tname\tscore\twhy\n"
        "1\t0;18\t7;24\tovarian cancer\tDisease\tMESH:D010051\tOvarian Neoplasms\t0.9877\t"
        "MeSH name “ovarian cancer”\n"
    )
    assert report.notes["documents without mentions"] == 1
    (again,) = read_documents(saved(tmp_path, text, "x.mentions.tsv"))
    assert again.text == "ovarian           cancer"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("start\tend\n", "line 1: no column 'document_id'"),
        ("document_id\tstart\tend\tmention\n1\t0\t1\n", "line 2: 3 columns, the header has 4"),
        ("document_id\tstart\tend\tmention\n1\t0\t3\tab\n", "line 2: .*'ab' does not fit 0-3"),
        ("document_id\tstart\tend\tmention\n1\t0;1\t3\tab\n", "line 2: .*does not fit"),
        ("document_id\tstart\tend\tmention\n1\t0\t1\ta\n1\t0\t1\tb\n", "line 3: .*contradicts"),
        (
            "document_id\tstart\tend\tmention\n1\t0\t1\ta\n2\t0\t1\ta\n1\t0\t1\ta\n",
            "line 4: .*sort",
        ),
    ],
)
def test_a_broken_mention_table_names_the_line(tmp_path: Path, rows: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        list(read_documents(saved(tmp_path, rows, "x.mentions.tsv")))
