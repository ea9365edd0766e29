"""What a knowledge base says of its entities: types, sources, ids, look-ups of many at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import types
from holdfast.errors import UnknownEntityError
from holdfast.kb import Addition, Entry, KnowledgeBase, Link, Source
from holdfast.kb.describe import SearchHit, describe, entity_to_json, search
from holdfast.kb.hierarchy import ancestors, children_by_id, descendants
from holdfast.kb.ids import IdIndex
from holdfast.kb.tables import count_prefixes, sorted_by_entity, strings_at
from small_kb import make_kb, of_entries


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return make_kb(tmp_path_factory.mktemp("kb") / "small")


def test_an_entity_counts_among_all_its_types_however_they_were_entered(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "a", types=("Disease", "Gene")),
        Entry("X:2", "b", types=("Chemical",)),
        Addition("X:2", types=("T047", "Species")),
        Entry("X:3", "c", types=("T999",)),
        Entry("X:4", "d"),
        Entry("X:1", "a again", types=("Chemical",)),
    )
    masks = dict(zip(["X:1", "X:2", "X:3", "X:4"], kb.type_mask.tolist(), strict=True))
    assert masks["X:1"] == types.mask_of(["Disease", "Gene", "Chemical"])
    assert masks["X:2"] & types.mask_of(["Chemical", "Species"]) == types.mask_of(
        ["Chemical", "Species"]
    )
    assert masks["X:2"] & types.FOREIGN == 0
    assert masks["X:3"] == types.FOREIGN
    assert masks["X:4"] == types.UNTYPED
    assert kb.rows_of_types(["Chemical"]).tolist() == [0, 1]
    assert kb.rows_of_types(["T999", "T047"]).tolist() == [1, 2]
    assert kb.rows_of_types(["chemical"]).tolist() == []


def test_many_ids_are_looked_up_as_one_by_one_repeated_or_not(kb: KnowledgeBase) -> None:
    ids = ["HGNC:2", "NO:1", "MESH:D001", "HGNC:2", "MONDO:0009", "", "hgnc:2"]
    expected = [-1 if (row := kb.row_of(id)) is None else row for id in ids]
    assert kb.rows_of(ids).tolist() == expected
    assert expected[0] == expected[3] >= 0
    assert expected[1] == expected[5] == expected[6] == -1
    assert kb.rows_of([]).tolist() == []
    known = np.array([row for row in expected if row >= 0])
    assert kb.ids_at(known) == [kb.id_at(row) for row in known.tolist()]
    assert kb.ids_at(np.zeros(0, dtype=np.int64)) == []


def test_an_id_that_is_only_a_cross_reference_finds_the_entity_of_its_own_vocabulary(
    tmp_path: Path,
) -> None:
    kb = make_kb(
        tmp_path / "kb",
        (Source("First"), [Entry("F:1", "first", xrefs=("MGI:7", "Second:8"))]),
        (Source("mgi"), [Entry("NCBIGene:5", "second", xrefs=("MGI:7",))]),
        (Source("Second"), [Entry("S:1", "third", xrefs=("MGI:9",))]),
    )
    assert kb.entity("MGI:7").id == "NCBIGene:5"
    assert kb.entity("Second:8").id == "F:1"
    assert kb.rows_known_as(["MGI:7", "F:1", "MGI:9", "Second:8", "NO:1"]).tolist() == [
        1,
        0,
        -1,
        -1,
        -1,
    ]
    assert kb.rows_with_xref("MGI:7") == [0, 1]
    with pytest.raises(UnknownEntityError, match=r"'NO:1' is not in .* ids look like 'F:1'"):
        kb.entity("NO:1")


def test_equivalents_go_both_ways_and_one_step_far(tmp_path: Path) -> None:
    kb = make_kb(
        tmp_path / "kb",
        (Source("A"), [Entry("A:1", "a", xrefs=("B:1",)), Entry("A:2", "b", xrefs=("A:1",))]),
        (Source("B"), [Entry("B:1", "c", xrefs=("C:1",)), Entry("B:2", "d", xrefs=("A:2",))]),
    )
    assert kb.equivalents("A:1") == {"A:1", "A:2", "B:1"}
    assert kb.equivalents("B:1") == {"A:1", "B:1", "C:1"}
    assert kb.equivalents("C:1") == {"B:1", "C:1"}
    # Only pairs of two vocabularies, and who refers to whom: A:2 names another of its own.
    assert sorted(map(tuple, kb.equivalent_rows().tolist())) == [(0, 2), (3, 1)]


def test_names_say_whose_they_are(tmp_path: Path) -> None:
    kb = make_kb(
        tmp_path / "kb",
        (Source("A"), [Entry("X:1", "a", synonyms=("b",)), Entry("X:2", "z", origin="Q")]),
        (Source("B"), [Addition("X:1", synonyms=("c", "a")), Addition("X:2", synonyms=("y",))]),
    )
    assert kb.names_of(0) == ["a", "b", "c"]
    assert kb.origins_of(0) == ["A", "A", "B"]
    assert kb.origins_of(1) == ["Q", "B"]
    assert [kb.origin_of(0, name) for name in ("a", "b", "c", "none")] == ["A", "A", "B", "A"]
    assert kb.source_at(1) == "A"
    assert [kb.count_of("names", row) for row in (0, 1)] == [3, 2]
    assert kb.count_of("xrefs", 0) == 0
    assert list(kb.all_names()) == ["a", "b", "c", "z", "y"]
    assert [kb.name_at(row) for row in range(5)] == ["a", "b", "c", "z", "y"]
    assert kb.label_at(1) == "z"


def test_prefixes_are_counted_over_ids_and_cross_references(kb: KnowledgeBase) -> None:
    assert kb.prefixes == {"MESH": 7, "HGNC": 2, "MONDO": 3}


def test_what_is_below_is_found_through_every_generation(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "a"),
        Entry("X:2", "b", links=(Link("is_a", "X:1"), Link("is_a", "GONE:1"))),
        Entry("X:3", "c", links=(Link("part_of", "X:1"), Link("is_a", "X:2"))),
        Entry("X:4", "d", links=(Link("part_of", "X:2"),)),
    )
    assert descendants(kb, [0]) == [0, 1, 2]
    assert descendants(kb, [2, 1]) == [1, 2]
    assert descendants(kb, []) == []
    assert children_by_id(kb) == {"X:1": [1], "GONE:1": [1], "X:2": [2]}
    assert ancestors(kb, "X:3") == {"X:1", "X:2", "GONE:1"}
    assert ancestors(kb, "X:4") == ancestors(kb, "NO:1") == frozenset()
    assert kb.links_of(2) == [Link("part_of", "X:1"), Link("is_a", "X:2")]


def test_a_search_gives_each_entity_its_best_name_once(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "liver diseases of dogs", synonyms=("hepatic disease",)),
        Entry("X:2", "Hepatic Diseases", synonyms=("hepatic diseasse",)),
        Entry("X:3", "aspirin", xrefs=("Y:1",)),
        Entry("X:4", "ibuprofen", xrefs=("X:3",)),
    )
    found = search(kb, "hepatic disease")
    assert [(f.entity.id, f.name, f.score) for f in found[:2]] == [
        ("X:1", "hepatic disease", 1.0),
        ("X:2", "Hepatic Diseases", 1.0),
    ]
    assert [f.entity.id for f in search(kb, "X:3")] == ["X:3", "X:4"]
    assert [(f.entity.id, f.name, f.score) for f in search(kb, "Y:1")] == [("X:3", "aspirin", 1.0)]
    assert [f.entity.id for f in search(kb, "hepatic disease", top=1)] == ["X:1"]
    (alike,) = search(kb, "asprin", top=1)
    assert (alike.entity.id, alike.name, alike.origin) == ("X:3", "aspirin", "own")
    assert 0 < alike.score < 1
    assert alike.to_json() == {
        "id": "X:3",
        "label": "aspirin",
        "name": "aspirin",
        "name_source": "own",
        "score": round(alike.score, 4),
        "types": [],
        "source": "own",
    }


def test_what_a_search_finds_says_whose_name_it_is(tmp_path: Path) -> None:
    kb = make_kb(
        tmp_path / "kb",
        (Source("A"), [Entry("X:1", "quaggle fever", synonyms=("zibol",))]),
        (Source("B"), [Addition("X:1", synonyms=("red glims",))]),
    )
    for query, origin in (("quaggle fever", "A"), ("zibol", "A"), ("red glims", "B")):
        (found,) = search(kb, query, top=1)
        assert (found.name, found.origin, found.entity.source) == (query, origin, "A")
    assert SearchHit(kb.entity("X:1"), "no name of it", 0.5).origin == "A"


def test_an_entity_as_json_names_the_vocabulary_of_each_name(kb: KnowledgeBase) -> None:
    assert entity_to_json(kb.entity("MESH:D002")) == {
        "id": "MESH:D002",
        "label": "Myocardial Infarction",
        "synonyms": ["Heart Attack", "Infarction, Myocardial"],
        "name_sources": [
            {"name": "Myocardial Infarction", "source": "MeSH"},
            {"name": "Heart Attack", "source": "MeSH"},
            {"name": "Infarction, Myocardial", "source": "MeSH"},
        ],
        "types": ["Disease"],
        "definition": "Death of heart muscle for want of blood.",
        "xrefs": ["MONDO:0002"],
        "links": [["is_a", "MESH:D001"]],
        "source": "MeSH",
    }


def test_a_description_counts_own_types_too_most_frequent_first(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "a", types=("assay",)),
        Entry("X:2", "b", types=("assay", "Gene")),
        Entry("X:3", "c", types=("assay", "Gene", "Disease")),
    )
    described = describe(kb)
    assert described.types == (("assay", 3), ("Gene", 2), ("Disease", 1))
    assert (described.entities, described.names, described.name) == (3, 3, "small")
    assert described.digest == kb.manifest.digest
    size = sum(path.stat().st_size for path in kb.folder.iterdir())
    assert described.megabytes == pytest.approx(size / 1e6)


def test_ids_that_share_a_hash_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.kb.ids._hash", lambda string: len(string) % 2)
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "a", xrefs=("Y:1", "Y:22")),
        Entry("X:22", "b", xrefs=("Y:3",)),
        Entry("X:3", "c", xrefs=("Y:1",)),
    )
    asked = ["X:3", "X:22", "X:9", "X:99", "X:1"]
    assert [kb.row_of(id) for id in asked] == [2, 1, None, None, 0]
    assert kb.rows_of(asked).tolist() == [2, 1, -1, -1, 0]
    assert [kb.rows_with_xref(id) for id in ("Y:1", "Y:22", "Y:3", "Y:7")] == [[0, 2], [0], [1], []]
    assert "X:9" not in kb
    assert 7 not in kb


@given(st.lists(st.text(max_size=4), max_size=12), st.lists(st.text(max_size=4), max_size=6))
def test_the_rows_of_a_string_are_all_those_where_it_stands(
    strings: list[str], asked: list[str]
) -> None:
    index = IdIndex.build(strings)
    for string in (*asked, *strings):
        rows = [row for row, other in enumerate(strings) if other == string]
        assert index.rows_of(string) == rows
    first = index.first_rows_of([*asked, *strings]).tolist()
    assert first == [strings.index(s) if s in strings else -1 for s in (*asked, *strings)]
    ids = list(dict.fromkeys(asked))
    shared = index.shared_with(IdIndex.build(ids))
    assert sorted(map(tuple, shared.tolist())) == sorted(
        (row, ids.index(string)) for row, string in enumerate(strings) if string in ids
    )


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["x", "y", "é:1", ""]), st.integers(0, 2)),
        max_size=12,
    )
)
def test_rows_are_sorted_by_entity_in_their_order_each_once(
    rows: list[tuple[int, str, int]],
) -> None:
    schema = pa.schema(
        [("entity", pa.uint32()), ("name", pa.large_string()), ("origin", pa.uint16())]
    )
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    table = pa.table(
        [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema
    )
    first: dict[tuple[int, str], tuple[int, str, int]] = {}
    for row in rows:
        first.setdefault(row[:2], row)
    kept = sorted(first.values(), key=lambda row: row[0])
    found = sorted_by_entity(table, but="origin").to_pylist()
    assert [tuple(row.values()) for row in found] == kept
    names = sorted_by_entity(table, but="origin").combine_chunks().column("name")
    if len(kept):
        places = np.array([len(kept) - 1, 0, 0])
        assert strings_at(names, places) == [kept[place][1] for place in places]
    prefixes = [name.split(":")[0] for _, name, _ in kept]
    assert count_prefixes(names) == {prefix: prefixes.count(prefix) for prefix in prefixes}
