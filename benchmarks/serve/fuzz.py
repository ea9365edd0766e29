"""Bad input against a running service: no 500, no hang, no text in its log.

    python benchmarks/serve/fuzz.py --kb open --requests 20000 --results results

Half of the requests come from bad_requests.py, the other half from schemathesis, which makes them
from the service's own description; without schemathesis all are ours. The exit code is 1 if
something was wrong.
"""

from __future__ import annotations

import argparse
import http.client
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from bad_requests import NAME, BadRequest, bad_requests
from holdfast.experiments.results import circumstances, write_result
from running import Service, running

_PATIENCE = 120.0  # seconds, after which a request hangs
_SEED = 17
_OPERATIONS = 16  # that schemathesis sends each example to, about


@dataclass
class Outcome:
    """What came back."""

    statuses: Counter[int] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    slowest: float = 0.0

    def count(self, request: BadRequest, status: int, body: bytes, seconds: float) -> None:
        self.statuses[status] += 1
        self.slowest = max(self.slowest, seconds)
        what = f"{request.method} {request.path.partition('?')[0][:40]}"
        if status == 500:
            self.problems.append(f"{what}: 500")
        if status >= 400:
            if set(json.loads(body)) != {"error"}:
                self.problems.append(f"{what}: {status} without the usual shape")
            if any(word in body.decode() for word in NAME.split()):
                self.problems.append(f"{what}: {status} quotes the request")


def send(port: int, count: int) -> Outcome:
    """So many bad requests, one after the other."""
    outcome = Outcome()
    for request in islice(bad_requests(_SEED), count):
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
        done = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "run", f"{address}/openapi.json"),
                *("--checks", "not_a_server_error", "--phases", phases, "--no-color"),
                *("--max-examples", str(max(1, count // _OPERATIONS))),
                *("--seed", str(_SEED), "--request-timeout", str(_PATIENCE), "--warnings", "off"),
                *("--continue-on-failure", "--generation-deterministic", "--workers", "2"),
                *("--suppress-health-check", "all"),
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )
    return [] if done.returncode == 0 else [f"schemathesis: {done.stdout[-3000:]}{done.stderr}"]


def check(service: Service, count: int) -> dict[str, Any]:
    """Send everything, and look into the log."""
    has_schemathesis = importlib.util.find_spec("schemathesis") is not None
    outcome = send(service.port, count // 2 if has_schemathesis else count)
    problems = list(outcome.problems)
    if has_schemathesis:
        problems += schemathesis(service.address, count // 2)
    log = service.log.read_text("utf-8")
    problems += [f"the log has {word!r}" for word in NAME.split() if word in log]
    problems += ["the log has a traceback"] if "Traceback" in log else []
    return {
        "requests": int(service.metric("holdfast_requests_total")),
        "schemathesis": has_schemathesis,
        "answers": {str(status): n for status, n in sorted(outcome.statuses.items())},
        "slowest_seconds": round(outcome.slowest, 2),
        "worker_restarts": int(service.metric("holdfast_worker_restarts")),
        "problems": problems,
    }


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
