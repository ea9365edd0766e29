from __future__ import annotations

from pathlib import Path

import pytest
from holdfast.experiments.collective_run import score_found

from holdfast.bench.scispacy_peer import (
    PYTHON,
    is_scispacy_named,
    scispacy_python,
    with_best,
)
from holdfast.bench.training_curves import times_faster
from holdfast.document import Document, Mention, Span
from holdfast.errors import HoldfastError, UsageError
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


def test_a_model_that_has_nothing_to_learn_is_not_infinitely_faster() -> None:
    good = [{"accuracy": 0.8, "seconds": 0.0}, {"accuracy": 0.9, "seconds": 10.0}]
    poor = [{"accuracy": 0.1, "seconds": 0.0}, {"accuracy": 0.7, "seconds": 10.0}]
    assert times_faster(good, poor) is None
    assert times_faster(poor, good) == 0.0
    slow = [{"accuracy": 0.1, "seconds": 0.0}, {"accuracy": 0.9, "seconds": 40.0}]
    assert times_faster(good, slow) == pytest.approx(4)
