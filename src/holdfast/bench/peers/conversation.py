"""A tool in a process of its own, which answers one JSON line for every JSON line."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from holdfast.errors import HoldfastError


class ToolError(HoldfastError):
    """A tool that could not be started, failed, or took too long."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A running tool."""

    process: subprocess.Popen[str]
    errors: IO[str]  # what it prints besides its answers
    limit: float  # seconds that one answer may take

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        """The answer to one request; ToolError if there is none, or a failure."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        is_late = threading.Event()

        def stop() -> None:
            is_late.set()
            self.process.kill()

        watch = threading.Timer(self.limit, stop)
        watch.start()
        try:
            self.process.stdin.write(json.dumps({"do": do, **request}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            watch.cancel()
        if is_late.is_set():
            raise ToolError(f"{do}: no answer within {self.limit:,.0f} s")
        if not line:
            raise ToolError(f"{do}: ended without an answer ({self._last_words()})")
        answer: dict[str, Any] = json.loads(line)
        if "failed" in answer:
            raise ToolError(f"{do}: {answer['failed']}")
        return answer

    def peak_megabytes(self) -> float | None:
        """The most memory that was ever resident, in 10^6 bytes; None where the system hides it."""
        status = Path(f"/proc/{self.process.pid}/status")
        if not status.exists():
            return None
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="ascii"))
        return round(int(found[1]) * 1024 / 1e6, 1) if found else None

    def _last_words(self) -> str:
        code = self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().strip().splitlines()
        return lines[-1] if lines else f"exit code {code}"


@contextmanager
def talk_to(
    command: Sequence[str | Path], *, environment: Mapping[str, str], limit: float
) -> Iterator[Conversation]:
    """Start a tool, and end it when the block ends."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
                env=environment,
            )
        except OSError as error:
            raise ToolError(f"{command[0]}: cannot be run ({error.strerror})") from error
        try:
            yield Conversation(process, errors, limit)
        finally:
            process.kill()
            process.communicate()
