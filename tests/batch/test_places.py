"""Folders of this machine and of Arrow's file systems behave alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyarrow import fs

from holdfast.batch.places import ArrowPlace, LocalPlace, OutputPlace, is_remote, open_place
from holdfast.errors import UsageError

MAKERS: dict[str, Callable[[Path], OutputPlace]] = {
    "local": LocalPlace,
    "arrow": lambda folder: ArrowPlace(fs.LocalFileSystem(), str(folder), "address"),
}


@pytest.fixture(params=MAKERS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> OutputPlace:
    return MAKERS[request.param](tmp_path / "out")


def test_what_is_written_can_be_read_listed_and_removed(place: OutputPlace, tmp_path: Path) -> None:
    assert place.names() == []
    assert place.read("a/b.json") is None
    place.write("a/b.json", b"1")
    place.write("a/b.json", b"22")
    place.write("c.json", b"3")
    assert place.read("a/b.json") == b"22"
    assert place.names() == ["a/b.json", "c.json"]
    assert place.names("a") == ["a/b.json"]
    place.remove("c.json")
    place.remove("c.json")
    assert place.names() == ["a/b.json"]
    assert sorted(p.name for p in (tmp_path / "out").rglob("*")) == ["a", "b.json"]


def test_what_a_killed_writer_left_is_no_file_and_is_swept(
    place: OutputPlace, tmp_path: Path
) -> None:
    place.write("shards/one.parquet", b"1")
    left = tmp_path / "out/shards/.one.parquet.0123abcd.part"
    others = tmp_path / "out/shards/.two.parquet.0123abcd.part"
    for path in (left, others):
        path.write_bytes(b"half")
    assert place.names() == ["shards/one.parquet"]
    place.sweep({"one"})
    assert not left.exists()
    assert others.exists(), "another task may be writing it"


def test_addresses_are_told_from_paths(tmp_path: Path) -> None:
    assert is_remote("s3://bucket/folder")
    assert not is_remote(str(tmp_path))
    assert not is_remote(f"file://{tmp_path}")
    assert open_place(f"file://{tmp_path}") == LocalPlace(tmp_path)
    with pytest.raises(UsageError, match="nowhere://x: no file system that Arrow knows"):
        open_place("nowhere://x")
