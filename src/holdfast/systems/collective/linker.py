"""The collective dual encoder: all mentions of a document linked, or also found, in one pass.

Every mention's vector is compared with the vectors of all entities of the knowledge base; the
nearest is the answer. The single-mention encoder is the same, reading a few characters around one
mention at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from holdfast import types
from holdfast.blocks import in_blocks
from holdfast.document import NIL, Candidate, Document, Evidence, Mention
from holdfast.errors import UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.systems.collective.entities import EntityVectors, NearestEntity, entity_vectors_of
from holdfast.systems.collective.model import DualEncoderModel
from holdfast.systems.collective.text import span_of
from holdfast.types import canonical_type

_WIDER: Final = 4  # how many times `top` is looked at where types are wanted
_COMPARED: Final = 20  # entities among which the probability is shared
_DECIMALS: Final = 4
_BATCH: Final = 16  # documents whose mentions are searched for at once

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class EncodedDocument:
    """What was read of a document: mentions, and the vectors of those that touch a token."""

    mentions: Sequence[Mention]
    places: list[int]  # of the mentions that have a vector, ascending
    vectors: Floats  # (places, width)


class CollectiveLinker:
    """Links the marked mentions of a document to the entities whose vectors are nearest."""

    def __init__(
        self,
        kb: KnowledgeBase,
        *,
        model: DualEncoderModel,
        vectors: EntityVectors,  # of the knowledge base, by this model
        only: Collection[str] | None = None,
        top: int = 5,
    ) -> None:
        self.digest = model.digest
        self.kb = kb
        self.model = model
        self._vectors = vectors
        self._wanted = types.mask_of(only)
        self._top = top

    @classmethod
    def open(
        cls,
        folder: Path,
        kb: KnowledgeBase,
        *,
        only: Collection[str] | None = None,
        top: int = 5,
        names: int | None = None,
        threads: int | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Self:
        """With a model folder that `holdfast train` wrote.

        `names` of an entity that are encoded, by default as many as in training. With a
        knowledge base that it meets for the first time it first encodes its names, which
        `progress` reports.
        """
        model = DualEncoderModel.open(folder, threads=threads)
        most = model.names if names is None else names
        vectors = entity_vectors_of(kb, model, most=most, progress=progress)
        return cls(kb, model=model, vectors=vectors, only=only, top=top)

    def __call__(self, document: Document) -> Document:
        """The document with candidates, best first, and ids for every mention."""
        return next(self.pipe([document]))

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Many documents, in order; the vectors are searched once for several documents."""
        for block in in_blocks(documents, _BATCH):
            answers = self.answers([self._read(document) for document in block])
            for document, mentions in zip(block, answers, strict=True):
                yield document.with_mentions(mentions)

    def answers(self, read: Sequence[EncodedDocument]) -> Iterator[list[Mention]]:
        """The mentions of each document with candidates and ids."""
        near = self._near(read, self._asked)
        for part in read:
            yield [self.linked(mention, next(near)) for mention in part.mentions]

    def nearest(self, document: Document, k: int) -> list[list[NearestEntity]]:
        """The k entities nearest to each mention; none for one that touches no token."""
        return self.nearest_in([document], k)[0]

    def nearest_in(self, documents: Sequence[Document], k: int) -> list[list[list[NearestEntity]]]:
        """The k entities nearest to each mention of each document; faster than one by one."""
        read = [self._read(document) for document in documents]
        near = self._near(read, k)
        return [[next(near) for _ in part.mentions] for part in read]

    @property
    def _asked(self) -> int:
        return max(self._top, _COMPARED) * _WIDER

    def _near(self, read: Sequence[EncodedDocument], k: int) -> Iterator[list[NearestEntity]]:
        """The nearest entities of every mention, in order; none for one without a vector.

        All mentions are searched for at once. Results are yielded lazily to bound memory.
        """
        none = np.zeros((0, self.model.encoder.width), dtype=np.float32)
        vectors = np.concatenate([none, *(part.vectors for part in read)])
        found = self._vectors.search(vectors, k)
        for part in read:
            has_vector = set(part.places)
            for number in range(len(part.mentions)):
                yield next(found) if number in has_vector else []

    def _read(self, document: Document) -> EncodedDocument:
        read = self._read_each_mention if self.model.context else self._read_whole
        return EncodedDocument(document.mentions, *read(document))

    def _read_whole(self, document: Document) -> tuple[list[int], Floats]:
        """The places of the mentions that have tokens, and their vectors, from one pass."""
        tokens = self.model.encoder.reader.read(document.text)
        spans = [span_of(tokens, m.start, m.end) for m in document.mentions]
        places = [place for place, span in enumerate(spans) if span is not None]
        chosen = np.array([span for span in spans if span is not None], dtype=np.int64)
        return places, self.model.mention_vectors(tokens, chosen.reshape(-1, 2))

    def _read_each_mention(self, document: Document) -> tuple[list[int], Floats]:
        """The places of the mentions that have tokens, and their vectors, one pass for each."""
        places, rows = list[int](), [np.zeros((0, self.model.encoder.width), dtype=np.float32)]
        for place, mention in enumerate(document.mentions):
            start = max(0, mention.start - self.model.context)
            text = document.text[start : mention.end + self.model.context]
            tokens = self.model.encoder.reader.read(text)
            span = span_of(tokens, mention.start - start, mention.end - start)
            if span is not None:
                places.append(place)
                rows.append(self.model.mention_vectors(tokens, np.array([span])))
        return places, np.concatenate(rows)

    def linked(self, mention: Mention, near: Sequence[NearestEntity]) -> Mention:
        """The mention with those of its nearest entities that its type allows."""
        mask = types.mask_of_mention(mention.type, self._wanted)
        fitting = [n for n in near if int(self.kb.type_mask[n.entity]) & mask]
        candidates = tuple(self._candidates(fitting))
        ids = (candidates[0].entity_id,) if candidates else (NIL,)
        return replace(mention, candidates=candidates, ids=ids)

    def _candidates(self, near: Sequence[NearestEntity]) -> Iterator[Candidate]:
        if not near:
            return
        scores = np.array([n.score for n in near[: max(self._top, _COMPARED)]])
        shares = np.exp(scores - scores[0])
        shares /= shares.sum()
        for found, share in zip(near[: self._top], shares.tolist(), strict=False):  # of fewer
            name = self.kb.name_at(found.name)
            yield Candidate(
                entity_id=self.kb.id_at(found.entity),
                name=name,
                label=self.kb.label_at(found.entity),
                score=round(min(1.0, share), _DECIMALS),
                evidence=(
                    Evidence(
                        "collective",
                        f"in this document, near “{name}”",
                        round(found.score, _DECIMALS),
                    ),
                ),
            )


class CollectiveAnnotator:
    """Finds the mentions of a document and links them, in one pass over it.

    What is found takes the place of the mentions that a document has; relations go with them. A
    mention's type is its entity's, so with `only` it is first decided which entity is meant, of
    any type: a drug is no disease because the disease it causes is the nearest one. Mentions of
    what is not wanted are dropped then. Of an entity without a type nobody knows: it is kept.
    """

    def __init__(self, linker: CollectiveLinker, *, only: Collection[str] | None = None) -> None:
        """`linker` of a model that was trained to find mentions too; UsageError if it was not."""
        if not linker.model.detection:
            raise UsageError("this dual encoder was trained to link mentions, not to find them")
        self.digest = linker.digest
        self._linker = linker
        self._only = None if only is None else frozenset(only)
        self._wanted = types.mask_of(only) | types.UNTYPED

    @classmethod
    def open(
        cls, folder: Path, kb: KnowledgeBase, *, only: Collection[str] | None = None, **options: Any
    ) -> Self:
        """With a model folder that `holdfast train` wrote; options as for CollectiveLinker."""
        return cls(CollectiveLinker.open(folder, kb, **options), only=only)

    def __call__(self, document: Document) -> Document:
        """The document with what was found."""
        return next(self.pipe([document]))

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Many documents, in order, each with what was found."""
        for block in in_blocks(documents, _BATCH):
            read = [self._read(document) for document in block]
            for document, found in zip(block, self._linker.answers(read), strict=True):
                mentions = tuple(self._typed(m) for m in found if self._is_wanted(m.ids[0]))
                yield replace(document, mentions=mentions, relations=())

    def _read(self, document: Document) -> EncodedDocument:
        model = self._linker.model
        tokens = model.encoder.reader.read(document.text)
        states = model.states(tokens)
        spans = model.detect(tokens, states).spans
        mentions = tuple(
            Mention.at(int(tokens.starts[first]), int(tokens.ends[last]))
            for first, last in spans.tolist()
        )
        vectors = model.mention_vectors(tokens, spans, states)
        return EncodedDocument(mentions, list(range(len(mentions))), vectors)

    def _typed(self, mention: Mention) -> Mention:
        """With its entity's type, a wanted one, and the candidates that are wanted."""
        kb = self._linker.kb
        row = kb.row_of(mention.ids[0])
        all_types = () if row is None else map(canonical_type, kb.types_of(row))
        wanted = [type for type in all_types if self._only is None or type in self._only]
        return replace(
            mention,
            type=min(wanted, key=lambda named: named not in types.TYPES, default=""),
            candidates=tuple(c for c in mention.candidates if self._is_wanted(c.entity_id)),
        )

    def _is_wanted(self, id: str) -> bool:
        """Not if it is NIL, or of other types."""
        row = self._linker.kb.row_of(id)
        return row is not None and bool(int(self._linker.kb.type_mask[row]) & self._wanted)
