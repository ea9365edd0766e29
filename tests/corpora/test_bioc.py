"""BioC as services and corpora give it."""

from __future__ import annotations

import json
from collections.abc import Mapping
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


def written(document: Document) -> list[tuple[int, list[str]]]:
    """(offset of a passage, the words of its mentions), as they stand in the file."""
    (node,) = json.loads(dumps([document], "bioc-json"))["documents"]
    return [(p["offset"], [a["text"] for a in p["annotations"]]) for p in node["passages"]]


def test_a_mention_stands_in_the_passage_in_which_it_starts() -> None:
    text = "one two\nthree four\n\nfive"
    passages = (Passage("title", 0, 7), Passage("abstract", 8, 18), Passage("end", 20, 24))
    places = [(0, 3), (4, 7), (4, 13), (7, 10), (8, 13), (14, 18), (18, 19), (19, 20), (20, 24)]
    mentions = tuple(Mention.at(start, end) for start, end in places)
    assert written(Document("1", text, passages=passages, mentions=mentions)) == [
        (0, ["one", "two", "two\nthree", "\nth"]),
        (8, ["three", "four", "\n", "\n"]),
        (20, ["five"]),
    ]


def test_a_mention_before_every_passage_stands_in_the_first() -> None:
    passages = (Passage("title", 2, 5),)
    mentions = (Mention.at(0, 3), Mention.at(2, 5))
    assert written(Document("1", "\n\nabc", passages=passages, mentions=mentions)) == [
        (2, ["\n\na", "abc"])
    ]


def read_relations(
    tmp_path: Path, *relations: Mapping[str, object], report: ReadReport | None = None
) -> list[tuple[str, ...]]:
    """For each relation that is read: what its arguments are."""
    data = {**bioc_document(1), "relations": relations}
    path = saved(tmp_path, json.dumps(data), "x.bioc.json")
    (document,) = read_documents(path, report=report)
    return [
        tuple(a.entity_id or f"mention {a.mention_id}" for a in relation.arguments)
        for relation in document.relations
    ]


NODE = [{"refid": "a", "role": ""}]


@pytest.mark.parametrize(
    ("infons", "nodes", "arguments"),
    [
        ({"entity1": "X:1", "entity2": "X:2"}, [], ("X:1", "X:2")),
        ({"entity2": "X:2", "entity1": "X:1"}, [], ("X:1", "X:2")),
        ({"entity2": "X:2", "entity3": "X:3"}, [], ("X:2", "X:3")),
        ({"entity9": "X:9", "entity4": "X:4"}, [], ("X:4", "X:9")),
        ({"argument1": "X:1", "argument10": "X:10"}, [], ("X:1", "X:10")),
        ({"entity1": "X:1"}, NODE, ("X:1", "mention a")),
        ({"entity2": "X:2"}, NODE, ("mention a", "X:2")),
        ({"entity3": "X:3", "entity1": "X:1"}, NODE, ("X:1", "mention a", "X:3")),
        ({"entity2": "X:2"}, NODE * 2, ("mention a", "X:2", "mention a")),
        ({"entity5": "X:5"}, NODE, ("mention a", "X:5")),
        ({"Chemical": "X:1", "Disease": "X:2"}, [], ("X:1", "X:2")),
        ({"Chemical": "X:1"}, NODE, ("mention a", "X:1")),
        ({"Gene": "7157", "entity1": "9606"}, [], ("9606", "NCBIGene:7157")),
    ],
)
def test_a_relation_keeps_its_arguments_in_their_places(
    tmp_path: Path, infons: dict[str, str], nodes: list[object], arguments: tuple[str, ...]
) -> None:
    relation: dict[str, object] = {"id": "R", "infons": {"type": "t", **infons}, "nodes": nodes}
    assert read_relations(tmp_path, relation) == [arguments]


def test_a_relation_of_one_argument_is_counted_and_left_out(tmp_path: Path) -> None:
    report = ReadReport()
    one: dict[str, object] = {
        "id": "R",
        "infons": {"type": "t", "entity1": "X:1", "entity2": " "},
        "nodes": [],
    }
    blank: dict[str, object] = {
        "id": "S",
        "infons": {"entity1": "X:1"},
        "nodes": [{"refid": "", "role": "x"}],
    }
    assert read_relations(tmp_path, one, blank, report=report) == []
    assert report.ignored == {"relation of fewer than two arguments": 2}


@pytest.mark.parametrize(
    ("infons", "type", "note"),
    [
        ({"type": "a", "relation": "b", "note": "c", "novel": "d"}, "a", "c"),
        ({"relation": "b", "novel": "d"}, "b", "d"),
        ({"relation type": "e", "novelty": "f"}, "e", "f"),
        ({}, "", ""),
    ],
)
def test_a_relation_names_its_type_and_note_in_one_of_several_ways(
    tmp_path: Path, infons: dict[str, str], type: str, note: str
) -> None:
    entities = {"entity1": "X:1", "entity2": "X:2", "role2": "agent"}
    data = {**bioc_document(1), "relations": [{"infons": {**infons, **entities}}]}
    (document,) = read_documents(saved(tmp_path, json.dumps(data), "x.bioc.json"))
    (relation,) = document.relations
    assert (relation.type, relation.note) == (type, note)
    assert [a.role for a in relation.arguments] == ["", "agent"]


@pytest.mark.parametrize(
    ("infons", "ids"),
    [
        ({"identifier": "D1|D2", "MESH": "D3"}, ("D1", "D2")),
        ({"Identifier": "-1"}, ("NIL",)),
        ({"MESH": "D000001", "OMIM": "3"}, ("MESH:D000001", "OMIM:3")),
        ({"MESH": "-1", "OMIM": "3"}, ("OMIM:3",)),
        ({"MESH": "-1"}, ("NIL",)),
        ({"MESH": " ", "other": "5"}, ()),
        ({"MESH": "D000001,OMIM:3"}, ("MESH:D000001", "OMIM:3")),
    ],
)
def test_ids_are_in_the_identifier_or_under_their_vocabulary(
    tmp_path: Path, infons: dict[str, str], ids: tuple[str, ...]
) -> None:
    annotation = {
        "infons": {"type": "Disease", **infons},
        "locations": [{"offset": 0, "length": 1}],
    }
    passage = {"offset": 0, "infons": {}, "text": "a", "annotations": [annotation]}
    data = {"id": "1", "passages": [passage]}
    (document,) = read_documents(saved(tmp_path, json.dumps(data), "x.bioc.json"))
    assert document.mentions[0].ids == ids


def test_sentences_and_the_document_may_hold_text_and_annotations(tmp_path: Path) -> None:
    content = """<collection><document><id>1</id>
<passage><infon key="section_type">TITLE</infon><infon key="type">front</infon><offset>3</offset>
<sentence><offset>3</offset><text>One.</text>
<annotation id="s"><location offset="3" length="3"/><text>One</text></annotation></sentence>
<sentence><offset>9</offset><text>Two.</text></sentence>
<relation id="R"><infon key="entity1">X:1</infon><node refid="s" role=""/></relation></passage>
<annotation id="d"><location offset="9" length="3"/></annotation></document></collection>"""
    (document,) = read_documents(saved(tmp_path, content, "x.bioc.xml"))
    assert document.text == "\n\n\nOne.  Two."
    assert document.passages == (Passage("title", 3, 13),)
    assert [(m.id, document.text_of(m)) for m in document.mentions] == [("s", "One"), ("d", "Two")]
    assert document.relations[0].arguments == (Argument("X:1"), Argument(mention_id="s"))


def test_parts_and_status_of_a_mention_and_the_type_of_a_front_page_are_kept(
    tmp_path: Path,
) -> None:
    mention = Mention((Span(0, 1),), parts=("a", "b"), status="negated", id="m")
    document = Document("1", "a", passages=(Passage("front", 0, 1),), mentions=(mention,))
    for format in ("bioc-json", "bioc-xml"):
        path = saved(tmp_path, dumps([document], format), "x")
        assert list(read_documents(path, format=format)) == [document]


@pytest.mark.parametrize(
    ("infons", "kind"),
    [
        ({"type": "front", "section_type": "TITLE"}, "title"),
        ({"type": "front", "section_type": "ABSTRACT"}, "front"),
        ({"type": "paragraph", "section_type": "TITLE"}, "paragraph"),
        ({"section_type": "TITLE"}, "TITLE"),
        ({"type": "front"}, "front"),
    ],
)
def test_only_the_title_on_the_front_page_of_an_article_is_called_title(
    tmp_path: Path, infons: dict[str, str], kind: str
) -> None:
    passage = {"offset": 0, "infons": infons, "text": "a", "annotations": []}
    content = json.dumps({"documents": [{"id": "1", "passages": [passage]}]})
    (document,) = read_documents(saved(tmp_path, content, "x.bioc.json"))
    assert document.passages == (Passage(kind, 0, 1),)


def test_a_mention_out_of_the_order_of_passages_is_noted_and_a_made_up_id_is_its_own() -> None:
    passages = (Passage("title", 0, 1), Passage("abstract", 2, 3))
    mentions = (Mention.at(2, 3), Mention.at(0, 1, id="T1"), Mention.at(0, 1))
    report = WriteReport()
    document = Document("1", "a\nb", passages=passages, mentions=mentions)
    (node,) = json.loads(dumps([document], "bioc-json", report=report))["documents"]
    ids = [[a["id"] for a in p["annotations"]] for p in node["passages"]]
    assert ids == [["T1", "T2"], ["T3"]]
    assert report.notes == {"mention order": 1, "mention ids made up": 2}
