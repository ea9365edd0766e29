"""A service that a benchmark starts, watches and stops."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_LISTENING = re.compile(r"listening on https?://\S*:(\d+)$", re.MULTILINE)
_SECONDS = 600


@dataclass(frozen=True)
class Service:
    """A running `holdfast serve` and its log."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str) -> str:
        with urllib.request.urlopen(self.address + path, timeout=_SECONDS) as answer:
            return str(answer.read().decode())

    def is_ready(self) -> bool:
        try:
            return bool(json.loads(self.get("/readyz"))["status"] == "ready")
        except urllib.error.HTTPError as error:
            with error:
                return False

    def metric(self, name: str) -> float:
        """The sum of the lines of a metric."""
        lines = self.get("/metrics").splitlines()
        return sum(float(line.split()[-1]) for line in lines if re.match(rf"{name}[ {{]", line))

    def workers(self) -> list[int]:
        """The process ids of the workers."""
        listed = subprocess.run(
            ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(self.process.pid)],
            capture_output=True,
            text=True,
            check=True,
        )
        lines = (line.split(maxsplit=1) for line in listed.stdout.splitlines())
        return [int(pid) for pid, arguments in lines if "spawn_main" in arguments]

    def megabytes(self) -> float:
        """The memory of the service and its workers; what they share is counted once (PSS)."""
        return sum(map(_proportional, [self.process.pid, *self.workers()]))


@contextmanager
def running(*arguments: str) -> Iterator[Service]:
    """A service that is ready, and ends with the block."""
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        log = Path(folder) / "log"
        with log.open("wb") as stream:
            process = _start(arguments, stream)
            try:
                service = Service(process, _port(process, log), log)
                _wait_until_ready(service)
                yield service
            finally:
                process.terminate()
                process.wait(_SECONDS)


def _wait_until_ready(service: Service) -> None:
    deadline = time.monotonic() + _SECONDS
    while not service.is_ready():
        if time.monotonic() > deadline:
            raise SystemExit(f"no worker became ready: {service.log.read_text('utf-8')[-2000:]}")
        time.sleep(0.2)


def _start(arguments: tuple[str, ...], log: IO[bytes]) -> subprocess.Popen[bytes]:
    limits = ("--max-per-minute", "100000000")
    command = [sys.executable, "-m", "holdfast", "serve", "--port", "0", *limits, *arguments]
    return subprocess.Popen(command, stderr=log)


def _port(process: subprocess.Popen[bytes], log: Path) -> int:
    while process.poll() is None:
        if found := _LISTENING.search(log.read_text("utf-8")):
            return int(found[1])
        time.sleep(0.1)
    raise SystemExit(f"the service did not start: {log.read_text('utf-8')}")


def _proportional(process: int) -> float:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text("utf-8").splitlines()
    except OSError:  # it has just ended
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024 / 1e6
