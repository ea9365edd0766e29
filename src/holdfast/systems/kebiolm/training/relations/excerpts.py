"""A few sentences of annotated documents, so that a model of whole abstracts also reads notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from holdfast.document import Document, Span
from holdfast.systems.kebiolm.relations.pairs import entities_of
from holdfast.text.sentences import split_sentences

_MOST_SENTENCES: Final = 3


def excerpts_of(document: Document, count: int, generator: np.random.Generator) -> list[Document]:
    """Up to `count` different excerpts of one to three neighbouring sentences, drawn at random.

    One that is the whole document is left out.
    """
    sentences = list(split_sentences(document.text))
    found = dict[tuple[int, int], Document]()
    for _ in range(count if len(sentences) > 1 else 0):
        length = int(generator.integers(1, min(_MOST_SENTENCES, len(sentences) - 1) + 1))
        first = int(generator.integers(len(sentences) - length + 1))
        start, end = sentences[first].start, sentences[first + length - 1].end
        found[start, end] = excerpt(document, start, end)
    return list(found.values())


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
    there = {entity.id for entity in entities_of(part)}
    relations = tuple(
        replace(relation, evidence=())
        for relation in document.relations
        if all(argument.entity_id in there for argument in relation.arguments)
    )
    return replace(part, relations=relations)


def excerpts_of_all(documents: Iterable[Document], count: int, *, seed: int) -> Iterator[Document]:
    """Up to `count` excerpts of each document; equal seeds give equal excerpts."""
    for number, document in enumerate(documents):
        yield from excerpts_of(document, count, np.random.default_rng([seed, number]))
