"""Tokens with labels, in any of their schemes."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.corpora import ReadReport, WriteReport, dumps, read_documents
from holdfast.document import Document, Mention, Span
from holdfast.errors import FormatError, LossError


def read(
    tmp_path: Path, content: str, *, lenient: bool = False, report: ReadReport | None = None
) -> list[Document]:
    path = tmp_path / "x.tsv"
    path.write_text(content, encoding="utf-8", newline="")
    return list(read_documents(path, lenient=lenient, report=report))


def found(document: Document) -> list[tuple[str, str]]:
    return [(document.text_of(m), m.type) for m in document.mentions]


@pytest.mark.parametrize(
    "labels",
    [
        "B-D I-D O B-D B-D B-C",
        "I-D I-D O I-D B-D I-C",
        "B-D E-D O S-D S-D S-C",
        "B-D L-D O U-D U-D U-C",
    ],
)
def test_every_scheme_gives_the_same_mentions(tmp_path: Path, labels: str) -> None:
    rows = zip("abcdef", labels.split(), strict=True)
    (document,) = read(tmp_path, "".join(f"{token}\t{label}\n" for token, label in rows))
    assert document.text == "a b c d e f"
    assert found(document) == [("a b", "D"), ("d", "D"), ("e", "D"), ("f", "C")]


def test_every_sentence_is_a_document_where_none_are_marked(tmp_path: Path) -> None:
    documents = read(tmp_path, "a\tB-D\n\n\nb\tI-D\r\nc\tO\n")
    assert [(d.id, d.text) for d in documents] == [("x-1", "a"), ("x-2", "b c")]
    assert found(documents[1]) == [("b", "D")]


def test_marked_documents_keep_their_sentences_as_lines(tmp_path: Path) -> None:
    content = "-DOCSTART-\tO\n\na\tNN\tO\tB-D\n\nb\tNN\tO\tI-D\n\n###MEDLINE:95\n\nc\tO\n"
    first, second = read(tmp_path, content)
    assert (first.id, first.text, found(first)) == ("x-1", "a\nb", [("a", "D"), ("b", "D")])
    assert (second.id, second.text) == ("95", "c")


def test_columns_may_be_separated_by_spaces(tmp_path: Path) -> None:
    (document,) = read(tmp_path, "-DOCSTART- -X- -X- O\n\nTP53 NN B-NP B-gene\n")
    assert found(document) == [("TP53", "gene")]


def test_a_label_that_is_none_is_refused_or_read_as_outside(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"x\.tsv, line 2: token 'b' has the label 'X-D'"):
        read(tmp_path, "a\tB-D\nb\tX-D\n")
    report = ReadReport()
    (document,) = read(tmp_path, "a\tB-D\nb\n", lenient=True, report=report)
    assert (document.text, found(document)) == ("a b", [("a", "D")])
    assert report.skipped == {"label": 1}


@pytest.mark.parametrize(
    "document",
    [
        Document("1", "a  b"),
        Document("1", "a\tb"),
        Document("1", "a "),
        Document("1", "a\n\nb"),
        Document("1", "-DOCSTART- b"),
        Document("1", "ab", mentions=(Mention.at(0, 1, "D"),)),
        Document("1", "ab", mentions=(Mention.at(1, 2, "D"),)),
        Document("1", "c ab d", mentions=(Mention.at(3, 6, "D"),)),
        Document("1", "a\nb", mentions=(Mention.at(0, 3, "D"),)),
    ],
)
def test_a_text_that_is_not_tokens_between_spaces_is_refused(document: Document) -> None:
    with pytest.raises(LossError, match="iob cannot hold the text's own spacing"):
        dumps([document], "iob")


@pytest.mark.parametrize(
    ("mentions", "what"),
    [
        ((Mention((Span(0, 1), Span(4, 5))),), "discontinuous mentions: document 1, mention 0-5"),
        ((Mention.at(0, 3), Mention.at(2, 5)), "overlapping"),
        ((Mention.at(0, 1, "D", ["MESH:D1"]),), "entity ids"),
    ],
)
def test_mentions_that_labels_cannot_say_are_refused(
    mentions: tuple[Mention, ...], what: str
) -> None:
    document = Document("1", "a b c", mentions=mentions)
    with pytest.raises(LossError, match=what):
        dumps([document], "bilou")
    report = WriteReport()
    written = dumps([document], "bilou", allow_loss=True, report=report)
    assert report.lost.total() == 1
    assert report.mentions == written.count("\tB") + written.count("\tU")


def test_allowed_losses_cut_words_marks_and_mentions_apart(tmp_path: Path) -> None:
    text = "Non-Hodgkin lymphoma,  treated.\nWell"
    mentions = (Mention.at(4, 20, "D"), Mention.at(23, 27, "P"))
    report = WriteReport()
    written = dumps(
        [Document("1", text, mentions=mentions)], "bioes", allow_loss=True, report=report
    )
    (again,) = read(tmp_path, written)
    assert again.text == "Non - Hodgkin lymphoma , trea ted .\nWell"
    assert found(again) == [("Hodgkin lymphoma", "D"), ("trea", "P")]
    assert report.lost == {"the text's own spacing": 1}


def test_a_mention_of_blanks_is_lost_and_an_accent_stays_with_its_letter(tmp_path: Path) -> None:
    document = Document("1", "re\u0301 ad", mentions=(Mention.at(3, 4, "D"), Mention.at(4, 6, "D")))
    report = WriteReport()
    (again,) = read(tmp_path, dumps([document], "iob", allow_loss=True, report=report))
    assert (again.text, found(again)) == ("re\u0301 ad", [("ad", "D")])
    assert report.lost == {"mentions of nothing but blanks": 1}


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ("B-D E-D I-D I-D", ["a b", "c d"]),
        ("B-D L-D I-D L-D", ["a b", "c d"]),
        ("B-D E-D E-D", ["a b", "c"]),
        ("S-D I-D E-D", ["a", "b c"]),
        ("U-D I-D", ["a", "b"]),
        ("W-D I-D", ["a", "b"]),
        ("B-D M-D E-D O", ["a b c"]),
        ("I-D I-D B-D I-D", ["a b", "c d"]),
        ("B-D O I-D", ["a", "c"]),
        ("B-D I-C I-C", ["a", "b c"]),
        ("B-D S-D B-D", ["a", "b", "c"]),
        ("B-D W-D", ["a", "b"]),
        ("I-D U-D", ["a", "b"]),
        ("B I E", ["a b c"]),
        ("B I-D", ["a", "b"]),
        ("E-D I-D", ["a", "b"]),
        ("O O", []),
    ],
)
def test_a_mention_ends_where_its_scheme_ends_it(
    tmp_path: Path, labels: str, words: list[str]
) -> None:
    rows = zip("abcdef", labels.split(), strict=False)
    (document,) = read(tmp_path, "".join(f"{token}\t{label}\n" for token, label in rows))
    assert [document.text_of(m) for m in document.mentions] == words


def test_a_mention_never_goes_on_in_the_next_sentence_or_document(tmp_path: Path) -> None:
    content = "-DOCSTART-\tx\tO\n\na\tB-D\n\nb\tI-D\n-DOCSTART-\ty\tO\nc\tI-D\n"
    first, second = read(tmp_path, content)
    assert [(d.id, d.text) for d in (first, second)] == [("x", "a\nb"), ("y", "c")]
    assert [found(d) for d in (first, second)] == [[("a", "D"), ("b", "D")], [("c", "D")]]


@pytest.mark.parametrize(
    ("line", "id"),
    [
        ("-DOCSTART-\tmine\tO", "mine"),
        ("-DOCSTART-\tO", "x-1"),
        ("-DOCSTART-\t-X-\tO", "x-1"),
        ("-DOCSTART-\t_\tO", "x-1"),
        ("-DOCSTART- -X- O O", "x-1"),
        ("###MEDLINE:95369245", "95369245"),
    ],
)
def test_a_start_may_name_its_document(tmp_path: Path, line: str, id: str) -> None:
    (document,) = read(tmp_path, f"{line}\n\na\tO\n")
    assert (document.id, document.text) == (id, "a")


@pytest.mark.parametrize(
    ("format", "labels"),
    [
        ("iob", "B-D I-D I-D O B-D B-C I-C"),
        ("bioes", "B-D I-D E-D O S-D B-C E-C"),
        ("bilou", "B-D I-D L-D O U-D B-C L-C"),
    ],
)
def test_a_scheme_has_its_own_letters(format: str, labels: str) -> None:
    mentions = (Mention.at(0, 5, "D"), Mention.at(8, 9, "D"), Mention.at(10, 13, "C"))
    report = WriteReport()
    written = dumps([Document("1", "a b c d e f g", mentions=mentions)], format, report=report)
    assert [row.split("\t")[1] for row in written.splitlines()[2:] if row] == labels.split()
    assert report.mentions == 3
