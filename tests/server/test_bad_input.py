"""A little of benchmarks/serve/fuzz.py: no request fails, hangs or leaves its text in the log."""

from __future__ import annotations

import importlib.util

import pytest

from bad_requests import NAME
from fuzz import problems_of_log, routes, schemathesis, send
from serving import Server

REQUESTS = 150


def test_bad_requests_are_refused_or_answered(server: Server) -> None:
    outcome = send(server.port, REQUESTS)
    assert outcome.problems == []
    assert {200, 404, 422} <= set(outcome.statuses)
    assert list(problems_of_log("".join(server.log), routes())) == []


@pytest.mark.parametrize(
    "line",
    [
        "2026-01-01 10:00:00,000 INFO holdfast.access GET /v1/gout 200 3 ms -",
        "2026-01-01 10:00:00,000 ERROR holdfast.server a request failed: ValueError at x.py:1",
        "Traceback (most recent call last):",
        f"2026-01-01 10:00:00,000 INFO holdfast.access GET /{NAME.split()[0]} 404 3 ms -",
    ],
)
def test_a_line_that_a_log_may_not_have_is_noticed(line: str) -> None:
    allowed = "2026-01-01 10:00:00,000 INFO holdfast.access POST /v1/annotate 200 3 ms -"
    assert list(problems_of_log(allowed, routes())) == []
    assert list(problems_of_log(f"{allowed}\n{line}", routes()))


@pytest.mark.skipif(
    importlib.util.find_spec("schemathesis") is None, reason="schemathesis is not installed"
)
def test_requests_made_from_the_description_do_not_fail(server: Server) -> None:
    assert schemathesis(f"http://127.0.0.1:{server.port}", 32, phases="fuzzing") == []
