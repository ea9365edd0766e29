"""brat folders and BioNLP standoff files."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.corpora import ReadReport, WriteReport, dumps, read_documents, write_documents
from holdfast.document import NIL, Argument, Document, Mention, Passage, Relation, Span
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
    assert report.skipped == {"annotation": 1}


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


@pytest.mark.parametrize(
    ("id", "stem"),
    [
        ("x", "x"),
        (".hidden", "hidden"),
        ("..", "document"),
        (".", "document"),
        ("", "document"),
        ("...a.b", "a.b"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("a/b\\c:d\te\0", "a_b_c_d_e_"),
        ("é" * 90, "é" * 90),
        ("x" * 300, "x" * 200),
    ],
)
@pytest.mark.parametrize("format", ["brat", "text"])
def test_a_document_gets_a_file_name_inside_the_folder(
    tmp_path: Path, id: str, stem: str, format: str
) -> None:
    report = WriteReport()
    target = tmp_path / "out"
    write_documents([Document(id, "a")], target, format=format, allow_loss=True, report=report)
    names = {f"{stem}.txt", f"{stem}.ann"} if format == "brat" else {f"{stem}.txt"}
    assert {p.name for p in target.iterdir()} == names
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert report.lost == ({} if id == stem else {f"the document id {id!r}": 1})
    assert [d.id for d in read_documents(target)] == [stem]


def test_documents_of_one_id_get_files_of_their_own(tmp_path: Path) -> None:
    documents = [Document("x", "1"), Document("x-2", "2"), Document("x", "3"), Document("x", "4")]
    report = WriteReport()
    write_documents(documents, tmp_path / "out", format="brat", allow_loss=True, report=report)
    texts = {p.stem: p.read_text("utf-8") for p in (tmp_path / "out").glob("*.txt")}
    assert texts == {"x": "1", "x-2": "2", "x-3": "3", "x-4": "4"}
    assert report.lost == {"the document id 'x'": 2}


@pytest.mark.parametrize(
    ("ids", "names", "renamed"),
    [
        (["", "T1", ""], ["T2", "T1", "T3"], 0),
        (["T2", "", "T1", ""], ["T2", "T3", "T1", "T4"], 0),
        (["m", "T1", "t3", "T3"], ["T2", "T1", "T4", "T3"], 2),
        (["T1x", "xT1", "T", "T01"], ["T1", "T2", "T3", "T01"], 3),
        (["", ""], ["T1", "T2"], 0),
    ],
)
def test_a_made_up_number_is_no_other_mention_s_own(
    ids: list[str], names: list[str], renamed: int
) -> None:
    mentions = tuple(Mention.at(at, at + 1, "Gene", id=id) for at, id in enumerate(ids))
    report = WriteReport()
    written = dumps([Document("1", "abcdef", mentions=mentions)], "brat", report=report)
    assert [line.partition("\t")[0] for line in written.splitlines()] == names
    assert report.notes["mention ids renamed"] == renamed


@pytest.mark.parametrize(
    ("ids", "names", "renamed"),
    [
        (["", "R1", ""], ["R2", "R1", "R3"], 0),
        (["R1", "R1", "r"], ["R1", "R2", "R3"], 2),
        (["R2", "", "R1x"], ["R2", "R1", "R3"], 1),
    ],
)
def test_a_made_up_number_is_no_other_relation_s_own(
    ids: list[str], names: list[str], renamed: int
) -> None:
    mentions = (Mention.at(0, 1, "Gene", id="m"), Mention.at(1, 2, "Gene", id="T1"))
    arguments = (Argument(mention_id="m", role="Agent"), Argument(mention_id="T1"))
    relations = tuple(Relation("Is", arguments, id=id, note=f"n{at}") for at, id in enumerate(ids))
    report = WriteReport()
    document = Document("1", "ab", mentions=mentions, relations=relations)
    lines = dumps([document], "brat", report=report).splitlines()[2:]
    assert lines == [
        line
        for at, name in enumerate(names)
        for line in (f"{name}\tIs Agent:T2 Arg2:T1\t", f"#{at + 1}\tAnnotatorNotes {name}\tn{at}")
    ]
    assert report.notes["relation ids renamed"] == renamed


def test_attributes_and_references_belong_to_the_mention_that_they_name(folder: Path) -> None:
    rows = [
        "A1\tStatus T2 historical",
        "A2\tSpeculation T1",
        "A3\tConfidence T1 High",
        "A4\tStatus T1 nonsense",
        "A5\tNegation E1",
        "T1\tDisease 3 10\tovarian",
        "T2\tDisease 14 20\tbreast",
        "N1\tReference T2 MESH:D1",
        "N2\tReference T2 NIL:NIL\tnothing",
        "N3\tReference T1 NIL:NIL\tnothing",
        "N4\tReference T2 MESH:D1\tagain",
    ]
    (folder / "b.ann").write_text("\r\n".join(rows), encoding="utf-8", newline="")
    report = ReadReport()
    (document,) = read_documents(folder / "b.ann", report=report)
    said = [(m.id, m.ids, m.status) for m in document.mentions]
    assert said == [("T1", (NIL,), "hypothetical"), ("T2", ("MESH:D1",), "historical")]
    assert report.ignored == {"attribute": 3}


def test_status_nil_and_notes_are_written_as_they_are_read(tmp_path: Path) -> None:
    mention = Mention((Span(0, 1),), "Gene", (NIL,), id="T1", status="historical")
    document = Document("x", "a", mentions=(mention,))
    assert dumps([document], "brat").splitlines() == [
        "T1\tGene 0 1\ta",
        "N1\tReference T1 NIL:NIL\ta",
        "A1\tStatus T1 historical",
    ]
    write_documents([document], tmp_path / "x.ann")
    (tmp_path / "x.ann").write_text("T1\tGene 0 1\ta\nM1\tNegation T1\n", encoding="utf-8")
    (again,) = read_documents(tmp_path / "x.ann")
    assert again.mentions[0].status == "negated"


def test_an_empty_text_is_a_loss(tmp_path: Path) -> None:
    with pytest.raises(LossError, match="brat cannot hold an empty text"):
        write_documents([Document("x", "")], tmp_path / "x.ann")


def test_a_relation_needs_a_target_and_only_an_annotator_s_note_is_its_note(folder: Path) -> None:
    path = folder / "b.ann"
    rows = ["T1\tDisease 3 10\tovarian", "R1\tIs Arg1:T1 Arg2:T1", "#1\tOther R1\tnot a note"]
    path.write_text("\n".join(rows), encoding="utf-8")
    report = ReadReport()
    (document,) = read_documents(path, report=report)
    assert (document.relations[0].note, report.ignored) == ("", {"note": 1})
    path.write_text("T1\tDisease 3 10\tovarian\nR1\tIs Arg1:T1 Arg2:\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"line 2: .*'Arg2:' is not Role:T1"):
        list(read_documents(path))
