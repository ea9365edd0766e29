"""Scores of what is found and linked in bare text."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.document import Document, Mention, Span
from holdfast.experiments.end_to_end import score_found
from holdfast.experiments.recipe import Evaluate
from holdfast.kb.records import Entry
from small_kb import of_entries

TEXT = "fever, cough and ache"
MEASURED = Evaluate("strong")


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
        report = score_found(MEASURED, gold, found, kb, protocol=protocol)
        assert report["recall"] == pytest.approx(1 / 3)
        assert report["recall_in_kb"] == pytest.approx(1 / 2)
        # What is found at the place of "ache" is wrong either way.
        assert report["precision"] == report["precision_in_kb"] == pytest.approx(1 / 2)
        assert (report.counts["n_scored"], report.counts["n_in_kb"]) == (3, 2)
    alone = score_found(MEASURED, gold, found, kb, protocol="mention")
    assert set(alone.figures) == {"precision", "recall", "f1"}
