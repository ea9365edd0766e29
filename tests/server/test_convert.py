"""`/v1/convert`: files in, files out."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.corpora import dumps, read_documents
from holdfast.document import Document, Mention, Span
from holdfast.server.routes.convert import WRITABLE
from serving import Server

DOCUMENT = Document(
    "7",
    "Heart attack 😀 and bleeding",
    mentions=(
        Mention.at(0, 12, "Disease", ["MESH:D002"]),
        Mention((Span(0, 5), Span(19, 27)), type="Disease", ids=("MESH:D004",)),
    ),
)
OUTSIDE = {"id": "", "text": "a", "mentions": [{"spans": [[0, 9]]}]}


@pytest.mark.parametrize("format", WRITABLE)
def test_documents_are_written_as_the_command_line_writes_them(server: Server, format: str) -> None:
    asked = {"documents": [DOCUMENT.to_json()], "to": format, "allow_loss": True}
    answer = server.ask("/v1/convert", asked)
    assert answer.status == 200, answer.text
    assert answer.json["content"] == dumps([DOCUMENT], format, allow_loss=True)


@pytest.mark.parametrize("format", ["json", "jsonl", "bioc-json", "bioc-xml"])
def test_a_file_is_read_with_its_mentions(server: Server, tmp_path: Path, format: str) -> None:
    content = dumps([DOCUMENT], format)
    answer = server.ask("/v1/convert", {"content": content, "from": format, "to": "jsonl"})
    assert answer.status == 200, answer.text
    path = tmp_path / "out.jsonl"
    path.write_text(answer.json["content"], encoding="utf-8")
    (document,) = read_documents(path)
    assert [(m.spans, m.ids) for m in document.mentions] == [
        (m.spans, m.ids) for m in DOCUMENT.mentions
    ]


def test_what_a_format_cannot_hold_is_named_and_nothing_is_quoted(server: Server) -> None:
    answer = server.ask("/v1/convert", {"documents": [DOCUMENT.to_json()], "to": "iob"})
    assert (answer.status, answer.code) == (422, "loss")
    assert "discontinuous mentions (1)" in answer.json["error"]["message"]
    assert "Heart" not in answer.text


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"to": "json"}, "invalid_request"),
        ({"content": "x", "to": "json"}, "invalid_request"),
        ({"content": "x", "from": "parquet", "to": "json"}, "invalid_option"),
        ({"content": "secret", "from": "bioc-xml", "to": "json"}, "invalid_format"),
        ({"documents": [], "to": "parquet"}, "invalid_option"),
        ({"documents": [{"id": "secret"}], "to": "json"}, "invalid_document"),
        ({"documents": [OUTSIDE], "to": "json"}, "invalid_document"),
        ({"documents": [{"id": "", "text": 5}], "to": "json"}, "invalid_document"),
        ({"documents": [{"id": "", "text": "a"}] * 501, "to": "json"}, "too_many_documents"),
    ],
)
def test_what_cannot_be_converted_is_refused(
    server: Server, asked: dict[str, object], code: str
) -> None:
    answer = server.ask("/v1/convert", asked)
    assert answer.status in (413, 422), answer.text
    assert answer.code == code
    assert "secret" not in answer.text
