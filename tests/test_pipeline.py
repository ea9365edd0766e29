"""From text to linked mentions."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import pytest

import holdfast
from holdfast import Document, KnowledgeBase, Mention, Pipeline
from holdfast.errors import KnowledgeBaseError, UsageError
from holdfast.kb.own_types import parse_types
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


WRAPPED = """The patient had, as his wife said, a heart
attack some hours after taking lithium
carbonate, and when he was seen, the tumor
necrosis factor (TNF) in his blood rose."""


@pytest.mark.parametrize("model", ["default", "dictionary", "names"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_wrapped_text_is_linked_as_on_one_line(kb: KnowledgeBase, model: str, end: str) -> None:
    link = holdfast.load(kb, model=model)
    document, flat = link(WRAPPED.replace("\n", end)), link(WRAPPED.replace("\n", " "))
    found = [document.text_of(m) for m in document.mentions]
    assert found[:2] == [f"heart{end}attack", f"lithium{end}carbonate"]
    assert [" ".join(words.split()) for words in found] == [flat.text_of(m) for m in flat.mentions]
    for one, other in zip(document.mentions, flat.mentions, strict=True):
        assert replace(one, spans=other.spans) == other


def test_rules_hold_across_wrapped_lines(kb: KnowledgeBase, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        'block = ["heart attack"]\n[pin]\n"lithium carbonate" = "MESH:D002"\n'
        '[synonyms]\n"MESH:D002" = ["tumor necrosis"]\n',
        encoding="utf-8",
    )
    document = holdfast.load(kb, rules=rules)(WRAPPED)
    found = {document.text_of(m): m.ids for m in document.mentions}
    assert "heart\nattack" not in found
    assert found["lithium\ncarbonate"] == found["tumor\nnecrosis"] == ("MESH:D002",)


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


def test_unknown_models_and_types_are_wrong_use_that_says_what_there_is(
    kb: KnowledgeBase,
) -> None:
    with pytest.raises(UsageError, match="'magic'; there is: collective, default, dictionary, "):
        holdfast.load(kb, model="magic")
    with pytest.raises(UsageError, match=r"'magic'; there is: .*; `holdfast models` lists all"):
        holdfast.load(kb, model=["detector", "magic"])
    with pytest.raises(UsageError, match="'colour'; there is: Disease, "):
        holdfast.load(kb, only=("colour",))


def test_types_may_be_spelled_in_many_ways() -> None:
    assert parse_types(["disease", "Disease ", "cell line", "drug"]) == (
        "Disease",
        "CellLine",
        "Chemical",
    )


@pytest.mark.parametrize("value", [None, 7, b"heart attack", ["heart attack"]])
def test_what_is_no_text_is_refused_by_name(kb: KnowledgeBase, value: object) -> None:
    pipeline = holdfast.load(kb, model="names")
    expected = f"a text or a Document, not {value!r} ({type(value).__name__})"
    with pytest.raises(UsageError, match=re.escape(expected)):
        pipeline(value)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=re.escape(expected)):
        list(pipeline.pipe([value]))  # type: ignore[list-item]


@pytest.mark.parametrize("value", ["heart attack", b"heart attack", Document("1", "x"), None, 7])
def test_pipe_refuses_what_is_not_several_documents(kb: KnowledgeBase, value: object) -> None:
    with pytest.raises(UsageError, match="pipe reads several texts or Documents, not "):
        holdfast.load(kb, model="names").pipe(value)  # type: ignore[arg-type]
