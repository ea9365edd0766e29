"""Another tool's answers in the place of our mentions, and where that tool is."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.bench.scispacy_peer import (
    PYTHON,
    is_scispacy_named,
    scispacy_python,
    with_best,
)
from holdfast.document import Document, Mention, Span
from holdfast.errors import HoldfastError, UsageError

TEXT = "fever, cough and ache"


def marked(*places: tuple[int, int, str]) -> list[Document]:
    mentions = tuple(Mention((Span(start, end),), ids=(id,)) for start, end, id in places)
    return [Document("1", TEXT, mentions=mentions)]


def test_the_peer_keeps_what_is_similar_enough_in_its_mentions_place() -> None:
    documents = [*marked((0, 5, "X:1"), (7, 12, "X:2")), *marked(), *marked((17, 21, "X:9"))]
    rankings = [[("A", 0.7), ("B", 0.6)], [], [("C", 0.9), ("A", 0.71)]]
    found = with_best(documents, rankings)
    assert [[(m.start, m.ids) for m in document.mentions] for document in found] == [
        [],
        [],
        [(17, ("C",))],
    ]
    with pytest.raises(HoldfastError, match="2 answers for 3 mentions"):
        with_best(documents, rankings[1:])


def test_a_recipe_of_another_tool_says_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PYTHON, "")
    assert not is_scispacy_named()
    with pytest.raises(UsageError, match=f"{PYTHON} is not set"):
        scispacy_python()
    monkeypatch.setenv(PYTHON, "somewhere/python")
    with pytest.raises(UsageError, match=f"somewhere/python: no such Python; {PYTHON} names it"):
        scispacy_python()
    there = tmp_path / "python"
    there.touch()
    monkeypatch.setenv(PYTHON, str(there))
    assert is_scispacy_named()
    assert scispacy_python() == there
