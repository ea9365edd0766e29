"""A document written and read again is the same document, wherever the format can hold it."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora.made_up import without_made_up_ids
from holdfast.corpora import WriteReport, dumps, read_documents, write_documents
from holdfast.document import Document, Mention, Span
from strategies import EVERYTHING, Shape, documents, names, texts

PUBTATOR = Shape(
    breaks="\t",
    passages="title",
    interrupted=False,
    mention_ids="none",
    status=False,
    candidates=False,
    arguments="entity",
    max_arguments=2,
    roles=False,
    relation_ids="none",
    metadata=False,
)
BIOC = Shape(sorted=True, candidates=False, repeated_keys=False)
BRAT = Shape(
    passages="none",
    mention_ids="brat",
    types=("Disease", "Cell"),
    parts=False,
    candidates=False,
    arguments="mention",
    relation_ids="brat",
    relation_scores=False,
    metadata=False,
    empty_text=False,
)
BIGBIO = Shape(
    mention_ids="brat",
    parts=False,
    status=False,
    candidates=False,
    arguments="mention",
    max_arguments=2,
    roles=False,
    relation_notes=False,
    relation_scores=False,
    metadata=False,
)
few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def written_and_read(documents: Sequence[Document], name: str, format: str) -> list[Document]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        report = WriteReport()
        write_documents(documents, path, format=format, report=report)
        assert report.documents == len(documents)
        assert not report.lost
        return list(read_documents(path, format=format))


@few
@given(st.lists(documents(EVERYTHING), min_size=1, max_size=3))
@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x.json"])
def test_json_keeps_everything(name: str, batch: list[Document]) -> None:
    assert written_and_read(batch, name, "json" if name == "x.json" else "jsonl") == batch


@settings(few, max_examples=15)
@given(st.lists(documents(EVERYTHING), max_size=3))
def test_parquet_keeps_everything(batch: list[Document]) -> None:
    assert written_and_read(batch, "x.parquet", "parquet") == batch


@few
@given(st.lists(documents(PUBTATOR), min_size=1, max_size=3))
def test_pubtator_keeps_what_it_can_hold(batch: list[Document]) -> None:
    assert written_and_read(batch, "x.pubtator", "pubtator") == batch


@few
@given(st.lists(documents(BIOC), max_size=3))
@pytest.mark.parametrize("format", ["bioc-json", "bioc-xml"])
def test_bioc_keeps_what_it_can_hold(format: str, batch: list[Document]) -> None:
    again = written_and_read(batch, "x", format)
    assert [without_made_up_ids(a, b) for a, b in zip(again, batch, strict=True)] == batch
    for document in again:
        ids = [m.id for m in document.mentions]
        assert all(ids)
        assert len(set(ids)) == len(ids)
        assert all(r.id for r in document.relations)


@few
@given(st.lists(documents(BIGBIO), max_size=3))
def test_bigbio_keeps_what_it_can_hold(batch: list[Document]) -> None:
    assert written_and_read(batch, "x.bigbio.json", "bigbio") == batch


@settings(few, max_examples=15)
@given(st.lists(documents(BIGBIO), min_size=1, max_size=3))
def test_bigbio_lines_are_read_as_the_list_is(batch: list[Document]) -> None:
    assert written_and_read(batch, "x.bigbio.jsonl", "bigbio-lines") == batch


@settings(few, max_examples=15)
@given(st.lists(documents(BRAT), min_size=1, max_size=3, unique_by=lambda d: d.id.casefold()))
def test_brat_keeps_what_it_can_hold(batch: list[Document]) -> None:
    again = written_and_read(batch, "folder", "brat")
    assert again == sorted(batch, key=lambda d: f"{d.id}.ann")


@settings(few, max_examples=15)
@given(texts().filter(bool))
def test_plain_text_keeps_every_character(text: str) -> None:
    document = Document("x", text)
    assert written_and_read([document], "x.txt", "text") == [document]


@st.composite
def tokenised(draw: st.DrawFn) -> Document:
    """A document of tokens between single spaces, mentions on token boundaries."""
    token = st.text("ab\u00e9\U0001f9ec\u2028\u00a0-.", min_size=1, max_size=4)
    sentences = draw(st.lists(st.lists(token, min_size=1, max_size=5), max_size=3))
    mentions, offset = list[Mention](), 0
    for sentence in sentences:
        starts = list[int]()
        for word in sentence:
            starts.append(offset)
            offset += len(word) + 1
        first = draw(st.integers(0, len(sentence) - 1))
        last = draw(st.integers(first, len(sentence) - 1))
        kind = draw(st.sampled_from(["", "Disease", "cell_line"]))
        span = Span(starts[first], starts[last] + len(sentence[last]))
        mentions.append(Mention((span,), type=kind))
        if last + 1 < len(sentence) and draw(st.booleans()):
            rest = Span(starts[last + 1], starts[-1] + len(sentence[-1]))
            mentions.append(Mention((rest,), type=kind))
    text = "\n".join(" ".join(sentence) for sentence in sentences)
    return Document(draw(names()), text, mentions=tuple(mentions))


@few
@given(st.lists(tokenised(), min_size=1, max_size=3))
@pytest.mark.parametrize("format", ["iob", "bioes", "bilou"])
def test_label_schemes_keep_adjacent_mentions_apart(format: str, batch: list[Document]) -> None:
    kept = [d for d in batch if d.id != "O"]
    if kept:
        assert written_and_read(kept, "x", format) == kept


@few
@given(st.lists(documents(Shape()), min_size=1, max_size=3, unique_by=lambda d: d.id))
def test_the_mention_table_keeps_places_types_and_ids(batch: list[Document]) -> None:
    text = dumps(batch, "mentions", allow_loss=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.mentions.tsv"
        path.write_text(text, encoding="utf-8", newline="")
        again = list(read_documents(path))
    wanted = [(d.id, [(m.spans, m.type, m.ids) for m in d.mentions]) for d in batch if d.mentions]
    assert [(d.id, [(m.spans, m.type, m.ids) for m in d.mentions]) for d in again] == wanted


@settings(few, max_examples=15)
@given(st.lists(documents(Shape()), min_size=1, max_size=2, unique_by=lambda d: d.id.casefold()))
@pytest.mark.parametrize(
    "format", ["pubtator", "bioc-json", "bioc-xml", "brat", "bigbio", "jsonl", "parquet"]
)
def test_allowed_losses_never_move_a_mention(format: str, batch: list[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        write_documents(batch, path, format=format, allow_loss=True)
        again = {d.id: d for d in read_documents(path, format=format)}
    assert {d.id for d in batch} == set(again)
    for document in batch:
        places = {m.spans for m in document.mentions}
        assert {m.spans for m in again[document.id].mentions} <= places
