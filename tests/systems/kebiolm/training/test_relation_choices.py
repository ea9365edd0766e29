"""Thresholds, hypernyms, and how relations are compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from holdfast.document import Span  # noqa: E402
from holdfast.evaluate.protocols import score_documents  # noqa: E402
from holdfast.systems.kebiolm.relations.model import Judged  # noqa: E402
from holdfast.systems.kebiolm.relations.pairs import RelationShape  # noqa: E402
from holdfast.systems.kebiolm.relations.relater import without_hypernyms  # noqa: E402
from holdfast.systems.kebiolm.training.relations.select import (  # noqa: E402
    PairAnswers,
    best_threshold,
    fit,
)
from systems.kebiolm.training import relation_toys as toys  # noqa: E402


def test_hypernyms_of_related_pairs_can_be_dropped() -> None:
    span = (Span(0, 1),)
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


def test_in_a_cycle_a_pair_is_not_more_general_than_itself() -> None:
    one = Judged("C:1", "D:1", "CID", 0.9, True, (Span(0, 1),))
    assert without_hypernyms([one], lambda own: frozenset([own])) == [one]


@pytest.mark.parametrize("seed", range(8))
def test_thresholds_are_best_for_what_is_left_when_hypernyms_are_dropped(seed: int) -> None:
    rng = np.random.default_rng(seed)
    above = {f"D:{n}": frozenset(f"D:{m}" for m in range(n)) for n in range(5)}
    above |= {"C:1": frozenset(["C:0"])}
    pairs = [(d, f"C:{c}", f"D:{n}") for d in "ab" for c in range(2) for n in range(5)]
    logits = rng.normal(size=(len(pairs), 1))
    right = rng.random((len(pairs), 1)) < 0.4
    gold = int(right.sum()) + 1

    def ancestors(id: str) -> frozenset[str]:
        return above.get(id, frozenset())

    def f1(threshold: float) -> float:
        hits = left = 0
        for document in "ab":
            related = [
                Judged(h, t, "CID", 0.5, True, (Span(0, 1),))
                for (d, h, t), (logit,) in zip(pairs, logits, strict=True)
                if d == document and logit >= threshold
            ]
            kept = without_hypernyms(related, ancestors)
            left += len(kept)
            hits += sum(bool(right[pairs.index((document, k.head, k.tail)), 0]) for k in kept)
        return 2 * hits / max(1, left + gold)

    found = fit(PairAnswers(tuple(pairs), logits, right, (gold,)), RelationShape(), ancestors)
    levels = [float(level) for level in logits[:, 0]]
    assert found.f1_dropped == pytest.approx(max(map(f1, levels)))
    if found.drops_hypernyms:
        (chosen,) = found.calibrations
        related = [n for n in levels if chosen.probability(n) >= chosen.threshold]
        assert f1(min(related)) == pytest.approx(found.f1)


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
