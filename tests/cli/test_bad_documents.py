"""Documents that break their format, through `holdfast link`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import call
from small_kb import make_kb

WRONG_OFFSET = (
    "1|t|Heart attack\n1|a|text\n1\t0\t5\tLiver\tAnatomy\tX\n1\t0\t5\tHeart\tAnatomy\tX\n\n"
    "2|t|TNF\n2|a|text\n"
)


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    return make_kb(tmp_path / "kb").folder


def test_an_offset_that_does_not_fit_names_file_and_line(kb: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.pubtator"
    path.write_text(WRONG_OFFSET, encoding="utf-8")
    done = call("link", path, "--kb", kb, "--format", "tsv")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "bad.pubtator, line 3: " in done.stderr
    assert "'Liver'" in done.stderr


def test_lenient_keeps_the_rest_and_counts(kb: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.pubtator"
    path.write_text(WRONG_OFFSET, encoding="utf-8")
    done = call("link", path, "--kb", kb, "--json", "--lenient")
    assert done.returncode == 0
    assert [d["id"] for d in json.loads(done.stdout)["documents"]] == ["1", "2"]
    assert "mention (1)" in done.stderr
    assert "line 3" in done.stderr


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bad.pubtator", b"1|t|caf\xe9\n1|a|x\n", "bad.pubtator, line 1"),
        ("bad.txt", b"fine\ncaf\xe9\n", "bad.txt, line 2"),
        ("empty.pubtator", b"", "empty.pubtator"),
        ("bad.bioc.json", b'{"documents": [', "bad.bioc.json"),
        ("bad.bioc.xml", b"<collection><document>", "bad.bioc.xml"),
        ("bad.jsonl", b'{"id": "1"}\n', "bad.jsonl, line 1"),
        ("bad.parquet", b"PAR1nonsense", "bad.parquet"),
        ("bad.xml.gz", b"\x1f\x8b\x08\x00half", "bad.xml.gz"),
    ],
)
def test_a_broken_file_is_one_line_that_names_it(
    kb: Path, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    done = call("link", tmp_path / name, "--kb", kb, "--format", "tsv")
    assert done.returncode == 1
    assert done.stderr.startswith("holdfast: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


def test_a_folder_without_documents_is_one_line(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "void").mkdir()
    done = call("link", tmp_path / "void", "--kb", kb)
    assert done.returncode == 2
    assert "void" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("format", ["json", "bioc"])
def test_what_is_printed_before_an_error_can_be_read(kb: Path, tmp_path: Path, format: str) -> None:
    for number in range(40):  # more than are linked together
        (tmp_path / f"{number:02}.txt").write_text("heart attack", encoding="utf-8")
    (tmp_path / "99.txt").write_bytes(b"coup\xe9")
    done = call("link", *sorted(tmp_path.glob("*.txt")), "--kb", kb, "--format", format)
    assert done.returncode == 1
    assert "99.txt" in done.stderr
    assert 0 < len(json.loads(done.stdout)["documents"]) <= 40
