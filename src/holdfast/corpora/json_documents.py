"""Documents in their JSON form: one, a list of them, or `{"documents": […]}` as `holdfast link
--json` prints them. It loses nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import TextIO

from holdfast.corpora.json_stream import read_elements
from holdfast.corpora.jsonl import document_from_json
from holdfast.corpora.losses import Losses
from holdfast.corpora.reading import Reading
from holdfast.corpora.report import ReadReport
from holdfast.document import Document


def read_json_documents(
    path: str | PathLike[str], *, lenient: bool = False, report: ReadReport | None = None
) -> Iterator[Document]:
    """The documents of a file, one at a time."""
    reading = Reading(path, lenient=lenient, report=report)
    for element in read_elements(reading.path, array_keys=("documents",)):
        document = document_from_json(element.value, reading, line=element.line)
        if document is not None:
            yield document


def write_json_documents(documents: Iterable[Document], stream: TextIO, losses: Losses) -> None:
    """One object, one document on each line; whole also where the documents end in an error."""
    stream.write('{"documents": [')
    between = "\n"
    try:
        for document in documents:
            stream.write(between + json.dumps(document.to_json(), ensure_ascii=False))
            losses.report.count(mentions=len(document.mentions), relations=len(document.relations))
            between = ",\n"
    finally:
        stream.write("\n]}\n")
