"""The weight of two linkers is chosen where both together are right most often."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("torch")

from holdfast.document import Candidate, Mention
from holdfast.systems.collective.training.joined import ScoredPair, choose_weight, count_right


def seen(**shares: float) -> Mention:
    ranked = sorted(shares.items(), key=lambda item: -item[1])
    candidates = tuple(Candidate(id, id, share) for id, share in ranked)
    return replace(Mention.at(0, 1), ids=(ranked[0][0],), candidates=candidates)


def pair(gold: str, named: Mention, read: Mention) -> ScoredPair:
    return ScoredPair(frozenset({gold}), named, read)


SURE, TORN = seen(A=0.95, B=0.05), seen(A=0.5, B=0.45)
DOUBTFUL, CLEAR = seen(B=0.6, A=0.4), seen(B=0.9, A=0.1)


def test_each_alone_errs_and_both_together_do_not() -> None:
    pairs = [pair("A", SURE, DOUBTFUL), pair("B", TORN, CLEAR)]
    weight = choose_weight(pairs)
    assert 0 < weight < 1
    assert count_right(pairs, weight) == 2
    assert count_right(pairs, 0.0) == 1
    assert count_right(pairs, 1.0) == 1


def test_where_nothing_is_gained_the_name_linker_is_left_alone() -> None:
    assert choose_weight([pair("A", SURE, seen(A=1.0))]) == 0.0
    assert choose_weight([]) == 0.0


def test_each_alone_lists_nothing_of_the_other() -> None:
    silent = Mention.at(0, 1)
    for weight, alone in ((1.0, pair("C", seen(C=1.0), silent)), (0.0, pair("B", silent, CLEAR))):
        assert count_right([alone], weight) == 0
        assert count_right([alone], 0.5) == 1
