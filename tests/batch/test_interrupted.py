"""Jobs that are killed at any moment, or run out of disk: resumed, they are as if nothing was."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from batch_jobs import MODEL, call_inline, documents, output, write_jsonl
from command import call, environment
from small_kb import make_kb

if not hasattr(os, "killpg"):
    pytest.skip("needs process groups", allow_module_level=True)

KILLED_JOBS = Path(__file__).parents[1] / "killed_jobs.py"
KILLER = """
import os, signal, sys

_left = int(os.environ.get("KILLED_AFTER", "0"))
_below = os.environ.get("KILLED_IN", "")

def _count(event, arguments):
    global _left
    if event not in ("open", "os.rename", "os.remove") or not _left:
        return
    path, *others = arguments
    writes = event != "open" or (isinstance(others[0], str) and others[0][:1] in "wxa")
    if writes and isinstance(path, (str, bytes)) and os.fsdecode(path).startswith(_below):
        _left -= 1
        if not _left:
            os.killpg(0, signal.SIGKILL)

if _left:
    sys.addaudithook(_count)
"""
"""As sitecustomize.py: ends the whole group when one of its processes writes so often in a folder.

Opening for writing, renaming and removing count, so that every moment between two of them is met.
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `kb`, `docs.jsonl`, and in `whole` the output of an uninterrupted run."""
    folder = tmp_path_factory.mktemp("interrupted")
    make_kb(folder / "kb")
    write_jsonl(folder / "docs.jsonl", [*documents(23, "d"), "{broken"])
    (folder / "killer").mkdir()
    (folder / "killer/sitecustomize.py").write_text(KILLER, encoding="utf-8")
    done = call_inline(*command(folder, "whole"))
    assert done.returncode == 3, done.stderr
    return folder


def command(place: Path, out: str) -> list[str | Path]:
    options: list[str | Path] = [
        "--kb",
        place / "kb",
        *MODEL,
        "--shard-size",
        "3",
        "--workers",
        "2",
    ]
    return ["annotate", place / "docs.jsonl", "--out", place / out, *options]


def killed(place: Path, out: str, after: int) -> int:
    """Resume the job in a process group that dies after so many writes of one process."""
    path = os.pathsep.join(filter(None, [str(place / "killer"), os.environ.get("PYTHONPATH", "")]))
    child = subprocess.Popen(
        [sys.executable, "-m", "holdfast", *map(str, command(place, out)), "--resume"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=environment(PYTHONPATH=path, KILLED_AFTER=str(after), KILLED_IN=str(place / out)),
    )
    child.communicate()
    return child.returncode


def test_a_job_with_workers_that_is_killed_again_and_again_ends_as_if_nothing_had_happened(
    place: Path,
) -> None:
    """With its workers: when it writes the first shards, and when it has done some."""
    assert [killed(place, "often", after) for after in (6, 13, 24)] == [-signal.SIGKILL] * 3
    done = call_inline(*command(place, "often"), "--resume", "--json")
    assert done.returncode == 3
    assert 0 < json.loads(done.stdout)["timing"]["documents_this_run"] < 23
    assert output(place / "often") == output(place / "whole")


def test_a_job_that_is_killed_at_any_write_ends_as_if_nothing_had_happened(
    place: Path, tmp_path: Path
) -> None:
    """Two shards, and every moment between two writes."""
    source = write_jsonl(tmp_path / "docs.jsonl", [*documents(3, "d"), "{broken"])
    words = ["annotate", source, "--kb", place / "kb", *MODEL, "--shard-size", "2"]
    done = subprocess.run(
        [sys.executable, str(KILLED_JOBS), str(tmp_path), *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        env=environment(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1"),
    )
    assert done.returncode == 0, done.stderr
    kills = int(done.stdout)
    assert kills >= 20
    whole = output(tmp_path / "whole")
    for number in range(1, kills + 2):
        assert output(tmp_path / str(number)) == whole


def test_a_job_that_is_killed_before_it_has_a_manifest_begins_anew(place: Path) -> None:
    assert killed(place, "early", 2) == -signal.SIGKILL  # after its lock and a part of its manifest
    assert not (place / "early/manifest.json").exists()
    assert call_inline(*command(place, "early"), "--resume").returncode == 3
    assert output(place / "early") == output(place / "whole")


def test_a_full_disk_is_one_line_and_loses_nothing(place: Path, tmp_path: Path) -> None:
    """On a file system of its own, which is made larger before the job is resumed."""
    if not can_mount():
        pytest.skip("no file system can be mounted here: neither root nor user namespaces")
    disk = tmp_path / "disk"
    disk.mkdir()
    first = [sys.executable, "-m", "holdfast", *map(str, command(place, str(disk / "out")))]
    script = f"""
    mount -t tmpfs -o size=100k none {disk} || exit 9
    {" ".join(first)} 2> {tmp_path}/said; echo $? > {tmp_path}/code
    mount -o remount,size=50m {disk} || exit 9
    {" ".join(first)} --resume 2> {tmp_path}/resumed; echo $? > {tmp_path}/end
    cp -r {disk}/out {tmp_path}/copy
    """
    done = _unshared("sh", "-c", script)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "code").read_text("utf-8").strip() == "1"
    said = (tmp_path / "said").read_text("utf-8").splitlines()
    assert said[-1].startswith("holdfast: ")
    assert "the disk is full" in said[-1]
    assert "--resume" in said[-1]
    assert (tmp_path / "end").read_text("utf-8").strip() == "3"
    assert output(tmp_path / "copy") == output(place / "whole")


def can_mount() -> bool:
    return shutil.which("unshare") is not None and _unshared("true").returncode == 0


def _unshared(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in namespaces of its own, where it may mount."""
    return subprocess.run(
        ["unshare", "--map-root-user", "--mount", *words],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )


def test_files_that_may_not_grow_are_one_line_too(place: Path) -> None:
    """What stops a job on systems where nothing can be mounted: a limit on the size of files."""
    resource = pytest.importorskip("resource", reason="no limits on this system")
    if can_mount():
        pytest.skip("a disk can be filled here: another test does that")
    code = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (5000, {resource.RLIM_INFINITY}))\n"
        "from holdfast.cli import main\n"
        "if __name__ == '__main__': main()\n"
    )
    script = place / "limited.py"
    script.write_text(code, encoding="utf-8")
    words = [sys.executable, str(script), *map(str, command(place, "limited"))]
    done = subprocess.run(words, capture_output=True, text=True, env=environment(), check=False)
    assert done.returncode == 1
    assert "File too large" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert call_inline(*command(place, "limited"), "--resume").returncode == 3
    assert output(place / "limited") == output(place / "whole")


def test_two_processes_do_not_do_the_same_job(place: Path) -> None:
    fcntl = pytest.importorskip("fcntl", reason="no locks on this system")
    (place / "locked").mkdir()
    with (place / "locked/.manifest.json.lock").open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        done = call(*command(place, "locked"))
    assert (done.returncode, "another process" in done.stderr) == (2, True)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no masks on this system")
def test_the_first_worker_of_a_process_is_deaf_to_ctrl_c_from_its_first_instruction(
    tmp_path: Path,
) -> None:
    """Asked of a process that has started nothing before: the first start is another one."""
    script = tmp_path / "first.py"
    script.write_text(
        "import multiprocessing, signal\n"
        "from holdfast.batch.engines.local import _ignore_interrupts\n"
        "def tell(answers):\n"
        "    answers.send(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))\n"
        "if __name__ == '__main__':\n"
        "    context = multiprocessing.get_context('spawn')\n"
        "    ours, theirs = context.Pipe()\n"
        "    with _ignore_interrupts():\n"
        "        process = context.Process(target=tell, args=(theirs,))\n"
        "        process.start()\n"
        "    print(ours.recv(), signal.pthread_sigmask(signal.SIG_BLOCK, []))\n",
        encoding="utf-8",
    )
    words = [sys.executable, str(script)]
    done = subprocess.run(words, capture_output=True, text=True, env=environment(), check=True)
    assert done.stdout == "True set()\n"


def test_ctrl_c_ends_workers_and_the_job_goes_on(place: Path) -> None:
    """The interrupt comes when the first shards are told of."""
    child = subprocess.Popen(
        [sys.executable, "-m", "holdfast", *map(str, command(place, "ctrl-c"))],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment(),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with child:
        assert child.stderr is not None
        for line in child.stderr:
            if "linking" in line:
                break
        os.killpg(child.pid, signal.SIGINT)
        rest = child.stderr.read()
    assert child.returncode == 130
    assert "Traceback" not in rest
    done = call_inline(*command(place, "ctrl-c"), "--resume", "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["documents"] == 23
    assert output(place / "ctrl-c") == output(place / "whole")
