"""CRAFT: full-text articles with concepts of ten ontologies, many of them interrupted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from holdfast.corpora.ids import to_curie
from holdfast.corpora.named.lines import read_json_lines, string
from holdfast.document import Document, Mention, Span
from holdfast.errors import FormatError


def read_craft(path: Path) -> Iterator[Document]:
    """One Document per JSON line {id, text, annotations: [{spans, id, ontology}]}.

    A mention's type is the ontology's name as CRAFT has it ("CL", "GO_BP", …): GO's three
    branches share one id prefix, so that nothing but the type tells them apart.
    """
    for number, record in read_json_lines(path):
        try:
            yield Document(
                id=string(record, "id"),
                text=string(record, "text"),
                mentions=tuple(_mention(a) for a in record["annotations"]),
            )
        except KeyError as error:
            raise FormatError(f"no key {error}", path=path, line=number) from error
        except (TypeError, ValueError) as error:
            raise FormatError(f"not a CRAFT record: {error}", path=path, line=number) from error


def _mention(annotation: dict[str, Any]) -> Mention:
    ontology = string(annotation, "ontology")
    return Mention(
        spans=tuple(Span(start, end) for start, end in annotation["spans"]),
        type=ontology,
        ids=(to_curie(string(annotation, "id"), ontology),),
    )
