"""Who watches a terminal sees how far a command is; the results stay as they are."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from command import call, environment
from small_kb import make_kb


def watched(*arguments: str | Path, is_printed: bool) -> tuple[bytes, str]:
    """Standard output, and what a terminal shows of standard error (or of both)."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", *map(str, arguments)],
        stdout=theirs if is_printed else subprocess.PIPE,
        stderr=theirs,
        env=environment(TERM="xterm"),
    )
    os.close(theirs)
    shown = bytearray()
    try:
        while part := os.read(ours, 1 << 16):
            shown += part
    except OSError:  # the other end is closed: it has ended
        pass
    out, _ = process.communicate()
    os.close(ours)
    assert process.returncode == 0, shown
    return out, shown.decode()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "in.pubtator"
    path.write_text("".join(f"{n}|t|Heart attack\n{n}|a|\n\n" for n in range(3)), encoding="utf-8")
    return path


def test_linked_documents_are_counted_where_their_output_is_not(
    tmp_path: Path, corpus: Path
) -> None:
    kb = make_kb(tmp_path / "kb").folder
    arguments = ("link", corpus, "--kb", kb, "--format", "tsv")
    out, shown = watched(*arguments, is_printed=False)
    assert "3 documents linked" in shown
    assert out.decode() == call(*arguments).stdout
    _, mixed = watched(*arguments, is_printed=True)
    assert "documents linked" not in mixed


def test_converted_documents_are_counted_on_any_terminal(tmp_path: Path, corpus: Path) -> None:
    _, shown = watched("convert", corpus, tmp_path / "out.jsonl", is_printed=True)
    assert "3 documents converted" in shown
