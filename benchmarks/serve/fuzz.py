"""Bad input against a running service: no 500, no hang, no text in its log.

    python benchmarks/serve/fuzz.py --kb open --requests 20000 --results results

About half of the requests come from schemathesis, which makes them from the service's own
description, and the rest from bad_requests.py, until there are as many as were asked for. The exit
code is 1 if something was wrong.
"""

from __future__ import annotations

import argparse
import http.client
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from starlette.routing import Route

from bad_requests import NAME, BadRequest, bad_requests
from holdfast.experiments.results import circumstances, write_result
from holdfast.server.app import create_app
from holdfast.server.security.tokens import AccessTokens
from holdfast.server.service import Service as ServiceApp
from holdfast.server.settings import Settings
from running import Service, running

_PATIENCE = 120.0  # seconds, after which a request hangs
_SEED = 17
_CLIENTS = 4  # that send our requests at the same time
_OPERATIONS = 14  # that schemathesis makes examples for: those with parameters or a body
_LONGEST = 1800.0  # seconds, after which schemathesis has failed
_HANGS = ("too_slow", "worker_lost")  # codes of requests that a worker did not survive
_LOGGED = re.compile(  # the lines that the service may log; none has anything of a request
    r"\S+ \S+ (?:"
    r"INFO holdfast\.access (?:[A-Z]+|-) (?P<route>\S+) \d{3} \d+ ms \S+"
    r"|\w+ holdfast\.server (?:listening on \S+|a worker ended with code -?\d+; another one starts)"
    r"|\w+ uvicorn\S* .*)"
)


@dataclass
class Outcome:
    """What came back."""

    statuses: Counter[int] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    slowest: float = 0.0

    def count(self, request: BadRequest, status: int, body: bytes, seconds: float) -> None:
        self.statuses[status] += 1
        self.slowest = max(self.slowest, seconds)
        what = f"{request.method} {request.path.partition('?')[0][:40]}: {status}"
        if status < 400:
            return
        try:
            code = json.loads(body)["error"]["code"]
        except (ValueError, KeyError, TypeError):
            self.problems.append(f"{what} without the usual shape")
            return
        if status == 500 or code in _HANGS:
            self.problems.append(f"{what} {code}")
        if any(word in body.decode() for word in NAME.split()):
            self.problems.append(f"{what} quotes the request")

    def add(self, other: Outcome) -> None:
        self.statuses += other.statuses
        self.problems += other.problems
        self.slowest = max(self.slowest, other.slowest)


def send_all(port: int, count: int) -> Outcome:
    """So many bad requests, from several clients."""
    shares = [count // _CLIENTS + (i < count % _CLIENTS) for i in range(_CLIENTS)]
    seeds = range(_SEED, _SEED + _CLIENTS)
    outcome = Outcome()
    with ThreadPoolExecutor(_CLIENTS) as clients:
        for found in clients.map(lambda share, seed: send(port, share, seed=seed), shares, seeds):
            outcome.add(found)
    return outcome


def send(port: int, count: int, *, seed: int = _SEED) -> Outcome:
    """So many bad requests, one after the other."""
    outcome = Outcome()
    for request in islice(bad_requests(seed), count):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
        start = time.monotonic()
        try:
            headers = {"Content-Type": request.content_type} if request.content_type else {}
            connection.request(request.method, request.path, request.body or None, headers)
            answer = connection.getresponse()
            body = answer.read()
        except TimeoutError:
            outcome.problems.append(f"{request.method} {request.path[:40]}: no answer")
        except (BrokenPipeError, ConnectionResetError):  # refused before it was sent
            outcome.statuses[413] += 1
        else:
            outcome.count(request, answer.status, body, time.monotonic() - start)
        finally:
            connection.close()
    return outcome


def schemathesis(address: str, count: int, *, phases: str = "coverage,fuzzing") -> list[str]:
    """About so many requests made from the description; what schemathesis found wrong."""
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:  # it keeps notes where it runs
        command = [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{address}/openapi.json"),
            *("--checks", "not_a_server_error", "--phases", phases, "--no-color"),
            *("--max-examples", str(max(1, count // _OPERATIONS))),
            *("--seed", str(_SEED), "--request-timeout", str(_PATIENCE), "--warnings", "off"),
            *("--continue-on-failure", "--generation-deterministic", "--workers", "2"),
            *("--suppress-health-check", "all"),
        ]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, cwd=folder, timeout=_LONGEST
            )
        except subprocess.TimeoutExpired:
            return [f"schemathesis: did not end in {_LONGEST:.0f} s"]
    return [] if done.returncode == 0 else [f"schemathesis: {done.stdout[-3000:]}{done.stderr}"]


def problems_of_log(log: str, routes: set[str]) -> Iterator[str]:
    """What a log has that it may not have: planted names, and lines of another shape."""
    yield from (f"the log has {word!r}" for word in NAME.split() if word in log)
    for number, line in enumerate(log.splitlines(), 1):
        found = _LOGGED.fullmatch(line)
        if found is None or found["route"] not in {None, "-", *routes}:
            yield f"line {number} of the log is of no known shape"


def check(service: Service, count: int) -> dict[str, Any]:
    """Send everything, and look into the log."""
    problems, start = list[str](), time.monotonic()
    has_schemathesis = importlib.util.find_spec("schemathesis") is not None
    if has_schemathesis:
        problems += schemathesis(service.address, count // 2)
    made = int(service.metric("holdfast_requests_total"))
    outcome = send_all(service.port, max(count - made, count // 2))
    problems += [*outcome.problems, *problems_of_log(service.log.read_text("utf-8"), routes())]
    return {
        "requests": int(service.metric("holdfast_requests_total")),
        "schemathesis": made if has_schemathesis else 0,
        "seconds": round(time.monotonic() - start),
        "answers": {str(status): n for status, n in sorted(outcome.statuses.items())},
        "slowest_seconds": round(outcome.slowest, 2),
        "worker_restarts": int(service.metric("holdfast_worker_restarts")),
        "problems": problems,
    }


def routes() -> set[str]:
    """The patterns of the service's routes, as its access log names them."""
    app = create_app(ServiceApp(Settings()), tokens=AccessTokens({}))
    return {route.path for route in app.routes if isinstance(route, Route)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kb", default="open")
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--results", type=Path)
    arguments = parser.parse_args()
    with running("--kb", arguments.kb, "--workers", str(arguments.workers)) as service:
        result = {"benchmark": "serve-fuzz", **check(service, arguments.requests)}
    if arguments.results is not None:
        write_result({**result, **circumstances()}, arguments.results, "bench-serve-fuzz")
    print(json.dumps(result))
    sys.exit(1 if result["problems"] else 0)


if __name__ == "__main__":
    main()
