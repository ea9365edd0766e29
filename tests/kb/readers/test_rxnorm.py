"""RxNorm RRF."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.errors import InputError
from holdfast.kb.readers import read_rxnorm
from holdfast.kb.records import Addition, Entry, Link

RXNCONSO = """\
161|ENG||||||10324|10324|161||MTHSPL|SU|362O9ITL9D|ACETAMINOPHEN||N|4096|
161|ENG||||||829|829|161||RXNORM|TMSY|161|APAP||N|4096|
161|ENG||||||828|828|161||RXNORM|IN|161|acetaminophen||N|4096|
161|ENG||||||999||M0000079|D000082|MSH|MH|D000082|Acetaminophen||N||
161|ENG||||||777|777|161||VANDF|IN|4017513|OLD ACETAMINOPHEN||O||
202433|ENG||||||2270|2270|202433||RXNORM|BN|202433|Tylenol||N|4096|
198440|ENG||||||31|31|198440||RXNORM|SCD|198440|acetaminophen 500 MG Oral Tablet||N|4096|
"""
RXNSTY = """\
161|T109|A1.4.1.2.1|Organic Chemical|AT17654123|256|
161|T121|A1.4.1.1.1|Pharmacologic Substance|AT17654124|256|
"""
RXNREL = """\
161||CUI|RO|198440||CUI|has_ingredient|86234||RXNORM|RXNORM|||||
161||CUI|RN|202433||CUI|tradename_of|86235||RXNORM|RXNORM|||||
|828|AUI|SY||829|AUI||86236||RXNORM|RXNORM|||||
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rrf").mkdir()
    for name, text in (("RXNCONSO", RXNCONSO), ("RXNSTY", RXNSTY), ("RXNREL", RXNREL)):
        (tmp_path / "rrf" / f"{name}.RRF").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_concept_is_called_by_its_normalised_name(folder: Path) -> None:
    assert next(read_rxnorm(folder)) == Entry(
        id="RXNORM:161",
        name="acetaminophen",
        synonyms=("ACETAMINOPHEN", "APAP", "Acetaminophen"),
        xrefs=("MESH:D000082",),
    )


def test_types_and_relations_are_added(folder: Path) -> None:
    additions = [record for record in read_rxnorm(folder) if isinstance(record, Addition)]
    assert additions == [
        Addition("RXNORM:161", types=("T109", "T121")),
        Addition("RXNORM:198440", links=(Link("has_ingredient", "RXNORM:161"),)),
        Addition("RXNORM:202433", links=(Link("tradename_of", "RXNORM:161"),)),
    ]


def test_term_types_choose_concepts_and_sources_choose_names(folder: Path) -> None:
    records = read_rxnorm(folder, term_types=("IN", "BN"), sources=("RXNORM",))
    entries = [record for record in records if isinstance(record, Entry)]
    assert [(entry.name, entry.synonyms) for entry in entries] == [
        ("acetaminophen", ("APAP",)),
        ("Tylenol", ()),
    ]


def test_suppressed_names_come_only_when_asked_for(folder: Path) -> None:
    entry = next(read_rxnorm(folder, suppressed=True))
    assert "OLD ACETAMINOPHEN" in entry.synonyms


def test_rxnconso_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no RXNCONSO\.RRF"):
        list(read_rxnorm(tmp_path))


def conso(*rows: tuple[str, str, str]) -> str:
    """Names of one concept: the source, the term type and the name of each."""
    return "".join(
        f"5|ENG||||||{n}|{n}|5||{source}|{kind}|5|{name}||N||\n"
        for n, (source, kind, name) in enumerate(rows)
    )


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        ([("MSH", "MH", "a"), ("RXNORM", "SY", "b"), ("RXNORM", "SCD", "c")], "c"),
        ([("MSH", "MH", "a"), ("RXNORM", "SY", "b")], "b"),
        ([("VANDF", "SY", "a"), ("MSH", "MH", "b")], "b"),
        ([("RXNORM", "PSN", "a"), ("RXNORM", "ET", "b"), ("RXNORM", "BN", "c")], "c"),
        ([("RXNORM", "IN", "a"), ("RXNORM", "PIN", "b")], "a"),
    ],
)
def test_rxnorms_own_normalised_name_is_preferred(
    tmp_path: Path, rows: list[tuple[str, str, str]], name: str
) -> None:
    (tmp_path / "RXNCONSO.RRF").write_text(conso(*rows), encoding="utf-8")
    (entry,) = read_rxnorm(tmp_path)
    assert isinstance(entry, Entry)
    assert entry.name == name
    assert set(entry.synonyms) == {other for _, _, other in rows} - {name}
    assert "RXNORM:5" not in entry.xrefs


def test_term_types_are_those_that_rxnorm_itself_gives(tmp_path: Path) -> None:
    rows = conso(("VANDF", "IN", "a"), ("RXNORM", "BN", "b"))
    (tmp_path / "RXNCONSO.RRF").write_text(rows, encoding="utf-8")
    assert list(read_rxnorm(tmp_path, term_types=("IN",))) == []
    assert len(list(read_rxnorm(tmp_path, term_types=("IN", "BN")))) == 1
    assert list(read_rxnorm(tmp_path, sources=("MSH",))) == []
