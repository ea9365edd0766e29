"""Sparse vectors: their storage, their neighbours, and what is said of them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.bench.representations import bench_representations, made_up_vectors
from holdfast.errors import FormatError, InputError, UsageError
from holdfast.experiments.bier.disambiguation import ask
from holdfast.experiments.bier.trigrams import trigram_neighbours
from holdfast.systems.bier.agreement import AgreementWeights, remains_linked, reweighed
from holdfast.systems.bier.diagnosis.report import for_page
from holdfast.systems.bier.logistic import fit_logistic
from holdfast.systems.bier.model import TOP
from holdfast.systems.bier.nearest import Nearest, nearest, some_per_class
from holdfast.systems.bier.search import SparseIndex
from holdfast.systems.bier.sparse import SparseVectors, packed, top_types, unpacked
from holdfast.systems.bier.stored import (
    MentionBlock,
    StoredMention,
    read_represented,
    write_represented,
)
from holdfast.systems.bier.switch import fit_switch
from holdfast.systems.bier.type_list import EntityType, TypeList, read_weights


def test_the_most_probable_types_are_kept_in_their_order() -> None:
    head = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0]], dtype=np.float32)
    found = top_types(np.array([[1.0, 0.5]], dtype=np.float32), head, top=2)
    assert found.types.tolist() == [[2, 1]]
    assert np.allclose(found.values, 1 / (1 + np.exp([[-2.0, -1.0]])))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 12))
def test_the_index_finds_what_all_dot_products_say(seed: int, k: int) -> None:
    vectors = made_up_vectors(300, types=60, kept=8, seed=seed)
    index = SparseIndex(vectors)
    query = made_up_vectors(1, types=60, kept=8, seed=seed + 1)
    scores = vectors.dense() @ query.dense()[0]
    found = index.nearest(query.types[0], query.values[0], k)
    assert np.allclose([one.score for one in found], np.sort(scores)[::-1][: len(found)], atol=1e-5)
    for one in found:
        assert sum(s.product for s in one.shared) == pytest.approx(scores[one.row], abs=1e-5)
        products = [s.product for s in one.shared]
        assert products == sorted(products, reverse=True)


def test_common_types_are_left_out_of_a_query_without_changing_it() -> None:
    vectors = made_up_vectors(9000, types=400, kept=16, seed=3)
    index = SparseIndex(vectors)
    for row in range(20):
        types, values = vectors.types[row], vectors.values[row]
        scores = vectors.dense() @ vectors[row : row + 1].dense()[0] if row < 3 else None
        found = index.nearest(types, values, 5)
        if scores is not None:
            best = np.sort(scores)[::-1][:5]
            assert np.allclose([one.score for one in found], best, atol=1e-4)


def test_stored_vectors_come_back_to_within_a_byte(tmp_path: Path) -> None:
    vectors = made_up_vectors(50, types=300, kept=8, seed=1)
    places = [StoredMention("d", n, n + 3, f"m{n}", "Gene", ("X:1", "X:2")) for n in range(50)]
    dense = np.random.default_rng(0).normal(size=(50, 6)).astype(np.float32)
    blocks = [
        MentionBlock(places[:20], vectors[:20], dense[:20]),
        MentionBlock(places[20:], vectors[20:], dense[20:]),
    ]
    path = tmp_path / "v.arrow"
    names = [f"t{n}" for n in range(300)]
    assert write_represented(path, blocks, types=names, digest="x", keeps_dense=True) == 50
    found = read_represented(path)
    assert found.places == tuple(places)
    assert found.types == tuple(names)
    assert np.array_equal(found.sparse.types, vectors.types)
    assert np.abs(found.sparse.values - vectors.values).max() <= 1 / 255
    assert found.dense is not None
    assert np.allclose(found.dense, dense, atol=1e-2)


def test_what_is_no_file_of_vectors_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="`holdfast represent` makes such a file"):
        read_represented(tmp_path / "nothing.arrow")
    other = tmp_path / "other.arrow"
    other.write_text("hello", encoding="utf-8")
    with pytest.raises(FormatError, match="no file of representations"):
        read_represented(other)
    with pytest.raises(UsageError, match="no mention was found"):
        write_represented(other, [], types=["a"], digest="", keeps_dense=False)


def test_a_small_probability_never_becomes_none() -> None:
    values = np.array([0.0, 1e-6, 0.5, 1.0], dtype=np.float32)
    assert packed(values).tolist() == [0, 1, 128, 255]
    assert unpacked(packed(values))[3] == 1.0


def test_a_hundred_thousand_mentions_would_stay_small() -> None:
    measured = bench_representations(mentions=2000, types=300, kept=32, queries=5)
    assert measured["megabytes"] * 50 < 30
    assert measured["query_ms_p50"] > 0


@pytest.mark.parametrize("metric", ["l2", "dot", "cosine"])
def test_sparse_and_unpacked_vectors_have_the_same_neighbours(metric: str) -> None:
    stored = made_up_vectors(2100, types=50, kept=6, seed=4)
    queries = made_up_vectors(30, types=50, kept=6, seed=5)
    labels = np.arange(2100) % 7
    one = nearest(queries, stored, labels, metric=metric)  # type: ignore[arg-type]
    other = nearest(queries.dense(), stored.dense(), labels, metric=metric)  # type: ignore[arg-type]
    assert np.array_equal(one.row, other.row)
    assert np.all(one.margin >= -1e-4)


def test_weights_are_read_and_a_name_that_is_no_type_is_said(tmp_path: Path) -> None:
    path = tmp_path / "w.tsv"
    path.write_text("# off\nb\nc\t0.5\n", encoding="utf-8")
    assert read_weights(path, ["a", "b", "c"]).tolist() == [1.0, 0.0, 0.5]
    path.write_text("d\n", encoding="utf-8")
    with pytest.raises(UsageError, match="line 1: the model has no type 'd'"):
        read_weights(path, ["a"])
    path.write_text("a\tlots\n", encoding="utf-8")
    with pytest.raises(FormatError, match="'lots' is no weight"):
        read_weights(path, ["a"])


def test_the_switch_learns_when_the_dense_answer_is_right() -> None:
    rng = np.random.default_rng(0)
    margin = rng.normal(size=400).astype(np.float32)
    zeros = np.zeros(400, dtype=np.float32)
    rows, ones = np.zeros(400, dtype=np.int64), np.ones(400, dtype=np.float32)
    dense = Nearest(rows, margin + 1, ones, np.zeros((400, 2), dtype=np.int64))
    sparse = Nearest(rows, ones, zeros, np.ones((400, 2), dtype=np.int64))
    dense_right = margin > 0
    switch = fit_switch(dense, sparse, dense_right, ~dense_right)
    taken = switch.takes_dense(dense, sparse)
    right = np.where(taken, dense_right, ~dense_right).mean()
    assert right > 0.9
    nothing = fit_switch(dense, sparse, dense_right, dense_right)
    assert nothing.model is None, "where both are always equal there is nothing to learn"


def test_the_switch_asks_which_answer_the_nearest_rows_have_more_often() -> None:
    rng = np.random.default_rng(0)
    wins = rng.random(400) < 0.5
    rows, ones = np.zeros(400, dtype=np.int64), np.ones(400, dtype=np.float32)
    voters = np.where(wins[:, None], [0, 0, 0, 1], [0, 1, 1, 1])
    dense = Nearest(rows, ones, ones, voters)
    sparse = Nearest(rows, ones, ones, 1 - voters[:, ::-1])
    assert dense.votes_for(rows).tolist() == np.where(wins, 0.75, 0.25).tolist()
    switch = fit_switch(dense, sparse, wins, ~wins)
    assert np.array_equal(switch.takes_dense(dense, sparse), wins)


def test_the_labels_of_the_nearest_rows_come_in_their_order() -> None:
    stored = np.array([[0.0], [4.0], [1.0], [9.0]], dtype=np.float32)
    labels = np.array([7, 5, 6, 8])
    found = nearest(np.array([[0.1]], dtype=np.float32), stored, labels, metric="l2")
    assert found.labels.tolist() == [[7, 6, 5, 8]]
    equal = np.zeros((30, 1), dtype=np.float32)
    found = nearest(equal[:1], equal, np.arange(30), metric="l2")
    assert found.row.tolist() == [0]
    assert found.labels[0, 0] == 0


def test_logistic_regression_separates_what_can_be() -> None:
    rng = np.random.default_rng(1)
    features = rng.normal(size=(300, 4)).astype(np.float32)
    classes = np.argmax(features[:, :3], axis=1)
    model = fit_logistic(features, classes, count=3)
    assert (model.probabilities(features).argmax(axis=1) == classes).mean() > 0.95


def test_a_few_of_each_class_are_drawn_the_same_way_each_time() -> None:
    labels = ["a"] * 10 + ["b"] * 2
    drawn = some_per_class(labels, 3, seed=1)
    assert drawn == some_per_class(labels, 3, seed=1)
    assert [labels[at] for at in drawn] == ["a"] * 3 + ["b"] * 2


def test_the_neighbour_by_spelling_shares_trigrams() -> None:
    stored = ["glioma", "Kidney", "breast cancer", "glioma"]
    assert trigram_neighbours(["gliomas", "kidneys", "Breast cancers", "?"], stored).tolist() == [
        0,
        1,
        2,
        0,
    ]


def test_vectors_of_two_shapes_are_refused() -> None:
    with pytest.raises(Exception, match="types of shape"):
        SparseVectors(np.zeros((1, 2), np.int32), np.zeros((1, 3), np.float32), 4)


def test_a_mention_is_not_unlinked_by_candidates_that_were_left_out() -> None:
    shown = [0.3, 0.2]  # of ten candidates with 0.8 together: "none" has 0.2
    same = reweighed(shown, [None, None], AgreementWeights(0.5))
    assert remains_linked(shown, same, was_linked=True)
    assert not remains_linked(shown, same, was_linked=False)
    for agreement, linked in ((3.0, True), (-3.0, False)):
        weighed = reweighed(shown, [agreement, agreement], AgreementWeights(1.0))
        for was_linked in (True, False):
            assert remains_linked(shown, weighed, was_linked=was_linked) == linked


def test_models_over_two_type_systems_are_not_compared() -> None:
    first, second = (
        SimpleNamespace(types=TypeList((EntityType(name, 1, (f"x:{name}",)),)))
        for name in ("tumour", "gene")
    )
    with pytest.raises(UsageError, match="train both over one type system"):
        ask([], first, second)  # type: ignore[arg-type]


def test_a_page_keeps_as_many_types_as_stored_vectors() -> None:
    vectors = made_up_vectors(5, types=200, kept=64, seed=0)
    found = for_page(vectors)
    assert found.types.tolist() == vectors.types[:, :TOP].tolist()
