"""brat folders and BioNLP standoff files."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.corpora import ReadReport, WriteReport, dumps, read_documents, write_documents
from holdfast.document import NIL, Argument, Document, Mention, Passage, Span
from holdfast.errors import FormatError, LossError, UsageError

TEXT = "No ovarian or breast cancer.\nGefitinib treats it."
ANN = """T1\tDisease 3 10;21 27\tovarian cancer
T2\tChemical 29 38\tGefitinib
N1\tReference T1 MESH:D010051\tOvarian Neoplasms
A1\tNegation T1
R1\tTreats Arg1:T2 Arg2:T1\t
#1\tAnnotatorNotes R1\tsaid so
#2\tAnnotatorNotes T2\tfirst line
E1\tBinding:T2 Theme:T1
R2\tCauses Arg1:E1 Arg2:T1
*\tEquiv T1 T2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "b.ann").write_text(ANN, encoding="utf-8")
    (tmp_path / "a.txt").write_text("p53 binds", encoding="utf-8")
    (tmp_path / "a.a1").write_text("T1\tProtein 0 3\tp53\n", encoding="utf-8")
    (tmp_path / "a.a2").write_text(
        "T2\tBinding 4 9\tbinds\nE1\tBinding:T2 Theme:T1\n", encoding="utf-8"
    )
    (tmp_path / "README").write_text("not a document", encoding="utf-8")
    return tmp_path


def test_a_folder_is_read_by_name_and_what_has_no_place_is_counted(folder: Path) -> None:
    report = ReadReport()
    a, b = read_documents(folder, report=report)
    assert [m.type for m in a.mentions] == ["Protein", "Binding"]
    disease = b.mentions[0]
    assert disease.spans == (Span(3, 10), Span(21, 27))
    assert (disease.ids, disease.status) == (("MESH:D010051",), "negated")
    (treats,) = b.relations
    assert treats.arguments == (Argument(mention_id="T2"), Argument(mention_id="T1"))
    assert (treats.id, treats.note) == ("R1", "said so")
    assert report.ignored == {
        "event": 2,
        "note": 1,
        "relation with an event": 1,
        "equivalence": 1,
    }


def test_one_annotation_file_is_one_document(folder: Path) -> None:
    (document,) = read_documents(folder / "b.ann")
    assert document.id == "b"


def test_a_missing_text_and_a_wrong_offset_are_named(folder: Path) -> None:
    (folder / "b.ann").write_text("T1\tDisease 4 10\tovarian\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"b\.ann, line 1: document b: mention at 4-10 says"):
        list(read_documents(folder / "b.ann"))
    (folder / "b.txt").unlink()
    with pytest.raises(FormatError, match=r"there is no b\.txt beside it"):
        list(read_documents(folder / "b.ann"))


@pytest.mark.parametrize(
    "line", ["T1\tDisease x 10\to", "T1\tDisease 1\to", "?\tx", "R1\tTreats Arg1:T2"]
)
def test_a_line_that_is_no_standoff_is_refused_or_skipped(folder: Path, line: str) -> None:
    path = folder / "b.ann"
    path.write_text(f"{line}\nT9\tDisease 3 10\tovarian\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"b\.ann, line 1"):
        list(read_documents(path))
    report = ReadReport()
    (document,) = read_documents(path, lenient=True, report=report)
    assert [m.id for m in document.mentions] == ["T9"]
    assert report.skipped == {"line": 1}


def test_an_empty_annotation_file_is_a_document_without_mentions(folder: Path) -> None:
    (folder / "b.ann").write_text("", encoding="utf-8")
    (document,) = read_documents(folder / "b.ann")
    assert document == Document("b", TEXT)


def test_the_only_document_may_be_written_as_one_file(tmp_path: Path) -> None:
    document = Document("x", "p53\r\n", mentions=(Mention.at(0, 3, "Gene", [NIL], id="T1"),))
    write_documents([document], tmp_path / "x.ann")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.ann", "x.txt"]
    assert list(read_documents(tmp_path / "x.ann")) == [document]
    with pytest.raises(UsageError, match="only one document"):
        write_documents([document, document], tmp_path / "y.ann")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.ann", "x.txt"]


def test_a_folder_with_files_is_never_replaced(folder: Path) -> None:
    with pytest.raises(UsageError, match="not an empty folder"):
        write_documents([Document("c", "c")], folder, format="brat")
    assert (folder / "b.ann").read_text(encoding="utf-8") == ANN


@pytest.mark.parametrize(
    "document",
    [
        Document("1", "a", passages=(Passage("title", 0, 1),)),
        Document("1", "a", mentions=(Mention.at(0, 1, "two words"),)),
        Document("1", "a", mentions=(Mention.at(0, 1, ""),)),
        Document("1", "a", mentions=(Mention.at(0, 1, "Gene", ["a b"]),)),
        Document("1", "a", mentions=(Mention((Span(0, 1),), type="Gene", parts=("a",)),)),
    ],
)
def test_what_it_cannot_hold_is_refused(document: Document) -> None:
    with pytest.raises(LossError, match="brat cannot hold"):
        dumps([document], "brat")
    report = WriteReport()
    dumps([document], "brat", allow_loss=True, report=report)
    assert report.lost.total() == 1


def test_ids_that_are_no_file_names_are_refused(tmp_path: Path) -> None:
    documents = [Document("../up", "a"), Document("x", "b"), Document("x", "c")]
    with pytest.raises(LossError, match=r"the document id '\.\./up'"):
        write_documents(documents, tmp_path / "out", format="brat")
    assert not any(tmp_path.iterdir())
    write_documents(documents, tmp_path / "out", format="brat", allow_loss=True)
    assert [d.text for d in read_documents(tmp_path / "out")] == ["a", "c", "b"]


def test_several_documents_on_one_stream_are_told_apart() -> None:
    one = Document("1", "a", mentions=(Mention.at(0, 1, "Gene"),))
    assert dumps([one], "brat") == "T1\tGene 0 1\ta\n"
    assert dumps([one, Document("2", "b")], "brat") == "#\t1\nT1\tGene 0 1\ta\n#\t2\n"
