from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import ArtifactError
from holdfast.names.dense import DenseIndex, quantised
from holdfast.names.encoder import NameEncoder

ORGANS = ("kidney", "liver", "heart", "lung", "skin", "eye", "bone", "brain", "breast", "colon")
DISORDERS = ("cancer", "failure", "pain", "infection", "cyst", "atrophy", "injury", "edema")
NAMES = [f"{organ} {disorder}" for organ in ORGANS for disorder in DISORDERS]
EVERY_WAY = pytest.mark.parametrize("exact", [1000, 0], ids=["flat", "graph"])


@pytest.fixture(scope="module")
def encoder(name_model: Path) -> NameEncoder:
    return NameEncoder.open(name_model, threads=1)


@EVERY_WAY
def test_every_name_finds_itself_first(encoder: NameEncoder, exact: int) -> None:
    index = DenseIndex.build(NAMES, encoder, exact=exact)
    found = index.search(NAMES, 3)
    assert found.rows[:, 0].tolist() == list(range(len(NAMES)))
    assert found.scores[:, 0] == pytest.approx(1, abs=0.01)
    assert (np.diff(found.scores, axis=1) <= 0).all()


def test_flat_and_graph_agree_on_small_sets(encoder: NameEncoder) -> None:
    queries = ["renal tumour", "hepatic insufficiency", "myocardial infarct", "ocular hurt"]
    flat = DenseIndex.build(NAMES, encoder).search(queries, 5)
    graph = DenseIndex.build(NAMES, encoder, exact=0).search(queries, 5)
    assert flat.rows.tolist() == graph.rows.tolist()
    assert np.allclose(flat.scores, graph.scores)


def test_scores_are_the_exact_cosines_but_for_rounding(encoder: NameEncoder) -> None:
    query, vectors = encoder.encode(["renal tumour"]), encoder.encode(NAMES)
    found = DenseIndex.build(NAMES, encoder).search_vectors(query, len(NAMES))
    exact = np.clip(vectors @ query[0], 0, 1)
    kept = found.rows[0] >= 0
    assert np.allclose(found.scores[0][kept], exact[found.rows[0][kept]], atol=0.01)


@EVERY_WAY
def test_an_index_is_the_same_after_it_was_saved(
    encoder: NameEncoder, exact: int, tmp_path: Path
) -> None:
    built = DenseIndex.build(NAMES, encoder, exact=exact)
    built.save(tmp_path / "dense", names_digest="these")
    opened = DenseIndex.open(tmp_path / "dense", encoder, names_digest="these")
    before, after = built.search(["cardiac pain"], 9), opened.search(["cardiac pain"], 9)
    assert before.rows.tolist() == after.rows.tolist()
    assert before.scores.tolist() == after.scores.tolist()


@EVERY_WAY
def test_equal_names_come_in_row_order(encoder: NameEncoder, exact: int) -> None:
    names = ["eye cyst", "heart failure", "liver pain", "heart failure", "heart-failure"]
    found = DenseIndex.build(names, encoder, exact=exact).search(["heart failure"], 3)
    assert found.rows.tolist() == [[1, 3, 4]]


@EVERY_WAY
def test_empty_queries_find_nothing_and_empty_names_are_never_found(
    encoder: NameEncoder, exact: int
) -> None:
    index = DenseIndex.build(["asthma", "", "!!"], encoder, exact=exact)
    found = index.search(["", "asthma", "🙂"], 5)
    assert found.rows.tolist() == [[-1] * 5, [0, -1, -1, -1, -1], [-1] * 5]
    assert found.scores[0].tolist() == [0] * 5
    assert index.similarity(encoder.encode(["asthma"])[0], np.array([0, 1, 2]))[1:].tolist() == [
        0,
        0,
    ]


@EVERY_WAY
def test_an_index_of_nothing_finds_nothing(
    encoder: NameEncoder, exact: int, tmp_path: Path
) -> None:
    index = DenseIndex.build([], encoder, exact=exact - 1)
    index.save(tmp_path / "none")
    again = DenseIndex.open(tmp_path / "none", encoder)
    assert again.search(["asthma"], 2).rows.tolist() == [[-1, -1]]


def test_no_queries_are_no_rows(encoder: NameEncoder) -> None:
    assert DenseIndex.build(NAMES, encoder).search([], 4).rows.shape == (0, 4)


@EVERY_WAY
def test_a_batch_equals_its_queries_one_by_one(encoder: NameEncoder, exact: int) -> None:
    index = DenseIndex.build(NAMES, encoder, exact=exact)
    queries = ["renal cancer", "", "lung edema", "a broken bone"]
    together = index.search(queries, 4)
    for i, query in enumerate(queries):
        assert index.search([query], 4).rows.tolist() == [together.rows[i].tolist()]


def test_an_index_of_other_names_or_by_another_model_is_refused(
    encoder: NameEncoder, tmp_path: Path
) -> None:
    DenseIndex.build(NAMES, encoder).save(tmp_path / "dense", names_digest="these")
    with pytest.raises(ArtifactError, match="build it again"):
        DenseIndex.open(tmp_path / "dense", encoder, names_digest="those")
    with pytest.raises(ArtifactError, match="build it again"):
        DenseIndex.open(tmp_path / "dense", replace(encoder, digest="?"), names_digest="these")


def test_a_damaged_graph_is_refused(encoder: NameEncoder, tmp_path: Path) -> None:
    DenseIndex.build(NAMES, encoder, exact=0).save(tmp_path / "dense")
    path = tmp_path / "dense" / "graph.faiss"
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(ArtifactError, match="damaged"):
        DenseIndex.open(tmp_path / "dense", encoder)


def test_quantised_vectors_keep_their_cosines(encoder: NameEncoder) -> None:
    vectors = encoder.encode(NAMES)
    rounded = quantised(vectors).astype(np.float32)
    rounded /= np.linalg.norm(rounded, axis=1, keepdims=True)
    assert (vectors * rounded).sum(axis=1).min() > 0.999
