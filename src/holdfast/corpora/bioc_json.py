"""BioC as JSON: a collection, a list of documents, one document, or one on each line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from os import PathLike
from typing import Any, Final, TextIO

from holdfast.corpora.bioc import (
    Annotation,
    DocumentNode,
    Infons,
    PassageNode,
    RelationNode,
    from_document,
    to_document,
)
from holdfast.corpora.json_stream import read_elements
from holdfast.corpora.losses import Losses
from holdfast.corpora.reading import Reading
from holdfast.corpora.report import ReadReport
from holdfast.document import Document
from holdfast.errors import FormatError

_COLLECTION_KEYS: Final = ("documents", "PubTator3")


def read_bioc_json(
    path: str | PathLike[str], *, lenient: bool = False, report: ReadReport | None = None
) -> Iterator[Document]:
    """The documents of a file, one at a time."""
    reading = Reading(path, lenient=lenient, report=report)
    for element in read_elements(reading.path, array_keys=_COLLECTION_KEYS):
        for item in _documents_in(element.value):
            try:
                node = _document_node(item)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                message = f"not a BioC document ({type(error).__name__}: {error})"
                if not isinstance(item, dict) or "passages" not in item:
                    raise FormatError(message, path=path, line=element.line) from error
                reading.refuse("document", f"document {item.get('id')}: {message}")
                continue
            document = to_document(node, reading, line=element.line)
            if document is not None:
                yield document


def write_bioc_json(documents: Iterable[Document], stream: TextIO, losses: Losses) -> None:
    """One collection, one document on each line; whole also where the documents end in an error."""
    stream.write('{"source": "", "date": "", "key": "", "infons": {}, "documents": [')
    separator = "\n"
    try:
        for document in documents:
            node = from_document(document, losses)
            stream.write(separator + json.dumps(_to_json(node, losses), ensure_ascii=False))
            losses.report.count(mentions=node.mention_count, relations=len(node.relations))
            separator = ",\n"
    finally:
        stream.write("\n]}\n")


def _documents_in(value: Any) -> Iterator[Any]:
    """PMC's service gives a list of collections."""
    nested = isinstance(value, dict) and next((k for k in _COLLECTION_KEYS if k in value), None)
    if nested:
        yield from value[nested]
    else:
        yield value


def _document_node(data: Mapping[str, Any]) -> DocumentNode:
    passages = [_passage_node(p) for p in data["passages"]]
    relations = [*data.get("relations", ())]
    for passage in data["passages"]:
        relations += passage.get("relations", ())
    return DocumentNode(
        id=str(data["id"]),
        infons=_infons(data),
        passages=passages,
        annotations=[_annotation(a) for a in data.get("annotations", ())],
        relations=[_relation(r) for r in relations],
    )


def _passage_node(data: Mapping[str, Any]) -> PassageNode:
    """Text and annotations may be in its sentences instead."""
    offset, text = int(data["offset"]), data.get("text") or ""
    annotations = [*data.get("annotations", ())]
    for sentence in data.get("sentences", ()):
        annotations += sentence.get("annotations", ())
        if not data.get("text"):
            text = text.ljust(int(sentence["offset"]) - offset) + sentence.get("text", "")
    return PassageNode(offset, _infons(data), str(text), [_annotation(a) for a in annotations])


def _annotation(data: Mapping[str, Any]) -> Annotation:
    return Annotation(
        id=str(data.get("id") or ""),
        infons=_infons(data),
        text=data.get("text"),
        locations=[(int(place["offset"]), int(place["length"])) for place in data["locations"]],
    )


def _relation(data: Mapping[str, Any]) -> RelationNode:
    nodes = [(str(n["refid"]), str(n.get("role") or "")) for n in data.get("nodes", ())]
    return RelationNode(str(data.get("id") or ""), _infons(data), nodes)


def _infons(data: Mapping[str, Any]) -> Infons:
    """Values as text, one pair for each value of a list; null and objects are left out."""
    pairs = Infons()
    for key, value in (data.get("infons") or {}).items():
        for item in value if isinstance(value, list) else [value]:
            if item is not None and not isinstance(item, (dict, list)):
                pairs.append((str(key), str(item)))
    return pairs


def _to_json(node: DocumentNode, losses: Losses) -> dict[str, Any]:
    if len([*groupby(node.infons, key=_key)]) != len(dict(node.infons)):
        losses.note("metadata order")
    return {
        "id": node.id,
        "infons": _infons_to_json(node.infons),
        "passages": [
            {
                "offset": passage.offset,
                "infons": _infons_to_json(passage.infons),
                "text": passage.text,
                "sentences": [],
                "annotations": [_annotation_to_json(a) for a in passage.annotations],
                "relations": [],
            }
            for passage in node.passages
        ],
        "annotations": [],
        "relations": [
            {
                "id": relation.id,
                "infons": _infons_to_json(relation.infons),
                "nodes": [{"refid": refid, "role": role} for refid, role in relation.nodes],
            }
            for relation in node.relations
        ],
    }


def _annotation_to_json(annotation: Annotation) -> dict[str, Any]:
    return {
        "id": annotation.id,
        "infons": _infons_to_json(annotation.infons),
        "text": annotation.text,
        "locations": [{"offset": o, "length": n} for o, n in annotation.locations],
    }


def _infons_to_json(infons: Infons) -> dict[str, str | list[str]]:
    """A key that repeats has a list of its values."""
    values = dict[str, str | list[str]]()
    for key, value in infons:
        held = values.get(key)
        if held is None:
            values[key] = value
        elif isinstance(held, str):
            values[key] = [held, value]
        else:
            held.append(value)
    return values


def _key(pair: tuple[str, str]) -> str:
    return pair[0]
