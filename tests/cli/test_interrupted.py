"""Builds that are killed, interrupted, or run out of disk leave what was there, and no litter."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from command import call, environment, run
from holdfast import artifacts
from holdfast.kb import kb_folder, open_kb

if not hasattr(os, "mkfifo"):
    pytest.skip("needs named pipes", allow_module_level=True)

BIG = 20_000  # rows of a table whose knowledge base is some megabytes


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "terms.tsv"
    rows = (f"X:{i}\tthing number {i} of many\n" for i in range(500))
    path.write_text("id\tname\n" + "".join(rows), encoding="utf-8")
    return path


@pytest.fixture
def old_digest(tmp_path: Path) -> str:
    """A knowledge base `mine` is there already."""
    (tmp_path / "old.tsv").write_text("id\tname\nX:1\told thing\n", encoding="utf-8")
    assert call("kb", "build", "mine", "--table", tmp_path / "old.tsv").returncode == 0
    return open_kb("mine").manifest.digest


def start_endless_build(table: Path) -> subprocess.Popen[str]:
    """A build that has begun to read and waits for a pipe that nobody writes to."""
    pipe = table.with_name("endless.obo")
    os.mkfifo(pipe)
    command = ["-m", "holdfast", "kb", "build", "mine", "--table", str(table)]
    command += ["--obo", str(pipe), "--force"]
    # Who runs the tests in the background may ignore Ctrl-C, which the child would inherit.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        child = subprocess.Popen(
            [sys.executable, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
    finally:
        signal.signal(signal.SIGINT, before)
    assert child.stderr is not None
    assert "reading" in child.stderr.readline()
    return child


def in_kb_folder() -> list[str]:
    return sorted(path.name for path in (artifacts.home() / "kb").iterdir())


def test_a_killed_build_leaves_the_old_one_and_the_next_build_sweeps_up(
    table: Path, old_digest: str
) -> None:
    child = start_endless_build(table)
    child.kill()
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    leftovers = [name for name in in_kb_folder() if name != "mine"]
    assert len(leftovers) == 1
    assert open_kb("mine").manifest.digest == old_digest
    assert call("kb", "info", "--json").stdout.count('"name": "mine"') == 1
    assert call("kb", "build", "mine", "--table", table, "--force").returncode == 0
    assert in_kb_folder() == ["mine"]
    assert len(open_kb("mine")) == 500


def test_a_killed_first_build_leaves_no_knowledge_base(table: Path) -> None:
    child = start_endless_build(table)
    child.kill()
    child.communicate()
    assert not kb_folder("mine").exists()
    done = call("kb", "info", "mine")
    assert done.returncode == 1
    assert "no knowledge base 'mine'; there is: none" in done.stderr


def test_ctrl_c_is_one_line_code_130_and_changes_nothing(table: Path, old_digest: str) -> None:
    child = start_endless_build(table)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate()
    assert child.returncode == 130
    assert out == ""
    assert err == "holdfast: interrupted\n"
    assert in_kb_folder() == ["mine"]
    assert open_kb("mine").manifest.digest == old_digest


def small_files_only(limit: int) -> Callable[[], None]:
    """What makes every write beyond some bytes of a file fail, as on a full disk."""

    def limit_file_size() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return limit_file_size


@pytest.mark.parametrize("limit", [1_000, 60_000, 300_000])
def test_a_full_disk_is_one_line_and_changes_nothing(
    tmp_path: Path, old_digest: str, limit: int
) -> None:
    rows = "".join(f"X:{i}\tthing number {i} of very many\n" for i in range(BIG))
    (tmp_path / "big.tsv").write_text("id\tname\n" + rows, encoding="utf-8")
    build = (sys.executable, "-m", "holdfast", "kb", "build", "mine")
    done = subprocess.run(
        [*build, "--table", tmp_path / "big.tsv", "--force"],
        capture_output=True,
        text=True,
        env=environment(),
        preexec_fn=small_files_only(limit),
        check=False,
    )
    *progress, last = done.stderr.splitlines()
    assert done.returncode == 1, done.stderr
    assert all(line.startswith("mine: ") for line in progress)
    assert last.startswith("holdfast: could not write the knowledge base 'mine'")
    assert "nothing was changed" in last
    assert in_kb_folder() == ["mine"]
    assert open_kb("mine").manifest.digest == old_digest


def test_a_reader_that_stops_listening_is_no_error_of_ours(table: Path) -> None:
    assert run("kb", "build", "mine", "--table", table).returncode == 0
    command = [sys.executable, "-m", "holdfast", "link", str(table), "--kb", "mine", "--json"]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    assert b"Traceback" not in child.stderr.read()
    child.stderr.close()
    child.wait()
