"""From text to linked mentions."""

from __future__ import annotations

from itertools import count, islice
from pathlib import Path

import pytest

import holdfast
from holdfast import Document, KnowledgeBase, Mention, Pipeline
from holdfast.errors import KnowledgeBaseError, UsageError
from holdfast.pipeline import parse_types
from small_kb import make_kb

TEXT = "A heart attack after lithium carbonate; TNF rose."


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return make_kb(tmp_path / "kb")


def test_a_text_comes_back_with_linked_mentions(kb: KnowledgeBase) -> None:
    document = holdfast.load(kb)(TEXT)
    assert document.text == TEXT
    assert [(document.text_of(m), m.ids, m.type) for m in document.mentions] == [
        ("heart attack", ("MESH:D002",), "Disease"),
        ("lithium carbonate", ("MESH:C001",), "Chemical"),
        ("TNF", ("HGNC:1",), "Gene"),
    ]


@pytest.mark.parametrize("model", ["default", "dictionary"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_names_that_a_wrapped_line_cuts_are_found(kb: KnowledgeBase, model: str, end: str) -> None:
    lines = ("The patient had, as his wife said, a heart", "attack some hours after taking lithium")
    text = end.join([*lines, "carbonate, which nobody had told him to."])
    document = holdfast.load(kb, model=model)(text)
    assert [(document.text_of(m), m.ids) for m in document.mentions] == [
        (f"heart{end}attack", ("MESH:D002",)),
        (f"lithium{end}carbonate", ("MESH:C001",)),
    ]


def test_a_knowledge_base_may_be_open_named_or_a_folder(kb: KnowledgeBase) -> None:
    expected = holdfast.load(kb)(TEXT)
    make_kb(Path(holdfast.kb.kb_folder("mine")))
    assert holdfast.load(kb.folder)(TEXT) == expected
    assert holdfast.load(str(kb.folder))(TEXT) == expected
    assert holdfast.load("mine")(TEXT) == expected
    with pytest.raises(KnowledgeBaseError, match="no knowledge base 'open'; there is: mine"):
        holdfast.load()


def test_only_restricts_detection_and_linking_alike(kb: KnowledgeBase) -> None:
    text = "Mutations of WAS and a heart attack"
    document = holdfast.load(kb, only=("gene",), model="dictionary")(text)
    assert [(document.text_of(m), m.ids) for m in document.mentions] == [("WAS", ("HGNC:2",))]
    assert {m.type for m in holdfast.load(kb, only=("gene",))(text).mentions} <= {"Gene"}


def test_many_documents_come_in_order_and_are_taken_as_they_are_needed(kb: KnowledgeBase) -> None:
    endless = (Document(str(i), TEXT) for i in count())
    stream = holdfast.load(kb).pipe(endless)
    assert next(endless).id == "0"
    assert [document.id for document in islice(stream, 100)] == [str(i) for i in range(1, 101)]


def test_a_pipeline_is_any_list_of_steps() -> None:
    def first(document: Document) -> Document:
        return document.with_mentions([Mention.at(0, 1, "A")])

    def second(document: Document) -> Document:
        return document.with_mentions([*document.mentions, Mention.at(1, 2, "B")])

    assert [m.type for m in Pipeline([first, second])("xyz").mentions] == ["A", "B"]


def test_unknown_components_and_types_are_wrong_use_that_says_what_there_is(
    kb: KnowledgeBase,
) -> None:
    with pytest.raises(UsageError, match="'magic'; there is: dictionary"):
        holdfast.load(kb, detector="magic")
    with pytest.raises(UsageError, match="'magic'; there is: ranked, names"):
        holdfast.load(kb, linker="magic")
    with pytest.raises(UsageError, match="'colour'; there is: Disease, "):
        holdfast.load(kb, only=("colour",))


def test_types_may_be_spelled_in_many_ways() -> None:
    assert parse_types(["disease", "Disease ", "cell line", "drug"]) == (
        "Disease",
        "CellLine",
        "Chemical",
    )
