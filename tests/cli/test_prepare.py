"""What is made of a knowledge base before it links: seen, kept, and done without if need be."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import holdfast
from command import call, environment, run
from holdfast import artifacts
from holdfast.kb import Entry, Source, kb_folder, open_kb
from holdfast.link.ranking import dense_names
from small_kb import make_kb

TEXT = "A heart attack, and later a hart atack, after lithium carbonate."


def dense_folders() -> list[Path]:
    """The indexes of knowledge bases, and whatever else lies beside them."""
    parent = artifacts.home() / "dense"
    folders = sorted(parent.iterdir()) if parent.exists() else []
    return [folder for folder in folders if not folder.name.startswith("names-")]


def many_names(name: str, count: int) -> None:
    words = random.Random(7)
    letters = "abdegiklmnorstu"
    entries = (
        Entry(f"X:{n}", " ".join("".join(words.choices(letters, k=6)) for _ in range(2)))
        for n in range(count)
    )
    make_kb(kb_folder(name), (Source("own"), entries), name=name)


def linked(done: subprocess.CompletedProcess[str]) -> list[list[str]]:
    assert done.returncode == 0, done.stderr
    return [mention["ids"] for mention in json.loads(done.stdout).get("mentions", ())]


@pytest.fixture
def small() -> str:
    make_kb(kb_folder("small"))
    return "small"


def test_prepare_makes_what_link_then_only_opens(small: str) -> None:
    done = call("kb", "prepare", small)
    assert done.returncode == 0
    assert done.stdout == "small: 19 names are ready for the model default\n"
    (folder,) = dense_folders()
    made = (folder / artifacts.MANIFEST).stat()
    assert linked(call("link", TEXT, "--kb", small, "--json"))
    assert call("kb", "prepare", small).returncode == 0
    assert (folder / artifacts.MANIFEST).stat().st_ino == made.st_ino


def test_a_home_folder_that_was_copied_keeps_its_vectors(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container is built with its home in one place and run with it in another."""
    assert call("kb", "prepare", small).returncode == 0
    copied = shutil.copytree(artifacts.home(), tmp_path / "copied")
    monkeypatch.setenv("HOLDFAST_HOME", str(copied))
    (folder,) = dense_folders()
    assert folder.is_relative_to(copied)
    holdfast.load(small, progress=lambda what, _done: pytest.fail(f"{what} again"))
    assert dense_folders() == [folder]


def test_prepare_makes_what_the_model_needs_and_no_more(small: str) -> None:
    assert call("kb", "prepare", small, "--model", "names").returncode == 0
    assert dense_folders() == []
    done = call("kb", "prepare", small, "--model", "magic")
    assert done.returncode == 2
    assert "no model is called 'magic'" in done.stderr


def test_load_prepares_whether_or_not_anybody_watches(small: str) -> None:
    holdfast.load(small)
    (folder,) = dense_folders()
    make_kb(kb_folder("other"), name="other")
    told = list[tuple[str, float]]()
    holdfast.load("other", progress=lambda what, done: told.append((what, done)))
    assert told == [("encoding names", 0.0), ("encoding names", 1.0)]
    assert folder in dense_folders()
    assert len(dense_folders()) == 2


def test_a_log_has_percentages_and_the_time_left() -> None:
    many_names("many", 9000)
    lines = run("kb", "prepare", "many").stderr.splitlines()
    assert all(line.startswith("many: encoding names") for line in lines)
    assert any(" %, about " in line and line.endswith(" left") for line in lines)
    assert lines[-1] == "many: encoding names, 100 %"
    assert len(lines) < 20


def test_link_shows_what_it_must_wait_for() -> None:
    many_names("many", 9000)
    done = run("link", TEXT, "--kb", "many")
    assert done.returncode == 0
    assert "many: encoding names, " in done.stderr
    assert " %" in done.stderr
    assert run("link", TEXT, "--kb", "many").stderr == ""


def home_that_cannot_be_written(tmp_path: Path, name: str) -> Path:
    """A home with a knowledge base, in which no vectors can be kept, not even by root."""
    home = tmp_path / "sealed"
    home.mkdir()
    kb_folder(name).parent.rename(home / "kb")
    for folder in ("dense", "names"):
        (home / folder).write_text("no folder", encoding="utf-8")
    return home


def test_a_home_that_cannot_be_written_links_and_says_so_once(small: str, tmp_path: Path) -> None:
    expected = linked(run("link", TEXT, "--kb", small, "--json"))
    home = home_that_cannot_be_written(tmp_path, small)
    done = run("link", TEXT, "--kb", small, "--json", HOLDFAST_HOME=str(home))
    assert linked(done) == expected
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"the vectors of 'small' cannot be written to {home / 'dense'}: ")
    assert line.endswith("; they are in memory for this time only")
    assert sorted(path.name for path in home.iterdir()) == ["dense", "kb", "names"]
    assert (home / "names").is_file()


def test_without_an_index_exact_and_similar_names_are_still_linked(
    small: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    expected = holdfast.load(small)(TEXT)
    (folder,) = dense_folders()
    monkeypatch.setattr(dense_names, "FEW", 0)
    monkeypatch.setattr(dense_names, "_not_kept", {})
    monkeypatch.setenv("HOLDFAST_HOME", str(Path(os.devnull) / "home"))
    kb = kb_folder_of(folder, small)
    found = holdfast.load(kb)(TEXT)
    assert [(m.spans, m.ids) for m in found.mentions] == [
        (m.spans, m.ids) for m in expected.mentions
    ]
    scores = [c.score for m in found.mentions for c in m.candidates[:1]]
    assert scores == pytest.approx([c.score for m in expected.mentions for c in m.candidates[:1]])
    holdfast.load(kb)
    assert [record.getMessage().count("without an index") for record in caplog.records] == [1]


def kb_folder_of(dense: Path, name: str) -> Path:
    return dense.parents[1] / "kb" / name


def test_prepare_fails_in_one_line_where_nothing_can_be_kept(small: str, tmp_path: Path) -> None:
    home = home_that_cannot_be_written(tmp_path, small)
    done = run("kb", "prepare", small, HOLDFAST_HOME=str(home))
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("holdfast: the vectors of 'small' cannot be written to ")


def small_files_only(limit: int) -> Callable[[], None]:
    """What makes every write beyond some bytes of a file fail, as on a full disk."""

    def limit_file_size() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return limit_file_size


@pytest.mark.parametrize("limit", [0, 300, 20_000])
@pytest.mark.parametrize("command", ["prepare", "link"])
def test_a_full_disk_while_encoding_is_one_line_and_leaves_nothing(
    command: str, limit: int
) -> None:
    many_names("some", 600)
    open_kb("some")  # its files are checked and known
    options = ("kb", "prepare", "some") if command == "prepare" else ("link", TEXT, "--kb", "some")
    done = subprocess.run(
        [sys.executable, "-m", "holdfast", *options],
        capture_output=True,
        text=True,
        env=environment(),
        preexec_fn=small_files_only(limit),
        check=False,
    )
    lines = [line for line in done.stderr.splitlines() if not line.startswith("some: ")]
    assert len(lines) == 1, done.stderr
    assert "the vectors of 'some' cannot be written to " in lines[0]
    assert done.returncode == (1 if command == "prepare" else 0)
    assert dense_folders() == []
    assert call("kb", "prepare", "some").returncode == 0


def test_a_disk_with_too_little_room_is_told_before_anything_is_encoded(
    small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense_names, "_BYTES_BESIDES", 1 << 60)
    done = call("kb", "prepare", small)
    assert done.returncode == 1
    assert " MB are needed, and " in done.stderr
    assert "encoding" not in done.stderr
    assert dense_folders() == []


def test_two_processes_that_prepare_at_once_share_the_work(small: str) -> None:
    many_names("some", 3000)
    command = [sys.executable, "-m", "holdfast", "kb", "prepare", "some"]
    both = [
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
        )
        for _ in range(2)
    ]
    told = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    assert {out for out, _ in told} == {"some: 3,000 names are ready for the model default\n"}
    encoded = [err for _, err in told if "some: encoding names" in err]
    assert len(encoded) == 1
    (folder,) = dense_folders()
    assert folder.name.startswith("some-")
    assert linked(call("link", TEXT, "--kb", "some", "--json")) == []
    assert small == "small"
