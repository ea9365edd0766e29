from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import faiss
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast import artifacts
from holdfast.errors import ArtifactError, InvalidValueError
from holdfast.names import dense
from holdfast.names.dense import DenseIndex
from holdfast.names.vectors import breadth_of, open_vectors, quantised, whole_numbers
from trigram_encoder import ENCODER, Listening

ORGANS = ("kidney", "liver", "heart", "lung", "skin", "eye", "bone", "brain", "breast", "colon")
DISORDERS = ("cancer", "failure", "pain", "infection", "cyst", "atrophy", "injury", "edema")
NAMES = [f"{organ} {disorder}" for organ in ORGANS for disorder in DISORDERS]
QUERIES = ["kidneys cancer", "", "lung oedema", "injured brain", "!", "painful eye", "skin"]
EVERY_WAY = pytest.mark.parametrize("exact", [1000, -1], ids=["flat", "graph"])


def build(names: Sequence[str] = NAMES, *, exact: int = 1000) -> DenseIndex:
    return DenseIndex.build(names, ENCODER, exact=exact, threads=1)


@EVERY_WAY
def test_every_name_finds_itself_first(exact: int) -> None:
    found = build(exact=exact).search(NAMES, 3)
    assert found.rows[:, 0].tolist() == list(range(len(NAMES)))
    assert found.scores[:, 0] == pytest.approx(1, abs=0.01)
    assert (np.diff(found.scores, axis=1) <= 0).all()


def test_few_names_are_ranked_as_comparing_all_does() -> None:
    cosines = rounded(ENCODER.encode(QUERIES)) @ rounded(ENCODER.encode(NAMES)).T
    found = build().search(QUERIES, 5)
    best = np.argsort(-cosines, axis=1, kind="stable")[:, :5]
    for i, query in enumerate(QUERIES):
        if len(query) > 2:
            assert found.rows[i].tolist() == best[i].tolist()
            assert np.allclose(found.scores[i], cosines[i][best[i]], atol=1e-6)


def test_a_graph_finds_nearly_what_comparing_all_names_does() -> None:
    random = np.random.default_rng(5)
    words = ["".join(random.choice(list("abcdeiou"), 5)) for _ in range(120)]
    names = [" ".join(random.choice(words, 3)) for _ in range(3000)]
    queries = [name[1:-1] for name in names[::30]]
    all_compared = build(names, exact=len(names)).search(queries, 10)
    found = build(names, exact=0).search(queries, 10)
    hits = [
        len(set(mine) & set(theirs))
        for mine, theirs in zip(found.rows.tolist(), all_compared.rows.tolist(), strict=True)
    ]
    assert sum(hits) >= 0.97 * found.rows.size


def test_a_larger_graph_is_searched_more_broadly_and_whoever_opens_one_may_choose(
    tmp_path: Path,
) -> None:
    assert breadth_of(1_000_000) < breadth_of(1_000_001)
    index = DenseIndex.build(NAMES, ENCODER, exact=0)
    index.save(tmp_path / "index")
    path = tmp_path / "index" / "vectors.faiss"
    assert open_vectors(path).hnsw.efSearch == breadth_of(len(NAMES))
    assert open_vectors(path, breadth=7).hnsw.efSearch == 7
    query = ENCODER.encode(["nothing like these names"])
    narrow, broad = (
        DenseIndex.open(tmp_path / "index", ENCODER, breadth=breadth).search_vectors(query, 10)
        for breadth in (1, 1000)
    )
    assert narrow.scores.sum() <= broad.scores.sum()


def test_scores_are_the_exact_cosines_but_for_rounding() -> None:
    query, vectors = ENCODER.encode(["renal tumour"]), ENCODER.encode(NAMES)
    found = build().search_vectors(query, len(NAMES))
    kept = found.rows[0] >= 0
    assert kept.any()
    exact = vectors[found.rows[0][kept]] @ query[0]
    assert np.allclose(found.scores[0][kept], exact, atol=0.01)


@EVERY_WAY
def test_an_index_is_the_same_after_it_was_saved(exact: int, tmp_path: Path) -> None:
    built = build(exact=exact)
    built.save(tmp_path / "dense", names_digest="these")
    opened = DenseIndex.open(tmp_path / "dense", ENCODER, names_digest="these")
    before, after = built.search(QUERIES, 9), opened.search(QUERIES, 9)
    assert len(opened) == len(NAMES)
    assert before.rows.tolist() == after.rows.tolist()
    assert before.scores.tolist() == after.scores.tolist()
    rows = np.arange(len(NAMES))
    query = ENCODER.encode(["cardiac pain"])[0]
    assert built.similarity(query, rows).tolist() == opened.similarity(query, rows).tolist()


@EVERY_WAY
@pytest.mark.parametrize("copies", [2, 50])
def test_equal_names_come_in_row_order(exact: int, copies: int) -> None:
    names = ["eye cyst", *NAMES, *["heart failure", "liver pain"] * copies]
    first = [1 + NAMES.index("heart failure"), *range(81, 81 + 2 * copies, 2)]
    found = build(names, exact=exact).search(["heart failure"], 3)
    assert found.rows.tolist() == [first[:3]]


@EVERY_WAY
def test_empty_queries_find_nothing_and_empty_names_are_never_found(exact: int) -> None:
    index = build(["asthma", "", "!!"], exact=exact)
    found = index.search(["", "asthma", "🙂"], 5)
    assert found.rows.tolist() == [[-1] * 5, [0, -1, -1, -1, -1], [-1] * 5]
    assert found.scores[0].tolist() == [0] * 5
    similar = index.similarity(ENCODER.encode(["asthma"])[0], np.array([0, 1, 2]))
    assert similar.tolist() == [pytest.approx(1, abs=0.01), 0, 0]


@EVERY_WAY
@pytest.mark.parametrize("names", [[], ["asthma"]], ids=["no name", "one name"])
def test_an_index_may_be_tiny(exact: int, names: list[str], tmp_path: Path) -> None:
    build(names, exact=exact).save(tmp_path / "tiny")
    index = DenseIndex.open(tmp_path / "tiny", ENCODER)
    row = 0 if names else -1
    assert len(index) == len(names)
    assert index.search(["asthma"], 2).rows.tolist() == [[row, -1]]
    similar = index.similarity(ENCODER.encode(["asthma"])[0], np.array([0, -1, 7]))
    assert similar.round(2).tolist() == [len(names), 0, 0]


def test_equal_vectors_are_stored_once(tmp_path: Path) -> None:
    build(NAMES).save(tmp_path / "once")
    build([*NAMES, *NAMES]).save(tmp_path / "twice")
    sizes = {(tmp_path / n / "vectors.faiss").stat().st_size for n in ("once", "twice")}
    assert len(sizes) == 1


def test_no_queries_and_no_k_are_no_rows() -> None:
    assert build().search([], 4).rows.shape == (0, 4)
    assert build().search(["asthma"], 0).rows.shape == (1, 0)


@EVERY_WAY
def test_a_batch_equals_its_queries_one_by_one(exact: int) -> None:
    index = build(exact=exact)
    queries = [*QUERIES, *NAMES] * 4
    together = index.search(queries, 4)
    for i, query in enumerate(queries):
        alone = index.search([query], 4)
        assert alone.rows.tolist() == [together.rows[i].tolist()]
        assert alone.scores.tolist() == [together.scores[i].tolist()]


@EVERY_WAY
@given(queries=st.lists(st.sampled_from([*QUERIES, *NAMES[:4]]), max_size=25))
@settings(max_examples=15, deadline=None)
def test_equal_queries_are_encoded_once_and_answered_as_each_alone(
    exact: int, queries: list[str]
) -> None:
    listening = Listening()
    index = replace(build(exact=exact), encoder=listening)
    found = index.search(queries, 4)
    assert sorted(listening.asked) == sorted(set(queries))
    alone = [index.search([query], 4) for query in queries]
    assert found.rows.tolist() == [match.rows[0].tolist() for match in alone]
    assert found.scores.tolist() == [match.scores[0].tolist() for match in alone]
    assert found.rows.shape == found.scores.shape == (len(queries), 4)


@EVERY_WAY
@given(chosen=st.sets(st.integers(0, len(NAMES) - 1)))
@settings(max_examples=15, deadline=None)
def test_chosen_rows_are_found_under_their_own_numbers(exact: int, chosen: set[int]) -> None:
    rows = np.array(sorted(chosen), dtype=np.int64)
    names = [NAMES[row] for row in rows]
    part = DenseIndex.build(names, ENCODER, rows=rows, exact=exact, threads=1)
    among = DenseIndex.build(names, ENCODER, exact=exact, threads=1).search(QUERIES, 6)
    expected = np.where(among.rows < 0, -1, np.append(rows, -1)[among.rows])
    found = part.search(QUERIES, 6)
    assert found.rows.tolist() == expected.tolist()
    assert found.scores.tolist() == among.scores.tolist()


def test_the_chosen_rows_are_saved_with_the_index(tmp_path: Path) -> None:
    rows = np.arange(3, 3 + 2 * len(NAMES), 2)
    DenseIndex.build(NAMES, ENCODER, rows=rows).save(tmp_path / "part")
    index = DenseIndex.open(tmp_path / "part", ENCODER)
    assert index.rows is not None
    assert index.rows.tolist() == rows.tolist()
    assert index.search(["brain pain"], 1).rows.tolist() == [[3 + 2 * NAMES.index("brain pain")]]


def test_a_row_that_is_not_indexed_is_similar_to_nothing() -> None:
    index = DenseIndex.build(NAMES[:2], ENCODER, rows=[4, 9])
    query = ENCODER.encode([NAMES[1]])[0]
    similar = index.similarity(query, np.array([9, 4, 0, 5, 10, -1]))
    assert similar[0] == pytest.approx(1, abs=0.01)
    assert 0 < similar[1] < similar[0]
    assert similar[2:].tolist() == [0] * 4


@EVERY_WAY
def test_similarities_of_many_queries_are_those_of_each(exact: int) -> None:
    index, queries = build(exact=exact), ENCODER.encode(QUERIES)
    found = index.search_vectors(queries, 6)
    similar = index.similarity(queries, found.rows)
    assert similar.tolist() == found.scores.tolist()
    for i, query in enumerate(queries):
        assert similar[i].tolist() == index.similarity(query, found.rows[i]).tolist()


@pytest.mark.parametrize("rows", [[3, 2], [1, 1], [-1, 0], [[0], [1]], [0], [0, 1, 2]])
def test_rows_that_cannot_be_are_refused(rows: list[int]) -> None:
    with pytest.raises(InvalidValueError, match="rows"):
        DenseIndex.build(["asthma", "cough"], ENCODER, rows=rows)


def test_progress_goes_up_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "_BATCH", 16)
    seen: list[float] = []
    DenseIndex.build(NAMES, ENCODER, exact=0, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1
    assert len(set(seen)) == len(NAMES) / 16


@pytest.mark.parametrize("exact", [0, 1000])
def test_names_may_come_one_by_one_and_in_parts(
    exact: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = build(exact=exact).search(QUERIES, 5)
    monkeypatch.setattr(dense, "_BATCH", 7)
    index = DenseIndex.build(iter(NAMES), ENCODER, exact=exact, progress=print)
    assert index.search(QUERIES, 5).rows.tolist() == whole.rows.tolist()


def test_building_leaves_the_number_of_threads_as_it_was() -> None:
    before = faiss.omp_get_max_threads()
    DenseIndex.build(NAMES, ENCODER, exact=0, threads=before + 1)
    assert faiss.omp_get_max_threads() == before


def test_a_build_that_is_interrupted_leaves_the_old_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build().save(tmp_path / "dense")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(artifacts, "write_manifest", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build(NAMES[:5]).save(tmp_path / "dense")
    assert len(DenseIndex.open(tmp_path / "dense", ENCODER)) == len(NAMES)
    assert [path.name for path in tmp_path.iterdir()] == ["dense"]


def test_an_index_of_other_names_or_by_another_model_is_refused(tmp_path: Path) -> None:
    build().save(tmp_path / "dense", names_digest="these")
    with pytest.raises(ArtifactError, match="build it again"):
        DenseIndex.open(tmp_path / "dense", ENCODER, names_digest="those")
    with pytest.raises(ArtifactError, match="build it again"):
        DenseIndex.open(tmp_path / "dense", replace(ENCODER, digest="?"), names_digest="these")


@pytest.mark.parametrize("file", ["vectors.faiss", "lengths.npy", "rows.npy", "manifest.json"])
@pytest.mark.parametrize("how", ["cut", "changed", "gone"])
def test_a_damaged_index_is_refused_in_one_line(file: str, how: str, tmp_path: Path) -> None:
    folder = tmp_path / "dense"
    DenseIndex.build(NAMES, ENCODER, rows=range(1, 81), exact=0).save(folder)
    path = folder / file
    whole = path.read_bytes()
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes(whole[:-9] if how == "cut" else whole[:-9] + bytes(9))
    with pytest.raises(ArtifactError) as caught:
        DenseIndex.open(folder, ENCODER)
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("vectors.faiss", b"nothing of faiss"),
        ("vectors.faiss", b""),
        ("lengths.npy", b"nothing of numpy"),
        ("lengths.npy", b""),
    ],
)
def test_files_that_are_as_the_manifest_says_but_wrong_are_refused(
    file: str, content: bytes, tmp_path: Path
) -> None:
    folder = tmp_path / "dense"
    build(exact=0).save(folder)
    (folder / file).write_bytes(content)
    seal_again(folder)
    with pytest.raises(ArtifactError, match="cannot be opened") as caught:
        DenseIndex.open(folder, ENCODER).search(["abc"], 1)
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


def test_files_of_two_indexes_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "dense"
    build().save(folder)
    build(NAMES[:-1]).save(tmp_path / "other")
    (tmp_path / "other" / "vectors.faiss").replace(folder / "vectors.faiss")
    seal_again(folder)
    with pytest.raises(ArtifactError, match="do not belong together"):
        DenseIndex.open(folder, ENCODER).search(["abc"], 1)


def test_arrays_of_two_indexes_are_refused_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "dense"
    build().save(folder)
    build(NAMES[:-1]).save(tmp_path / "other")
    for array in ("lengths", "names"):
        path = folder / f"{array}.npy"
        own = path.read_bytes()
        path.write_bytes((tmp_path / "other" / path.name).read_bytes())
        seal_again(folder)
        with pytest.raises(ArtifactError, match="do not belong together"):
            DenseIndex.open(folder, ENCODER)
        path.write_bytes(own)


@pytest.mark.parametrize("version", [2, 4])
def test_another_layout_is_refused(version: int, tmp_path: Path) -> None:
    folder = tmp_path / "dense"
    build().save(folder)
    seal_again(folder, version=version)
    with pytest.raises(ArtifactError, match="layout"):
        DenseIndex.open(folder, ENCODER)


def seal_again(folder: Path, *, version: int = dense.VERSION) -> None:
    config = json.loads((folder / "manifest.json").read_text("utf-8"))["config"]
    artifacts.write_manifest(folder, kind=dense.KIND, version=version, config=config)


def test_quantised_vectors_keep_their_cosines() -> None:
    vectors = ENCODER.encode(NAMES)
    assert (vectors * rounded(vectors)).sum(axis=1).min() > 0.999


def rounded(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The cosines of int8 vectors, worked out with more digits than the index has."""
    whole = quantised(vectors).astype(np.float64)
    unit: npt.NDArray[np.float64] = whole / np.maximum(np.linalg.norm(whole, axis=1), 1)[:, None]
    return unit


def test_a_strong_component_stays_strong_and_keeps_its_sign() -> None:
    vectors = np.concatenate([np.eye(64), -np.eye(64)]).astype(np.float32)
    whole = quantised(vectors)
    assert whole.dtype == np.int8
    np.testing.assert_array_equal(whole, 127 * vectors.astype(np.int8))
    np.testing.assert_array_equal(whole_numbers(vectors), whole.astype(np.float32))


def test_components_are_rounded_to_the_nearest_whole_number() -> None:
    one = 6 / 127 / 64**0.5  # the vector's component that becomes 1
    vectors = np.zeros((1, 64), dtype=np.float32)
    vectors[0, :4] = np.array([1.4, 1.6, -1.4, -1.6]) * one
    assert quantised(vectors)[0, :5].tolist() == [1, 2, -1, -2, 0]
