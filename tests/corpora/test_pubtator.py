"""PubTator as it is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.corpora import ReadReport, WriteReport, dumps, read_documents
from holdfast.document import NIL, Argument, Document, Mention, Passage, Relation, Span
from holdfast.errors import FormatError, LossError

SAMPLE = """
1|t|Lithium toxicity
1|a|Lithium and heart disease.
1	0	7	Lithium	Chemical	D008094
1	17	42	Lithium and heart disease	Disease	D1|-1	lithium disease|heart disease
1	CID	D008094	D006331

2|t|BRCA1 c.1A>G
2|a|
2	0	5	BRCA1	GeneOrGeneProduct	672
2	6	12	c.1A>G	SequenceVariant	c|SUB|A|1|G,rs7
2	Association	672	c|SUB|A|1|G	Novel
"""
Save = Callable[[str], Path]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    def write(content: str) -> Path:
        path = tmp_path / "x.pubtator.txt"
        path.write_text(content, encoding="utf-8", newline="")
        return path

    return write


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_titles_mentions_parts_and_relations_are_read(save: Save, ending: str) -> None:
    first, second = read_documents(save(SAMPLE.replace("\n", ending)))
    assert first.text == "Lithium toxicity\nLithium and heart disease."
    assert first.passages == (Passage("title", 0, 16), Passage("abstract", 17, 43))
    assert first.mentions[1].ids == ("D1",)
    assert first.mentions[1].parts == ("lithium disease", "heart disease")
    assert first.relations == (
        Relation("CID", (Argument("MESH:D008094"), Argument("MESH:D006331"))),
    )
    assert second.passages[1] == Passage("abstract", 13, 13)
    assert second.mentions[1].ids == ("tmVar:c|SUB|A|1|G", "dbSNP:rs7")
    assert second.relations == (
        Relation(
            "Association",
            (Argument("NCBIGene:672"), Argument("tmVar:c|SUB|A|1|G")),
            note="Novel",
        ),
    )


def test_a_relation_takes_the_vocabulary_of_the_mentions_that_have_its_id(save: Save) -> None:
    rows = "9\t0\t4\tmice\tOrganismTaxon\t10090\n9\tFound_In\t10090\t7157\n"
    (document,) = read_documents(save("9|t|mice\n9|a|\n" + rows))
    assert [a.entity_id for a in document.relations[0].arguments] == ["NCBITaxon:10090", "7157"]


def test_documents_without_a_blank_line_between_them_are_two(save: Save) -> None:
    documents = list(read_documents(save("1|t|a\n1|a|b\n2|t|c\n2|a|d\n")))
    assert [d.text for d in documents] == ["a\nb", "c\nd"]


def test_a_title_line_may_hold_bars_and_tabs(save: Save) -> None:
    (document,) = read_documents(save("1|t|a|t|b\tc\n1|a|d\n"))
    assert document.text == "a|t|b\tc\nd"


def test_an_offset_that_does_not_match_names_file_line_document_and_both_texts(save: Save) -> None:
    path = save("77|t|Lithium\n77|a|\n77\t1\t7\tLithium\tChemical\tD008094\n")
    with pytest.raises(FormatError) as caught:
        list(read_documents(path))
    message = str(caught.value)
    for part in (str(path), "line 3", "77", "'Lithium'", "'ithium'", "--lenient"):
        assert part in message


def test_lenient_drops_the_broken_mention_and_counts_it(save: Save) -> None:
    rows = "7\t1\t7\tLithium\tChemical\tD1\n7\t0\t7\tLithium\tChemical\tD008094\n7\tgarbage\n"
    report = ReadReport()
    path = save("7|t|Lithium\n7|a|\n" + rows)
    (document,) = read_documents(path, lenient=True, report=report)
    assert [m.spans for m in document.mentions] == [(Span(0, 7),)]
    assert report.skipped == {"mention": 1, "annotation": 1}
    assert (report.documents, report.mentions) == (1, 1)
    assert "line 3" in report.reasons[0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "empty"),
        ("\n \n", "blank"),
        ("1\t0\t3\tabc\tDisease\tD1\n", "id|t|title"),
        ("1|t|a\n2|a|b\n", "document 2"),
        ("1|t|abc\n1|a|\n2\t0\t3\tabc\tDisease\tD1\n", "document 1"),
        ("1|t|abc\n1|a|\n1\t0\t99\tabc\tDisease\tD1\n", "only 4 characters"),
        ("1|t|abc\n1|a|\n1\t2\t2\t\tDisease\tD1\n", "empty"),
    ],
)
def test_a_broken_file_is_one_line_that_names_it(save: Save, content: str, said: str) -> None:
    path = save(content)
    with pytest.raises(FormatError) as caught:
        list(read_documents(path))
    assert str(path) in str(caught.value)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_ids_are_written_bare_where_their_type_restores_them(save: Save) -> None:
    sample = SAMPLE.lstrip("\n") + "\n"
    written = dumps(read_documents(save(sample)), "pubtator")
    assert written == sample.replace("D1|-1", "D1")


def test_nil_and_unlinked_stay_apart(save: Save) -> None:
    document = Document(
        "1",
        "ab\n",
        passages=(Passage("title", 0, 2), Passage("abstract", 3, 3)),
        mentions=(Mention.at(0, 1, "Disease", [NIL]), Mention.at(1, 2, "Disease")),
    )
    assert list(read_documents(save(dumps([document], "pubtator")))) == [document]


@pytest.mark.parametrize(
    "document",
    [
        Document("1", "a b c", mentions=(Mention((Span(0, 1), Span(4, 5))),)),
        Document("1", "a", mentions=(Mention((Span(0, 1),), status="negated"),)),
        Document("1", "a", metadata=(("year", "1999"),)),
        Document("1", "a\nb\nc"),
        Document("1", "a\nb", passages=(Passage("METHODS", 0, 3),)),
        Document("1|2", "a"),
        Document("1", "a", mentions=(Mention.at(0, 1, "a\tb"),)),
        Document("1", "a", mentions=(Mention.at(0, 1, "Disease", ["X:a|b"]),)),
        Document("1", "a", mentions=(Mention((Span(0, 1),), parts=("a|b",)),)),
        Document("1", "a", relations=(Relation("R", (Argument("A:1"),) * 3),)),
        Document("1", "a", relations=(Relation("R", (Argument("A:1", role="x"),) * 2),)),
        Document("1", "a", relations=(Relation("R\n", (Argument("A:1"),) * 2),)),
        Document("1", "a", relations=(Relation("1", (Argument("2"),) * 2, note="n"),)),
        Document(
            "1",
            "a",
            mentions=(Mention.at(0, 1, id="m"),),
            relations=(Relation("R", (Argument(mention_id="m"),) * 2),),
        ),
    ],
)
def test_what_it_cannot_hold_is_refused_and_under_allow_loss_counted(
    document: Document, save: Save
) -> None:
    with pytest.raises(LossError, match=r"pubtator cannot hold .*--allow-loss"):
        dumps([document], "pubtator")
    report = WriteReport()
    text = dumps([document], "pubtator", allow_loss=True, report=report)
    assert report.lost.total() == 1
    (again,) = read_documents(save(text))
    written = (len(again.mentions), len(again.relations))
    assert written == (report.mentions, report.relations)


def test_candidates_and_ids_that_no_relation_names_are_only_noted() -> None:
    report = WriteReport()
    document = Document("1", "ab", mentions=(Mention.at(0, 1, id="T1"),))
    dumps([document], "pubtator", report=report)
    assert report.notes["mention ids that no relation names"] == 1
    assert not report.lost


ROW = "1\t0\t7\tLithium\tChemical\tD008094"


@pytest.mark.parametrize(
    ("row", "ids", "parts"),
    [
        (ROW, ("MESH:D008094",), ()),
        (f"{ROW}\t", ("MESH:D008094",), ()),
        (f"{ROW}\tlithium", ("MESH:D008094",), ("lithium",)),
        (f"{ROW}\tlithium|salt", ("MESH:D008094",), ("lithium", "salt")),
        ("1\t0\t7\tLithium\tChemical", (), ()),
        ("1\t0\t7\tLithium\tChemical\t", (), ()),
        ("1\t0\t7\tLithium\tChemical\t\tlithium", (), ("lithium",)),
        ("1\t0\t7\tLithium\tChemical\t-1", (NIL,), ()),
        (" 1 \t0\t7\tLithium\tChemical\t-", (NIL,), ()),
    ],
)
def test_the_last_columns_of_a_mention_may_be_empty_or_missing(
    save: Save, row: str, ids: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    (document,) = read_documents(save(f"1|t|Lithium\n1|a|\n{row}\n"))
    assert document.mentions == (Mention((Span(0, 7),), type="Chemical", ids=ids, parts=parts),)


@pytest.mark.parametrize(
    "row",
    [
        f"{ROW}\tlithium\tmore",
        "1\tCID\tD1",
        "1\tCID\tD1\tD2\tNovel\tmore",
        "1",
        "1\t-1\t7\tLithium\tChemical\tD008094",
        "1\t0\t7.0\tLithium\tChemical\tD008094",
    ],
)
def test_a_row_of_too_few_or_too_many_columns_is_refused_or_skipped(save: Save, row: str) -> None:
    path = save(f"1|t|Lithium\n1|a|\n{row}\n{ROW}\n")
    with pytest.raises(FormatError, match="line 3: document 1: neither a mention nor a relation"):
        list(read_documents(path))
    report = ReadReport()
    (document,) = read_documents(path, lenient=True, report=report)
    assert (len(document.mentions), report.skipped) == (1, {"annotation": 1})


def test_a_relation_has_two_ids_and_perhaps_a_note(save: Save) -> None:
    rows = "1\tCID\tD008094\tD2\n1\tCID\t D008094 \tOMIM:3\tNovel\n1\tCID\tD4\tD5\t\n"
    (document,) = read_documents(save(f"1|t|Lithium\n1|a|\n{rows}"))
    said = [(*(a.entity_id for a in r.arguments), r.note) for r in document.relations]
    assert said == [
        ("MESH:D008094", "D2", ""),
        ("MESH:D008094", "OMIM:3", "Novel"),
        ("D4", "D5", ""),
    ]


def test_a_document_may_lack_its_abstract(save: Save) -> None:
    first, second = read_documents(save(f"1|t|Lithium\n{ROW}\n\n2|t|b\n"))
    assert (first.text, first.passages[1]) == ("Lithium\n", Passage("abstract", 8, 8))
    assert len(first.mentions) == 1
    assert second.text == "b\n"


def test_an_abstract_of_another_document_is_named_with_its_line(save: Save) -> None:
    path = save("\n1|t|a\n2|a|b\n\n3|t|c\n3|a|d\n")
    with pytest.raises(FormatError, match="line 3: document 1: the abstract is of document 2"):
        list(read_documents(path))
    assert [d.id for d in read_documents(path, lenient=True)] == ["3"]


@pytest.mark.parametrize("blank", [" ", "\t", "\r"])
def test_a_title_ends_at_its_passage_whatever_blank_follows(save: Save, blank: str) -> None:
    document = Document(
        "1",
        f"one{blank}two\nthree",
        passages=(Passage("title", 0, 3), Passage("abstract", 4, 13)),
        mentions=(Mention.at(4, 7, "Disease"),),
    )
    (again,) = read_documents(save(dumps([document], "pubtator", allow_loss=True)))
    assert again.text == "one\ntwo three"
    assert again.text_of(again.mentions[0]) == "two"


def test_a_text_without_passages_is_cut_at_its_first_line_end() -> None:
    report = WriteReport()
    written = dumps([Document("1", "one\ntwo"), Document("2", "one")], "pubtator", report=report)
    assert written == "1|t|one\n1|a|two\n\n2|t|one\n2|a|\n\n"
    assert report.notes == {"title and abstract made up": 2}
    assert (report.documents, report.mentions, report.relations) == (2, 0, 0)
