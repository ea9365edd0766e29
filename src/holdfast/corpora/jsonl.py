"""JSON lines: `Document.to_json`, one document on each line. It loses nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any, TextIO

from holdfast.corpora.losses import Losses
from holdfast.corpora.reading import Reading, merge_spans
from holdfast.corpora.report import ReadReport
from holdfast.document import Document, Span
from holdfast.errors import FormatError, InvalidValueError
from holdfast.files import read_lines


def read_jsonl(
    path: str | PathLike[str], *, lenient: bool = False, report: ReadReport | None = None
) -> Iterator[Document]:
    """The documents of a file, one at a time; blank lines do not matter."""
    reading = Reading(path, lenient=lenient, report=report)
    found = False
    for number, line in read_lines(reading.path):
        if not line.strip():
            continue
        found = True
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            reading.refuse("document", f"not JSON: {error}", line=number)
            continue
        document = document_from_json(data, reading, line=number)
        if document is not None:
            yield document
    if not found:
        raise FormatError("no documents: every line is blank", path=path)


def write_jsonl(documents: Iterable[Document], stream: TextIO, losses: Losses) -> None:
    """One line for each document."""
    for document in documents:
        stream.write(json.dumps(document.to_json(), ensure_ascii=False) + "\n")
        losses.report.count(mentions=len(document.mentions), relations=len(document.relations))


def document_from_json(data: Any, reading: Reading, *, line: int | None) -> Document | None:
    """The Document; where reading is lenient, without its broken mentions. None if refused."""
    if not isinstance(data, dict):
        reading.refuse("document", f"not a document: {str(data)[:80]}", line=line)
        return None
    try:
        return Document.from_json(data)
    except InvalidValueError as error:
        if not reading.lenient:
            reading.refuse("document or mention", str(error), line=line)
    mentions = _list_of("mention", data, reading, line)
    mended = [_without_overlap(m, data, reading, line) for m in mentions]
    sound = [m for m in mended if _is_sound(m, data, reading, line)]
    ids = {m.get("id") for m in sound}
    listed = _list_of("relation", data, reading, line)
    relations = [r for r in listed if _is_among(r, ids, reading, line)]
    try:
        return Document.from_json({**data, "mentions": sound, "relations": relations})
    except InvalidValueError as error:
        reading.refuse("document", str(error), line=line)
        return None


def _list_of(kind: str, data: dict[str, Any], reading: Reading, line: int | None) -> list[Any]:
    """The document's mentions or relations; none where they are no list."""
    found = data.get(f"{kind}s") or []
    if not isinstance(found, list):
        reading.refuse(kind, f"{kind}s are no list: {str(found)[:80]}", line=line)
        return []
    return found


def _without_overlap(mention: Any, data: dict[str, Any], reading: Reading, line: int | None) -> Any:
    """The mention; where its spans overlap, with those that `Reading.spans` makes of them."""
    try:
        spans = sorted(Span(start, end) for start, end in mention["spans"])
        if merge_spans(spans) == tuple(spans):
            return mention
        id, text, stated = str(data.get("id")), str(data["text"]), mention.get("text")
        merged = reading.spans(text, spans, stated, document_id=id, line=line)
    except (KeyError, TypeError, ValueError, AttributeError):
        return mention
    if merged is None:
        return mention
    without_text = {key: value for key, value in mention.items() if key != "text"}
    return {**without_text, "spans": [list(span) for span in merged]}


def _is_sound(mention: Any, data: dict[str, Any], reading: Reading, line: int | None) -> bool:
    """Whether a document with this mention alone can be made."""
    alone = {"id": data.get("id"), "text": data.get("text"), "mentions": [mention]}
    try:
        Document.from_json(alone)
    except InvalidValueError as error:
        reading.refuse("mention", str(error), line=line)
        return False
    return True


def _is_among(relation: Any, ids: set[Any], reading: Reading, line: int | None) -> bool:
    try:
        named = [argument.get("mention_id", "") for argument in relation.get("arguments", ())]
        missing = [id for id in named if id not in {"", *ids}]
    except (AttributeError, TypeError):
        reading.refuse("relation", f"not a relation: {str(relation)[:80]}", line=line)
        return False
    if missing:
        message = f"a relation refers to mention {missing[0]!r}, which is not there"
        reading.refuse("relation", message, line=line)
    return not missing
