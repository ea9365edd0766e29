"""BioPortal's CSV."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.errors import FormatError
from holdfast.kb.readers import read_bioportal
from holdfast.kb.records import Entry, Link

HEADER = "Class ID,Preferred Label,Synonyms,Definitions,Obsolete,CUI,Semantic Types,Parents\n"
BASE = "http://purl.bioontology.org/ontology"
ROWS = (
    f'{BASE}/RXNORM/161,"acetaminophen, pure",APAP|paracetamol,"A drug, ""old"".|Second.",false,'
    f"C0000970|C9,{BASE}/STY/T109|{BASE}/STY/T121,{BASE}/RXNORM/1\n"
    f"{BASE}/RXNORM/2,gone,,,true,,,\n"
    f"{BASE}/STY/T109,Organic Chemical,,,false,,,http://www.w3.org/2002/07/owl#Thing\n"
)


def _write(folder: Path, text: str) -> Path:
    path = folder / "RXNORM.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_current_classes_are_read(tmp_path: Path) -> None:
    assert list(read_bioportal(_write(tmp_path, HEADER + ROWS))) == [
        Entry(
            id="RXNORM:161",
            name="acetaminophen, pure",
            synonyms=("APAP", "paracetamol"),
            types=("T109", "T121"),
            definition='A drug, "old".',
            xrefs=("UMLS:C0000970", "UMLS:C9"),
            links=(Link("is_a", "RXNORM:1"),),
        )
    ]


def test_semantic_types_come_when_asked_for(tmp_path: Path) -> None:
    records = list(read_bioportal(_write(tmp_path, HEADER + ROWS), prefixes=("STY",)))
    assert records == [Entry(id="STY:T109", name="Organic Chemical")]


def test_an_address_without_a_vocabulary_gets_the_prefix(tmp_path: Path) -> None:
    path = _write(tmp_path, HEADER + "http://example.org/onto.owl#C1,one,,,false,,,\n")
    assert [record.id for record in read_bioportal(path)] == ["RXNORM:C1"]
    assert [record.id for record in read_bioportal(path, prefix="NCIT")] == ["NCIT:C1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,name\n1,x\n", "line 1: no 'Class ID' and 'Preferred Label'"),
        (HEADER + f"{BASE}/RXNORM/161,x,,\n", "line 2: 4 fields where 8"),
        (HEADER + "161,x,,,false,,,\n", "line 2: the Class ID '161' is no web address"),
        (HEADER + f'{BASE}/RXNORM/161,"x,,,false,,,\n', "line 2: a quote that opens"),
    ],
)
def test_broken_files_are_errors_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        list(read_bioportal(_write(tmp_path, text)))


def test_classes_are_kept_by_prefix_label_and_age(tmp_path: Path) -> None:
    rows = (
        f"{BASE}/RXNORM/1,one,one|uno|uno,,FALSE,C1|C1,,{BASE}/RXNORM/1|{BASE}/RXNORM/2\n"
        f"{BASE}/RXNORM/2,  ,no label,,false,,,\n"
        f"{BASE}/RXNORM/3,old,,,True,,,\n"
        "http://purl.obolibrary.org/obo/DOID_4, four ,,,,,,"
        "http://www.w3.org/2002/07/owl#Thing|http://purl.obolibrary.org/obo/DOID_7\n"
    )
    path = _write(tmp_path, HEADER + rows)
    one = Entry("RXNORM:1", "one", ("uno",), xrefs=("UMLS:C1",), links=(Link("is_a", "RXNORM:2"),))
    four = Entry("DOID:4", "four", links=(Link("is_a", "DOID:7"),))
    assert list(read_bioportal(path)) == [one, four]
    assert list(read_bioportal(path, prefixes=("DOID",))) == [four]
    assert list(read_bioportal(path, prefixes=())) == []


def test_columns_may_come_in_any_order_and_case_and_most_may_be_absent(tmp_path: Path) -> None:
    text = f"PREFERRED LABEL, class id \none,{BASE}/RXNORM/1\n"
    assert list(read_bioportal(_write(tmp_path, text))) == [Entry("RXNORM:1", "one")]
