"""What another vocabulary calls the same thing, as `holdfast kb map` tells it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from command import call, run
from holdfast.kb import Entry, IdMapper, kb_folder
from small_kb import of_entries

CONCEPTS = (
    Entry("MESH:D1", "Quaggle Fever"),
    Entry("MONDO:1", "quaggle fever", xrefs=("MESH:D1", "UMLS:C1")),
    Entry("DOID:1", "fever of quaggles", xrefs=("MESH:D1", "UMLS:C1", "ICD10CM:Q1")),
    # A term that lists two headings is broader than both; one heading of two terms likewise.
    Entry("MESH:D2", "Early Zibolosis"),
    Entry("MESH:D3", "Late Zibolosis"),
    Entry("MONDO:2", "zibolosis", xrefs=("MESH:D2", "MESH:D3", "UMLS:C2")),
    Entry("MESH:D4", "Glims"),
    Entry("MONDO:4", "red glims", xrefs=("MESH:D4", "UMLS:C4")),
    Entry("MONDO:5", "blue glims", xrefs=("MESH:D4", "UMLS:C5")),
    # Two terms of one vocabulary share the last id: it is broader than both.
    Entry("MESH:D6", "Round Tolm"),
    Entry("MONDO:6", "round tolm", xrefs=("MESH:D6", "UMLS:C6")),
    Entry("MONDO:7", "flat tolm", xrefs=("UMLS:C6",)),
    # A chain of three: never.
    Entry("MESH:D8", "Wist", xrefs=("EFO:8",)),
    Entry("EFO:8", "wist", xrefs=("DOID:8",)),
    Entry("DOID:8", "wisting", xrefs=("UMLS:C8",)),
    # Old and new numbers of one vocabulary.
    Entry("DOID:9", "vorb", xrefs=("DOID:90", "UMLS:C9")),
)


@pytest.fixture(autouse=True)
def kb() -> None:
    of_entries(kb_folder("open"), *CONCEPTS)


def mapped(*ids: str, to: str) -> list[list[str]]:
    done = call("kb", "map", *ids, "--to", to)
    assert done.returncode == 0
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_two_steps_through_equivalent_concepts_find_what_one_does_not() -> None:
    assert mapped("MESH:D1", to="UMLS") == [["MESH:D1", "UMLS:C1", "via DOID:1, MONDO:1"]]
    assert mapped("UMLS:C1", to="MESH") == [["UMLS:C1", "MESH:D1", "via DOID:1, MONDO:1"]]


def test_direct_targets_come_first_and_need_no_bridge() -> None:
    assert mapped("MESH:D1", to="MONDO") == [["MESH:D1", "MONDO:1", "direct"]]
    assert mapped("MESH:D4", to="MONDO") == [
        ["MESH:D4", "MONDO:4", "direct"],
        ["MESH:D4", "MONDO:5", "direct"],
    ]


@pytest.mark.parametrize("id", ["MESH:D2", "MESH:D4", "MESH:D6", "MESH:D8"])
def test_what_is_broader_narrower_or_further_bridges_nothing(id: str) -> None:
    done = call("kb", "map", id, "--to", "UMLS")
    assert done.stdout == f"{id}\t\t\n"
    assert "no UMLS id is known for 1 of 1 ids" in done.stderr


def test_an_id_that_was_replaced_leads_to_the_targets_of_the_new_one() -> None:
    assert mapped("DOID:90", to="UMLS") == [["DOID:90", "UMLS:C9", "via DOID:9"]]
    assert mapped("DOID:90", to="DOID") == [["DOID:90", "DOID:9", "direct"]]
    assert mapped("DOID:9", to="DOID") == [["DOID:9", "DOID:9", "direct"]]


def test_prefixes_are_taken_in_any_case_and_usual_spelling() -> None:
    assert mapped("mesh:D1", to="umls") == mapped("MESH:D1", to="UMLS")
    assert mapped("msh:D1", to="UmlsCui") == mapped("MESH:D1", to="UMLS")


@pytest.mark.parametrize("arguments", [("MESH:D1", "--to", "FOO"), ("FOO:1", "--to", "UMLS")])
def test_an_unknown_prefix_is_refused_with_those_there_are(arguments: tuple[str, ...]) -> None:
    done = call("kb", "map", *arguments)
    assert done.returncode == 2
    assert "no id of 'small' has the prefix 'FOO'; there is: " in done.stderr
    assert all(prefix in done.stderr for prefix in ("MESH", "MONDO", "UMLS", "ICD10CM"))
    assert done.stderr.count("\n") == 1


def test_what_is_no_id_is_refused() -> None:
    done = call("kb", "map", "D1", "--to", "UMLS")
    assert done.returncode == 2
    assert "'D1' is not an id" in done.stderr


def test_json_has_every_target_and_what_lies_between() -> None:
    done = call("kb", "map", "MESH:D1", "MESH:D2", "--to", "umls", "--json")
    assert json.loads(done.stdout) == {
        "to": "UMLS",
        "mapped": [
            {"id": "MESH:D1", "targets": [{"id": "UMLS:C1", "via": ["DOID:1", "MONDO:1"]}]},
            {"id": "MESH:D2", "targets": []},
        ],
    }


def test_ids_are_read_from_standard_input_too() -> None:
    done = run(
        *("kb", "map", "-", "--to", "MONDO"),
        input="MESH:D1\n\nDOID:1\n",
        HOLDFAST_HOME=os.environ["HOLDFAST_HOME"],
    )
    assert done.stdout == "MESH:D1\tMONDO:1\tdirect\nDOID:1\tMONDO:1\tvia MESH:D1, UMLS:C1\n"


def targets(folder: Path, *entries: Entry, id: str, to: str) -> list[str]:
    return [target.id for target in IdMapper(of_entries(folder, *entries), to).targets(id)]


def test_a_target_of_the_same_preferred_name_comes_before_others(tmp_path: Path) -> None:
    a = Entry("A:1", "Glim fever", xrefs=("B:1", "B:2", "B:3"))
    others = (
        Entry("B:1", "glims"),
        Entry("B:2", "fever", synonyms=("glim fever",)),
        Entry("B:3", "Glim Fevers"),
    )
    assert targets(tmp_path / "kb", a, *others, id="A:1", to="B") == ["B:3", "B:1", "B:2"]


def test_a_target_that_means_fewer_other_things_comes_first(tmp_path: Path) -> None:
    entries = (
        Entry("A:1", "one", xrefs=("B:1", "B:2", "B:10")),
        Entry("A:2", "two", xrefs=("B:1",)),
        Entry("A:3", "three", xrefs=("B:10",)),
    )
    assert targets(tmp_path / "kb", *entries, id="A:1", to="B") == ["B:2", "B:1", "B:10"]


def test_a_bridged_target_to_which_more_concepts_lead_comes_first_after_the_direct_ones(
    tmp_path: Path,
) -> None:
    entries = (
        Entry("A:1", "one", xrefs=("C:1", "D:1", "E:1", "B:9")),
        Entry("C:1", "c", xrefs=("B:1",)),
        Entry("D:1", "d", xrefs=("B:2",)),
        Entry("E:1", "e", xrefs=("B:2",)),
    )
    assert targets(tmp_path / "kb", *entries, id="A:1", to="B") == ["B:9", "B:2", "B:1"]
    (bridged,) = (
        target
        for target in IdMapper(of_entries(tmp_path / "again", *entries), "B").targets("A:1")
        if target.id == "B:2"
    )
    assert bridged.via == ("D:1", "E:1")
    assert bridged.way == "via D:1, E:1"
