"""The step that adds types: every mention can say in words what kind of thing it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

import numpy as np

from holdfast.blocks import in_blocks
from holdfast.document import Document, Mention, TypeScore
from holdfast.systems.bier.model import TypingModel
from holdfast.systems.bier.reading import Ids
from holdfast.systems.bier.sparse import Floats, SparseVectors
from holdfast.text.normalise import fold
from holdfast.types import VARIANT, canonical_type

_DOCUMENTS: Final = 16  # read together
_DECIMALS: Final = 4


class TypeAdder:
    """Adds the most probable types to each mention.

    A mention is read where the document first uses its words: a document means one thing by them,
    and each is encoded once. Variants such as "G12D" get no types: they are read by a rule, no
    vocabulary lists them, and so no type system has learned what kind of thing they are.
    """

    def __init__(
        self,
        model: TypingModel,
        *,
        top: int = 5,
        least: float = 0.05,
        weights: Floats | None = None,
    ) -> None:
        """`least` probability of a type that is told; `weights` of types, to switch some off."""
        self.digest = model.digest
        self._model = model
        self._top = top
        self._least = least
        self._weights = weights

    def __call__(self, document: Document) -> Document:
        """The document with types for every mention."""
        return self._add([document])[0]

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Many documents, in order; several are encoded at once."""
        for block in in_blocks(documents, _DOCUMENTS):
            yield from self._add(block)

    def _add(self, documents: Sequence[Document]) -> list[Document]:
        rows, places = list[Ids](), list[dict[str, int]]()
        for document in documents:
            first = dict[str, int]()
            for number, mention in enumerate(document.mentions):
                if _has_a_kind(mention):
                    first.setdefault(fold(document.text_of(mention)), number)
            read = self._model.rows_of(
                document.text, [document.mentions[number].spans for number in first.values()]
            )
            places.append(dict(zip(first, range(len(rows), len(rows) + len(read)), strict=True)))
            rows += read
        if not rows:
            return list(documents)
        found = self._model.encode(rows, top=self._top if self._weights is None else 4 * self._top)
        told = self._told(found.sparse)
        return [
            document.with_mentions(
                replace(mention, types=told[of_words[fold(document.text_of(mention))]])
                if _has_a_kind(mention)
                else mention
                for mention in document.mentions
            )
            for document, of_words in zip(documents, places, strict=True)
        ]

    def _told(self, vectors: SparseVectors) -> list[tuple[TypeScore, ...]]:
        """The types of each row in words."""
        names = self._model.types.names
        if self._weights is not None:
            vectors = vectors.weighted(self._weights)
        told = list[tuple[TypeScore, ...]]()
        for types, values in zip(vectors.types, np.minimum(vectors.values, 1.0), strict=True):
            pairs = sorted(zip(values.tolist(), types.tolist(), strict=True), key=lambda p: -p[0])
            kept = islice((pair for pair in pairs if pair[0] >= self._least), self._top)
            told.append(tuple(TypeScore(names[t], round(v, _DECIMALS)) for v, t in kept))
        return told


def _has_a_kind(mention: Mention) -> bool:
    return canonical_type(mention.type) != VARIANT
