"""Ids that a knowledge base makes equivalent count as equal, once."""

from __future__ import annotations

import pytest

from evaluate.strategies import document
from holdfast.document import Mention
from holdfast.evaluate import Report, score_documents
from holdfast.evaluate.equality import Equality, collapse, count_matches

M = Mention.at
XREFS = {"MONDO:1": {"MESH:1", "DOID:1"}, "MONDO:2": {"MESH:2"}, "DOID:9": {"MESH:1", "MESH:2"}}
TYPE = "Disease"


def equivalents(entity: str) -> frozenset[str]:
    """Known from one side only, as when the other vocabulary is not in the knowledge base."""
    return frozenset(XREFS.get(entity, ()))


def score(gold: list[Mention], predicted: list[Mention], protocol: str) -> Report:
    return score_documents(
        [document("d", *gold)],
        [document("d", *predicted)],
        protocol=protocol,
        equivalents=equivalents,
        resamples=10,
    )


@pytest.mark.parametrize("protocol", ["strong", "partial", "document", "bc5cdr"])
def test_equivalent_ids_match_in_both_directions(protocol: str) -> None:
    one, other = [M(0, 4, TYPE, ["MESH:1"])], [M(0, 4, TYPE, ["MONDO:1"])]
    assert score(one, other, protocol)["f1"] == 1
    assert score(other, one, protocol)["f1"] == 1
    assert score(one, [M(0, 4, TYPE, ["MONDO:2"])], protocol)["f1"] == 0


def test_linking_of_tokens_uses_equivalents_too() -> None:
    report = score([M(0, 24, ids=["MESH:1"])], [M(0, 24, ids=["MONDO:1"])], "per-token")
    assert report["linking_f1"] == report["linking_accuracy"] == 1


@pytest.mark.parametrize("protocol", ["strong", "document", "bc5cdr"])
def test_a_concept_predicted_under_two_ids_counts_once(protocol: str) -> None:
    gold = [M(0, 4, TYPE, ["MESH:1"])]
    predicted = [M(0, 4, TYPE, ["MESH:1"]), M(0, 4, TYPE, ["MONDO:1"])]
    report = score(gold, predicted, protocol)
    assert (report["precision"], report["recall"]) == (1, 1)
    assert report.counts["n_predicted"] == 1


@pytest.mark.parametrize("protocol", ["strong", "document"])
def test_an_id_with_two_equivalents_finds_one_of_them(protocol: str) -> None:
    gold = [M(0, 4, TYPE, ["MESH:1"]), M(0, 4, TYPE, ["MESH:2"])]
    report = score(gold, [M(0, 4, TYPE, ["DOID:9"])], protocol)
    assert (report["precision"], report["recall"]) == (1, 1 / 2)


def test_equivalence_is_not_carried_from_one_id_to_the_next() -> None:
    equality = Equality(equivalents)
    assert equality.same("DOID:9", "MESH:1")
    assert equality.same("MESH:2", "DOID:9")
    assert not equality.same("MESH:1", "MESH:2")


def test_units_that_share_an_id_become_one() -> None:
    units = [frozenset(ids) for ids in ("ab", "c", "de", "bc", "c")]
    assert set(collapse(units, Equality())) == {frozenset("abc"), frozenset("de")}


def test_matching_finds_the_largest_pairing() -> None:
    gold = [frozenset("ab"), frozenset("ac"), frozenset("a")]
    predicted = [frozenset("a"), frozenset("b"), frozenset("c")]
    assert count_matches(gold, predicted, Equality()) == 3
    assert count_matches(gold, predicted[:1], Equality()) == 1
    assert count_matches(gold, [], Equality()) == 0
