"""A job that is killed at each of its writes in turn, and resumed.

    python tests/killed_jobs.py FOLDER annotate …

Runs the command to its end, with its output in FOLDER/whole; then again and again, killed at its
first write and resumed in FOLDER/1, at its second in FOLDER/2, and so on, until it ends before it
is killed. Prints how many kills there were. Every run is a fork of this process, in which all
modules are imported and nothing else was done.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

from batch_jobs import call_inline

DONE = 3  # the exit code of a job with something in quarantine


def main() -> None:
    folder, words = Path(sys.argv[1]), sys.argv[2:]
    modules = folder / "modules.json"

    def first() -> int:
        code = job(words, folder / "whole")
        modules.write_text(json.dumps(sorted(sys.modules)), encoding="utf-8")
        return code

    assert forked(first) == DONE
    for name in json.loads(modules.read_text("utf-8")):
        with suppress(ImportError, AttributeError):
            import_module(name)
    for number in count(1):
        out = folder / str(number)
        if forked(partial(job, words, out, writes=number)) == DONE:
            print(number - 1)
            return
        assert forked(partial(job, [*words, "--resume"], out)) == DONE


def job(words: list[str], out: Path, *, writes: int | None = None) -> int:
    """The exit code of the job, which is killed before it writes for the so manieth time."""
    left = writes or 0

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if left and is_write(event, arguments, str(out)):
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(audit)
    return call_inline(*words, "--out", out).returncode


def is_write(event: str, arguments: tuple[Any, ...], folder: str) -> bool:
    """Whether a file of the folder is opened for writing, renamed or removed."""
    if event not in ("open", "os.rename", "os.remove"):
        return False
    path, *others = arguments
    is_read = event == "open" and not (isinstance(others[0], str) and others[0][:1] in "wxa")
    return not is_read and isinstance(path, str | bytes) and os.fsdecode(path).startswith(folder)


def forked(work: Callable[[], int]) -> int:
    """The exit code of a child that does the work; less than 0 if a signal ended it."""
    child = os.fork()
    if not child:
        code = 1
        try:
            code = work()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    main()
