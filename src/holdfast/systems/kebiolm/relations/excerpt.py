"""A part of a document as a document of its own, with the mentions and relations that are in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from holdfast.document import Document, Span
from holdfast.systems.kebiolm.relations.pairs import entities_of
from holdfast.text.sentences import split_sentences


def excerpt(document: Document, start: int, end: int) -> Document:
    """The text from `start` to `end` with the mentions that are wholly in it.

    A relation stays if all of its entities are mentioned there.
    """
    mentions = tuple(
        replace(m, spans=tuple(Span(a - start, b - start) for a, b in m.spans))
        for m in document.mentions
        if start <= m.start and m.end <= end
    )
    part = Document(f"{document.id}:{start}-{end}", document.text[start:end], mentions=mentions)
    there = {entity.id for entity in entities_of(part)} | {m.id for m in mentions if m.id}
    relations = tuple(
        replace(relation, evidence=())
        for relation in document.relations
        if all((end.entity_id or end.mention_id) in there for end in relation.arguments)
    )
    return replace(part, relations=relations)


def sentences_of(document: Document) -> Iterator[tuple[Span, Document]]:
    """Each sentence that mentions something, and where it stands."""
    for span in split_sentences(document.text):
        part = excerpt(document, span.start, span.end)
        if part.mentions:
            yield span, part
