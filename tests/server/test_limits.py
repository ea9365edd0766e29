"""What a request may cost, and what is told to whoever asks for more."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from holdfast.server.app import create_app
from holdfast.server.security.tokens import AccessTokens
from holdfast.server.service import Service
from holdfast.server.settings import Limits, Settings
from serving import ask_app
from small_kb import make_kb

JSON = {"content-type": "application/json"}


def local_app(tmp_path: Any = None, **limits: Any) -> Any:
    kbs = ("open",) if tmp_path is None else (str(make_kb(tmp_path / "kb").folder),)
    chosen = Settings(kbs=kbs, trusted_hosts=("linker.test",), workers=1, limits=Limits(**limits))
    return create_app(Service(chosen), tokens=AccessTokens({}))


def test_a_body_is_cut_off_whether_or_not_its_length_is_told() -> None:
    app = local_app(body=1000)
    for options in (
        {"body": b" " * 1001, "headers": {**JSON, "content-length": "1001"}},
        {"body": [b" " * 500] * 3, "headers": JSON},
        {"body": b"{}", "headers": {**JSON, "content-length": "9" * 5000}},
    ):
        answer = asyncio.run(ask_app(app, "/v1/annotate", method="POST", **options))
        assert (answer.status, answer.code) == (413, "too_large")


def test_a_body_that_does_not_arrive_is_not_waited_for() -> None:
    app = local_app(seconds=0.05)
    answer = asyncio.run(ask_app(app, "/v1/annotate", method="POST", body=[], headers=JSON))
    assert (answer.status, answer.code) == (504, "too_slow")


def test_a_full_queue_is_told_with_when_to_come_again(tmp_path: Any) -> None:
    app = local_app(tmp_path, waiting=1)  # no worker runs: what is queued stays there
    body = b'{"text": "TNF"}'

    async def ask() -> Any:
        first = asyncio.create_task(
            ask_app(app, "/v1/annotate", method="POST", body=body, headers=JSON)
        )
        await asyncio.sleep(0)
        while (await ask_app(app, "/metrics")).text.find("holdfast_queue 1.0") < 0:
            await asyncio.sleep(0)
        second = await ask_app(app, "/v1/annotate", method="POST", body=body, headers=JSON)
        first.cancel()
        return second

    answer = asyncio.run(ask())
    assert (answer.status, answer.code) == (503, "busy")
    assert int(answer.headers["retry-after"]) >= 1


def test_what_fails_inside_is_told_and_logged_without_its_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = local_app()

    def fail(_request: Request) -> Response:
        raise ValueError("Zebediah Quackenbush has gout")

    app.router.routes.append(Route("/fail", fail))
    with caplog.at_level(logging.INFO, logger="holdfast"):
        answer = asyncio.run(ask_app(app, "/fail?who=Zebediah"))
    assert (answer.status, answer.code) == (500, "internal")
    assert "ValueError at test_limits.py" in caplog.text
    for written in (caplog.text, answer.text):
        assert "Zebediah" not in written
