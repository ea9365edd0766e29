"""Search over the vectors of many names: in blocks as in one piece, and kept by what made them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from holdfast.kb import Entry, KnowledgeBase
from holdfast.systems.collective import entities
from holdfast.systems.collective.bm25 import Bm25Index
from holdfast.systems.collective.entities import EntityNames, EntityVectors, entity_vectors_of
from small_kb import of_entries

Floats = npt.NDArray[np.float32]
WHOLE = st.integers(-4, 4).map(float)  # products of whole numbers are exact in any order


class Counted:
    """Encodes a name by how often it has each of the first letters; `made` counts the names."""

    def __init__(self, digest: str = "letters") -> None:
        self.names_digest = digest
        self.made = 0

    def encode_names(self, names: Sequence[str]) -> Floats:
        self.made += len(names)
        rows = [[name.count(letter) for letter in "abcd"] for name in names]
        return np.array(rows, dtype=np.float32).reshape(-1, 4)


def vectors_of(rows: Floats, owner: Sequence[int]) -> EntityVectors:
    places = np.arange(len(rows), dtype=np.int64)
    return EntityVectors(EntityNames(places, np.array(owner, dtype=np.int64)), rows)


@settings(deadline=None)
@given(
    arrays.arrays(np.float32, (13, 3), elements=WHOLE),
    arrays.arrays(np.float32, (5, 3), elements=WHOLE),
    st.integers(1, 14),
    st.integers(1, 6),
    st.sampled_from([tuple(range(13)), (0, 0, 1, 2, 2, 2, 3, 4, 5, 6, 6, 7, 7)]),
)
def test_small_blocks_find_what_one_large_block_finds(
    names: Floats, queries: Floats, block: int, k: int, owner: tuple[int, ...]
) -> None:
    vectors = vectors_of(names, owner)
    whole = list(vectors.search(queries, k))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entities, "_BLOCK", block)
        patch.setattr(entities, "_ASKED", 2)
        found = list(vectors.search(queries, k))
    assert [[n.score for n in near] for near in found] == [
        [n.score for n in near] for near in whole
    ]
    for query, near in zip(queries, found, strict=True):
        for n in near:  # an entity is found with its own names
            own = names[np.array(owner) == n.entity] @ query
            assert n.score == pytest.approx(np.logaddexp.reduce(own), abs=1e-4)
            assert names[n.name] @ query == own.max()


def test_the_name_that_is_told_is_a_row_of_the_knowledge_base(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "aa", synonyms=("b", "c")),
        Entry("X:2", "dd", synonyms=("bb", "cc")),
    )
    vectors = EntityVectors.build(kb, Counted(), most=2)
    ((near, _),) = vectors.search(Counted().encode_names(["bbb"]), 2)
    assert (kb.id_at(near.entity), kb.name_at(near.name)) == ("X:2", "bb")


def test_progress_rises_to_the_whole_and_every_name_is_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entities, "_BATCH", 2)
    names = ("aaaa", "b", "cc", "dda", "ab")
    kb = of_entries(tmp_path / "kb", *(Entry(f"X:{i}", n) for i, n in enumerate(names)))
    told = list[float]()
    vectors = EntityVectors.build(kb, Counted(), progress=told.append)
    assert told == pytest.approx([0.4, 0.8, 1.0])
    assert np.array_equal(vectors._vectors, Counted().encode_names(names))
    folder = tmp_path / "vectors"
    folder.mkdir()
    monkeypatch.setattr(entities, "_BLOCK", 2)
    written = EntityVectors.build(kb, Counted(), folder=folder)
    assert np.array_equal(written._vectors, vectors._vectors)


def kb_at(folder: Path, *names: str) -> KnowledgeBase:
    return of_entries(folder, Entry("X:1", names[0], synonyms=names[1:]))


def test_vectors_are_made_anew_for_another_number_of_names_or_another_base(tmp_path: Path) -> None:
    kb = kb_at(tmp_path / "1" / "kb", "aa", "b", "c")
    one, two, again = Counted(), Counted(), Counted()
    entity_vectors_of(kb, one, most=1)
    entity_vectors_of(kb, two, most=2)
    entity_vectors_of(kb, again, most=2)
    assert (one.made, two.made, again.made) == (1, 2, 0)
    other = Counted()
    elsewhere = kb_at(tmp_path / "2" / "kb", "dd")
    ((near,),) = entity_vectors_of(elsewhere, other).search(other.encode_names(["d"]), 1)
    assert near.score == 2.0
    assert len(entity_vectors_of(kb, Counted(), most=2).names.rows) == 2


def brute_bm25(kb: KnowledgeBase, query: Sequence[str], row: int) -> float:
    names = [name.lower().split() for name in kb.all_names()]
    mean = sum(map(len, names)) / len(names)
    score = 0.0
    for word in query:
        holding = sum(word in name for name in names)
        count = names[row].count(word)
        rarity = np.log1p((len(names) - holding + 0.5) / (holding + 0.5))
        norm = 1.2 * (0.25 + 0.75 * len(names[row]) / mean)
        score += rarity * count * 2.2 / (count + norm)
    return float(score)


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return of_entries(
        tmp_path_factory.mktemp("bm25") / "kb",
        Entry("X:1", "sick bog", synonyms=("bog bog fen",)),
        Entry("X:2", "sick fen", synonyms=("fen of the bog moss",)),
        Entry("X:3", "moss", synonyms=("old sick moss of bog",)),
        Entry("X:4", "sick bog"),
    )


@pytest.mark.parametrize("query", ["bog", "sick bog", "fen moss bog", "old", "bog bog"])
def test_bm25_scores_each_entity_by_its_best_name(named: KnowledgeBase, query: str) -> None:
    (found,) = Bm25Index.build(named).search([query], 9)
    owner = named.entity_of_name.tolist()
    scores = [brute_bm25(named, query.split(), row) for row in range(named.names)]
    for near in found:
        own = [score for score, entity in zip(scores, owner, strict=True) if entity == near.entity]
        assert near.score == pytest.approx(max(own), rel=1e-5)
        assert scores[near.name] == pytest.approx(max(own), rel=1e-5)
    assert [n.score for n in found] == sorted((n.score for n in found), reverse=True)
    assert {n.entity for n in found} == {
        entity for score, entity in zip(scores, owner, strict=True) if score > 0
    }


def test_bm25_finds_no_more_than_asked_ties_in_the_order_of_names(named: KnowledgeBase) -> None:
    index = Bm25Index.build(named)
    for k in (1, 2, 3):
        (found,) = index.search(["sick bog"], k)
        assert len(found) == k
    assert [named.id_at(n.entity) for n in found][:2] == ["X:1", "X:4"]
    assert [len(near) for near in index.search(["moss", "zzz", "fen"], 1)] == [1, 0, 1]
