"""A little of benchmarks/serve/fuzz.py: no request fails, hangs or leaves its text in the log."""

from __future__ import annotations

import importlib.util

import pytest

from bad_requests import NAME
from fuzz import schemathesis, send
from serving import Server

REQUESTS = 150


def test_bad_requests_are_refused_or_answered(server: Server) -> None:
    outcome = send(server.port, REQUESTS)
    assert outcome.problems == []
    assert {200, 404, 422} <= set(outcome.statuses)
    assert not any(word in "".join(server.log) for word in NAME.split())


@pytest.mark.skipif(
    importlib.util.find_spec("schemathesis") is None, reason="schemathesis is not installed"
)
def test_requests_made_from_the_description_do_not_fail(server: Server) -> None:
    assert schemathesis(f"http://127.0.0.1:{server.port}", 32, phases="fuzzing") == []
