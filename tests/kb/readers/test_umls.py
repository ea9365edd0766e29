"""UMLS RRF: which rows count, which name is preferred, which way relations point."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest

from holdfast.errors import FormatError, InputError
from holdfast.kb.readers import read_umls
from holdfast.kb.records import Addition, Entry, Link

MRCONSO = """\
C0002395|ENG|S|L0494940|PF|S0580998|Y|A0623479||M0000777|D000544|MSH|ET|D000544|Alzheimer Dementia|0|N|256|
C0002395|ENG|P|L0002395|PF|S0010452|N|A2882187|166113012|26929004||SNOMEDCT_US|PT|26929004|Alzheimer's disease|9|N|256|
C0002395|ENG|P|L0002395|PF|S0010452|Y|A0019182||M0000777|D000544|MSH|MH|D000544|Alzheimer's disease|0|N|256|
C0002395|ENG|P|L0002395|VO|S0354465|Y|A0418053|||HP:0002511|HPO|SY|HP:0002511|Alzheimer disease|0|N|256|
C0002395|ENG|S|L1234567|PF|S1234567|Y|A1234567||||OMIM|PT|MTHU000123|AD type|0|N||
C0002395|ENG|S|L7654321|PF|S7654321|Y|A7654321||||NCI|OP|C2866|Old name|0|O||
C0002395|GER|P|L1258188|PF|S1500487|Y|A1416870||M0000777|D000544|MSHGER|MH|D000544|Alzheimer-Krankheit|3|N||
C0011265|ENG|P|L0011265|PF|S0028724|Y|A0048553||M0005815|D003704|MSH|MH|D003704|Dementia|0|N|256|
C0020538|SPA|P|L0020538|PF|S0020538|Y|A0020538||||MSHSPA|MH|D006973|Hipertensión|3|N||
"""  # noqa: E501
MRSTY = """\
C0002395|T047|B2.2.1.2.1|Disease or Syndrome|AT17683839|256|
C0011265|T048|B2.2.1.2.1.1|Mental or Behavioral Dysfunction|AT32679180|256|
C0011265|T184|A2.2.2|Sign or Symptom|AT32679181||
"""
MRDEF = """\
C0002395|A0019182|AT38138605||MSH|A degenerative disease of the BRAIN.|N||
C0002395|A0019182|AT38138606||NCI|A retired text.|O||
"""
MRREL = """\
C0002395|A0019182|AUI|PAR|C0011265|A0048553|AUI||R01||MSH|MSH|||N||
C0011265|A0048553|AUI|CHD|C0002395|A0019182|AUI|isa|R02||SNOMEDCT_US|SNOMEDCT_US|||N||
C0002395||CUI|RB|C0011265||CUI||R03||MTH|MTH|||N||
C0011265||CUI|RN|C0002395||CUI|mapped_to|R04||MTH|MTH|||N||
C0002395|A1|AUI|RO|C0011265|A2|AUI|has_manifestation|R05||NCI|NCI|||N||
C0002395|A1|AUI|SIB|C0011265|A2|AUI||R06||MSH|MSH|||N||
C0002395|A1|AUI|SY|C0002395|A2|AUI|translation_of|R07||MSH|MSH|||N||
C0002395|A1|AUI|RO|C0011265|A2|AUI|retired_relation|R08||NCI|NCI|||O||
"""


def _folder(
    tmp_path: Path, *, without: Sequence[str] = (), conso: str = MRCONSO, packed: bool = False
) -> Path:
    files = {"MRCONSO": conso, "MRSTY": MRSTY, "MRDEF": MRDEF, "MRREL": MRREL}
    for name, text in files.items():
        if name not in without:
            content = gzip.compress(text.encode()) if packed else text.encode()
            (tmp_path / f"{name}.RRF{'.gz' if packed else ''}").write_bytes(content)
    return tmp_path


def test_the_preferred_name_is_the_one_that_umls_prefers(tmp_path: Path) -> None:
    entry = next(read_umls(_folder(tmp_path)))
    assert entry == Entry(
        id="UMLS:C0002395",
        name="Alzheimer's disease",
        synonyms=("Alzheimer Dementia", "Alzheimer disease", "AD type"),
        xrefs=("MESH:D000544", "SNOMEDCT:26929004", "HP:0002511"),
    )


RANKED = ("P PF Y", "P PF N", "P VO Y", "P VO N", "S PF Y", "S PF N", "S VO Y", "S VO N")


@pytest.mark.parametrize("best", range(len(RANKED) - 1))
def test_term_status_counts_before_string_type_and_that_before_being_preferred(
    tmp_path: Path, best: int
) -> None:
    rows = []
    for rank in reversed(range(best, len(RANKED))):
        status, kind, preferred = RANKED[rank].split()
        rows.append(
            f"C0000001|ENG|{status}|L1|{kind}|S{rank}|{preferred}|A{rank}||M1|D1|MSH|ET|D1"
            f"|name {rank}|0|N||\n"
        )
    folder = _folder(tmp_path, conso="".join(rows), without=("MRSTY", "MRDEF", "MRREL"))
    (entry,) = read_umls(folder)
    assert isinstance(entry, Entry)
    assert entry.name == f"name {best}"
    assert entry.synonyms == tuple(f"name {r}" for r in reversed(range(best + 1, len(RANKED))))


def test_a_language_counts_before_everything_else(tmp_path: Path) -> None:
    conso = (
        "C0000001|GER|P|L1|PF|S1|Y|A1||M1|D1|MSHGER|MH|D1|deutsch|0|N||\n"
        "C0000001|ENG|S|L1|VO|S2|N|A2||M1|D1|MSH|ET|D1|english|0|N||\n"
    )
    folder = _folder(tmp_path, conso=conso, without=("MRSTY", "MRDEF", "MRREL"))
    for languages, name in ((("ENG", "GER"), "english"), (("GER", "ENG"), "deutsch")):
        (entry,) = read_umls(folder, languages=languages)
        assert isinstance(entry, Entry)
        assert entry.name == name


def test_definitions_are_those_of_the_chosen_sources(tmp_path: Path) -> None:
    records = read_umls(_folder(tmp_path), sources=("NCI",), suppressed=True)
    assert [r.definition for r in records if r.definition] == ["A retired text."]


def test_concepts_without_a_name_in_the_language_are_left_out(tmp_path: Path) -> None:
    entries = [r for r in read_umls(_folder(tmp_path)) if isinstance(r, Entry)]
    assert [entry.id for entry in entries] == ["UMLS:C0002395", "UMLS:C0011265"]


def test_the_first_language_that_has_a_name_gives_the_preferred_one(tmp_path: Path) -> None:
    records = read_umls(_folder(tmp_path), languages=("GER", "ENG"))
    names = [record.name for record in records if isinstance(record, Entry)]
    assert names == ["Alzheimer-Krankheit", "Dementia"]


def test_suppressed_rows_come_only_when_asked_for(tmp_path: Path) -> None:
    records = list(read_umls(_folder(tmp_path), suppressed=True))
    assert isinstance(records[0], Entry)
    assert "Old name" in records[0].synonyms
    assert "NCIT:C2866" in records[0].xrefs
    assert Addition("UMLS:C0002395", definition="A retired text.") in records
    assert any(link.predicate == "retired_relation" for r in records for link in r.links)


def test_a_source_filter_narrows_names_but_not_xrefs(tmp_path: Path) -> None:
    records = list(read_umls(_folder(tmp_path), sources=("SNOMEDCT_US",)))
    assert records[0] == Entry(
        id="UMLS:C0002395",
        name="Alzheimer's disease",
        xrefs=("MESH:D000544", "SNOMEDCT:26929004", "HP:0002511"),
    )
    links = [record for record in records if record.links]
    assert links == [Addition("UMLS:C0002395", links=(Link("is_a", "UMLS:C0011265"),))]


def test_types_and_definitions_are_added(tmp_path: Path) -> None:
    records = list(read_umls(_folder(tmp_path)))
    assert Addition("UMLS:C0011265", types=("T048", "T184")) in records
    definitions = [record for record in records if record.definition]
    assert definitions == [
        Addition("UMLS:C0002395", definition="A degenerative disease of the BRAIN.")
    ]


def test_relations_point_the_way_that_umls_means(tmp_path: Path) -> None:
    records = [record for record in read_umls(_folder(tmp_path)) if record.links]
    alzheimer, dementia = "UMLS:C0002395", "UMLS:C0011265"
    assert records == [
        Addition(alzheimer, links=(Link("is_a", dementia),)),  # dementia is its parent
        Addition(alzheimer, links=(Link("is_a", dementia),)),  # it is dementia's child
        Addition(alzheimer, links=(Link("is_a", dementia),)),  # dementia is broader
        Addition(alzheimer, links=(Link("mapped_to", dementia),)),
        Addition(dementia, links=(Link("has_manifestation", alzheimer),)),
    ]


def test_a_filter_on_semantic_types_keeps_concepts_that_have_one(tmp_path: Path) -> None:
    records = read_umls(_folder(tmp_path), semantic_types=("T184", "T999"))
    assert [r.id for r in records if isinstance(r, Entry)] == ["UMLS:C0011265"]


def test_the_other_files_may_be_absent(tmp_path: Path) -> None:
    folder = _folder(tmp_path, without=("MRSTY", "MRDEF", "MRREL"))
    assert len(list(read_umls(folder))) == 2
    with pytest.raises(InputError, match=r"MRSTY\.RRF"):
        list(read_umls(folder, semantic_types=("T047",)))


def test_mrconso_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no MRCONSO\.RRF"):
        list(read_umls(_folder(tmp_path, without=("MRCONSO",))))


def test_gzipped_files_read_the_same(tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.mkdir()
    packed.mkdir()
    assert list(read_umls(_folder(plain))) == list(read_umls(_folder(packed, packed=True)))


@pytest.mark.parametrize(
    ("conso", "message"),
    [
        (MRCONSO[:-5], "line 9: the row does not end in a pipe"),
        (MRCONSO.replace("|3|N||\nC0011265", "|3|N|\nC0011265"), "line 7: 17 fields where 18"),
        (MRCONSO.replace("|Dementia|", "||"), "line 8: a concept id or a name is missing"),
        ("", "the file is empty"),
    ],
)
def test_a_damaged_mrconso_is_an_error_with_its_line(
    tmp_path: Path, conso: str, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        list(read_umls(_folder(tmp_path, conso=conso)))


def _conso(*rows: tuple[str, str], suppress: str = "N") -> str:
    """Rows of one concept: the source and the code of each."""
    return "".join(
        f"C0000001|ENG|P|L1|PF|S{n}|Y|A{n}||M1||{source}|PT|{code}|name {n}|0|{suppress}||\n"
        for n, (source, code) in enumerate(rows)
    )


@pytest.mark.parametrize(
    ("source", "code", "xref"),
    [
        ("MSH", "D000544", "MESH:D000544"),
        ("MSH", "C535434", "MESH:C535434"),
        ("MSH", "Q000175", ""),
        ("MSH", "NOCODE", ""),
        ("OMIM", "MTHU000123", ""),
        ("OMIM", "104300", "OMIM:104300"),
        ("HPO", "HP:0002511", "HP:0002511"),
        ("LNC", "", ""),
        ("NOBODY", "1", ""),
        ("NCBI", "9606", "NCBITaxon:9606"),
    ],
)
def test_a_code_is_a_cross_reference_where_its_source_has_ids(
    tmp_path: Path, source: str, code: str, xref: str
) -> None:
    folder = _folder(tmp_path, conso=_conso((source, code), (source, code)))
    assert next(read_umls(folder)).xrefs == ((xref,) if xref else ())


def test_rows_of_one_concept_stand_together_and_a_later_one_is_another(tmp_path: Path) -> None:
    other = _conso(("MSH", "D2")).replace("C0000001", "C0000002")
    folder = _folder(tmp_path, conso=_conso(("MSH", "D1"), ("MSH", "D3")) + other)
    entries = [r for r in read_umls(folder) if isinstance(r, Entry)]
    assert [(e.id, e.xrefs) for e in entries] == [
        ("UMLS:C0000001", ("MESH:D1", "MESH:D3")),
        ("UMLS:C0000002", ("MESH:D2",)),
    ]


@pytest.mark.parametrize(
    ("rel", "rela", "expected"),
    [
        ("PAR", "", ("UMLS:A", "is_a", "UMLS:B")),
        ("RB", "", ("UMLS:A", "is_a", "UMLS:B")),
        ("CHD", "", ("UMLS:B", "is_a", "UMLS:A")),
        ("RN", "inverse_isa", ("UMLS:B", "is_a", "UMLS:A")),
        ("RN", "mapped_to", ("UMLS:B", "mapped_to", "UMLS:A")),
        ("RO", "treats", ("UMLS:B", "treats", "UMLS:A")),
        ("RO", "", None),
        ("SIB", "isa", None),
    ],
)
def test_each_relation_points_from_its_subject(
    tmp_path: Path, rel: str, rela: str, expected: tuple[str, str, str] | None
) -> None:
    folder = _folder(tmp_path, without=("MRREL",))
    for suppress in ("N", ""):
        row = f"A||CUI|{rel}|B||CUI|{rela}|R||MSH|MSH|||{suppress}||\n"
        (folder / "MRREL.RRF").write_text(row, encoding="utf-8")
        links = [
            (r.id, link.predicate, link.object_id) for r in read_umls(folder) for link in r.links
        ]
        assert links == ([expected] if expected else [])
    of_itself = f"A||CUI|{rel}|A||CUI|{rela}|R||MSH|MSH|||N||\n"
    retired = f"A||CUI|{rel}|B||CUI|{rela}|R||MSH|MSH|||O||\n"
    (folder / "MRREL.RRF").write_text(of_itself + retired, encoding="utf-8")
    assert not any(r.links for r in read_umls(folder))


def test_a_tree_relation_with_another_name_is_both(tmp_path: Path) -> None:
    folder = _folder(tmp_path, without=("MRREL",))
    row = "A||CUI|PAR|B||CUI|part_of|R||MSH|MSH|||N||\n"
    (folder / "MRREL.RRF").write_text(row, encoding="utf-8")
    assert [r for r in read_umls(folder) if r.links] == [
        Addition("UMLS:A", links=(Link("is_a", "UMLS:B"),)),
        Addition("UMLS:B", links=(Link("part_of", "UMLS:A"),)),
    ]
