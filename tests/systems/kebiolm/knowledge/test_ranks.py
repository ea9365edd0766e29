"""Filtered ranks against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.evaluate.kebiolm.link_prediction import Placed, score_link_prediction
from holdfast.systems.kebiolm.knowledge.ranks import (
    KnownEnds,
    MissingEnd,
    by_distance,
    by_frequency,
    by_nothing,
    filtered_ranks,
)
from holdfast.systems.kebiolm.knowledge.triples import SplitTriples, Triple, Triples

EVERY = Triples.of(
    [
        Triple("a", "r", "b"),
        Triple("a", "r", "c"),
        Triple("d", "r", "c"),
        Triple("e", "r", "c"),
        Triple("a", "r", "e"),
    ]
)
SPLIT = SplitTriples(
    EVERY.keeping(np.array([0, 1, 2])), EVERY.keeping(np.array([3])), EVERY.keeping(np.array([4]))
)


def test_other_right_answers_are_not_counted_as_better() -> None:
    places = {name: float(value) for name, value in zip("abcde", (0, 9, 8, 7, 5), strict=True)}
    scores = np.array([places[id] for id in EVERY.entities], dtype=np.float32)
    tail, head = filtered_ranks(SPLIT.test, KnownEnds(SPLIT, SPLIT.test), lambda *_: scores)
    # b and c are right tails of a too; d alone is better than e.
    assert (tail.first, tail.tied, tail.candidates) == (2, 1, 3)
    # e is asked from the tail's side: a is worst of all five.
    assert (head.first, head.tied, head.candidates) == (5, 1, 5)


def test_in_a_random_order_each_place_is_as_likely() -> None:
    tail, head = filtered_ranks(SPLIT.test, KnownEnds(SPLIT, SPLIT.test), by_nothing(EVERY))
    assert [(rank.first, rank.tied) for rank in (tail, head)] == [(1, 3), (1, 5)]
    assert Placed(1, 3).reciprocal == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert Placed(9, 4).within(10) == 0.5
    assert (Placed(11).within(10), Placed(10).within(10)) == (0.0, 1.0)


def test_frequency_counts_the_end_that_is_asked_for() -> None:
    score = by_frequency(SPLIT.train)
    tails = dict(zip(EVERY.entities, score(MissingEnd(0, 0, is_tail=True)).tolist(), strict=True))
    heads = dict(zip(EVERY.entities, score(MissingEnd(0, 0, is_tail=False)).tolist(), strict=True))
    assert tails == {"a": 0, "b": 1, "c": 2, "d": 0, "e": 0}
    assert heads == {"a": 2, "b": 0, "c": 0, "d": 1, "e": 0}


def test_distance_orders_as_the_norm_does() -> None:
    rng = np.random.default_rng(0)
    entities = rng.normal(size=(5, 4)).astype(np.float32)
    relations = rng.normal(size=(1, 4)).astype(np.float32)
    score = by_distance(entities, relations)
    distances = np.linalg.norm(entities[2] + relations[0] - entities, axis=1)
    assert (
        np.argsort(-score(MissingEnd(2, 0, is_tail=True))).tolist()
        == np.argsort(distances).tolist()
    )
    distances = np.linalg.norm(entities + relations[0] - entities[2], axis=1)
    assert (
        np.argsort(-score(MissingEnd(2, 0, is_tail=False))).tolist()
        == np.argsort(distances).tolist()
    )


def test_the_report_has_the_model_first_and_its_gains() -> None:
    places = {"model": ((1, 2), (20, 20)), "random": ((10, 10), (20, 20))}
    report = score_link_prediction(
        {
            scorer: [[Placed(place) for place in triple] for triple in own]
            for scorer, own in places.items()
        }
    )
    assert report["mrr"] == pytest.approx((1 + 1 / 2 + 2 / 20) / 4)
    assert report["hits_at_10"] == pytest.approx(2 / 4)
    assert report["mrr_gain_over_random"] == pytest.approx((0.9 + 0.4) / 4)
    assert report.to_json()["n_scored"] == 4
    assert next(iter(report.figures)) == "mrr"
