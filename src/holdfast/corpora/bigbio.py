"""BigBIO's knowledge-base schema as JSON: a list of documents, or one on each line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from os import PathLike
from typing import Any, Final, TextIO

from holdfast.corpora.ids import to_curie
from holdfast.corpora.json_stream import read_elements
from holdfast.corpora.layout import Piece, lay_out, pieces_of
from holdfast.corpora.losses import Holds, Losses
from holdfast.corpora.reading import Reading
from holdfast.corpora.report import ReadReport
from holdfast.curies import known_prefix
from holdfast.document import NIL, Argument, Document, Mention, Relation

HOLDS: Final = Holds(
    passages=True,
    interrupted=True,
    mention_ids=True,
    relations=True,
    mention_arguments=True,
    relation_ids=True,
)


def read_bigbio(
    path: str | PathLike[str], *, lenient: bool = False, report: ReadReport | None = None
) -> Iterator[Document]:
    """The documents of a file, one at a time."""
    reading = Reading(path, lenient=lenient, report=report)
    for element in read_elements(reading.path):
        try:
            document = _document(element.value, reading, element.line)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            message = f"not a BigBIO document ({type(error).__name__}: {error})"
            reading.refuse("document", message, line=element.line)
            continue
        if document is not None:
            yield document


def write_bigbio(documents: Iterable[Document], stream: TextIO, losses: Losses) -> None:
    """One list, one document on each line."""
    separator = "[\n"
    for line in _json_lines(documents, losses):
        stream.write(separator + line)
        separator = ",\n"
    stream.write("[]\n" if separator == "[\n" else "\n]\n")


def write_bigbio_lines(documents: Iterable[Document], stream: TextIO, losses: Losses) -> None:
    """JSON lines."""
    for line in _json_lines(documents, losses):
        stream.write(line + "\n")


def _json_lines(documents: Iterable[Document], losses: Losses) -> Iterator[str]:
    for number, document in enumerate(documents, 1):
        fitted = losses.fit(document, HOLDS)
        yield json.dumps(_to_json(fitted, number, losses), ensure_ascii=False)
        losses.report.count(mentions=len(fitted.mentions), relations=len(fitted.relations))


def _document(data: Mapping[str, Any], reading: Reading, line: int) -> Document | None:
    document_id = str(data.get("document_id") or data["id"])
    pieces = [
        Piece(p["type"], start, text)
        for p in data["passages"]
        for text, (start, _) in zip(p["text"], p["offsets"], strict=True)
    ]
    layout = lay_out(pieces, document_id=document_id, reading=reading, line=line)
    mentions = list[Mention]()
    for entity in data.get("entities", ()):
        offsets = [(int(start), int(end)) for start, end in entity["offsets"]]
        stated = " ".join(entity["text"])
        spans = reading.spans(layout.text, offsets, stated, document_id=document_id, line=line)
        if spans is not None:
            type = entity.get("type") or ""
            ids = _ids(entity.get("normalized", ()), type)
            mentions.append(Mention(spans, type=type, ids=ids, id=str(entity["id"])))
    relations = [
        Relation(
            r.get("type") or "",
            (Argument(mention_id=str(r["arg1_id"])), Argument(mention_id=str(r["arg2_id"]))),
            id=str(r.get("id") or ""),
        )
        for r in data.get("relations", ())
    ]
    for kind in ("events", "coreferences"):
        for _ in data.get(kind, ()):
            reading.ignore(kind.removesuffix("s"))
    return reading.document(
        document_id,
        layout.text,
        passages=layout.passages,
        mentions=mentions,
        relations=relations,
        line=line,
    )


def _ids(normalized: Iterable[Mapping[str, Any]], type: str) -> tuple[str, ...]:
    curies = dict.fromkeys(_curie(n.get("db_name"), str(n["db_id"]), type) for n in normalized)
    return tuple(c for c in curies if c != NIL) or tuple(curies)


def _curie(name: str | None, local: str, type: str) -> str:
    """Some datasets repeat the vocabulary's name in the id."""
    prefix, colon, _ = local.partition(":")
    has_prefix = bool(colon) and (known_prefix(prefix) is not None or prefix == name)
    if not name or has_prefix or to_curie(local, type) == NIL:
        return to_curie(local, type)
    return to_curie(f"{name}:{local}", type)


def _to_json(document: Document, number: int, losses: Losses) -> dict[str, Any]:
    taken = {m.id for m in document.mentions}
    free = (f"T{n}" for n in count(1) if f"T{n}" not in taken)
    losses.note("mention ids made up", sum(not m.id for m in document.mentions))
    return {
        "id": str(number),
        "document_id": document.id,
        "passages": [
            {
                "id": f"{number}_p{index}",
                "type": piece.kind,
                "text": [piece.text],
                "offsets": [[piece.start, piece.end]],
            }
            for index, piece in enumerate(pieces_of(document), 1)
        ],
        "entities": [
            {
                "id": mention.id or next(free),
                "type": mention.type,
                "text": [document.text[start:end] for start, end in mention.spans],
                "offsets": [list(span) for span in mention.spans],
                "normalized": _normalized(mention, document, losses),
            }
            for mention in document.mentions
        ],
        "events": [],
        "coreferences": [],
        "relations": [
            {
                "id": relation.id,
                "type": relation.type,
                "arg1_id": relation.arguments[0].mention_id,
                "arg2_id": relation.arguments[1].mention_id,
                "normalized": [],
            }
            for relation in document.relations
        ],
    }


def _normalized(mention: Mention, document: Document, losses: Losses) -> list[dict[str, str]]:
    pairs = list[dict[str, str]]()
    for curie in mention.ids:
        prefix, _, local = curie.partition(":") if ":" in curie else ("", "", curie)
        local = "-1" if curie == NIL else local
        if _curie(prefix, local, mention.type) != curie:
            where = f"mention {mention.start}-{mention.end}"
            losses.lose(f"the id {curie!r}", document, where)
            continue
        pairs.append({"db_name": prefix, "db_id": local})
    return pairs
