from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.document import Document, Mention, Span
from holdfast.errors import UsageError
from holdfast.evaluate.collective_run import score_found
from holdfast.evaluate.recipe import read_recipe
from holdfast.evaluate.run import has_what_it_needs
from holdfast.evaluate.scispacy_peer import PYTHON, scispacy_python, with_best
from holdfast.kb.records import Entry
from small_kb import of_entries

TEXT = "fever, cough and ache"


def marked(*places: tuple[int, int, str]) -> list[Document]:
    mentions = tuple(Mention((Span(start, end),), ids=(id,)) for start, end, id in places)
    return [Document("1", TEXT, mentions=mentions)]


def test_gold_mentions_that_cannot_be_linked_cost_recall_only_where_all_count(
    tmp_path: Path,
) -> None:
    kb = of_entries(tmp_path / "kb", Entry("X:1", "fever"), Entry("X:2", "cough"))
    gold = marked((0, 5, "X:1"), (7, 12, "X:2"), (17, 21, "X:9"))
    found = marked((0, 5, "X:1"), (17, 21, "X:2"))
    for protocol in ("strong", "partial"):
        report = score_found(gold, found, kb, protocol=protocol, only=())
        assert report["recall"] == pytest.approx(1 / 3)
        assert report["recall_in_kb"] == pytest.approx(1 / 2)
        # What is found at the place of "ache" is wrong either way.
        assert report["precision"] == report["precision_in_kb"] == pytest.approx(1 / 2)
        assert (report.counts["n_scored"], report.counts["n_in_kb"]) == (3, 2)
    other = marked((0, 5, "OLD:1"))  # another id of the first
    renamed = of_entries(tmp_path / "renamed", Entry("X:1", "fever", xrefs=("OLD:1",)))
    assert score_found(other, found[:1], renamed, protocol="strong", only=())["recall"] == 1
    alone = score_found(gold, found, kb, protocol="mention", only=())
    assert set(alone.figures) == {"precision", "recall", "f1"}


def test_the_peer_keeps_what_is_similar_enough_in_its_mentions_place() -> None:
    documents = [*marked((0, 5, "X:1"), (7, 12, "X:2")), *marked(), *marked((17, 21, "X:9"))]
    rankings = [[("A", 0.7), ("B", 0.6)], [], [("C", 0.9), ("A", 0.71)]]
    found = with_best(documents, rankings)
    assert [[(m.start, m.ids) for m in document.mentions] for document in found] == [
        [],
        [],
        [(17, ("C",))],
    ]


def test_a_recipe_of_another_tool_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PYTHON, raising=False)
    assert not has_what_it_needs(read_recipe("scispacy-bc5cdr"))
    assert has_what_it_needs(read_recipe("bm25-bc5cdr"))
    with pytest.raises(UsageError, match=f"{PYTHON} is not set"):
        scispacy_python()
    monkeypatch.setenv(PYTHON, "somewhere/python")
    assert has_what_it_needs(read_recipe("scispacy-bc5cdr"))
    assert scispacy_python() == Path("somewhere/python")
