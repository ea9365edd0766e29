"""Documents of unusual size and shape.

By the dictionary, whose answers are known in advance; by the default, which must at least keep its
offsets; and on the command line.
"""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast
from command import call
from holdfast import Document, Pipeline
from holdfast.kb import Entry, KnowledgeBase
from small_kb import CHEMICALS, DISEASES, GENES, HGNC, MESH, make_kb

SENTENCE = (
    "In the years that followed nobody in the ward could say why it came, but a heart attack was "
    "seen once more in the winter, and after that there was nothing else of note for a while.\r\n"
)
ACCENTED = Entry("MESH:D9", "Sjögren Syndrome", types=("Disease",))
NAMES = (
    "Heart Attack",
    "Sjo\u0308gren syndrome",
    "Sj\u00f6gren syndrome",
    "TNF-\u03b1",
    "bleeding",
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    parts = ((MESH, (*DISEASES, ACCENTED, *CHEMICALS)), (HGNC, GENES))
    return make_kb(tmp_path_factory.mktemp("robust") / "kb", *parts)


@pytest.fixture(scope="module")
def dictionary(kb: KnowledgeBase, tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOLDFAST_HOME", str(tmp_path_factory.mktemp("home")))
        return holdfast.load(kb, model="dictionary")


@pytest.fixture(scope="module")
def default(kb: KnowledgeBase, tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOLDFAST_HOME", str(tmp_path_factory.mktemp("home")))
        return holdfast.load(kb)


def found(document: Document) -> list[tuple[str, str]]:
    return [(document.text_of(mention), mention.ids[0]) for mention in document.mentions]


def test_a_megabyte_is_linked_to_its_end(dictionary: Pipeline) -> None:
    text = SENTENCE * (1_000_000 // len(SENTENCE) + 1)
    document = dictionary(text)
    assert found(document) == [("heart attack", "MESH:D002")] * text.count("heart attack")


def test_a_long_document_is_read_in_windows_to_its_end(default: Pipeline) -> None:
    text = SENTENCE * 100
    document = default(text)
    assert found(document) == [("heart attack", "MESH:D002")] * 100
    assert [m.start % len(SENTENCE) for m in document.mentions] == [SENTENCE.index("heart")] * 100


@pytest.mark.parametrize(("model", "times"), [("dictionary", 500), ("default", 40)])
def test_memory_grows_no_faster_than_the_text(
    kb: KnowledgeBase, model: str, times: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path))
    pipeline = holdfast.load(kb, model=model)
    peaks = []
    for count in (times, 2 * times):
        tracemalloc.start()
        pipeline(SENTENCE * count)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2.5 * peaks[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\r\n" * 1000,
        "...;—“”!?()[]{}",
        "(" * 100_000,
        ". " * 50_000,
        "\u0301" * 1000,
        "a" * 1_000_000,
        "\U0001f600" * 1000,
        "\x00\x07\x1b[31m",
    ],
    ids=lambda text: repr(text[:6]),
)
def test_a_text_without_names_comes_back_as_it_was(dictionary: Pipeline, text: str) -> None:
    assert dictionary(text) == Document("", text)


@pytest.mark.parametrize("text", ["", "\r\n" * 100, ". " * 500, "a" * 100_000, "\U0001f600" * 100])
def test_the_default_finds_nothing_where_nothing_is(default: Pipeline, text: str) -> None:
    assert default(text) == Document("", text)


def test_no_mention_of_the_default_goes_on_in_the_next_line(default: Pipeline) -> None:
    document = default("Heart attack\r\nHeart attack\r\n")
    assert [(m.start, document.text_of(m)) for m in document.mentions] == [
        (0, "Heart attack"),
        (14, "Heart attack"),
    ]


def test_two_thousand_mentions_are_all_linked(dictionary: Pipeline) -> None:
    document = dictionary("Bleeding, TNF; heart attack. Lithium carbonate\n" * 500)
    assert len(document.mentions) == 2000
    assert found(document) == 500 * [
        ("Bleeding", "MESH:D004"),
        ("TNF", "HGNC:1"),
        ("heart attack", "MESH:D002"),
        ("Lithium carbonate", "MESH:C001"),
    ]


def test_two_thousand_marked_strings_keep_their_places(kb: KnowledgeBase, tmp_path: Path) -> None:
    text, mentions = "", []
    for number in range(2000):
        surface = f"heart attack no {number % 100}"
        mentions.append({"spans": [[len(text), len(text) + len(surface)]], "type": "Disease"})
        text += f"{surface}; "
    path = tmp_path / "marked.jsonl"
    path.write_text(json.dumps({"id": "1", "text": text, "mentions": mentions}), encoding="utf-8")
    done = call("link", "--mentions", path, "--kb", kb.folder, "--json", "--top", "1")
    (document,) = json.loads(done.stdout)["documents"]
    assert [m["spans"] for m in document["mentions"]] == [m["spans"] for m in mentions]
    assert [m["text"] for m in document["mentions"]] == [
        f"heart attack no {number % 100}" for number in range(2000)
    ]
    assert all(m["ids"] for m in document["mentions"])


between = st.sampled_from(
    ["\r\n", " \r\n\r\n", ". ", "; \u200b", " \U0001f600 ", " e\u0301 ", "\t", " \u202f"]
)


@given(st.lists(st.tuples(between, st.sampled_from(NAMES)), max_size=12))
def test_offsets_are_right_beside_windows_line_ends_and_combining_characters(
    dictionary: Pipeline, parts: list[tuple[str, str]]
) -> None:
    text, expected = "", []
    for gap, name in parts:
        text += gap
        expected.append((len(text), name))
        text += name
    document = dictionary(text + "\r\n")
    assert document.text == text + "\r\n"
    assert [(m.start, document.text_of(m)) for m in document.mentions] == expected
    assert all(m.is_linked for m in document.mentions)


@given(st.lists(st.tuples(between, st.sampled_from((*NAMES, "and", "x", "12")))))
def test_the_default_marks_places_of_the_text_that_do_not_overlap(
    default: Pipeline, parts: list[tuple[str, str]]
) -> None:
    text = "".join(gap + word for gap, word in parts)
    document = default(text)
    assert document.text == text
    ends = [0]
    for mention in document.mentions:
        assert ends[-1] <= mention.start < mention.end <= len(text)
        assert not document.text_of(mention).isspace()
        ends.append(mention.end)


def test_a_file_with_windows_line_ends_keeps_its_offsets(kb: KnowledgeBase, tmp_path: Path) -> None:
    text = "Sjo\u0308gren syndrome\r\nand a heart attack.\r\n\r\nThen bleeding.\r\n"
    path = tmp_path / "note.txt"
    path.write_bytes(text.encode())
    options = (path, "--kb", kb.folder, "--model", "dictionary")
    said = json.loads(call("link", *options, "--json").stdout)
    document = Document.from_json(said)
    assert document.text == text
    assert found(document) == [
        ("Sjo\u0308gren syndrome", "MESH:D9"),
        ("heart attack", "MESH:D002"),
        ("bleeding", "MESH:D004"),
    ]
    brat = call("link", *options, "--format", "brat").stdout
    assert "Sjo\u0308gren syndrome" in brat
