"""`holdfast bench representations`."""

from __future__ import annotations

import json
from pathlib import Path

from command import call


def test_what_was_measured_is_printed_line_by_line_and_stored(tmp_path: Path) -> None:
    answer = call(
        "bench", "representations", "--mentions", "200", "--types", "64", "--results", tmp_path
    )
    assert answer.returncode == 0, answer.stderr
    printed = dict(line.split(": ", 1) for line in answer.stdout.splitlines() if ": " in line)
    stored = json.loads((tmp_path / "bench-representations.json").read_text("utf-8"))
    assert printed["mentions"] == "200"
    assert printed["machine"] == stored["machine"]
