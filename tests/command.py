"""The command line as its users meet it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import patch

from holdfast.cli import main


def environment(**extra: str) -> dict[str, str]:
    """This process's environment, without what would colour or wrap the output."""
    chosen = {key: value for key, value in os.environ.items() if key != "FORCE_COLOR"}
    return {**chosen, "COLUMNS": "200", "NO_COLOR": "1", **extra}


def run(
    *arguments: str | Path, input: str | bytes = b"", **extra: str
) -> subprocess.CompletedProcess[str]:
    """Run `python -m holdfast` to its end. `extra` goes into its environment."""
    raw = input.encode() if isinstance(input, str) else input
    done = subprocess.run(
        [sys.executable, "-m", "holdfast", *map(str, arguments)],
        input=raw,
        capture_output=True,
        env=environment(**extra),
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def call(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The same without a process of its own: faster, where nothing but the answer matters."""
    argv = ["holdfast", *map(str, arguments)]
    code: int | str | None = 0
    with (
        patch.object(sys, "argv", argv),
        redirect_stdout(StringIO()) as out,
        redirect_stderr(StringIO()) as err,
    ):
        try:
            main()
        except SystemExit as stop:
            code = stop.code
    return subprocess.CompletedProcess(argv, int(code or 0), out.getvalue(), err.getvalue())
