from __future__ import annotations

from pathlib import Path

from holdfast.encoders.names import plain
from holdfast.kb import Entry
from holdfast.systems.rescnn.training.synonyms import Group, synonym_groups
from small_kb import HGNC, MESH, MONDO, make_kb

EVERY = ("MeSH", "MONDO", "HGNC")


def group_of(groups: list[Group], id: str) -> Group:
    (found,) = [group for group in groups if id in group.ids]
    return found


def test_entities_that_refer_to_each_other_are_one_group(tmp_path: Path) -> None:
    kb = make_kb(
        tmp_path / "kb",
        (
            MESH,
            [Entry("MESH:D1", "Kidney Stones", synonyms=("Renal Calculi",), types=("Disease",))],
        ),
        (MONDO, [Entry("MONDO:1", "nephrolithiasis", xrefs=("MESH:D1",), types=("Disease",))]),
    )
    group = group_of(synonym_groups(kb, EVERY), "MESH:D1")
    assert group.ids == ("MESH:D1", "MONDO:1")
    assert set(map(plain, group.names)) == {"kidney stones", "renal calculi", "nephrolithiasis"}
    assert group.kind == "Disease"


def test_an_id_that_two_entities_of_a_vocabulary_give_joins_neither(tmp_path: Path) -> None:
    kb = make_kb(
        tmp_path / "kb",
        (MESH, [Entry("MESH:D1", "Kidney Stones")]),
        (
            MONDO,
            [
                Entry("MONDO:1", "bladder stone", xrefs=("MESH:D1",)),
                Entry("MONDO:2", "ureter stone", xrefs=("MESH:D1",)),
            ],
        ),
    )
    assert [group.ids for group in synonym_groups(kb, EVERY)] == [
        ("MESH:D1",),
        ("MONDO:1",),
        ("MONDO:2",),
    ]


def test_equal_preferred_names_of_two_vocabularies_are_one_group(tmp_path: Path) -> None:
    kb = make_kb(
        tmp_path / "kb",
        (MESH, [Entry("MESH:D1", "Night-Blindness"), Entry("MESH:D2", "Eye")]),
        (MONDO, [Entry("MONDO:1", "night blindness"), Entry("MONDO:2", "eye")]),
    )
    groups = synonym_groups(kb, EVERY)
    assert group_of(groups, "MESH:D1").ids == ("MESH:D1", "MONDO:1")
    # "eye" is too short to be sure, so it belongs to two groups and teaches neither.
    assert all("MESH:D2" not in group.ids for group in groups)


def test_a_name_of_two_concepts_belongs_to_no_group(tmp_path: Path) -> None:
    groups = synonym_groups(make_kb(tmp_path / "kb"), EVERY)
    names = [plain(name) for group in groups for name in group.names]
    assert "was" not in names
    assert len(names) == len(set(names))


def test_only_the_sources_asked_for_are_read(tmp_path: Path) -> None:
    groups = synonym_groups(make_kb(tmp_path / "kb"), (HGNC.name,))
    assert {id.split(":")[0] for group in groups for id in group.ids} == {"HGNC"}
    # Without MeSH's disease of that name, the gene's symbol is its own.
    assert "WAS" in group_of(groups, "HGNC:2").names
