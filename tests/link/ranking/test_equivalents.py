"""Which candidates are one concept, and which of them speaks for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from holdfast.kb import Entry, KnowledgeBase, Source
from holdfast.link.ranking.equivalents import Equivalents
from holdfast.names.preference import preference_of_entities
from small_kb import make_kb, of_entries

IDS = ("MONDO:1", "MONDO:2", "MESH:D1", "MESH:D2", "DOID:1")


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    """MESH:D1 and MESH:D2 both refer to MONDO:1, which refers to DOID:1."""
    mesh = (
        Entry("MESH:D1", "fen ague", types=("Disease",), xrefs=("MONDO:1",)),
        Entry("MESH:D2", "old ague", types=("Disease",), xrefs=("MONDO:1",)),
    )
    mondo = (
        Entry("MONDO:1", "ague", types=("Disease",), xrefs=("DOID:1",)),
        Entry("MONDO:2", "other ague", types=("Disease",)),
    )
    return make_kb(
        tmp_path_factory.mktemp("equivalents") / "kb",
        (Source("MONDO"), mondo),
        (Source("MeSH"), mesh),
        (Source("Disease Ontology"), (Entry("DOID:1", "ague", types=("Disease",)),)),
    )


def equivalents(kb: KnowledgeBase, *used: str) -> Equivalents:
    rows = np.array([kb.row_of(id) if id in kb else -1 for id in used], dtype=np.int64)
    return Equivalents(kb, preference_of_entities(kb), used=rows if used else None)


def rows(kb: KnowledgeBase, *ids: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([kb.row_of(id) for id in ids], dtype=np.int64)


def groups(kb: KnowledgeBase, *ids: str, used: tuple[str, ...] = ()) -> list[list[str]]:
    """The ids by concept, where the first is the likeliest."""
    known = equivalents(kb, *used)
    entities = rows(kb, *ids)
    found = known.groups(entities, range(len(ids)), known.linked(entities))
    return [[ids[place] for place in group] for group in found]


def test_links_are_found_in_either_direction_by_place(kb: KnowledgeBase) -> None:
    known = equivalents(kb)
    assert known.linked(rows(kb, *IDS)) == {(0, 2), (0, 3), (0, 4)}
    assert known.linked(rows(kb, "DOID:1", "MONDO:2", "MONDO:1")) == {(0, 2)}
    assert known.linked(rows(kb, "MONDO:1")) == frozenset()
    assert known.linked(rows(kb, "MESH:D1", "MESH:D2")) == frozenset()


def test_a_concept_has_one_entity_of_each_vocabulary(kb: KnowledgeBase) -> None:
    assert groups(kb, "MONDO:1", "MESH:D2", "MESH:D1", "DOID:1", "MONDO:2") == [
        ["MESH:D2", "MONDO:1", "DOID:1"],
        ["MESH:D1"],
        ["MONDO:2"],
    ]


def test_the_preferred_vocabulary_speaks_for_a_concept_unless_a_corpus_links_to_the_likeliest(
    kb: KnowledgeBase,
) -> None:
    assert groups(kb, "MONDO:1", "MESH:D1") == [["MESH:D1", "MONDO:1"]]
    assert groups(kb, "MONDO:1", "MESH:D1", used=("MONDO:1",)) == [["MONDO:1", "MESH:D1"]]
    assert groups(kb, "MONDO:1", "MESH:D1", used=("MESH:D1", "nothing:1")) == [
        ["MESH:D1", "MONDO:1"]
    ]


def test_the_order_of_concepts_is_that_of_their_likeliest_entities(kb: KnowledgeBase) -> None:
    known = equivalents(kb)
    entities = rows(kb, "MONDO:2", "MESH:D1", "MONDO:1")
    linked = known.linked(entities)
    assert known.groups(entities, [2, 0, 1], linked) == [(1, 2), (0,)]
    assert known.groups(entities, [0, 1, 2], linked) == [(0,), (1, 2)]
    assert known.groups(entities, [1, 0, 2], frozenset()) == [(1,), (0,), (2,)]


def test_entities_of_one_vocabulary_are_never_one(tmp_path: Path) -> None:
    kb = of_entries(tmp_path / "kb", Entry("X:1", "ague", xrefs=("X:2",)), Entry("X:2", "old ague"))
    assert groups(kb, "X:1", "X:2") == [["X:1"], ["X:2"]]
