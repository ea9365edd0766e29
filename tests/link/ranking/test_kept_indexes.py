"""Indexes of a long list of names are built once, kept, and never trusted when they are wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from holdfast.link.ranking import kept_indexes
from holdfast.link.ranking.kept_indexes import NameIndexes, indexes_of
from holdfast.names.exact import ExactIndex
from holdfast.names.ngram import NgramIndex
from holdfast.text.tokens import KEY_RULES

NAMES = [f"{kind} of the {organ}" for kind in ("cancer", "tumour") for organ in ("eye", "ear")]
QUERIES = ["Tumors of the ear", "cancre of the eye", "nothing"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path))
    monkeypatch.setattr(kept_indexes, "WORTH_KEEPING", len(NAMES))
    return tmp_path


@pytest.fixture
def no_building(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_names: object) -> None:
        raise AssertionError("built again")

    monkeypatch.setattr(ExactIndex, "build", refuse)
    monkeypatch.setattr(NgramIndex, "build", refuse)


def answers(indexes: NameIndexes) -> list[list[object]]:
    found = (index.search(QUERIES, 3) for index in indexes)
    return [[matches.rows.tolist(), matches.scores.tolist()] for matches in found]


@pytest.mark.usefixtures("home")
def test_kept_indexes_answer_as_those_just_built() -> None:
    built, opened = indexes_of(NAMES), indexes_of(NAMES)
    assert answers(built) == answers(opened)
    assert built.exact.search(QUERIES, 1).rows.ravel().tolist() == [3, -1, -1]
    assert built.ngrams.search(QUERIES, 1).rows.ravel().tolist() == [3, 0, -1]


@pytest.mark.usefixtures("home")
def test_names_that_were_indexed_before_are_not_indexed_again(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    indexes_of(NAMES)
    request.getfixturevalue("no_building")
    assert len(indexes_of(NAMES).exact.rows) == len(NAMES)
    with pytest.raises(AssertionError, match="built again"):
        indexes_of([*NAMES, "another name"])
    with pytest.raises(AssertionError, match="built again"):
        indexes_of(NAMES[::-1])
    monkeypatch.setattr(kept_indexes, "KEY_RULES", KEY_RULES + 1)
    with pytest.raises(AssertionError, match="built again"):
        indexes_of(NAMES)


@pytest.mark.parametrize("file", ["exact.keys.npy", "ngram.postings.npy", "manifest.json"])
def test_damaged_indexes_are_built_again(file: str, home: Path) -> None:
    expected = answers(indexes_of(NAMES))
    (path,) = home.rglob(file)
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    assert answers(indexes_of(NAMES)) == expected
    assert answers(indexes_of(NAMES)) == expected


def test_few_names_are_not_kept(home: Path) -> None:
    indexes_of(NAMES[1:])
    assert list(home.iterdir()) == []


def test_indexes_that_cannot_be_kept_are_built_in_memory(home: Path) -> None:
    (home / "names").write_text("no folder")
    assert np.array_equal(indexes_of(NAMES).exact.search(NAMES, 1).rows.ravel(), range(len(NAMES)))
