from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from corpora.named.files import write, write_json_lines
from holdfast.corpora.named.craft import read_craft
from holdfast.document import Span
from holdfast.errors import FormatError, InputError

RECORD: dict[str, Any] = {
    "id": "11111111",
    "text": "Rod and cone cells of mice divide.",
    "annotations": [
        {"spans": [[0, 3], [13, 18]], "id": "CL:0000604", "ontology": "CL"},
        {"spans": [[22, 26]], "id": "NCBITaxon:10090", "ontology": "NCBITaxon"},
        {"spans": [[27, 33]], "id": "GO:0051301", "ontology": "GO_BP"},
    ],
}


def test_an_interrupted_mention_keeps_its_spans_and_its_ontology(tmp_path: Path) -> None:
    [document] = read_craft(write_json_lines(tmp_path / "train.jsonl.gz", [RECORD]))
    assert document.id == "11111111"
    first = document.mentions[0]
    assert (first.spans, first.type, first.ids) == (
        (Span(0, 3), Span(13, 18)),
        "CL",
        ("CL:0000604",),
    )
    assert document.text_of(first) == "Rod cells"


def test_the_type_tells_the_branches_of_go_apart(tmp_path: Path) -> None:
    [document] = read_craft(write_json_lines(tmp_path / "train.jsonl.gz", [RECORD]))
    assert [m.type for m in document.mentions] == ["CL", "NCBITaxon", "GO_BP"]
    assert [m.ids for m in document.mentions[1:]] == [("NCBITaxon:10090",), ("GO:0051301",)]


@pytest.mark.parametrize(
    "record",
    [
        {"id": "1", "text": "x"},
        {"id": "1", "text": "x", "annotations": [{"spans": [[0, 1]], "id": "CL:1"}]},
        {
            "id": "1",
            "text": "x",
            "annotations": [{"spans": [[0, 9]], "id": "CL:1", "ontology": "CL"}],
        },
        {"id": "1", "text": "x", "annotations": [{"spans": [[0]], "id": "C", "ontology": "CL"}]},
        {"id": "1", "text": None, "annotations": []},
        ["not an object"],
    ],
)
def test_a_broken_record_is_refused_with_its_line(tmp_path: Path, record: Any) -> None:
    path = write_json_lines(tmp_path / "train.jsonl.gz", [RECORD, record])
    with pytest.raises(FormatError, match="line 2"):
        list(read_craft(path))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (gzip.compress(b""), "empty"),
        (gzip.compress(b'{"id": "1",\n'), "line 1: not JSON"),
        (gzip.compress(b'{"id": "\xff"}\n'), "line 1: byte 0xff is not UTF-8"),
        (gzip.compress(json.dumps(RECORD).encode() + b"\n")[:-20], "gzip"),
    ],
    ids=["nothing", "nothing zipped", "half an object", "not UTF-8", "half an archive"],
)
def test_a_damaged_file_is_refused_by_name(tmp_path: Path, content: bytes, message: str) -> None:
    path = write(tmp_path / "train.jsonl.gz", content)
    with pytest.raises(FormatError, match=rf"train\.jsonl\.gz.*{message}"):
        list(read_craft(path))


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl\.gz"):
        list(read_craft(tmp_path / "none.jsonl.gz"))


def test_the_real_articles_hold_ids_of_ten_ontologies(data_dir: Path) -> None:
    documents = list(read_craft(data_dir / "corpora" / "craft" / "dev.jsonl.gz"))
    kinds = {(m.type, m.ids[0].partition(":")[0]) for d in documents for m in d.mentions}
    go = {("GO_BP", "GO"), ("GO_CC", "GO"), ("GO_MF", "GO")}
    assert kinds == go | {
        (name, name) for name in ("CHEBI", "CL", "MOP", "NCBITaxon", "PR", "SO", "UBERON")
    }
