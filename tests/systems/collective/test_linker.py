"""Decoding of spans, exact search over entities, BM25: what needs no trained model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from holdfast.encoders.tokens import Tokens
from holdfast.errors import ArtifactError
from holdfast.kb import Entry, KnowledgeBase
from holdfast.systems.collective.bm25 import Bm25Index
from holdfast.systems.collective.entities import (
    EntityNames,
    EntityVectors,
    entity_vectors_of,
)
from holdfast.systems.collective.model import runs_of_one_length, span_probabilities
from holdfast.systems.collective.scores import rows_of_owners, score_entities
from holdfast.systems.collective.spans import choose_spans, log_odds, spans_of_tags, spans_of_words
from holdfast.systems.collective.text import inside, span_of, window_of
from holdfast.text.windows import windows
from small_kb import of_entries

Floats = npt.NDArray[np.float32]
THRESHOLD = 0.3


class Letters:
    """Encodes a name by how often it has each of the first letters of the alphabet."""

    def __init__(self, digest: str = "letters") -> None:
        self.names_digest = digest
        self.asked = 0

    def encode_names(self, names: Sequence[str]) -> Floats:
        self.asked += len(names)
        rows = [[name.lower().count(letter) for letter in "abcdefgh"] for name in names]
        return np.array(rows, dtype=np.float32).reshape(-1, 8)


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return of_entries(
        tmp_path / "kb",
        Entry("X:1", "bad cabbage", synonyms=("faded beef",)),
        Entry("X:2", "deaf egg"),
        Entry("X:3", "high heel", synonyms=("bad egg", "bad bag", "hedge")),
    )


@st.composite
def scored_spans(draw: st.DrawFn) -> tuple[npt.NDArray[np.int64], Floats]:
    places = st.tuples(st.integers(0, 6), st.integers(0, 3)).map(lambda p: (p[0], p[0] + p[1]))
    spans = draw(st.lists(places, max_size=8, unique=True))
    values = st.floats(0.0625, 0.96875, width=32)
    found = draw(st.lists(values, min_size=len(spans), max_size=len(spans)))
    return np.array(spans, dtype=np.int64).reshape(-1, 2), np.array(found, dtype=np.float32)


def worth(rows: Sequence[int], probabilities: Floats) -> float:
    odds = log_odds(probabilities[list(rows)]) - log_odds(np.array([THRESHOLD]))
    return float(odds.sum())


def overlap(spans: npt.NDArray[np.int64], rows: Sequence[int]) -> bool:
    pairs = combinations(spans[list(rows)].tolist(), 2)
    return any(a[0] <= b[1] and b[0] <= a[1] for a, b in pairs)


@given(scored_spans())
def test_no_other_set_without_overlaps_is_worth_more(
    case: tuple[npt.NDArray[np.int64], Floats],
) -> None:
    spans, probabilities = case
    chosen = choose_spans(spans, probabilities, threshold=THRESHOLD)
    assert not overlap(spans, chosen)
    assert all(probabilities[row] > THRESHOLD for row in chosen)
    assert spans[chosen, 0].tolist() == sorted(spans[chosen, 0].tolist())
    likely = [row for row in range(len(spans)) if probabilities[row] > THRESHOLD]
    best = max(
        worth(rows, probabilities)
        for size in range(len(likely) + 1)
        for rows in combinations(likely, size)
        if not overlap(spans, rows)
    )
    assert worth(chosen, probabilities) == pytest.approx(best, abs=1e-9)


@given(st.lists(st.integers(1, 3), max_size=6), st.integers(1, 4))
def test_every_run_of_words_is_a_span_once(lengths: list[int], longest: int) -> None:
    firsts = np.cumsum([0, *lengths])[:-1].astype(np.int64)
    spans = spans_of_words(firsts, sum(lengths), longest=longest)
    starts = firsts.tolist()
    lasts = [start + length - 1 for start, length in zip(starts, lengths, strict=True)]
    expected = [
        [starts[i], lasts[j]]
        for i in range(len(lengths))
        for j in range(i, min(i + longest, len(lengths)))
    ]
    assert spans.tolist() == expected


def test_tags_count_by_the_first_token_of_a_word() -> None:
    outside, begin, inner = [5.0, 0, 0], [0, 5.0, 0], [0, 0, 5.0]
    scores = np.array([begin, outside, inner, outside, begin], dtype=np.float32)
    words = np.array([0, 2, 3, 4])  # the first word has two tokens
    assert spans_of_tags(scores, words).tolist() == [[0, 2], [4, 4]]
    assert spans_of_tags(scores[:0], words[:0]).tolist() == []


@given(arrays.arrays(np.float32, (6, 3), elements=st.floats(-3, 3, width=32)))
def test_a_span_sums_its_ends_and_what_is_in_it(scores: Floats) -> None:
    spans = np.array([[0, 0], [1, 4], [0, 5]])
    found = span_probabilities(scores, spans)
    for (first, last), probability in zip(spans.tolist(), found.tolist(), strict=True):
        odds = scores[first, 0] + scores[last, 1] + scores[first : last + 1, 2].sum()
        assert probability == pytest.approx(1 / (1 + np.exp(-float(odds))), abs=1e-5)


@given(st.integers(1, 60), st.integers(4, 12), st.data())
def test_a_mention_is_read_where_its_middle_is_kept(
    count: int, size: int, data: st.DataObject
) -> None:
    cut = list(windows(count, size=size, overlap=2))
    first = data.draw(st.integers(0, count - 1))
    span = first, data.draw(st.integers(first, min(first + 2, count - 1)))
    window = cut[window_of(span, cut)]
    assert window.first <= (span[0] + span[1]) // 2 < window.last
    start, end = inside(span, window)
    assert 0 <= start <= end < window.end - window.start
    if window.start <= span[0] and span[1] < window.end:
        assert (start + window.start, end + window.start) == span


def test_a_mention_between_tokens_has_none() -> None:
    ids = np.arange(3)
    tokens = Tokens(ids, np.array([0, 4, 9]), np.array([3, 8, 12]), ids)
    assert span_of(tokens, 0, 8) == (0, 1)
    assert span_of(tokens, 5, 6) == (1, 1)
    assert span_of(tokens, 3, 4) is None
    assert span_of(tokens, 12, 20) is None


def test_the_nearest_entity_is_found_by_its_nearest_name(kb: KnowledgeBase) -> None:
    queries = Letters().encode_names(["hhhh", "faded"])
    found = list(EntityVectors.build(kb, Letters(), most=9).search(queries, 2))
    assert kb.id_at(found[0][0].entity) == "X:3"
    assert kb.name_at(found[0][0].name) == "high heel"
    assert len({n.entity for n in found[1]}) == 2
    assert found[1][0].score >= found[1][1].score
    assert not list(EntityVectors.build(kb, Letters()).search(Letters().encode_names([]), 3))


@settings(deadline=None, max_examples=25)
@given(arrays.arrays(np.float32, (3, 8), elements=st.floats(-2, 2, width=32)), st.integers(1, 5))
def test_search_is_exact(tmp_path_factory: pytest.TempPathFactory, queries: Floats, k: int) -> None:
    entries = [Entry(f"X:{n}", f"{'ab' * n}{'ce' * (n % 3)}{'g' * (n % 5)}h") for n in range(9)]
    kb = of_entries(tmp_path_factory.mktemp("kb"), *entries)
    vectors = Letters().encode_names(list(kb.all_names()))
    found = EntityVectors.build(kb, Letters()).search(queries, k)
    for query, near in zip(queries, found, strict=True):
        scores = np.sort(vectors @ query)[::-1][:k]
        np.testing.assert_allclose([n.score for n in near], scores, atol=1e-4)


@given(st.lists(st.tuples(st.floats(-900, 900, width=32), st.integers(0, 5)), max_size=12))
def test_an_entity_scores_all_of_its_names(names: list[tuple[float, int]]) -> None:
    scores = np.array([score for score, _ in names], dtype=np.float32)
    near = score_entities(scores, np.array([owner for _, owner in names], dtype=np.int64))
    assert sorted(n.entity for n in near) == sorted({owner for _, owner in names})
    assert [n.score for n in near] == sorted((n.score for n in near), reverse=True)
    for n in near:
        own = [score for score, owner in names if owner == n.entity]
        assert names[n.place] == (max(own), n.entity)
        assert n.score == pytest.approx(np.logaddexp.reduce(own), rel=1e-5, abs=1e-4)


@given(st.lists(st.integers(0, 9), min_size=1), st.data())
def test_all_names_of_an_entity_are_found(owners: list[int], data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.sampled_from(owners)))
    owner = np.array(sorted(owners))
    rows = rows_of_owners(owner, np.array(wanted, dtype=np.int64))
    assert rows.tolist() == [at for at, each in enumerate(sorted(owners)) if each in wanted]


@settings(deadline=None, max_examples=25)
@given(arrays.arrays(np.float32, (2, 8), elements=st.floats(-2, 2, width=32)))
def test_how_many_are_asked_for_changes_no_score(
    tmp_path_factory: pytest.TempPathFactory, queries: Floats
) -> None:
    entries = [
        Entry(f"X:{n}", f"a{'b' * n}c", synonyms=tuple(f"{'de' * m}{'fg' * n}" for m in range(n)))
        for n in range(1, 6)
    ]
    kb = of_entries(tmp_path_factory.mktemp("kb"), *entries)
    vectors = EntityVectors.build(kb, Letters(), most=9)
    scores = Letters().encode_names(list(kb.all_names())) @ queries.T
    for query, near in enumerate(vectors.search(queries, 5)):
        for found in near:
            own = scores[kb.entity_of_name == found.entity, query]
            assert found.score == pytest.approx(np.logaddexp.reduce(own), rel=1e-4, abs=1e-4)
        for fewer in (1, 2, 3):
            few = [*vectors.search(queries, fewer)][query]
            known = {n.entity: n.score for n in near}
            assert all(n.score == pytest.approx(known[n.entity], abs=1e-4) for n in few)


def test_of_two_that_share_a_name_the_nearer_otherwise_is_meant() -> None:
    scores, owners = np.array([9.0, 9.0, 7.0, 1.0], dtype=np.float32), np.array([3, 8, 8, 3])
    assert [n.entity for n in score_entities(scores, owners)] == [8, 3]


def test_many_names_are_kept_in_16_bits(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = EntityVectors.build(kb, Letters(), most=3)
    monkeypatch.setattr("holdfast.systems.collective.entities._EXACTLY", 1)
    halves = EntityVectors.build(kb, Letters(), most=3)
    assert halves._vectors.dtype == np.float16
    queries = Letters().encode_names(["egg", "bad hedge"])
    assert [*halves.search(queries, 3)] == [*whole.search(queries, 3)]


def test_vectors_are_kept_until_the_model_or_the_base_changes(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    first, again, other = Letters(), Letters(), Letters("another")
    entity_vectors_of(kb, first)
    entity_vectors_of(kb, again)
    assert (first.asked, again.asked) == (3, 0)
    entity_vectors_of(kb, other)
    assert other.asked == 3
    folder = tmp_path / "vectors"
    folder.mkdir()
    EntityVectors.build(kb, first).write(folder, made_of="this")
    with pytest.raises(ArtifactError, match="other entities"):
        EntityVectors.open(folder, made_of="that")
    (folder / "vectors.npy").write_bytes(b"nothing")
    with pytest.raises(ArtifactError, match="damaged"):
        EntityVectors.open(folder, made_of="this")


def test_vectors_that_are_written_while_they_are_made_are_the_same(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    in_memory = EntityVectors.build(kb, Letters(), most=3)
    written = EntityVectors.build(kb, Letters(), most=3, folder=tmp_path)
    assert isinstance(written._vectors, np.memmap)
    written.write(tmp_path, made_of="this")
    opened = EntityVectors.open(tmp_path, made_of="this")
    assert opened._vectors.tolist() == in_memory._vectors.tolist()


def test_vectors_that_cannot_be_kept_are_made_once_in_memory(
    kb: KnowledgeBase,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (tmp_path / "home").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path / "home"))
    encoder = Letters("not kept")
    first = entity_vectors_of(kb, encoder)
    assert entity_vectors_of(kb, encoder) is first
    assert encoder.asked == 3
    (record,) = caplog.records
    assert record.getMessage().startswith("the vectors of 'small' cannot be written to ")
    monkeypatch.setattr("holdfast.systems.collective.entities._FEW", 0)
    with pytest.raises(ArtifactError, match=r"cannot be written to .*set HOLDFAST_HOME"):
        entity_vectors_of(kb, Letters("another one"))
    monkeypatch.undo()
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path / "home"))
    with pytest.raises(ArtifactError, match="cannot be written to "):
        entity_vectors_of(kb, encoder, must_keep=True)


def test_an_entity_is_encoded_by_its_first_names(kb: KnowledgeBase) -> None:
    names = EntityNames.of(kb, most=2)
    assert names.texts(kb) == ["bad cabbage", "faded beef", "deaf egg", "high heel", "bad egg"]
    assert names.owner.tolist() == [0, 0, 1, 2, 2]


def test_bm25_prefers_rare_words_and_short_names(kb: KnowledgeBase) -> None:
    index = Bm25Index.build(kb)
    (found,) = index.search(["the bad hedge"], 3)
    assert [kb.id_at(n.entity) for n in found] == ["X:3", "X:1"]
    assert kb.name_at(found[0].name) == "hedge"
    assert index.search(["nothing like it", ""], 3) == [[], []]


@given(st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=12), st.integers(1, 20))
def test_runs_hold_every_row_with_tokens_once(rows: list[list[int]], most: int) -> None:
    runs = runs_of_one_length(rows, most=most)
    assert sorted(row for run in runs for row in run) == [i for i, row in enumerate(rows) if row]
    assert all(len({len(rows[row]) for row in run}) == 1 for run in runs)
