"""Thresholds, hypernyms, and how relations are compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from holdfast.document import Span  # noqa: E402
from holdfast.evaluate.protocols import score_documents  # noqa: E402
from holdfast.systems.kebiolm.relations.model import Judged  # noqa: E402
from holdfast.systems.kebiolm.relations.relater import without_hypernyms  # noqa: E402
from holdfast.systems.kebiolm.training.relations.select import best_threshold  # noqa: E402
from systems.kebiolm.training import relation_toys as toys  # noqa: E402


def test_hypernyms_of_related_pairs_can_be_dropped() -> None:
    span = Span(0, 1)
    exact = Judged("C:1", "D:2", "CID", 0.9, True, span)
    general = Judged("C:1", "D:1", "CID", 0.8, True, span)
    elsewhere = Judged("C:2", "D:1", "CID", 0.8, True, span)
    above = {"D:2": frozenset(["D:1"])}
    kept = without_hypernyms([exact, general, elsewhere], lambda own: above.get(own, frozenset()))
    assert kept == [exact, elsewhere]


def test_the_threshold_is_where_f1_is_highest() -> None:
    logits = np.array([3.0, 2.0, 1.0, 0.0])
    assert best_threshold(logits, np.array([True, True, False, False]), gold=2) == 1.5
    assert best_threshold(logits, np.array([False] * 4), gold=2) > 3.0
    assert best_threshold(np.array([1.0, 1.0]), np.array([True, False]), gold=1) == 0.5


def test_scores_of_related_pairs_are_compared_without_their_order() -> None:
    gold = toys.documents(20, seed=1)
    swapped = [
        replace(d, relations=tuple(replace(r, arguments=r.arguments[::-1]) for r in d.relations))
        for d in gold
    ]
    assert score_documents(gold, swapped, protocol="relations")["f1"] == 1.0
    typed = [
        replace(d, relations=tuple(replace(r, type="other") for r in d.relations)) for d in gold
    ]
    report = score_documents(gold, typed, protocol="relations")
    assert (report["f1"], report["pair_f1"]) == (0.0, 1.0)
