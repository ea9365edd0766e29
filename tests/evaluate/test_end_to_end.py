"""Each end-to-end protocol on cases small enough to count by hand."""

from __future__ import annotations

import pytest

from evaluate.strategies import document
from holdfast.document import NIL, Candidate, Document, Mention, Span
from holdfast.errors import InputError, UsageError
from holdfast.evaluate import PROTOCOLS, Report, score_documents

M = Mention.at


def score(
    gold: list[Mention], predicted: list[Mention], protocol: str, **options: object
) -> Report:
    return score_documents(
        [document("d", *gold)],
        [document("d", *predicted)],
        protocol=protocol,
        resamples=10,
        **options,  # type: ignore[arg-type]
    )


def figures(report: Report, *, before: str = "", after: str = "") -> tuple[float, float, float]:
    precision, recall, f1 = (report[f"{before}{x}{after}"] for x in ("precision", "recall", "f1"))
    return pytest.approx(precision), pytest.approx(recall), pytest.approx(f1)  # type: ignore[return-value]


def test_strong_wants_start_end_and_id() -> None:
    gold = [M(0, 4, ids=["M:1"]), M(5, 9, ids=["M:2"]), M(10, 14, ids=["M:3"])]
    predicted = [M(0, 4, ids=["M:1"]), M(5, 9, ids=["M:3"]), M(10, 13, ids=["M:3"]), M(20, 22)]
    report = score(gold, predicted, "strong")
    assert figures(report) == (1 / 3, 1 / 3, 1 / 3)
    assert report.counts["n_gold"] == report.counts["n_predicted"] == 3


def test_strong_counts_the_first_id_of_a_prediction_only() -> None:
    gold = [M(0, 4, ids=["M:1"])]
    assert score(gold, [M(0, 4, ids=["M:1", "M:2"])], "strong")["f1"] == 1
    assert score(gold, [M(0, 4, ids=["M:2", "M:1"])], "strong")["f1"] == 0


def test_ids_come_before_candidates_and_only_the_best_candidate_counts() -> None:
    ranked = (Candidate("M:1", "one", 0.9), Candidate("M:2", "two", 0.8))
    spans = (Span(0, 4),)
    gold = [M(0, 4, ids=["M:2"])]
    assert score(gold, [Mention(spans, candidates=ranked)], "strong")["f1"] == 0
    assert score(gold, [Mention(spans, candidates=ranked[::-1])], "strong")["f1"] == 1
    assert score(gold, [Mention(spans, ids=("M:2",), candidates=ranked)], "strong")["f1"] == 1


def test_a_gold_mention_with_several_ids_counts_once_and_any_of_them_matches() -> None:
    gold = [M(0, 4, ids=["M:1", "M:2"])]
    for right in ("M:1", "M:2"):
        assert figures(score(gold, [M(0, 4, ids=[right])], "strong")) == (1, 1, 1)
    both = score(gold, [M(0, 4, ids=["M:1"]), M(0, 4, ids=["M:2"])], "strong")
    assert figures(both) == (1 / 2, 1, 2 / 3)
    assert both.counts["n_gold"] == 1


def test_one_prediction_does_not_find_two_gold_mentions() -> None:
    gold = [M(0, 4, ids=["M:1", "M:2"]), M(0, 4, ids=["M:3"])]
    assert figures(score(gold, [M(0, 4, ids=["M:2"])], "strong")) == (1, 1 / 2, 2 / 3)


def test_nil_is_dropped_and_a_second_figure_keeps_it() -> None:
    gold = [M(0, 4, ids=["M:1"]), M(5, 9, ids=[NIL]), M(10, 14, ids=[NIL]), M(15, 16)]
    predicted = [M(0, 4, ids=["M:1"]), M(5, 9, ids=[NIL]), M(10, 14, ids=["M:2"])]
    report = score(gold, predicted, "strong")
    assert figures(report) == (1 / 2, 1, 2 / 3)
    assert figures(report, after="_with_nil") == (2 / 3, 2 / 4, 4 / 7)
    assert report.left_out == {"nil": 2, "unlinked": 1, "duplicate": 0, "type": 0}
    assert report.counts["n_scored"] == 1


def test_a_best_candidate_that_is_nil_is_nil() -> None:
    nil = Mention((Span(0, 4),), candidates=(Candidate(NIL, "", 0.7), Candidate("M:1", "", 0.3)))
    report = score([M(0, 4, ids=["M:1"])], [nil], "strong")
    assert report.counts["n_predicted"] == 0
    assert report["f1_with_nil"] == 0


def test_repeated_mentions_count_once_in_strong() -> None:
    gold = [M(0, 4, "Gene", ["M:1"]), M(0, 4, "Disease", ["M:1"])]
    report = score(gold, [M(0, 4, ids=["M:1"])] * 2, "strong")
    assert figures(report) == (1, 1, 1)
    assert report.left_out["duplicate"] == 1


def test_an_interrupted_mention_is_found_only_with_all_its_pieces() -> None:
    pieces = Mention((Span(0, 4), Span(10, 14)), ids=("M:1",))
    whole, first = M(0, 14, ids=["M:1"]), M(0, 4, ids=["M:1"])
    for protocol in ("strong", "mention", "typed"):
        assert score([pieces], [pieces], protocol)["f1"] == 1
        assert score([pieces], [whole, first], protocol)["f1"] == 0


def test_partial_credits_the_fraction_of_each_side_that_is_covered() -> None:
    gold = [M(0, 4, ids=["M:1"]), M(10, 20, ids=["M:2"])]
    predicted = [M(2, 10, ids=["M:1"]), M(10, 15, ids=["M:3"])]
    precision, recall = (2 / 8) / 2, (2 / 4) / 2
    report = score(gold, predicted, "partial")
    assert figures(report) == (precision, recall, 2 * precision * recall / (precision + recall))


def test_partial_takes_the_largest_overlap_not_the_sum() -> None:
    report = score(
        [M(0, 10, ids=["M:1"])], [M(0, 3, ids=["M:1"]), M(4, 10, ids=["M:1"])], "partial"
    )
    assert report["recall"] == pytest.approx(6 / 10)
    assert report["precision"] == 1


def test_partial_compares_a_gold_mention_under_each_of_its_ids() -> None:
    gold = [M(0, 10, ids=["M:1", "M:2"])]
    report = score(gold, [M(0, 2, ids=["M:1"]), M(0, 5, ids=["M:2"])], "partial")
    assert figures(report)[:2] == (1, 5 / 10)


def test_partial_counts_the_characters_of_the_pieces_not_of_the_gap() -> None:
    pieces = Mention((Span(0, 4), Span(10, 14)), ids=("M:1",))
    assert score([pieces], [M(0, 14, ids=["M:1"])], "partial")["precision"] == pytest.approx(8 / 14)
    assert score([pieces], [M(0, 14, ids=["M:1"])], "partial")["recall"] == 1
    assert score([pieces], [M(5, 9, ids=["M:1"])], "partial")["f1"] == 0


def test_mention_ignores_type_and_id_and_typed_does_not_ignore_type() -> None:
    gold = [M(0, 4, "SpecificDisease", ["M:1"]), M(5, 9, "Gene", [NIL]), M(10, 12, "Gene")]
    predicted = [M(0, 4, "disease", ["M:9"]), M(5, 9, "Chemical"), M(20, 22, "Gene")]
    assert figures(score(gold, predicted, "mention")) == (2 / 3, 2 / 3, 2 / 3)
    assert figures(score(gold, predicted, "typed")) == (1 / 3, 1 / 3, 1 / 3)


def test_document_compares_sets_of_ids_micro_and_macro() -> None:
    gold = [
        document("a", M(0, 1, ids=["M:1", "M:2"]), M(2, 3, ids=["M:1"])),
        document("b", M(0, 1, ids=["M:3"])),
        document("c", M(0, 1, ids=[NIL])),
    ]
    predicted = [document("a", M(8, 9, ids=["M:1"]), M(9, 10, ids=["M:4"]), M(4, 5, ids=["M:4"]))]
    report = score_documents(gold, predicted, protocol="document")
    assert figures(report) == (1 / 2, 1 / 3, 2 / 5)
    assert figures(report, before="macro_") == (1 / 4, 1 / 4, 1 / 4)
    assert (report.counts["n_gold"], report.counts["n_scored"]) == (3, 3)
    assert report.left_out["nil"] == 1


def test_document_takes_all_ids_of_a_composite_prediction() -> None:
    composite = [M(0, 4, ids=["M:1", "M:2"])]
    assert score(composite, composite, "document")["f1"] == 1


def test_bc5cdr_scores_mentions_and_ids_of_each_type_and_together() -> None:
    gold = [
        M(0, 4, "Disease", ["M:1"]),
        M(5, 9, "Disease", ["M:1"]),
        M(10, 14, "Chemical", ["M:2"]),
        M(15, 19, "Gene", ["M:3"]),
    ]
    predicted = [
        M(0, 3, "Disease", ["M:1"]),
        M(5, 9, "Disease", ["M:5"]),
        M(10, 14, "Disease", ["M:2"]),
        M(15, 19, "Gene", ["M:3"]),
    ]
    report = score(gold, predicted, "bc5cdr")
    assert figures(report) == (1 / 3, 1 / 2, 2 / 5)
    assert figures(report, before="disease_id_") == (1 / 3, 1, 1 / 2)
    assert figures(report, before="chemical_id_") == (0, 0, 0)
    assert figures(report, before="mention_") == (1 / 3, 1 / 3, 1 / 3)
    assert figures(report, before="disease_mention_") == (1 / 3, 1 / 2, 2 / 5)
    assert report.left_out["type"] == 1


def test_bc5cdr_keeps_mentions_without_an_id_as_mentions() -> None:
    report = score([M(0, 4, "Disease", [NIL])], [M(0, 4, "Disease", ["M:1"])], "bc5cdr")
    assert report["mention_f1"] == 1
    assert figures(report) == (0, 0, 0)
    assert report.left_out["nil"] == 1


TEXT = "Severe breast cancer-related pain."  # Severe breast cancer - related pain .


def test_per_token_scores_tags_types_and_entities() -> None:
    gold = [document("d", M(7, 20, "Disease", ["M:1"]), M(29, 33, "Disease", ["M:2"]), text=TEXT)]
    predicted = [
        document("d", M(14, 20, "Disease", ["M:1"]), M(29, 33, "Gene", ["M:2"]), text=TEXT)
    ]
    report = score_documents(gold, predicted, protocol="per-token")
    assert report.counts["n_tokens"] == 7
    assert report["accuracy"] == pytest.approx(5 / 7)  # B L against O U
    assert figures(report) == (1 / 2, 1 / 2, 1 / 2)
    assert report["typing_accuracy"] == pytest.approx(5 / 7)
    assert report["typing_f1"] == 0
    assert report["linking_accuracy"] == pytest.approx(6 / 7)
    assert report["linking_f1"] == pytest.approx(1 / 2)


def test_per_token_wants_every_token_of_a_mention() -> None:
    text = "a b c d"
    gold = [document("d", M(0, 7), text=text)]
    report = score_documents(gold, [document("d", M(0, 5), text=text)], protocol="per-token")
    assert report["accuracy"] == pytest.approx(2 / 4)  # B I I L against B I L O
    assert report["f1"] == 0


def test_per_token_treats_nil_as_no_entity() -> None:
    text = "pain"
    gold = [document("d", M(0, 4, ids=[NIL]), text=text)]
    report = score_documents(gold, [], protocol="per-token")
    assert (report["accuracy"], report["linking_accuracy"]) == (0, 1)


def test_per_token_keeps_the_longest_of_overlapping_mentions_and_counts_the_rest() -> None:
    interrupted = Mention((Span(0, 6), Span(21, 28)))
    gold = [document("d", M(7, 13), M(7, 20), interrupted, M(6, 7), M(14, 16), text=TEXT)]
    predicted = [document("d", M(7, 20), text=TEXT)]
    report = score_documents(gold, predicted, protocol="per-token")
    assert report["f1"] == 1
    assert report.left_out == {"overlap": 2, "interrupted": 1, "no_token": 1, "type": 0}


def test_a_document_without_predictions_is_missed() -> None:
    gold = [document("a", M(0, 4, ids=["M:1"])), document("b", M(0, 4, ids=["M:1"]))]
    for protocol in ("strong", "partial", "mention", "document"):
        report = score_documents(gold, gold[:1], protocol=protocol)
        assert figures(report) == (1, 1 / 2, 2 / 3)
        assert report.counts["n_documents_missing"] == 1


def test_a_predicted_document_that_is_not_in_gold_is_refused() -> None:
    gold = [document("1")]
    with pytest.raises(InputError, match=r"'7' is not in the gold \(1 of 2 are not\)"):
        score_documents(gold, [document("1"), document("7")], protocol="strong")


@pytest.mark.parametrize("side", ["gold", "predicted"])
def test_a_document_that_occurs_twice_is_refused(side: str) -> None:
    once, twice = [document("1")], [document("1"), document("1")]
    gold, predicted = (twice, once) if side == "gold" else (once, twice)
    with pytest.raises(InputError, match=f"{side} document '1' occurs twice"):
        score_documents(gold, predicted, protocol="strong")


def test_no_gold_documents_are_refused() -> None:
    with pytest.raises(InputError, match="no gold documents"):
        score_documents([], [], protocol="strong")


def test_documents_with_different_texts_are_refused_where_offsets_matter() -> None:
    gold, predicted = [Document("1", "a tumour")], [Document("1", "a tumor")]
    with pytest.raises(InputError, match=r"'1'.*differ at character 6 \('ur' and 'r'\)"):
        score_documents(gold, predicted, protocol="strong")
    score_documents(gold, predicted, protocol="document")


def test_the_kind_of_white_space_does_not_matter() -> None:
    gold, predicted = [Document("1", "title\nabstract")], [Document("1", "title abstract\n")]
    assert score_documents(gold, predicted, protocol="mention").counts["n_documents"] == 1


def test_only_keeps_the_chosen_types_on_both_sides() -> None:
    gold = [M(0, 4, "SpecificDisease", ["M:1"]), M(5, 9, "Gene", ["M:2"])]
    predicted = [M(0, 4, "Disease", ["M:1"]), M(5, 9, "Gene", ["M:3"])]
    report = score(gold, predicted, "strong", only=["disease"])
    assert figures(report) == (1, 1, 1)
    assert report.left_out["type"] == 1


def test_bc5cdr_of_one_type_leaves_out_the_other() -> None:
    mentions = [M(0, 4, "Disease", ["M:1"]), M(5, 9, "Chemical", ["M:2"]), M(10, 12, "Gene")]
    report = score(mentions, mentions, "bc5cdr", only=["disease", "gene"])
    assert report.left_out["type"] == 2
    assert (report["disease_id_f1"], report["chemical_id_f1"], report["f1"]) == (1, 0, 1)


def test_a_type_that_no_gold_mention_has_is_refused() -> None:
    with pytest.raises(UsageError, match=r"type Chemical; there are Gene"):
        score([M(0, 4, "Gene")], [], "mention", only=["drug"])


def test_an_unknown_protocol_is_refused_and_the_known_ones_named() -> None:
    with pytest.raises(UsageError, match=r"'stong' is not one of strong, partial"):
        score([], [], "stong")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_without_any_mention_every_figure_is_zero(protocol: str) -> None:
    report = score([], [], protocol)
    assert {figure.value for name, figure in report.figures.items() if "accuracy" not in name} == {
        0
    }
    assert report.counts["n_scored"] == 0


def test_bare_ids_get_their_prefix_from_the_type() -> None:
    gold = [
        M(0, 4, "Gene", ["7157"]),
        M(5, 9, "Disease", ["D000544"]),
        M(10, 12, "Disease", ["-1"]),
    ]
    predicted = [M(0, 4, "Gene", ["ncbigene:7157"]), M(5, 9, "Disease", ["MESH:D000544"])]
    report = score(gold, predicted, "strong")
    assert figures(report) == (1, 1, 1)
    assert report.left_out["nil"] == 1
