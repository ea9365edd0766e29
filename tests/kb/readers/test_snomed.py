"""SNOMED CT RF2 snapshots."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from holdfast.errors import FormatError, InputError
from holdfast.kb.readers import read_snomed
from holdfast.kb.readers.snomed import GB_ENGLISH, US_ENGLISH
from holdfast.kb.records import Addition, Entry, Link

FSN, SYNONYM, DEFINITION = "900000000000003001", "900000000000013009", "900000000000550004"
PREFERRED, ACCEPTABLE = "900000000000548007", "900000000000549004"
MODULE, CASE = "900000000000207008", "900000000000448009"


def _table(header: str, *rows: str) -> str:
    return "".join("\t".join(line.split("|")) + "\r\n" for line in (header, *rows))


CONCEPTS = _table(
    "id|effectiveTime|active|moduleId|definitionStatusId",
    *(
        f"{concept}|20020131|{active}|{MODULE}|900000000000074008"
        for concept, active in (
            ("22298006", 1),
            ("414545008", 1),
            ("80891009", 1),
            ("363698007", 1),
            ("111", 0),
        )
    ),
)


def _description(number: str, concept: str, kind: str, term: str, active: int = 1) -> str:
    return f"{number}|20170731|{active}|{MODULE}|{concept}|en|{kind}|{term}|{CASE}"


DESCRIPTION_HEADER = (
    "id|effectiveTime|active|moduleId|conceptId|languageCode|typeId|term|caseSignificanceId"
)
DESCRIPTIONS = _table(
    DESCRIPTION_HEADER,
    _description("11", "22298006", SYNONYM, 'Cardiac infarction, "silent"'),
    _description("12", "22298006", FSN, "Myocardial infarction (disorder)"),
    _description("13", "22298006", SYNONYM, "Heart attack"),
    _description("14", "22298006", SYNONYM, "Obsolete wording", 0),
    _description("21", "414545008", FSN, "Ischemic heart disease (disorder)"),
    _description("22", "414545008", SYNONYM, "Ischaemic heart disease"),
    _description("31", "80891009", SYNONYM, "Heart"),
    _description("41", "363698007", FSN, "Finding site (attribute)"),
    _description("51", "111", FSN, "Retired thing (disorder)"),
)
DEFINITIONS = _table(
    DESCRIPTION_HEADER, _description("61", "22298006", DEFINITION, "Death of heart muscle.")
)
LANGUAGE = _table(
    "id|effectiveTime|active|moduleId|refsetId|referencedComponentId|acceptabilityId",
    f"a|20170731|1|{MODULE}|{US_ENGLISH}|12|{PREFERRED}",
    f"b|20170731|1|{MODULE}|{US_ENGLISH}|13|{PREFERRED}",
    f"c|20170731|1|{MODULE}|{US_ENGLISH}|11|{ACCEPTABLE}",
    f"d|20170731|1|{MODULE}|{GB_ENGLISH}|22|{PREFERRED}",
)
RELATIONSHIPS = _table(
    "id|effectiveTime|active|moduleId|sourceId|destinationId|relationshipGroup|typeId"
    "|characteristicTypeId|modifierId",
    f"1|20020131|1|{MODULE}|22298006|414545008|0|116680003|900000000000011006|900000000000451002",
    f"2|20020131|1|{MODULE}|22298006|80891009|1|363698007|900000000000011006|900000000000451002",
    f"3|20020131|1|{MODULE}|22298006|80891009|1|999|900000000000011006|900000000000451002",
    f"4|20020131|0|{MODULE}|22298006|80891009|0|116680003|900000000000011006|900000000000451002",
    f"5|20020131|1|{MODULE}|22298006|111|0|116680003|900000000000011006|900000000000451002",
)
FILES = {
    "Terminology/sct2_Concept_Snapshot_INT_20240101.txt": CONCEPTS,
    "Terminology/sct2_Description_Snapshot-en_INT_20240101.txt": DESCRIPTIONS,
    "Terminology/sct2_TextDefinition_Snapshot-en_INT_20240101.txt": DEFINITIONS,
    "Terminology/sct2_Relationship_Snapshot_INT_20240101.txt": RELATIONSHIPS,
    "Terminology/sct2_StatedRelationship_Snapshot_INT_20240101.txt": "not read\n",
    "Refset/Language/der2_cRefset_LanguageSnapshot-en_INT_20240101.txt": LANGUAGE,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "Snapshot" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return tmp_path


def test_active_concepts_are_entered_under_their_preferred_terms(folder: Path) -> None:
    entries = [record for record in read_snomed(folder) if isinstance(record, Entry)]
    assert entries == [
        Entry("SNOMEDCT:22298006", "Heart attack", ("Myocardial infarction",), ("disorder",)),
        Entry("SNOMEDCT:414545008", "Ischemic heart disease", (), ("disorder",)),
        Entry("SNOMEDCT:363698007", "Finding site", (), ("attribute",)),
        Entry("SNOMEDCT:80891009", "Heart"),
    ]


def test_the_reference_set_decides_which_term_is_preferred(folder: Path) -> None:
    names = {r.id: r.name for r in read_snomed(folder, refset=GB_ENGLISH) if isinstance(r, Entry)}
    assert names["SNOMEDCT:414545008"] == "Ischaemic heart disease"
    assert names["SNOMEDCT:22298006"] == "Myocardial infarction"


def test_active_synonyms_and_definitions_are_added(folder: Path) -> None:
    additions = [r for r in read_snomed(folder) if isinstance(r, Addition) and not r.links]
    assert additions == [
        Addition("SNOMEDCT:22298006", synonyms=('Cardiac infarction, "silent"',)),
        Addition("SNOMEDCT:22298006", synonyms=("Heart attack",)),
        Addition("SNOMEDCT:414545008", synonyms=("Ischaemic heart disease",)),
        Addition("SNOMEDCT:22298006", definition="Death of heart muscle."),
    ]


def test_relations_are_named_by_their_type(folder: Path) -> None:
    links = [link for record in read_snomed(folder) for link in record.links]
    assert links == [
        Link("is_a", "SNOMEDCT:414545008"),
        Link("finding_site", "SNOMEDCT:80891009"),
        Link("SNOMEDCT:999", "SNOMEDCT:80891009"),
    ]


def test_a_row_of_the_wrong_width_is_an_error_with_its_line(folder: Path) -> None:
    path = folder / "Snapshot/Terminology/sct2_Description_Snapshot-en_INT_20240101.txt"
    path.write_text(DESCRIPTIONS[:-30], encoding="utf-8")
    with pytest.raises(FormatError, match="line 10: 8 fields where 9 are expected"):
        list(read_snomed(folder))


def test_a_release_without_descriptions_in_the_language_is_an_error(folder: Path) -> None:
    with pytest.raises(InputError, match=r"no sct2_Description_Snapshot\*-es"):
        list(read_snomed(folder, language="es"))


def _add(folder: Path, name: str, text: str) -> None:
    """A file of an extension beside those of the edition."""
    path = folder / "Extension" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())


def test_an_extension_is_read_with_its_edition(folder: Path) -> None:
    concepts = _table(
        "id|effectiveTime|active|moduleId|definitionStatusId", "77|1|1|m|d", "78|1|0|m|d"
    )
    descriptions = _table(
        DESCRIPTION_HEADER,
        _description("71", "77", FSN, "Left-sided glim (procedure) (body structure)"),
        _description("72", "77", SYNONYM, "  "),
        _description("73", "77", SYNONYM, "Glim").replace("|en|", "|sv|"),
        _description("74", "78", SYNONYM, "Gone"),
        _description("75", "80891009", FSN, "Heart"),
    )
    relationships = _table(
        RELATIONSHIPS.splitlines()[0].replace("\t", "|"),
        "9|1|1|m|77|80891009|0|77|c|m",
        "10|1|1|m|78|77|0|116680003|c|m",
        "11|1|1|m|77|78|0|116680003|c|m",
    )
    _add(folder, "xsct2_Concept_Snapshot_SE_2024.txt", concepts)
    _add(folder, "xsct2_Description_Snapshot-en_SE_2024.txt.gz", descriptions)
    _add(folder, "sct2_Relationship_Snapshot_SE_2024.txt", relationships)
    records = [r for r in read_snomed(folder) if r.id in ("SNOMEDCT:77", "SNOMEDCT:80891009")]
    assert [r for r in records if isinstance(r, Entry)] == [
        Entry("SNOMEDCT:77", "Left-sided glim (procedure)", (), ("body structure",)),
        Entry("SNOMEDCT:80891009", "Heart"),
    ]
    assert [r.links for r in records if r.links] == [
        (Link("left_sided_glim_procedure", "SNOMEDCT:80891009"),)
    ]
    assert "SNOMEDCT:78" not in {r.id for r in read_snomed(folder)}


def test_a_release_without_a_reference_set_prefers_full_names(folder: Path) -> None:
    (path,) = folder.rglob("der2_*")
    path.unlink()
    names = {r.id: r.name for r in read_snomed(folder) if isinstance(r, Entry)}
    assert names["SNOMEDCT:22298006"] == "Myocardial infarction"
    assert names["SNOMEDCT:80891009"] == "Heart"


def test_what_is_no_folder_is_an_error(folder: Path) -> None:
    with pytest.raises(InputError, match="not a folder"):
        list(read_snomed(folder / "none"))
