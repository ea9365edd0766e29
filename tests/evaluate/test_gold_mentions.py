"""`lenient`, `strict` and `ranked` on cases counted by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.document import NIL
from holdfast.errors import InvalidValueError
from holdfast.evaluate import (
    LenientCase,
    RankedCase,
    StrictCase,
    score_lenient,
    score_ranked,
    score_strict,
)


def ids(text: str) -> frozenset[str]:
    return frozenset(text.split("|"))


def lenient(gold: str, *parts: str, document: str = "") -> LenientCase:
    """Parts are rankings of entries, e.g. "A|B C"."""
    rankings = tuple(tuple(ids(entry) for entry in part.split()) for part in parts)
    return LenientCase(ids(gold), rankings, document)


def strict(gold: str, *ranking: tuple[str, float], document: str = "") -> StrictCase:
    return StrictCase(ids(gold), ranking, document)


def test_lenient_is_right_where_ids_overlap() -> None:
    report = score_lenient([lenient("A|B", "B|C"), lenient("A", "B A"), lenient("A", "B|C")])
    assert report["accuracy_at_1"] == pytest.approx(1 / 3)
    assert report["accuracy_at_5"] == pytest.approx(2 / 3)
    assert report.counts["n_scored"] == 3


def test_lenient_wants_every_part_of_a_composite_to_overlap_the_whole_gold() -> None:
    right = [lenient("A|B", "B", "A"), lenient("A|B", "A", "A")]
    assert score_lenient(right)["accuracy_at_1"] == 1
    wrong = [lenient("A|B", "A", "C"), lenient("A|B", "A", "")]
    assert score_lenient(wrong)["accuracy_at_1"] == 0
    assert score_lenient([lenient("A|B", "A C", "C B")])["accuracy_at_5"] == 1


def test_lenient_looks_at_five_entries_not_at_five_entities() -> None:
    assert score_lenient([lenient("A", "B B B B A")])["accuracy_at_5"] == 1
    assert score_lenient([lenient("A", "B B B B B A")])["accuracy_at_5"] == 0


def test_lenient_leaves_out_mentions_without_gold() -> None:
    report = score_lenient([lenient("A", "A"), lenient("-1", "A"), LenientCase(frozenset(), ((),))])
    assert report["accuracy_at_1"] == 1
    assert report.to_json()["n_left_out"] == 2


def test_a_mention_without_parts_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="at least one part"):
        LenientCase(ids("A"), ())


def test_strict_wants_the_first_id_in_the_gold_set() -> None:
    cases = [
        strict("A|B", ("B", 0.9), ("C", 0.8)),
        strict("A", ("B", 0.9), ("A", 0.8)),
        strict("A", *((c, 0.9 - i / 10) for i, c in enumerate("BCDEFA"))),
        strict("A"),
    ]
    report = score_strict(cases, entities="ABCDEF")
    assert report["accuracy_at_1"] == pytest.approx(1 / 4)
    assert report["accuracy_at_5"] == pytest.approx(2 / 4)


def test_strict_calls_a_tie_for_the_first_place_wrong() -> None:
    tied = strict("A", ("A", 1.0), ("B", 1.0), ("C", 0.5))
    report = score_strict([tied], entities="ABC")
    assert (report["accuracy_at_1"], report["accuracy_at_5"]) == (0, 1)
    assert report.counts["n_ties"] == 1
    assert (
        score_strict([strict("A|B", ("A", 1.0), ("B", 1.0))], entities="AB")["accuracy_at_1"] == 0
    )


def test_the_same_id_twice_is_not_a_tie() -> None:
    report = score_strict([strict("A", ("A", 1.0), ("A", 1.0), ("B", 0.2))], entities="AB")
    assert report["accuracy_at_1"] == 1
    assert report.counts["n_ties"] == 0


def test_strict_counts_gold_outside_the_kb_as_wrong_and_gives_the_figure_without() -> None:
    cases = [
        strict("A", ("A", 1.0)),
        strict("Z", ("Z", 1.0)),
        strict("A|Z", ("A", 1.0)),
        strict("B", ("A", 1.0)),
        strict(NIL, ("A", 1.0)),
    ]
    report = score_strict(cases, entities={"A", "B"})
    assert report["accuracy_at_1"] == pytest.approx(2 / 4)
    assert report["accuracy_at_5"] == pytest.approx(2 / 4)
    assert report["accuracy_at_1_in_kb"] == pytest.approx(2 / 3)
    counts = {"n_scored": 4, "n_in_kb": 3, "n_out_of_kb": 1, "n_ties": 0}
    assert report.counts == counts
    assert report.left_out == {"nil": 1}


def test_a_ranking_out_of_order_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="not sorted"):
        strict("A", ("A", 0.1), ("B", 0.2))
    with pytest.raises(InvalidValueError, match="not a number"):
        strict("A", ("A", math.nan))


def test_ranked_precision_at_1_average_precision_and_recall_at_10() -> None:
    cases = [
        RankedCase(ids("A"), ("A", "B")),
        RankedCase(ids("A"), ("B", "B", "A")),
        RankedCase(ids("A"), (*"BCDEFGHIJK", "A")),
        RankedCase(ids("A"), ("B",)),
        RankedCase(ids(NIL), ("B",)),
    ]
    report = score_ranked(cases)
    assert report["accuracy_at_1"] == pytest.approx(1 / 4)
    assert report["map"] == pytest.approx((1 + 1 / 2 + 1 / 11 + 0) / 4)
    assert report["recall_at_10"] == pytest.approx(2 / 4)
    assert report["accuracy_at_1_normalised"] == pytest.approx(1 / 3)
    assert report["map_normalised"] == pytest.approx((1 + 1 / 2 + 1 / 11) / 3)
    assert report.counts == {"n_scored": 4, "n_normalised": 3}
    assert report.left_out == {"nil": 1}


def test_ranked_figures_of_what_the_knowledge_base_has() -> None:
    cases = [
        RankedCase(ids("A"), ("A", "B")),
        RankedCase(ids("B"), ("A", "B")),
        RankedCase(ids("Z"), ("A", "B")),
    ]
    report = score_ranked(cases, entities="AB")
    assert report["accuracy_at_1"] == pytest.approx(1 / 3)
    assert report["accuracy_at_1_in_kb"] == pytest.approx(1 / 2)
    assert report["map_in_kb"] == pytest.approx((1 + 1 / 2) / 2)
    assert report["recall_at_10_in_kb"] == 1
    assert report.counts["n_in_kb"] == 2


def test_average_precision_is_over_all_gold_ids() -> None:
    report = score_ranked([RankedCase(ids("A|B|Z"), ("A", "C", "B"))])
    assert report["map"] == pytest.approx((1 / 1 + 2 / 3 + 0) / 3)


def test_documents_are_drawn_where_every_case_names_its_own() -> None:
    known = score_lenient([lenient("A", "A", document="1"), lenient("A", "A", document="2")])
    assert (known.unit, known.counts["n_documents"]) == ("document", 2)
    some = score_lenient([lenient("A", "A", document="1"), lenient("A", "A")])
    assert some.unit == "mention"


def test_mentions_of_one_document_widen_the_interval() -> None:
    def report(*, clustered: bool) -> tuple[float, float]:
        cases = [
            lenient("A", "A" if i % 10 else "B", document=str(i % 10 if clustered else i))
            for i in range(200)
        ]
        figure = score_lenient(cases).figures["accuracy_at_1"]
        assert figure.value == 0.9
        return figure.low, figure.high

    wide, narrow = report(clustered=True), report(clustered=False)
    assert wide[1] - wide[0] > 2 * (narrow[1] - narrow[0])


def test_no_cases_score_zero() -> None:
    for report in (score_lenient([]), score_strict([], entities=()), score_ranked([])):
        assert report["accuracy_at_1"] == 0
        assert report.counts["n_scored"] == 0


rankings = st.lists(st.sampled_from("ABCDE"), max_size=6)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ABC"), rankings), max_size=8))
def test_the_three_protocols_agree_on_single_ids_without_ties(
    cases: list[tuple[str, list[str]]],
) -> None:
    one = score_lenient(
        [LenientCase(ids(gold), (tuple(map(ids, ranked)),)) for gold, ranked in cases], resamples=0
    )
    two = score_strict(
        [strict(gold, *((c, -float(i)) for i, c in enumerate(ranked))) for gold, ranked in cases],
        entities="ABCDE",
        resamples=0,
    )
    three = score_ranked([RankedCase(ids(gold), tuple(r)) for gold, r in cases], resamples=0)
    assert one["accuracy_at_1"] == two["accuracy_at_1"] == three["accuracy_at_1"]
    assert two["accuracy_at_1"] <= three["map"] <= three["recall_at_10"]
