"""Parts of knowledge bases, and several together."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.errors import FormatError, KnowledgeBaseError, UnknownEntityError, UsageError
from holdfast.kb import Addition, Entry, KnowledgeBase, Link, Source, open_kb
from holdfast.kb.derive import merge, read_ids, subset
from small_kb import DISEASES, MESH, MONDO, MONDO_DISEASES, make_kb, of_entries


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return make_kb(tmp_path / "kb")


def ids_of(folder: Path) -> set[str]:
    kb = open_kb(folder)
    return {kb.id_at(row) for row in range(len(kb))}


def test_a_subset_keeps_what_meets_every_condition(kb: KnowledgeBase, tmp_path: Path) -> None:
    subset(kb, tmp_path / "new", name="new", types=["gene"])
    assert ids_of(tmp_path / "new") == {"HGNC:1", "HGNC:2"}
    subset(kb, tmp_path / "new", name="new", types=["disease"], sources=["mondo"])
    assert ids_of(tmp_path / "new") == {"MONDO:0002", "MONDO:0009"}
    subset(kb, tmp_path / "new", name="new", ids=["HGNC:1", "MESH:D002"])
    assert ids_of(tmp_path / "new") == {"HGNC:1", "MESH:D002"}
    subset(kb, tmp_path / "new", name="new", ancestors=["MESH:D001"])
    assert ids_of(tmp_path / "new") == {"MESH:D001", "MESH:D002"}


def test_entities_of_a_subset_are_what_they_were(kb: KnowledgeBase, tmp_path: Path) -> None:
    subset(kb, tmp_path / "new", name="new", ids=["MESH:D002", "HGNC:2"])
    new = open_kb(tmp_path / "new")
    for id in ("MESH:D002", "HGNC:2"):
        assert new.entity(id) == kb.entity(id)
    assert {source.licence for source in new.sources} == {"NLM terms", "CC0 1.0"}


def test_conditions_that_name_nothing_are_errors_that_say_what_there_is(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    new = tmp_path / "new"
    with pytest.raises(UsageError, match="no type 'colour'; it has: Disease"):
        subset(kb, new, name="new", types=["colour"])
    with pytest.raises(UsageError, match="no source 'SNOMED'; it has: MeSH, HGNC, MONDO"):
        subset(kb, new, name="new", sources=["SNOMED"])
    with pytest.raises(UnknownEntityError, match="'X:1'"):
        subset(kb, new, name="new", ids=["X:1"])
    with pytest.raises(UnknownEntityError, match="'X:1'"):
        subset(kb, new, name="new", ancestors=["X:1"])
    with pytest.raises(KnowledgeBaseError, match="no entity of 'small' meets"):
        subset(kb, new, name="new", types=["gene"], sources=["MeSH"])
    assert not new.exists()


def test_what_is_below_an_ancestor_survives_cycles(tmp_path: Path) -> None:
    kb = make_kb(
        tmp_path / "kb",
        (
            Source("s"),
            [
                Entry("X:1", "a", links=(Link("is_a", "X:2"),)),
                Entry("X:2", "b", links=(Link("is_a", "X:1"),)),
                Entry("X:3", "c", links=(Link("part_of", "X:1"),)),
            ],
        ),
    )
    subset(kb, tmp_path / "new", name="new", ancestors=["X:1"])
    assert ids_of(tmp_path / "new") == {"X:1", "X:2"}


def test_merging_keeps_everything_and_the_first_preferred_name(tmp_path: Path) -> None:
    one = make_kb(tmp_path / "one", (MESH, DISEASES))
    two = make_kb(
        tmp_path / "two", (MONDO, (*MONDO_DISEASES, Entry("MESH:D001", "heart disorder")))
    )
    merge([one, two], tmp_path / "both", name="both")
    both = open_kb(tmp_path / "both")
    assert len(both) == 6
    entity = both.entity("MESH:D001")
    assert (entity.name, entity.synonyms) == ("Heart Diseases", ("heart disorder",))
    assert both.entity("MONDO:0009") == two.entity("MONDO:0009")


def test_merging_a_knowledge_base_with_itself_changes_nothing(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    merge([kb, kb], tmp_path / "twice", name="twice")
    twice = open_kb(tmp_path / "twice")
    assert len(twice) == len(kb)
    for row in range(len(kb)):
        assert twice.entity(kb.id_at(row)) == kb.entity_at(row)


def test_ids_are_read_from_the_first_column_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.write_bytes(b"X:1\r\n\n X:2 \tsome name\n")
    assert read_ids(path) == ["X:1", "X:2"]
    path.write_bytes(b"X:1\n\xff\n")
    with pytest.raises(FormatError, match=r"ids\.txt.*UTF-8"):
        read_ids(path)


def test_types_of_ones_own_and_of_holdfast_are_kept_together(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "a", types=("assay",)),
        Entry("X:2", "b", types=("widget",)),
        Entry("X:3", "c", types=("Gene", "assay")),
        Entry("X:4", "d", types=("Disease",)),
        Entry("X:5", "e"),
    )
    new = tmp_path / "new"
    for types, expected in (
        (["assay"], {"X:1", "X:3"}),
        (["assay", "disease"], {"X:1", "X:3", "X:4"}),
        (["Gene"], {"X:3"}),
    ):
        subset(kb, new, name="new", types=types)
        assert ids_of(new) == expected
    with pytest.raises(UsageError, match="no type 'Assay'"):
        subset(kb, new, name="new", types=["Assay"])


def test_the_sources_of_a_part_say_that_it_is_one(kb: KnowledgeBase, tmp_path: Path) -> None:
    subset(kb, tmp_path / "new", name="part", sources=["MESH", "hgnc"])
    new = open_kb(tmp_path / "new")
    assert new.name == "part"
    assert [(source.name, source.is_part) for source in new.sources] == [
        ("MeSH", True),
        ("HGNC", True),
    ]
    assert [source.is_part for source in kb.sources] == [False, False, False]
    assert [new.id_at(row) for row in range(len(new))] == [
        kb.id_at(row) for row in range(len(kb)) if kb.source_at(row) != "MONDO"
    ]


def test_names_keep_their_origins_in_parts_and_mergers(tmp_path: Path) -> None:
    kb = make_kb(
        tmp_path / "kb",
        (Source("A"), [Entry("X:1", "a", synonyms=("b",)), Entry("X:2", "z")]),
        (Source("B"), [Addition("X:1", synonyms=("c",)), Addition("X:1", ("d",), origin="Q")]),
        (Source("A2"), [Entry("X:3", "y", origin="R")]),
    )
    subset(kb, tmp_path / "part", name="part", ids=["X:3", "X:1"])
    merge([open_kb(tmp_path / "part"), kb], tmp_path / "whole", name="whole")
    for folder in ("part", "whole"):
        new = open_kb(tmp_path / folder)
        assert new.entity("X:1") == kb.entity("X:1")
        assert new.entity("X:3") == kb.entity("X:3")
    assert kb.entity("X:1").origins == ("A", "A", "B", "Q")
    assert ids_of(tmp_path / "whole") == {"X:1", "X:2", "X:3"}
