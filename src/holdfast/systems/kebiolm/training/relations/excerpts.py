"""A few sentences of annotated documents, so that a model of whole abstracts also reads notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from holdfast.document import Document
from holdfast.systems.kebiolm.relations.excerpt import excerpt
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


def excerpts_of_all(documents: Iterable[Document], count: int, *, seed: int) -> Iterator[Document]:
    """Up to `count` excerpts of each document; equal seeds give equal excerpts."""
    for number, document in enumerate(documents):
        yield from excerpts_of(document, count, np.random.default_rng([seed, number]))
