"""Requests that nobody should send, without end: broken text, broken JSON, broken values."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

NAME = "Zebediah Quackenbush"
"""Stands in most requests; no log may have it."""

LARGE = 10_000_000  # bytes
_EVERY = 500  # one request in so many is large


@dataclass(frozen=True)
class BadRequest:
    method: str
    path: str
    body: bytes
    content_type: str = "application/json"


_TEXTS = (
    NAME,
    "",
    " \t\r\n\u0085\u2028",
    "\0 \x01\x02 NUL and \x7f control \x1b[31m characters \x9b",
    "zero\u200bwidth\u200d joiners\ufeff and \u00adsoft hyphens in my\u200bocardial infarction",
    "right to left: \u202eתיקון\u202c مرض السكري and diabetes \u2067\u2066x",
    "combining a\u0301\u0301\u0301\u0301" * 50,
    "emoji 😀👩‍⚕️ and astral 𝔽𝕠𝕠 with TNF-α and IL‑1β",
    "x" * 5_000,
    "TNF " * 1_000,
    "(" * 2_000 + ")" * 2_000,
    "heart attack," * 300,
    "p.V600E c.35delG rs1801133 " * 50,
    "=cmd|' /C calc'!A1\t\n<script>alert(1)</script> {{7*7}} ${jndi:ldap://x}",
    "1|t|Title\n1|a|Abstract\n1\t0\t5\tTitle\tDisease\tMESH:D1\n",
    "../../etc/passwd%00",
    "I\u0307 ß ﬁ Ⅷ ℌ ﷽ \ufffd \ufffe",
)
_VALUES: tuple[object, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**30, -(10**30), 0.5, 1e308, -1e308, float("nan"),
    float("inf"), "", "x", NAME, [], {}, [[]], [None], [NAME], {"a": NAME}, [[1, 2]], [[2, 1]],
    [[-1, 5]], [[0, 10**9]], [[0, 1, 2]], "Disease", ["disease"], ["Disease", NAME], "MONDO",
)  # fmt: skip
_KEYS = (
    "text", "documents", "strings", "q", "top", "min_score", "nested", "only", "map_to", "kb",
    "model", "types", "spans", "type", "term", "prefix", "id", "mentions", "passages", NAME,
    "__class__",
)  # fmt: skip
_PATHS = ("/v1/annotate", "/v1/link", "/v1/search", "/v1/explain", "/v1/jobs", "/v1/annotate")
_FORMATS = ("json", "jsonl", "bioc-json", "bioc-xml", "pubtator", "brat", "tsv", "docx", "")
_FROM = ("text", "pubtator", "bioc-json", "bioc-xml", "jsonl", "json", "parquet", "brat", "")


def bad_requests(seed: int) -> Iterator[BadRequest]:
    """The same requests for the same seed."""
    chance = random.Random(seed)
    number = 0
    while True:
        number += 1
        if number % _EVERY == 0:
            yield _large(chance)
        else:
            yield chance.choice((_valid, _valid, _wrong, _wrong, _broken, _file, _lookup))(chance)


def _path(chance: random.Random) -> str:
    path = chance.choice(_PATHS)
    return f"{path}?format={chance.choice(_FORMATS)}" if chance.random() < 0.4 else path


def _text(chance: random.Random) -> str:
    text = "".join(chance.sample(_TEXTS, chance.randint(1, 3)))
    if chance.random() < 0.5:
        start = chance.randrange(len(text) + 1)
        text = text[start:] + chr(chance.choice((0, 0x7F, 0x200B, 0x202E, 0x1F600))) + text[:start]
    return text


def _valid(chance: random.Random) -> BadRequest:
    """A request of the right shape about a text of the wrong kind."""
    text = _text(chance)
    end = chance.randint(1, max(1, len(text)))
    marked = {"id": NAME, "text": text, "mentions": [{"spans": [[chance.randrange(end), end]]}]}
    path, body = chance.choice(
        [
            ("/v1/annotate", {"text": text, "nested": chance.random() < 0.1}),
            ("/v1/annotate", {"documents": [{"id": NAME, "text": text}, {"text": ""}]}),
            ("/v1/link", {"strings": [text[:200], NAME, ""]}),
            ("/v1/link", {"documents": [marked]}),
            ("/v1/search", {"q": text[:300] or "x", "prefix": chance.random() < 0.5}),
            ("/v1/explain", {"text": text[:2_000], "term": text[:50] or "x"}),
            ("/v1/explain", {"text": text[:2_000], "spans": [[0, min(end, 2_000)]]}),
        ]
    )
    if chance.random() < 0.3:
        path += f"?format={chance.choice(_FORMATS)}"
    return BadRequest("POST", path, json.dumps(body).encode())


def _wrong(chance: random.Random) -> BadRequest:
    """Keys and values thrown together."""
    keys = chance.sample(_KEYS, chance.randint(0, 6))
    body = {key: chance.choice((*_VALUES, _text(chance))) for key in keys}
    if chance.random() < 0.3:
        body["documents"] = [{key: chance.choice(_VALUES) for key in keys}]
    return BadRequest("POST", _path(chance), json.dumps(body).encode())


def _broken(chance: random.Random) -> BadRequest:
    """Bytes that are no JSON, or no UTF-8, or too deep."""
    text = _text(chance).encode()
    body = chance.choice(
        (
            text,
            b"",
            b"null",
            b"[" * chance.choice((10, 1_000, 100_000)),
            b'{"text":' * chance.choice((10, 50_000)),
            b'{"text": "' + text[: chance.randrange(len(text) + 1)],
            b'{"text": "\xff\xfe' + text + b'"}',
            b'{"text": "\\ud800 ' + NAME.encode() + b'"}',
            b'{"text": "x", "top": ' + b"9" * chance.choice((30, 5_000)) + b"}",
            b'{"text": "x", "text": "' + NAME.encode() + b'"}',
            bytes(chance.randrange(256) for _ in range(chance.randint(1, 200))),
        )
    )
    kind = chance.choice(("application/json", "application/json", "text/plain", "x", ""))
    return BadRequest("POST", _path(chance), body, kind)


def _file(chance: random.Random) -> BadRequest:
    """A file in one format that says it is in another."""
    body = chance.choice(
        (
            _text(chance).encode(),
            b'{"id": "1", "text": "' + NAME.encode() + b'"}\n',
            b'<?xml version="1.0"?><collection><document><id>1</id>' + NAME.encode(),
            b'<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>',
            b"\x1f\x8b\x08\x00" + bytes(40),
            b'{"documents": ' * 5_000,
            b"PAR1" + bytes(40) + b"PAR1",
        )
    )
    cut = body[: chance.randrange(len(body) + 1)] if chance.random() < 0.5 else body
    marked = chance.choice(("", "&marked=true", "&only=disease", f"&only={NAME[:8]}", "&top=0"))
    path = f"/v1/annotate/file?from={chance.choice(_FROM)}{marked}"
    return BadRequest("POST", path, cut, "application/octet-stream")


def _lookup(chance: random.Random) -> BadRequest:
    """Addresses: odd ids, odd queries, odd methods."""
    odd = chance.choice(
        ("x", "%00", "%FF%FE", "..%2F..%2Fetc", "MESH:" + "9" * 500, "%F0%9F%98%80", "a/b/c", "")
    )
    path = chance.choice(
        (f"/v1/entities/{odd}", f"/v1/search?q={odd}", f"/v1/types?kb={odd}", f"/v1/jobs/{odd}",
         f"/v1/search?q=x&top={odd}&prefix={odd}", f"/{odd}", f"/v1/models?{odd}", "/metrics")
    )  # fmt: skip
    return BadRequest(chance.choice(("GET", "GET", "GET", "DELETE", "PUT", "OPTIONS")), path, b"")


def _large(chance: random.Random) -> BadRequest:
    """Ten megabytes, or a little more."""
    text = b"A heart attack. " * ((LARGE + chance.choice((-200, 0, 100))) // 16)
    return BadRequest("POST", "/v1/annotate", b'{"text": "' + text + b'"}')
