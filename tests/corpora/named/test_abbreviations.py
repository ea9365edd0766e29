from __future__ import annotations

from pathlib import Path

import pytest

from corpora.named.files import write
from holdfast.corpora.named.abbreviations import Definition, read_med1250
from holdfast.document import Passage
from holdfast.errors import FormatError

FILE = (
    "10000001\n"
    "A trial of multiple sclerosis (MS). \n"
    "Patients with MS. More of them.\n"
    "  MS|multiple sclerosis\r\n"
    "//*  X1|a drug\n"
    "//!syn “why”\n"
    "  GP|general practice \r\n"
    "\n"
    "10000002\n"
    "No definitions.\r \n"
    "A first sentence.\r A second.\r \n"
    "\n\r\n\n\r \n\n"
    "10000002\n"
    "\n"
    "A third. \n"
    "  T|third\n"
    "\n"
)


def test_a_record_is_a_document_with_its_definitions(tmp_path: Path) -> None:
    first, _ = read_med1250(write(tmp_path / "labeled", FILE.encode("cp1252")))
    assert first.document.id == "10000001"
    assert first.document.text == (
        "A trial of multiple sclerosis (MS).\nPatients with MS. More of them."
    )
    assert first.document.passages == (Passage("title", 0, 35), Passage("abstract", 36, 67))
    assert first.definitions == (
        Definition("MS", "multiple sclerosis"),
        Definition("GP", "general practice"),
    )


def test_a_record_that_breaks_off_goes_on_where_its_pmid_is_repeated(tmp_path: Path) -> None:
    _, second = read_med1250(write(tmp_path / "labeled", FILE.encode("cp1252")))
    assert second.document.text == "No definitions.\nA first sentence. A second. A third."
    assert second.definitions == (Definition("T", "third"),)


def test_a_number_inside_an_abstract_does_not_begin_a_record(tmp_path: Path) -> None:
    [only] = read_med1250(write(tmp_path / "labeled", "10000001\nTitle\n1984\nwas a year\n"))
    assert only.document.text == "Title\n1984 was a year"


def test_a_title_alone_has_an_empty_abstract(tmp_path: Path) -> None:
    [only] = read_med1250(write(tmp_path / "labeled", "10000001\nTitle\n"))
    assert only.document.passages == (Passage("title", 0, 5), Passage("abstract", 6, 6))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Title\n", "line 1: a PMID is expected"),
        ("10000001\n\n10000002\nTitle\n", "line 1: record 10000001 has no title"),
        ("10000001\nTitle\n  MS multiple\n", r"line 3: 'short\|long' is expected"),
        ("10000001\nTitle\n  MS|\n", r"line 3: 'short\|long' is expected"),
        ("", "empty"),
        (b"10000001\nTi\x81tle\n", "line 2: byte 0x81 is not cp1252"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        list(read_med1250(write(tmp_path / "labeled", content)))


def test_the_real_files_hold_the_same_abstracts_and_the_published_definitions(
    data_dir: Path,
) -> None:
    folder = data_dir / "corpora" / "abbreviations" / "ab3p"
    labelled = list(read_med1250(folder / "MED1250_labeled"))
    unlabelled = list(read_med1250(folder / "MED1250_unlabeled"))
    assert len({example.document.id for example in labelled}) == len(labelled) == 1_250
    assert [e.document for e in labelled] == [e.document for e in unlabelled]
    assert sum(len(e.definitions) for e in labelled) == 1_221
    assert sum(len(e.definitions) for e in unlabelled) == 0
