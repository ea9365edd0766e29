"""Type agreement: a candidate whose types the mention has, by its context, gains probability.

    p'(candidate) ∝ p(candidate) · exp(weight · (agreement − offset))

The agreement of a candidate is the mean log-odds, cut to ±LIMIT, of its types. "None of these"
keeps its share; a candidate without a type in the list keeps its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.blocks import in_blocks
from holdfast.document import NIL, Candidate, Document, Evidence, Mention
from holdfast.kb.store import KnowledgeBase
from holdfast.systems.bier.categories import ConceptCategories, open_sources
from holdfast.systems.bier.model import Floats, TypingModel

LIMIT: Final = 6.0
_DOCUMENTS: Final = 16
_DECIMALS: Final = 4


@dataclass(frozen=True, slots=True)
class AgreementWeights:
    """What was fitted: how much agreement counts, and what agreement changes nothing."""

    weight: float
    offset: float = 0.0


class TypesOfEntities:
    """The types of entities in a model's list, by its category sources."""

    def __init__(self, kb: KnowledgeBase, model: TypingModel) -> None:
        self._types = model.types
        sources = [str(name) for name in model.config.get("sources", ("ancestors", "types"))]
        self._categories = ConceptCategories(kb, open_sources(sources, kb))

    def of(self, id: str) -> npt.NDArray[np.int32]:
        return self._types.numbers(self._categories.of(id))


def agreement(logits: Floats, types: npt.NDArray[np.int32]) -> float | None:
    """The mean log-odds of a candidate's types; None if it has none. *Shape:* logits (types,)"""
    if not len(types):
        return None
    return float(np.clip(logits[types], -LIMIT, LIMIT).mean())


def reweighed(
    scores: Sequence[float], agreements: Sequence[float | None], weights: AgreementWeights
) -> list[float]:
    """The probabilities of candidates by agreement; what is missing to 1 is that of none."""
    none = max(0.0, 1.0 - sum(scores))
    gains = [0.0 if a is None else weights.weight * (a - weights.offset) for a in agreements]
    shares = [score * float(np.exp(gain)) for score, gain in zip(scores, gains, strict=True)]
    total = none + sum(shares)
    return [share / total for share in shares] if total > 0 else list(scores)


def remains_linked(before: Sequence[float], after: Sequence[float], *, was_linked: bool) -> bool:
    """Whether the best candidate is likelier than none of all, when probabilities have changed.

    What candidates lack to 1 is that of none, and that of candidates which the linker left out. A
    mention that was linked shows that none had at most its best candidate's.
    """
    none, left = 1.0 - sum(before), 1.0 - sum(after)
    if was_linked and none > max(before):
        left *= max(before) / none
    return max(after) > left or (was_linked and max(after) >= left - 1e-9)


class TypeAgreement:
    """A step behind a linker. Composite mentions, which have several ids, are left as they are."""

    def __init__(
        self,
        kb: KnowledgeBase,
        model: TypingModel,
        weights: AgreementWeights,
        *,
        digest: str = "",
    ) -> None:
        self.digest = digest
        self._model = model
        self._weights = weights
        self._types = TypesOfEntities(kb, model)

    def __call__(self, document: Document) -> Document:
        return self._weigh([document])[0]

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        for block in in_blocks(documents, _DOCUMENTS):
            yield from self._weigh(block)

    def agreements(self, documents: Sequence[Document]) -> list[list[list[float | None]]]:
        """Of each candidate of each mention of each document."""
        rows = [
            row
            for document in documents
            for row in self._model.rows_of(document.text, [m.spans for m in document.mentions])
        ]
        dense = self._model.dense(rows) if rows else np.zeros((0, self._model.width), np.float32)
        at = 0
        found = list[list[list[float | None]]]()
        for document in documents:
            of_document = list[list[float | None]]()
            for mention in document.mentions:
                logits = self._model.logits(dense[at : at + 1])[0]
                of_document.append(
                    [agreement(logits, self._types.of(c.entity_id)) for c in mention.candidates]
                )
                at += 1
            found.append(of_document)
        return found

    def _weigh(self, documents: Sequence[Document]) -> list[Document]:
        every = self.agreements(documents)
        return [
            document.with_mentions(
                self._weighed(mention, agreements)
                for mention, agreements in zip(document.mentions, of_document, strict=True)
            )
            for document, of_document in zip(documents, every, strict=True)
        ]

    def _weighed(self, mention: Mention, agreements: Sequence[float | None]) -> Mention:
        if len(mention.ids) > 1 or not mention.candidates:
            return mention
        scores = reweighed([c.score for c in mention.candidates], agreements, self._weights)
        candidates = sorted(
            map(_rescored, mention.candidates, scores, agreements), key=lambda c: -c.score
        )
        linked = remains_linked(
            [c.score for c in mention.candidates], scores, was_linked=mention.ids != (NIL,)
        )
        ids = (candidates[0].entity_id,) if linked else (NIL,)
        return replace(mention, candidates=tuple(candidates), ids=ids)


def _rescored(candidate: Candidate, score: float, agreement: float | None) -> Candidate:
    score = round(min(1.0, score), _DECIMALS)
    if agreement is None:
        return replace(candidate, score=score)
    reason = Evidence("types", "its types in this context", round(agreement, 2))
    return replace(candidate, score=score, evidence=(*candidate.evidence, reason))
