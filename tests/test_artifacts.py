"""Folders that are published whole and trusted only after a check."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from holdfast import artifacts
from holdfast.errors import ArtifactError

KIND = "test"


def make(folder: Path, **files: bytes) -> artifacts.Manifest:
    with artifacts.publish(folder) as scratch:
        for name, content in files.items():
            (scratch / name).write_bytes(content)
        return artifacts.write_manifest(scratch, kind=KIND, version=1, config={"a": [1]})


def check(folder: Path) -> None:
    artifacts.verify(folder, artifacts.read_manifest(folder, kind=KIND, version=1))


def dead_process() -> int:
    """The id of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_home_is_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_HOME", "~/elsewhere")
    assert artifacts.home() == Path.home() / "elsewhere"
    monkeypatch.delenv("HOLDFAST_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert artifacts.home() == Path("/cache/holdfast")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    assert artifacts.home() == Path.home() / ".cache" / "holdfast"


def test_a_manifest_comes_back_as_it_was_written(tmp_path: Path) -> None:
    manifest = make(tmp_path / "f", x=b"abc", y=b"")
    assert artifacts.read_manifest(tmp_path / "f", kind=KIND, version=1) == manifest
    assert manifest.files["x"]["size"] == 3
    check(tmp_path / "f")


def test_equal_files_have_equal_digests_and_others_do_not(tmp_path: Path) -> None:
    one = make(tmp_path / "one", x=b"abc")
    same = make(tmp_path / "same", x=b"abc")
    other = make(tmp_path / "other", x=b"abd")
    assert one.digest == same.digest != other.digest


@pytest.mark.parametrize("content", [b"abd", b"ab", b"abcd", b""])
def test_a_changed_file_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    make(tmp_path / "f", x=b"abc")
    check(tmp_path / "f")
    (tmp_path / "f" / "x").write_bytes(content)
    with pytest.raises(ArtifactError, match=r"f/x: damaged"):
        check(tmp_path / "f")


def test_a_check_that_passed_does_not_hide_a_later_change_of_the_same_size(tmp_path: Path) -> None:
    make(tmp_path / "f", x=b"abc", y=b"abc")
    check(tmp_path / "f")
    before = (tmp_path / "f" / "x").stat()
    (tmp_path / "f" / "x").write_bytes(b"xyz")
    os.utime(tmp_path / "f" / "x", ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    with pytest.raises(ArtifactError, match="sha256"):
        check(tmp_path / "f")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    make(tmp_path / "f", x=b"abc")
    (tmp_path / "f" / "x").unlink()
    with pytest.raises(ArtifactError, match="f/x: missing"):
        check(tmp_path / "f")


def test_a_stamp_file_that_cannot_be_written_or_read_only_costs_time(tmp_path: Path) -> None:
    make(tmp_path / "f", x=b"abc")
    (tmp_path / "f" / artifacts.VERIFIED).mkdir()
    check(tmp_path / "f")
    (tmp_path / "f" / artifacts.VERIFIED).rmdir()
    (tmp_path / "f" / artifacts.VERIFIED).write_text("[broken", encoding="utf-8")
    check(tmp_path / "f")
    check(tmp_path / "f")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "model"}, "holds a model, not a test"),
        ({"version": 2}, "written by a newer Holdfast"),
        ({"files": None}, "damaged"),
        ({"version": "one"}, "damaged"),
        ({"config": []}, "damaged"),
        ({"files": {"x": {"size": 3}}}, "damaged"),
    ],
)
def test_a_manifest_that_says_something_else_is_refused(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    make(tmp_path / "f", x=b"abc")
    path = tmp_path / "f" / artifacts.MANIFEST
    data = json.loads(path.read_text(encoding="utf-8"))
    del data["sha256"]
    path.write_text(json.dumps({**data, **change}), encoding="utf-8")
    with pytest.raises(ArtifactError, match=message):
        check(tmp_path / "f")


def test_a_letter_that_changed_in_a_manifest_is_noticed(tmp_path: Path) -> None:
    make(tmp_path / "f", x=b"abc")
    path = tmp_path / "f" / artifacts.MANIFEST
    path.write_text(path.read_text(encoding="utf-8").replace('"a"', '"b"'), encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"manifest\.json: damaged"):
        check(tmp_path / "f")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe"])
def test_a_manifest_that_is_none_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    make(tmp_path / "f", x=b"abc")
    (tmp_path / "f" / artifacts.MANIFEST).write_bytes(content)
    with pytest.raises(ArtifactError, match=r"manifest\.json: damaged"):
        check(tmp_path / "f")


def test_a_folder_without_a_manifest_is_none_of_ours(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="not a Holdfast folder"):
        check(tmp_path)


def test_a_failed_writer_leaves_the_old_folder_and_nothing_else(tmp_path: Path) -> None:
    make(tmp_path / "f", x=b"old")

    def fail() -> None:
        with artifacts.publish(tmp_path / "f") as scratch:
            (scratch / "x").write_bytes(b"new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert (tmp_path / "f" / "x").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_a_new_folder_replaces_the_old_one_whole(tmp_path: Path) -> None:
    make(tmp_path / "f", x=b"old", gone=b"")
    make(tmp_path / "f", x=b"new")
    assert (tmp_path / "f" / "x").read_bytes() == b"new"
    assert not (tmp_path / "f" / "gone").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_leftovers_of_dead_writers_are_swept_and_others_are_not(tmp_path: Path) -> None:
    dead, alive = dead_process(), os.getpid()
    swept = [f".building-f-{dead}-abc123_x", f".building-f-{dead}-abc123_x-old"]
    kept = [
        f".building-f-{alive}-abc123_x",  # still at work
        f".building-f-{dead}-{alive}-abc123_x",  # of the folder f-<dead>, still at work
        f".building-g-{dead}-abc123_x",  # of another folder
    ]
    for name in (*swept, *kept):
        (tmp_path / name).mkdir()
    make(tmp_path / "f", x=b"")
    assert {path.name for path in tmp_path.iterdir()} == {"f", *kept}


def test_a_published_folder_can_be_read_by_others(tmp_path: Path) -> None:
    make(tmp_path / "f", x=b"")
    assert (tmp_path / "f").stat().st_mode & 0o055 == 0o055


def test_writers_of_one_folder_at_once_do_not_harm_each_other(tmp_path: Path) -> None:
    def write(number: int) -> None:
        for _ in range(20):
            with artifacts.publish(tmp_path / "f") as scratch:
                (scratch / "data").write_text(str(number) * 100, encoding="utf-8")
                (scratch / "more").write_text(str(number), encoding="utf-8")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    whole = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "f").iterdir()}
    assert whole == {"data": whole["more"] * 100, "more": whole["more"]}
