"""BioC as XML: one collection of documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Final, TextIO
from xml.etree.ElementTree import Element

from holdfast.corpora.bioc import (
    Annotation,
    DocumentNode,
    Infons,
    PassageNode,
    RelationNode,
    from_document,
    to_document,
)
from holdfast.corpora.losses import Losses
from holdfast.corpora.reading import Reading
from holdfast.corpora.report import ReadReport
from holdfast.corpora.xml_stream import read_elements
from holdfast.document import Document

_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_IN_TEXT: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_IN_ATTRIBUTES: Final = {**_IN_TEXT, **str.maketrans({'"': "&quot;", "\n": "&#10;", "\t": "&#9;"})}
_HEAD: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
    "<collection><source></source><date></date><key></key>\n"
)


def read_bioc_xml(
    path: str | PathLike[str], *, lenient: bool = False, report: ReadReport | None = None
) -> Iterator[Document]:
    """The documents of a file, one at a time."""
    reading = Reading(path, lenient=lenient, report=report)
    for element in read_elements(reading.path, "document", roots=("collection",)):
        try:
            node = _document_node(element)
        except (TypeError, ValueError) as error:
            name = element.findtext("id")
            reading.refuse("document", f"document {name}: not a BioC document ({error})")
            continue
        document = to_document(node, reading, line=None)
        if document is not None:
            yield document


def write_bioc_xml(documents: Iterable[Document], stream: TextIO, losses: Losses) -> None:
    """One collection. Characters that XML forbids are a loss."""
    stream.write(_HEAD)
    for document in documents:
        node = from_document(document, losses)
        xml = "".join(_document_xml(node))
        forbidden = _FORBIDDEN.search(xml)
        if forbidden:
            losses.lose(
                f"the character U+{ord(forbidden[0]):04X}", document, how="writes U+FFFD for"
            )
            xml = _FORBIDDEN.sub("\ufffd", xml)
        stream.write(xml + "\n")
        losses.report.count(mentions=node.mention_count, relations=len(node.relations))
    stream.write("</collection>\n")


def _document_node(element: Element) -> DocumentNode:
    passages = element.findall("passage")
    return DocumentNode(
        id=element.findtext("id") or "",
        infons=_infons(element),
        passages=[_passage_node(p) for p in passages],
        annotations=[_annotation(a) for a in element.findall("annotation")],
        relations=[_relation(r) for r in element.iter("relation")],
    )


def _passage_node(element: Element) -> PassageNode:
    """Text and annotations may be in its sentences instead."""
    offset, text = int(_required(element, "offset")), element.findtext("text") or ""
    if element.find("text") is None:
        for sentence in element.findall("sentence"):
            start = int(_required(sentence, "offset")) - offset
            text = text.ljust(start) + (sentence.findtext("text") or "")
    annotations = [_annotation(a) for a in element.iter("annotation")]
    return PassageNode(offset, _infons(element), text, annotations)


def _annotation(element: Element) -> Annotation:
    return Annotation(
        id=element.get("id", ""),
        infons=_infons(element),
        text=element.findtext("text"),
        locations=[
            (int(place.attrib["offset"]), int(place.attrib["length"]))
            for place in element.findall("location")
        ],
    )


def _relation(element: Element) -> RelationNode:
    nodes = [(n.get("refid", ""), n.get("role", "")) for n in element.findall("node")]
    return RelationNode(element.get("id", ""), _infons(element), nodes)


def _infons(element: Element) -> Infons:
    return [(infon.get("key", ""), infon.text or "") for infon in element.findall("infon")]


def _required(element: Element, tag: str) -> str:
    value = element.findtext(tag)
    if value is None:
        raise ValueError(f"<{element.tag}> without <{tag}>")
    return value


def _document_xml(node: DocumentNode) -> Iterator[str]:
    yield f"<document>{_tag('id', node.id)}{_infons_xml(node.infons)}"
    for passage in node.passages:
        yield f"\n<passage>{_infons_xml(passage.infons)}<offset>{passage.offset}</offset>"
        yield _tag("text", passage.text)
        for annotation in passage.annotations:
            yield f"\n<annotation id={_quoted(annotation.id)}>{_infons_xml(annotation.infons)}"
            for offset, length in annotation.locations:
                yield f'<location offset="{offset}" length="{length}"/>'
            yield _tag("text", annotation.text or "") + "</annotation>"
        yield "</passage>"
    for relation in node.relations:
        yield f"\n<relation id={_quoted(relation.id)}>{_infons_xml(relation.infons)}"
        for refid, role in relation.nodes:
            yield f"<node refid={_quoted(refid)} role={_quoted(role)}/>"
        yield "</relation>"
    yield "</document>"


def _infons_xml(infons: Infons) -> str:
    return "".join(f"<infon key={_quoted(key)}>{_escaped(value)}</infon>" for key, value in infons)


def _tag(name: str, text: str) -> str:
    return f"<{name}>{_escaped(text)}</{name}>"


def _escaped(text: str) -> str:
    """A bare carriage return would be read as a line feed."""
    return text.translate(_IN_TEXT)


def _quoted(text: str) -> str:
    """An attribute's value with its quotes."""
    return f'"{text.translate(_IN_ATTRIBUTES)}"'
