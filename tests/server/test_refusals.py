"""Requests that cannot be answered: one shape of errors, and no word of the request in them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from serving import Server

NAME = "Zebediah Quackenbush"

WRONG: list[tuple[str, Any, int, str]] = [
    ("/v1/annotate", {}, 422, "invalid_request"),
    ("/v1/annotate", {"text": NAME, "documents": []}, 422, "invalid_request"),
    ("/v1/annotate", {"text": 7}, 422, "invalid_request"),
    ("/v1/annotate", {"text": "x", NAME: 1}, 422, "invalid_request"),
    ("/v1/annotate", {"text": "x", "top": 10**400}, 422, "invalid_request"),
    ("/v1/annotate", b'{"text": "x", "top": ' + b"9" * 9_999 + b"}", 400, "malformed"),
    ("/v1/annotate", {"text": "x", "top": NAME}, 422, "invalid_request"),
    ("/v1/annotate", {"text": "x", "only": [NAME]}, 422, "invalid_option"),
    ("/v1/annotate", {"text": "x", "map_to": NAME}, 422, "invalid_option"),
    ("/v1/annotate", {"text": "x", "kb": NAME}, 422, "invalid_option"),
    ("/v1/annotate", {"text": "x", "model": NAME}, 422, "invalid_option"),
    ("/v1/annotate", {"text": "x", "min_score": float("nan")}, 422, "invalid_request"),
    ("/v1/annotate", {"documents": [{"text": "x", "mentions": []}]}, 422, "invalid_request"),
    ("/v1/annotate", {"text": f"{NAME} \ud800"}, 422, "invalid_request"),
    ("/v1/annotate?format=docx", {"text": NAME}, 406, "not_accepted"),
    ("/v1/annotate", {"documents": [{"text": "x"}] * 501}, 413, "too_many_documents"),
    ("/v1/annotate", {"text": "x" * 300_001}, 413, "too_long"),
    ("/v1/annotate", {"text": "x" * 10_000_001}, 413, "too_large"),
    ("/v1/annotate", b'{"text": "' + NAME.encode(), 422, "invalid_request"),
    ("/v1/annotate", b"[" * 100_000, 400, "malformed"),
    ("/v1/annotate", NAME.encode() + b"\xff", 400, "malformed"),
    ("/v1/link", {"strings": ["x"] * 10_001}, 413, "too_many_documents"),
    ("/v1/link", {"strings": [NAME], "documents": []}, 422, "invalid_request"),
    (
        "/v1/link",
        {"documents": [{"id": NAME, "text": NAME, "mentions": [{"spans": [[3, 99]]}]}]},
        422,
        "invalid_document",
    ),
    ("/v1/explain", {"text": NAME, "spans": [[5, 2]]}, 422, "invalid_document"),
    ("/v1/search", {"q": ""}, 422, "invalid_request"),
    ("/v1/search", {"q": NAME * 100}, 422, "invalid_request"),
    ("/v1/annotate/file?from=pubtator", f"1|t|{NAME}\n{NAME}".encode(), 422, "invalid_format"),
    ("/v1/annotate/file?from=bioc-xml", f"<a>{NAME}".encode(), 422, "invalid_format"),
    ("/v1/annotate/file?from=text", b"\x1f\x8b" + NAME.encode(), 422, "invalid_format"),
    ("/v1/annotate/file?from=text", NAME.encode() + b"\xff", 422, "invalid_format"),
    ("/v1/annotate/file?from=parquet", b"x", 422, "invalid_option"),
    ("/v1/nothing", {"text": NAME}, 404, "not_found"),
    ("/v1/models", {"text": NAME}, 405, "method_not_allowed"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body", "status", "code"), WRONG)
def test_a_wrong_request_is_refused_without_quoting_it(
    server: Server, path: str, body: Any, status: int, code: str
) -> None:
    if isinstance(body, bytes) and "/file" not in path:
        answer = server.ask(path, body, headers={"Content-Type": "application/json"})
    else:
        answer = server.ask(path, body)
    assert (answer.status, answer.code) == (status, code), answer.text
    assert NAME not in answer.text
    assert json.dumps(NAME) not in answer.text
    assert NAME.split()[0] not in "".join(server.log)


def test_a_line_that_breaks_a_format_is_named(server: Server) -> None:
    answer = server.ask("/v1/annotate/file?from=jsonl", b'{"id": "1", "text": "x"}\n{\n')
    assert "in line 2" in answer.json["error"]["message"]
