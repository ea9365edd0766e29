"""Parts of knowledge bases, and several together."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.errors import FormatError, KnowledgeBaseError, UnknownEntityError, UsageError
from holdfast.kb import Entry, KnowledgeBase, Link, Source, open_kb
from holdfast.kb.derive import merge, read_ids, subset
from small_kb import DISEASES, MESH, MONDO, MONDO_DISEASES, make_kb


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
