"""BioC as services and corpora give it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.corpora import ReadReport, WriteReport, dumps, read_documents
from holdfast.document import Argument, Document, Mention, Passage, Span
from holdfast.errors import FormatError, LossError

XML = """<?xml version='1.0' encoding='UTF-8'?>
<!DOCTYPE collection SYSTEM "BioC.dtd">
<collection><source>s</source><date>d</date><key>k</key>
<document><id>1</id>
<passage><infon key="type">title</infon><offset>0</offset><text>Lithium toxicity</text>
<annotation id="0"><infon key="type">Chemical</infon><infon key="MESH">D008094</infon>
<location offset="0" length="7"/><text>Lithium</text></annotation></passage>
<passage><infon key="type">abstract</infon><offset>20</offset><text>of the heart &amp; liver</text>
<annotation id="1"><infon key="type">Disease</infon><infon key="identifier">D1|D2</infon>
<location offset="27" length="5"/><location offset="35" length="5"/><text>heart liver</text>
</annotation></passage>
<relation id="R0"><infon key="relation">CID</infon><infon key="Chemical">D008094</infon>
<infon key="Disease">D000001</infon></relation>
<relation id="R1"><infon key="type">hurts</infon><node refid="0" role="agent"/>
<node refid="1" role=""/></relation>
</document></collection>
"""


def saved(tmp_path: Path, content: str, name: str) -> Path:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


def test_xml_with_gaps_several_locations_and_relations_is_read(tmp_path: Path) -> None:
    (document,) = read_documents(saved(tmp_path, XML, "x.bioc.xml"))
    assert document.text == "Lithium toxicity\n\n\n\nof the heart & liver"
    assert document.passages[1] == Passage("abstract", 20, 40)
    first, second = document.mentions
    assert (first.id, first.ids) == ("0", ("MESH:D008094",))
    assert second.spans == (Span(27, 32), Span(35, 40))
    cid, hurts = document.relations
    assert cid.arguments == (Argument("MESH:D008094"), Argument("MESH:D000001"))
    assert hurts.arguments == (Argument(mention_id="0", role="agent"), Argument(mention_id="1"))


def bioc_document(number: int) -> dict[str, object]:
    annotation = {
        "id": "a",
        "infons": {"type": "Gene", "identifier": "7157", "valid": True, "name": None},
        "text": "TP53",
        "locations": [{"offset": 0, "length": 4}],
    }
    passage = {"offset": 0, "infons": {"type": "title"}, "text": "TP53 \U0001f9ec"}
    return {"id": number, "passages": [{**passage, "annotations": [annotation]}]}


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"source": "", "infons": {"a": [1]}, "documents": [bioc_document(1)]}),
        json.dumps({"PubTator3": [bioc_document(1)]}),
        json.dumps([{"documents": [bioc_document(1)]}], indent=1),
        json.dumps([bioc_document(1)]),
        json.dumps(bioc_document(1), ensure_ascii=False),
        json.dumps(bioc_document(1)) + "\n\n",
    ],
)
def test_json_comes_as_a_collection_a_list_or_a_document(tmp_path: Path, content: str) -> None:
    (document,) = read_documents(saved(tmp_path, content, "x.bioc.json"))
    assert document.id == "1"
    assert document.mentions == (Mention.at(0, 4, "Gene", ["NCBIGene:7157"], id="a"),)


def test_a_collection_larger_than_one_read_is_streamed(tmp_path: Path) -> None:
    many = [bioc_document(number) for number in range(12_000)]
    path = saved(tmp_path, json.dumps({"documents": many}, indent=0), "x.bioc.json")
    assert path.stat().st_size > 2_000_000
    assert [d.id for d in read_documents(path)] == [str(n) for n in range(12_000)]


def test_json_cut_in_half_names_the_line(tmp_path: Path) -> None:
    content = json.dumps({"documents": [bioc_document(1), bioc_document(2)]}, indent=0)
    path = saved(tmp_path, content[: len(content) - 40], "x.bioc.json")
    documents = read_documents(path)
    assert next(documents).id == "1"
    with pytest.raises(FormatError, match=r"line \d+: not JSON"):
        next(documents)


@pytest.mark.parametrize(
    ("old", "new"), [(">Lithium<", ">Sodium!<"), ('length="7"', 'length="70"')]
)
def test_a_mention_that_does_not_match_is_refused_or_skipped(
    tmp_path: Path, old: str, new: str
) -> None:
    path = saved(tmp_path, XML.replace(old, new), "x.bioc.xml")
    with pytest.raises(FormatError, match="document 1: mention at 0-"):
        list(read_documents(path))
    report = ReadReport()
    (document,) = read_documents(path, lenient=True, report=report)
    assert [m.id for m in document.mentions] == ["1"]
    assert report.skipped == {"mention": 1, "relation": 1}


def test_xml_errors_name_the_line(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 8: not well-formed"):
        list(
            read_documents(
                saved(tmp_path, XML.replace('<passage><infon key="type">abs', "<<"), "x.bioc.xml")
            )
        )
    with pytest.raises(FormatError, match="not well-formed"):
        list(read_documents(saved(tmp_path, XML[:600], "y.bioc.xml")))
    with pytest.raises(FormatError, match="the root is <html>"):
        list(read_documents(saved(tmp_path, "<html/>", "z.bioc.xml")))


@pytest.mark.parametrize(
    "declared",
    ['<!ENTITY e SYSTEM "file:///etc/hostname">', '<!ENTITY e "boom">', ""],
)
def test_no_entity_is_ever_expanded(tmp_path: Path, declared: str) -> None:
    doctype = f'<!DOCTYPE collection SYSTEM "BioC.dtd" [{declared}]>'
    content = XML.replace('<!DOCTYPE collection SYSTEM "BioC.dtd">', doctype)
    content = content.replace("<source>s", "<source>&e;")
    with pytest.raises(FormatError, match="entit"):
        list(read_documents(saved(tmp_path, content, "x.bioc.xml")))


def test_characters_that_xml_forbids_are_a_clear_loss() -> None:
    document = Document("1", "a\x08b\x0c")
    with pytest.raises(LossError, match=r"bioc-xml cannot hold the character U\+0008: document 1"):
        dumps([document], "bioc-xml")
    report = WriteReport()
    assert "a\ufffdb\ufffd" in dumps([document], "bioc-xml", allow_loss=True, report=report)
    assert report.lost.total() == 1


def test_text_that_no_passage_covers_is_kept(tmp_path: Path) -> None:
    document = Document("1", "head\nbody tail", passages=(Passage("title", 0, 4),))
    for name, suffix in (("bioc-json", "json"), ("bioc-xml", "xml"), ("bigbio", "json")):
        path = saved(tmp_path, dumps([document], name), f"x.bioc.{suffix}")
        assert list(read_documents(path, format=name)) == [document]
