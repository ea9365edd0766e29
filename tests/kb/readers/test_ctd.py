"""CTD's diseases and chemicals, and MEDIC of 2012."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.errors import FormatError
from holdfast.kb.readers import read_ctd, read_medic_2012
from holdfast.kb.records import Entry, Link

DISEASE_FIELDS = (
    "# DiseaseName\tDiseaseID\tAltDiseaseIDs\tDefinition\tParentIDs\tTreeNumbers"
    "\tParentTreeNumbers\tSynonyms\tSlimMappings\n"
)
DISEASES = (
    "# Report created: Wed Jan 01 00:00:00 EST 2025\n#\n# Fields:\n" + DISEASE_FIELDS + "#\n"
    "Alzheimer Disease\tMESH:D000544\tDO:DOID:10652|OMIM:104300\tA degenerative disease.\t"
    "MESH:D003704|MESH:D024801\tC10.228.140.380.100|C10.574.945.249\t"
    "C10.228.140.380|C10.574.945\tAlzheimer's Disease|Dementia, Senile\t"
    "Mental disorder|Nervous system disease\n"
    "ABCD Syndrome\tOMIM:600501\t\t\tMESH:C536204\tC05/C536204/600501\tC05/C536204\t\t\n"
)
CHEMICALS = (
    "# Fields:\n# ChemicalName\tChemicalID\tCasRN\tPubChemCID\tPubChemSID\tDTXSID\tInChIKey"
    "\tDefinition\tParentIDs\tTreeNumbers\tParentTreeNumbers\tMESHSynonyms"
    "\tCTDCuratedSynonyms\n#\n"
    "10074-G5\tMESH:C534883\t28227-36-3\tCID:2836600\t\t\t\t\tMESH:D010069\tD03/C534883\tD03\t"
    "syn one|syn, two\tcurated\n"
)


def _write(folder: Path, text: str) -> Path:
    path = folder / "ctd.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_diseases_are_read_by_the_names_of_their_columns(tmp_path: Path) -> None:
    assert list(read_ctd(_write(tmp_path, DISEASES))) == [
        Entry(
            id="MESH:D000544",
            name="Alzheimer Disease",
            synonyms=("Alzheimer's Disease", "Dementia, Senile"),
            types=("Disease",),
            definition="A degenerative disease.",
            xrefs=("DOID:10652", "OMIM:104300"),
            links=(Link("is_a", "MESH:D003704"), Link("is_a", "MESH:D024801")),
        ),
        Entry(
            id="OMIM:600501",
            name="ABCD Syndrome",
            types=("Disease",),
            links=(Link("is_a", "MESH:C536204"),),
        ),
    ]


def test_chemicals_have_all_their_columns_of_synonyms(tmp_path: Path) -> None:
    assert list(read_ctd(_write(tmp_path, CHEMICALS))) == [
        Entry(
            id="MESH:C534883",
            name="10074-G5",
            synonyms=("syn one", "syn, two", "curated"),
            types=("Chemical",),
            xrefs=("CAS:28227-36-3",),
            links=(Link("is_a", "MESH:D010069"),),
        )
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (DISEASES[:-3], "line 7: 7 fields where 9 are expected"),
        ("a\tb\n", "line 1: no tab-separated '# Fields:' header"),
        ("# only comments\n", "is this a file of CTD"),
        (DISEASES.replace("ABCD Syndrome", ""), "line 7: a row without DiseaseID or DiseaseName"),
    ],
)
def test_broken_files_are_errors_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        list(read_ctd(_write(tmp_path, text)))


def test_medic_of_2012_has_ids_then_names(tmp_path: Path) -> None:
    text = "C567755|613097||Tooth Agenesis, Selective, 6|STHAG6\n145250||HYPERPIGMENTATION\n"
    assert list(read_medic_2012(_write(tmp_path, text))) == [
        Entry(
            id="MESH:C567755",
            name="Tooth Agenesis, Selective, 6",
            synonyms=("STHAG6",),
            types=("Disease",),
            xrefs=("OMIM:613097",),
        ),
        Entry(id="OMIM:145250", name="HYPERPIGMENTATION", types=("Disease",)),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("D000001||x\nD000002|x\n", r"line 2: no '\|\|' between"),
        ("D000001||\n", "line 1: a line without an id or a name"),
        ("||x\n", "line 1: a line without an id or a name"),
        ("Q12||x\n", "line 1: 'Q12' is no MeSH id"),
    ],
)
def test_a_broken_medic_is_an_error_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        list(read_medic_2012(_write(tmp_path, text)))


def test_early_releases_have_bare_mesh_ids_also_as_parents(tmp_path: Path) -> None:
    text = (
        "# ChemicalName\tChemicalID\tCasRN\tParentIDs\tSynonyms\n"
        "zibol\tC100\t\tD1|MESH:D2||D1\tzibol|Z1|Z1\n"
        "\n"
        "# a remark\n"
        "quaggl\tC101\t50-78-2\t\t\n"
    )
    assert list(read_ctd(_write(tmp_path, text))) == [
        Entry(
            id="MESH:C100",
            name="zibol",
            synonyms=("Z1",),
            types=("Chemical",),
            links=(Link("is_a", "MESH:D1"), Link("is_a", "MESH:D2")),
        ),
        Entry(id="MESH:C101", name="quaggl", types=("Chemical",), xrefs=("CAS:50-78-2",)),
    ]
    with pytest.raises(FormatError, match="line 2: a row without ChemicalID or ChemicalName"):
        list(read_ctd(_write(tmp_path, text.replace("C100", " "))))


def test_an_entity_is_no_cross_reference_of_itself(tmp_path: Path) -> None:
    text = "# DiseaseName\tDiseaseID\tAltDiseaseIDs\nx\tOMIM:1\tOMIM:1|OMIM:2|OMIM:2\n"
    (entry,) = read_ctd(_write(tmp_path, text))
    assert entry.xrefs == ("OMIM:2",)
    (entry,) = read_medic_2012(_write(tmp_path, "D1|1|D1|1||x|x|y|y\n"))
    assert (entry.id, entry.xrefs, entry.synonyms) == ("MESH:D1", ("OMIM:1",), ("y",))


def test_the_root_of_medic_is_called_c(tmp_path: Path) -> None:
    assert [e.id for e in read_medic_2012(_write(tmp_path, "C||Diseases\nC1||x\nD22||y\n"))] == [
        "MESH:C",
        "MESH:C1",
        "MESH:D22",
    ]
    for wrong in ("D", "C1x", "E5"):
        with pytest.raises(FormatError, match=f"line 1: '{wrong}' is no MeSH id"):
            list(read_medic_2012(_write(tmp_path, f"{wrong}||x\n")))
