"""The step of a multi-task model: recognises, types and links in one pass over a document."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, Self

from holdfast import types
from holdfast.blocks import in_blocks
from holdfast.document import NIL, Candidate, Document, Evidence, Mention
from holdfast.kb.store import KnowledgeBase
from holdfast.step import Step
from holdfast.systems.multitask.heads import Predicted
from holdfast.systems.multitask.labels import NO_ENTITY
from holdfast.systems.multitask.model import MultitaskModel
from holdfast.systems.multitask.shape import LINKING
from holdfast.systems.multitask.switch import Switch
from holdfast.systems.multitask.text import Words
from holdfast.types import canonical_type

KIND_OF_EVIDENCE: Final = "multitask"
_DECIMALS: Final = 4
_BATCH: Final = 16  # documents that the name linker sees at once


class MultitaskAnnotator:
    """Adds mentions, types and links, or those of them that the model has tasks for.

    What is recognised takes the place of the mentions that a document has, and relations go with
    them; a model that recognises nothing types or links the mentions that are there. An entity
    that the knowledge base lacks stays an answer, and the evidence says so. With a name linker,
    the switch decides who answers.
    """

    def __init__(
        self,
        model: MultitaskModel,
        kb: KnowledgeBase,
        *,
        names: Step | None = None,
        switch: Switch | None = None,
        only: Collection[str] | None = None,
        top: int = 5,
    ) -> None:
        """`names`, a linker of marked mentions, answers where `switch` does not take the class."""
        self.digest = model.digest if names is None else f"{model.digest}+{names.digest}"
        self._model = model
        self._kb = kb
        self._names = names
        self._switch = switch or Switch()
        self._only = None if only is None else frozenset(only)
        self._wanted = types.mask_of(only)
        self._top = top
        self._rows = dict[str, int | None]()

    @classmethod
    def open(
        cls,
        folder: Path,
        kb: KnowledgeBase,
        *,
        only: Collection[str] | None = None,
        top: int = 5,
        read: str | None = None,
        threads: int | None = None,
    ) -> Self:
        """With a model folder; `read` and `threads` as for MultitaskModel."""
        model = MultitaskModel.open(folder, read=read, threads=threads)
        return cls(model, kb, only=only, top=top)

    def __call__(self, document: Document) -> Document:
        """The document with what the model adds."""
        return next(self.pipe([document]))

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Annotate many documents, in order."""
        for block in in_blocks(documents, _BATCH):
            read = [self.by_class(document) for document in block]
            if self._names is None:
                yield from read
                continue
            bare = [unlinked(document) for document in read]
            for document, named in zip(read, self._names.pipe(bare), strict=True):
                pairs = zip(document.mentions, named.mentions, strict=True)
                yield replace(document, mentions=tuple(self._chosen(*pair) for pair in pairs))

    def by_class(self, document: Document) -> Document:
        """What the model adds, whatever the name linker says."""
        words = self._model.read_words(document.text)
        if not self._model.shape.needs_mentions:
            found = self._model.predict(words, top=self._top + 1)
            mentions = (self._recognised(words, one) for one in found)
            kept = tuple(mention for mention in mentions if self._is_wanted(mention))
            return replace(document, mentions=kept, relations=())
        placed = [words.span_of(mention.start, mention.end) for mention in document.mentions]
        spans = [span for span in placed if span is not None]
        found = iter(self._model.classify(words, spans, top=self._top + 1))
        return document.with_mentions(
            mention if span is None else self._described(mention, next(found))
            for mention, span in zip(document.mentions, placed, strict=True)
        )

    def _recognised(self, words: Words, one: Predicted) -> Mention:
        start, end = int(words.starts[one.first]), int(words.ends[one.last])
        mention = self._described(Mention.at(start, end), one)
        if mention.type or not mention.is_linked:
            return mention
        row = self._kb.row_of(mention.ids[0])
        known = [] if row is None else [canonical_type(type) for type in self._kb.types_of(row)]
        wanted = [type for type in known if self._only is None or type in self._only]
        return replace(mention, type=min(wanted, key=lambda t: t not in types.TYPES, default=""))

    def _described(self, mention: Mention, one: Predicted) -> Mention:
        """The mention with its type and its entities, as far as the model has tasks for them."""
        labels = self._model.labels
        if one.type is not None and labels.types:
            mention = replace(mention, type=labels.types[one.type])
        if LINKING not in self._model.shape.tasks:
            return mention
        mask = types.mask_of_mention(mention.type, self._wanted)
        candidates = tuple(self._candidates(one, mask))[: self._top]
        is_linked = bool(candidates) and one.classes[0] != NO_ENTITY
        ids = (candidates[0].entity_id,) if is_linked else (NIL,)
        return replace(mention, candidates=candidates, ids=ids)

    def _candidates(self, one: Predicted, mask: int) -> Iterator[Candidate]:
        for place, share in zip(one.classes, one.shares, strict=True):
            if place == NO_ENTITY:
                continue
            entity = self._model.labels.entities[place - 1]
            row = self._row_of(entity.id)
            is_known_otherwise = row is not None and not int(self._kb.type_mask[row]) & mask
            if self._only is not None and is_known_otherwise:
                continue
            reason = f"class of training mention “{entity.wording}”, one of {entity.count:,}"
            if row is None:
                reason += f"; the knowledge base {self._kb.name} lacks {entity.id}"
            score = round(min(1.0, share), _DECIMALS)
            yield Candidate(
                entity_id=entity.id if row is None else self._kb.id_at(row),
                name=entity.wording,
                label=entity.wording if row is None else self._kb.label_at(row),
                score=score,
                evidence=(Evidence(KIND_OF_EVIDENCE, reason, score),),
            )

    def _row_of(self, id: str) -> int | None:
        """The row of an entity in the knowledge base, by its id or a cross-reference to it."""
        if id not in self._rows:
            row = self._kb.row_of(id)
            if row is None:
                row = next(iter(self._kb.rows_with_xref(id)), None)
            self._rows[id] = row
        return self._rows[id]

    def _is_wanted(self, mention: Mention) -> bool:
        """With `only`, mentions of other types are dropped; those of an unknown type are kept."""
        if self._only is None or not mention.type:
            return True
        return canonical_type(mention.type) in self._only

    def _chosen(self, by_class: Mention, by_name: Mention) -> Mention:
        """The mention as the one of the two links it that the switch takes."""
        known = by_class.is_linked and self._kb.row_of(by_class.ids[0]) is not None
        if known and self._switch.takes_class(by_class, by_name):
            return by_class
        why = Evidence(KIND_OF_EVIDENCE, self._reason(by_class, by_name, known=known))
        candidates = tuple(
            replace(candidate, evidence=(why, *candidate.evidence))
            for candidate in by_name.candidates
        )
        return replace(by_class, ids=by_name.ids, parts=by_name.parts, candidates=candidates)

    def _reason(self, by_class: Mention, by_name: Mention, *, known: bool) -> str:
        """Why the name linker answers, for a person."""
        if not by_class.is_linked:
            return "no class of training fits; the name linker answers"
        id, share = by_class.ids[0], by_class.candidates[0].score
        if not known:
            return f"the knowledge base {self._kb.name} lacks {id}; the name linker answers"
        if by_name.ids[:1] == (id,):
            return f"class and name linker agree; the class's probability is {share:.2f}"
        if share < self._switch.least:
            return f"class {id} is uncertain ({share:.2f}); the name linker answers"
        return (
            f"class {id} ({share:.2f}) is not sure enough beside the name; the name linker answers"
        )


def unlinked(document: Document) -> Document:
    """Mentions with their types alone, as a linker expects them."""
    return document.with_mentions(
        replace(mention, ids=(), candidates=()) for mention in document.mentions
    )
