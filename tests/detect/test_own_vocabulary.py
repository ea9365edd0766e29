"""Names of a vocabulary that the user built, as they are found in texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import holdfast
from command import call
from holdfast.kb import Source, build_kb, kb_folder
from holdfast.kb.records import Entry
from small_kb import DISEASES

LONG = "persistent grey spots of the left upper wing " * 4 + "in old museum butterflies"
ROWS = (
    ("X:1", "alpha 9 marker", "", ""),
    ("X:2", "weight loss", "double vision|large head", "phenotype"),
    ("X:3", "cold", "fall", "disease"),
    ("X:4", "K9", "", "gene"),
    ("X:5", LONG, "", "process"),
    ("X:6", "IL-1 beta HTRF", "", "assay"),
    ("X:7", "of the", "", "disease"),
    ("X:8", "snarkology", "", "other"),
    ("X:9", "table row", "", "chemical"),
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "terms.tsv"
    lines = ["id\tname\tsynonyms\ttype", *("\t".join(row) for row in ROWS)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def found(text: str, *options: str, kb: str = "mine") -> dict[str, list[str]]:
    """The ids of each mention, by its words."""
    done = call("link", text, "--kb", kb, "--json", *options)
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return {mention["text"]: mention["ids"] for mention in data.get("mentions", [])}


@pytest.mark.parametrize("model", ["default", "dictionary"])
def test_every_listed_name_is_found_however_common_its_words(table: Path, model: str) -> None:
    assert call("kb", "build", "mine", "--table", table).returncode == 0
    text = f"An alpha 9 marker, weight loss and double vision; {LONG}; see table row. Large head?"
    assert found(text, "--model", model) == {
        "alpha 9 marker": ["X:1"],
        "weight loss": ["X:2"],
        "double vision": ["X:2"],
        LONG: ["X:5"],
        "table row": ["X:9"],
        "Large head": ["X:2"],
    }


def test_a_greek_letter_may_be_spelled(table: Path) -> None:
    call("kb", "build", "mine", "--table", table)
    for written in ("IL-1β HTRF", "IL-1beta HTRF", "IL-1 Beta HTRF"):
        assert found(f"We ran {written} twice.") == {written: ["X:6"]}


def test_the_build_says_what_will_not_be_found_and_why(table: Path) -> None:
    done = call("kb", "build", "mine", "--table", table)
    told = [line for line in done.stderr.splitlines() if "not found in texts" in line]
    assert "not found in texts: 2 names that are common words: “cold”, “fall”" in told
    assert "not found in texts: 1 name of fewer than three letters or digits: “K9”" in told
    assert any("function words, numbers and single letters: “of the”" in line for line in told)
    assert any("the type Other, which is found with --only other: “snark" in line for line in told)
    assert len(told) == 4
    assert "--every-name" in done.stderr
    done = call("kb", "build", "mine", "--table", table, "--json", "--force")
    groups = json.loads(done.stdout)["unfindable"]
    assert groups[0]["names"] == 2
    assert groups[0]["examples"] == ["cold", "fall"]
    assert groups[0]["found_with_every_name"]
    assert found("A cold and a fall of the K9 snarkology") == {}
    assert found("A snarkology", "--only", "other") == {"snarkology": ["X:8"]}


def test_common_words_and_short_names_can_be_let_in(table: Path) -> None:
    done = call("kb", "build", "mine", "--table", table, "--every-name")
    assert "common words" not in done.stderr
    assert "--every-name" not in done.stderr
    text = "A cold and a fall of the K9 snarkology"
    assert found(text) == {"cold": ["X:3"], "fall": ["X:3"], "of the": ["X:7"], "K9": ["X:4"]}


def test_a_vocabulary_without_such_names_builds_without_a_word_of_them(tmp_path: Path) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text("id\tname\nX:1\tquaggle fever\n", encoding="utf-8")
    assert "not found" not in call("kb", "build", "mine", "--table", path).stderr


def test_names_of_ones_own_stay_ones_own_in_a_merged_and_in_a_part_of_a_knowledge_base(
    table: Path,
) -> None:
    call("kb", "build", "mine", "--table", table)
    shipped = (*DISEASES, Entry("MESH:C7", "pure substance", types=("Chemical",)))
    build_kb(kb_folder("given"), name="given", parts=[(Source("MeSH"), shipped)])
    assert call("kb", "merge", "both", "given", "mine").returncode == 0
    text = "A heart attack, see table row, of a pure substance with an alpha 9 marker."
    expected = {"heart attack": ["MESH:D002"], "table row": ["X:9"], "alpha 9 marker": ["X:1"]}
    assert found(text, kb="both") == expected
    assert call("kb", "subset", "both", "part", "--type", "chemical").returncode == 0
    assert found(text, kb="part") == {"table row": ["X:9"]}


def test_a_synonym_of_ones_own_counts_though_its_entity_ships(tmp_path: Path) -> None:
    shipped = Entry("MESH:D1", "quaggle fever", synonyms=("phase one",), types=("Disease",))
    build_kb(kb_folder("given"), name="given", parts=[(Source("MeSH"), [shipped])])
    path = tmp_path / "more.tsv"
    path.write_text("id\tname\ttype\nMESH:D1\tstage two\tdisease\n", encoding="utf-8")
    call("kb", "build", "mine", "--table", path)
    assert call("kb", "merge", "both", "given", "mine").returncode == 0
    text = "After phase one came stage two."
    assert found(text, kb="both") == {"stage two": ["MESH:D1"]}


def test_the_tagger_may_not_deny_a_name_of_ones_own(table: Path) -> None:
    call("kb", "build", "mine", "--table", table)
    build_kb(
        kb_folder("given"),
        name="given",
        parts=[(Source("ChEBI"), [Entry("CHEBI:9", "table row", types=("Chemical",))])],
    )
    text = "The figures are in table row of this paper."
    assert found(text, kb="given") == {}
    assert found(text) == {"table row": ["X:9"]}


def test_a_long_text_of_long_names_takes_linear_time(table: Path) -> None:
    call("kb", "build", "mine", "--table", table)
    link = holdfast.load("mine", model="names")
    many = link(f"{LONG}. " * 300 + "persistent grey spots of the left upper wing " * 2000)
    assert [m.ids for m in many.mentions] == [("X:5",)] * 300


SIGNED = (
    ("S:1", "HER2-", "", "disease"),
    ("S:2", "EGFR+", "", "gene"),
    ("S:3", "EGFR-", "", "gene"),
    ("S:4", "CD4+ T cell", "", "cell type"),
    ("S:5", "(+)-limonene", "", "chemical"),
    ("S:6", "skin tag", "", "phenotype"),
    ("S:7", "foot rot", "", "disease"),
)


@pytest.mark.parametrize("model", ["default", "dictionary"])
def test_a_name_with_a_sign_is_found_with_it_and_never_for_its_opposite(
    tmp_path: Path, model: str
) -> None:
    path = tmp_path / "signed.tsv"
    rows = ["id\tname\tsynonyms\ttype", *("\t".join(row) for row in SIGNED)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert call("kb", "build", "signed", "--table", path).returncode == 0
    text = "HER2- in 3, HER2+ in 4; EGFR-, EGFR+; CD4+ T cells, CD4- T cells; (+)-limonene."
    linked = {
        words: ids[0]
        for words, ids in found(text, "--model", model, kb="signed").items()
        if ids != ["NIL"]
    }
    assert linked == {
        "HER2-": "S:1",
        "EGFR-": "S:3",
        "EGFR+": "S:2",
        "CD4+ T cells": "S:4",
        "(+)-limonene": "S:5",
    }
    hits = json.loads(call("kb", "search", "EGFR-", "--kb", "signed", "--json").stdout)
    assert hits["found"][0]["id"] == "S:3"
    text = "Skin tags↑, foot rot¹ → foot rots; ✓foot rot"
    assert list(found(text, "--model", model, kb="signed").values()) == [["S:6"], ["S:7"], ["S:7"]]
