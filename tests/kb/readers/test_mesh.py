"""MeSH XML: descriptors and supplementary concept records."""

from __future__ import annotations

import gc
import gzip
from itertools import islice
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest

from holdfast.errors import FormatError, InputError
from holdfast.kb.readers import mesh, read_mesh
from holdfast.kb.readers.mesh import type_of_tree_number
from holdfast.kb.records import Addition, Entry, Link

DESCRIPTORS = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "https://example.org/nlmdescriptorrecordset_20250101.dtd">
<DescriptorRecordSet LanguageCode = "eng">
<DescriptorRecord DescriptorClass = "1">
  <DescriptorUI>D000544</DescriptorUI>
  <DescriptorName><String>Alzheimer Disease</String></DescriptorName>
  <DateCreated><Year>1999</Year><Month>01</Month><Day>01</Day></DateCreated>
  <AllowableQualifiersList><AllowableQualifier>
    <QualifierReferredTo><QualifierUI>Q000097</QualifierUI>
      <QualifierName><String>blood</String></QualifierName></QualifierReferredTo>
    <Abbreviation>BL</Abbreviation>
  </AllowableQualifier></AllowableQualifiersList>
  <TreeNumberList>
    <TreeNumber>C10.228.140.380.100</TreeNumber>
    <TreeNumber>F03.615.400.100</TreeNumber>
  </TreeNumberList>
  <ConceptList>
    <Concept PreferredConceptYN="Y">
      <ConceptUI>M0000777</ConceptUI>
      <ConceptName><String>Alzheimer Disease</String></ConceptName>
      <ScopeNote>A degenerative disease of the BRAIN
        characterized by dementia.
      </ScopeNote>
      <TermList>
        <Term ConceptPreferredTermYN="Y" IsPermutedTermYN="N" LexicalTag="EPO"
              RecordPreferredTermYN="Y">
          <TermUI>T001465</TermUI><String>Alzheimer Disease</String>
        </Term>
        <Term ConceptPreferredTermYN="N" IsPermutedTermYN="Y" LexicalTag="EPO"
              RecordPreferredTermYN="N">
          <TermUI>T001465</TermUI><String>Disease, Alzheimer</String>
        </Term>
      </TermList>
    </Concept>
    <Concept PreferredConceptYN="N">
      <ConceptUI>M0000778</ConceptUI>
      <ConceptName><String>Presenile Dementia</String></ConceptName>
      <ScopeNote>Not the definition.</ScopeNote>
      <TermList>
        <Term ConceptPreferredTermYN="Y" IsPermutedTermYN="N" LexicalTag="NON"
              RecordPreferredTermYN="N">
          <TermUI>T001466</TermUI><String>Presenile Dementia</String>
        </Term>
      </TermList>
    </Concept>
  </ConceptList>
</DescriptorRecord>
<DescriptorRecord DescriptorClass = "1">
  <DescriptorUI>D003704</DescriptorUI>
  <DescriptorName><String>Dementia</String></DescriptorName>
  <TreeNumberList>
    <TreeNumber>C10.228.140.380</TreeNumber>
    <TreeNumber>F03.615.400</TreeNumber>
  </TreeNumberList>
  <ConceptList><Concept PreferredConceptYN="Y">
    <ConceptUI>M0005815</ConceptUI><ConceptName><String>Dementia</String></ConceptName>
    <TermList><Term><TermUI>T1</TermUI><String>Dementia</String></Term></TermList>
  </Concept></ConceptList>
</DescriptorRecord>
<DescriptorRecord DescriptorClass = "1">
  <DescriptorUI>D000082</DescriptorUI>
  <DescriptorName><String>Acetaminophen</String></DescriptorName>
  <TreeNumberList><TreeNumber>D02.065.199.092.040</TreeNumber></TreeNumberList>
  <ConceptList><Concept PreferredConceptYN="Y">
    <ConceptUI>M0000114</ConceptUI><ConceptName><String>Acetaminophen</String></ConceptName>
    <RegistryNumberList>
      <RegistryNumber>362O9ITL9D</RegistryNumber><RegistryNumber>0</RegistryNumber>
    </RegistryNumberList>
    <RelatedRegistryNumberList>
      <RelatedRegistryNumber>103-90-2 (Acetaminophen)</RelatedRegistryNumber>
    </RelatedRegistryNumberList>
    <TermList><Term><TermUI>T2</TermUI><String>Acetaminophen</String></Term></TermList>
  </Concept></ConceptList>
</DescriptorRecord>
<DescriptorRecord DescriptorClass = "3">
  <DescriptorUI>D005260</DescriptorUI>
  <DescriptorName><String>Female</String></DescriptorName>
  <ConceptList/>
</DescriptorRecord>
</DescriptorRecordSet>
"""
SUPPLEMENT = """\
<?xml version="1.0" encoding="UTF-8"?>
<SupplementalRecordSet LanguageCode = "eng">
<SupplementalRecord SCRClass = "3">
  <SupplementalRecordUI>C535434</SupplementalRecordUI>
  <SupplementalRecordName><String>Amish brittle hair syndrome</String></SupplementalRecordName>
  <Note>A note of the indexers.</Note>
  <HeadingMappedToList>
    <HeadingMappedTo><DescriptorReferredTo>
      <DescriptorUI>*D006201</DescriptorUI>
      <DescriptorName><String>Hair Diseases</String></DescriptorName>
    </DescriptorReferredTo></HeadingMappedTo>
    <HeadingMappedTo><DescriptorReferredTo>
      <DescriptorUI>D008607</DescriptorUI>
      <DescriptorName><String>Intellectual Disability</String></DescriptorName>
    </DescriptorReferredTo></HeadingMappedTo>
  </HeadingMappedToList>
  <ConceptList><Concept PreferredConceptYN="Y">
    <ConceptUI>M0531423</ConceptUI>
    <ConceptName><String>Amish brittle hair syndrome</String></ConceptName>
    <TermList>
      <Term><TermUI>T3</TermUI><String>Amish brittle hair syndrome</String></Term>
      <Term><TermUI>T4</TermUI><String>BIDS syndrome</String></Term>
    </TermList>
  </Concept></ConceptList>
</SupplementalRecord>
<SupplementalRecord SCRClass = "4">
  <SupplementalRecordUI>C000656484</SupplementalRecordUI>
  <SupplementalRecordName><String>Some virus</String></SupplementalRecordName>
  <ConceptList><Concept PreferredConceptYN="Y">
    <ConceptUI>M1</ConceptUI><ConceptName><String>Some virus</String></ConceptName>
    <RegistryNumber>txid2697049</RegistryNumber>
    <TermList><Term><TermUI>T5</TermUI><String>Some virus</String></Term></TermList>
  </Concept></ConceptList>
</SupplementalRecord>
</SupplementalRecordSet>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "desc2025.xml").write_text(DESCRIPTORS, encoding="utf-8")
    (tmp_path / "supp2025.xml.gz").write_bytes(gzip.compress(SUPPLEMENT.encode()))
    return tmp_path


def test_a_descriptor_has_the_terms_of_all_its_concepts(folder: Path) -> None:
    assert next(read_mesh(folder / "desc2025.xml")) == Entry(
        id="MESH:D000544",
        name="Alzheimer Disease",
        synonyms=("Disease, Alzheimer", "Presenile Dementia"),
        types=("Disease",),
        definition="A degenerative disease of the BRAIN characterized by dementia.",
    )


def test_tree_numbers_become_is_a_links_between_descriptors(folder: Path) -> None:
    additions = [r for r in read_mesh(folder / "desc2025.xml") if isinstance(r, Addition)]
    assert additions == [Addition("MESH:D000544", links=(Link("is_a", "MESH:D003704"),))]


def test_registry_numbers_of_the_preferred_concept_become_xrefs(folder: Path) -> None:
    xrefs = {record.id: record.xrefs for record in read_mesh(folder) if record.xrefs}
    assert xrefs == {
        "MESH:D000082": ("UNII:362O9ITL9D",),
        "MESH:C000656484": ("NCBITaxon:2697049",),
    }


def test_a_supplementary_record_is_mapped_to_its_headings(folder: Path) -> None:
    assert next(read_mesh([folder / "supp2025.xml.gz"])) == Entry(
        id="MESH:C535434",
        name="Amish brittle hair syndrome",
        synonyms=("BIDS syndrome",),
        types=("Disease",),
        links=(Link("mapped_to", "MESH:D006201"), Link("mapped_to", "MESH:D008607")),
    )


def test_a_folder_stands_for_its_files_descriptors_first(folder: Path) -> None:
    types = {r.id: r.types for r in read_mesh(folder) if isinstance(r, Entry)}
    assert types == {
        "MESH:D000544": ("Disease",),
        "MESH:D003704": ("Disease",),
        "MESH:D000082": ("Chemical",),
        "MESH:D005260": ("Other",),
        "MESH:C535434": ("Disease",),
        "MESH:C000656484": ("Species",),
    }


@pytest.mark.parametrize(
    ("number", "type_"),
    [
        ("C10.228", "Disease"),
        ("F03.615", "Disease"),
        ("F01.145", "Other"),
        ("D02", "Chemical"),
        ("A11", "CellType"),
        ("A11.118", "CellType"),
        ("A11.251", "CellLine"),
        ("A11.251.210", "CellLine"),
        ("A08.186", "Anatomy"),
        ("B01.050", "Species"),
        ("G02", "Process"),
        ("N05.300", "Other"),
        ("", "Other"),
    ],
)
def test_the_branch_of_the_tree_decides_the_type(number: str, type_: str) -> None:
    assert type_of_tree_number(number) == type_


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.999])
def test_a_file_that_is_cut_short_is_an_error_with_its_line(tmp_path: Path, share: float) -> None:
    path = tmp_path / "desc.xml"
    path.write_text(DESCRIPTORS[: int(len(DESCRIPTORS) * share)], encoding="utf-8")
    with pytest.raises(FormatError, match=r"desc\.xml, line \d+: broken XML"):
        list(read_mesh(path))


def test_other_xml_and_empty_folders_are_errors(tmp_path: Path) -> None:
    (tmp_path / "qual.xml").write_text("<QualifierRecordSet/>", encoding="utf-8")
    with pytest.raises(FormatError, match="<QualifierRecordSet> is not a set of MeSH"):
        list(read_mesh(tmp_path / "qual.xml"))
    with pytest.raises(InputError, match=r"no desc\*\.xml"):
        list(read_mesh(tmp_path))


def test_an_unknown_encoding_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "desc.xml"
    path.write_text("<?xml version='1.0' encoding='klingon'?><a/>", encoding="utf-8")
    with pytest.raises(FormatError, match="encoding"):
        list(read_mesh(path))


def test_a_record_without_a_name_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "desc.xml"
    path.write_text(
        "<DescriptorRecordSet><DescriptorRecord><DescriptorUI>D1</DescriptorUI>"
        "</DescriptorRecord></DescriptorRecordSet>",
        encoding="utf-8",
    )
    with pytest.raises(FormatError, match="without an id or a name: 'D1'"):
        list(read_mesh(path))


@pytest.mark.parametrize(
    ("name", "action", "types"),
    [
        ("Azurin", "", ("Gene",)),
        ("Azurin", "Hemostatics", ("Gene", "Chemical")),
        ("Azurimab", "", ("Chemical",)),
    ],
)
def test_a_protein_that_is_a_medicine_is_a_chemical(
    name: str, action: str, types: tuple[str, ...], tmp_path: Path
) -> None:
    actions = f"<PharmacologicalAction>{action}</PharmacologicalAction>" if action else ""
    path = tmp_path / "desc.xml"
    path.write_text(
        f"""<DescriptorRecordSet><DescriptorRecord><DescriptorUI>D9</DescriptorUI>
        <DescriptorName><String>{name}</String></DescriptorName>
        <PharmacologicalActionList>{actions}</PharmacologicalActionList>
        <TreeNumberList><TreeNumber>D12.776.900</TreeNumber></TreeNumberList>
        </DescriptorRecord></DescriptorRecordSet>""",
        encoding="utf-8",
    )
    (entry,) = read_mesh(path)
    assert entry.types == types


def _descriptor(ui: str, *numbers: str, name: str = "") -> str:
    trees = "".join(f"<TreeNumber>{number}</TreeNumber>" for number in numbers)
    return (
        f"<DescriptorRecord><DescriptorUI>{ui}</DescriptorUI><DescriptorName><String>{name or ui}"
        f"</String></DescriptorName><TreeNumberList>{trees}</TreeNumberList></DescriptorRecord>"
    )


def _descriptors(folder: Path, *records: str) -> Path:
    path = folder / "desc.xml"
    path.write_text(
        f"<DescriptorRecordSet>{''.join(records)}</DescriptorRecordSet>", encoding="utf-8"
    )
    return path


def test_a_long_file_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    path = _descriptors(tmp_path, *(_descriptor(f"D{n}", "C01") for n in range(1500)))
    kept = 0
    for record in islice(mesh._records(path), 1200, 1210):
        roots = [o for o in gc.get_referrers(record) if isinstance(o, Element)]
        kept = max(kept, *map(len, roots), 0)
    assert kept < 500  # what the parser has read ahead


def test_each_tree_number_gives_the_parent_above_it_once(tmp_path: Path) -> None:
    path = _descriptors(
        tmp_path,
        _descriptor("D1", "C01"),
        _descriptor("D2", "C01.100", "C02.100"),
        _descriptor("D3", "C01.100.200", "C02.100.300", "C01.300"),
        _descriptor("D4", "C09.100", "C09.100.100"),
        _descriptor("D5", "C02"),
    )
    links = {r.id: r.links for r in read_mesh(path) if isinstance(r, Addition)}
    assert links == {
        "MESH:D2": (Link("is_a", "MESH:D1"), Link("is_a", "MESH:D5")),
        "MESH:D3": (Link("is_a", "MESH:D2"), Link("is_a", "MESH:D1")),
    }


@pytest.mark.parametrize(
    ("numbers", "types"),
    [
        (("C01", "D02"), ("Disease", "Chemical")),
        (("D12.776.100",), ("Gene",)),
        (("D08.811.100", "D12.776.100"), ("Gene",)),
        (("D12.776.100", "D05.100"), ("Gene",)),
        (("D12.776.100", "D06.472.100"), ("Gene", "Chemical")),
        (("D12.776.100", "D20.100"), ("Chemical",)),
        (("D12.776.124.486.485.114.224", "C01"), ("Chemical", "Disease")),
        ((), ("Other",)),
    ],
)
def test_several_tree_numbers_give_several_types(
    numbers: tuple[str, ...], types: tuple[str, ...], tmp_path: Path
) -> None:
    (entry,) = (r for r in read_mesh(_descriptors(tmp_path, _descriptor("D1", *numbers))))
    assert entry.types == types


@pytest.mark.parametrize(
    ("number", "xref"),
    [("txid9606", "NCBITaxon:9606"), ("50-78-2", "CAS:50-78-2"), ("0", ""), ("EC 1.1.1.1", "")],
)
def test_registry_numbers_are_known_by_their_form(number: str, xref: str) -> None:
    assert mesh._registry_xref(number) == xref
