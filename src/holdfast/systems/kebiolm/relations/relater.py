"""The step of a relation model: relations between the linked entities of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Self

from holdfast.document import Argument, Document, Relation
from holdfast.kb.hierarchy import ancestors
from holdfast.kb.store import KnowledgeBase
from holdfast.systems.kebiolm.relations.model import Judged, RelationModel
from holdfast.systems.kebiolm.relations.pairs import MOST_PAIRS, related_ids

BOUNDED: Final = "relations_bounded"
"""The key of a document's metadata that says how many of its pairs were looked at, if not all."""
_DECIMALS: Final = 4


class Relater:
    """Adds relations with a score and a sentence as evidence; those that are there stay.

    Of a document with very many pairs, some are looked at, and its metadata says so. With
    `drops_hypernyms`, a pair goes whose head or tail is above that of another related pair.
    """

    def __init__(
        self, model: RelationModel, kb: KnowledgeBase | None, *, most: int = MOST_PAIRS
    ) -> None:
        self.digest = model.encoder.digest
        self._model = model
        self._kb = kb
        self._most = most
        self._above = dict[str, frozenset[str]]()

    @classmethod
    def open(cls, folder: Path, kb: KnowledgeBase | None, *, threads: int | None = None) -> Self:
        """With a model folder."""
        return cls(RelationModel.open(folder, threads=threads), kb)

    def __call__(self, document: Document) -> Document:
        """The document with the relations that it states."""
        judgement = self._model.judge(document, most=self._most)
        related = [judged for judged in judgement.judged if judged.is_related]
        if self._model.drops_hypernyms and self._kb is not None:
            related = without_hypernyms(related, self._ancestors)
        known = {(relation.type, ids) for relation, ids in related_ids(document)}
        new = [
            _relation(judged)
            for judged in sorted(related, key=lambda j: -j.probability)
            if (judged.label, (judged.head, judged.tail)) not in known
        ]
        metadata = document.metadata
        if judgement.asked < judgement.pairs:
            note = (
                f"{judgement.asked:,} of {judgement.pairs:,} pairs were judged: those that share "
                "most sentences, then those mentioned most"
            )
            metadata = (*metadata, (BOUNDED, note))
        return replace(document, relations=(*document.relations, *new), metadata=metadata)

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Relate many documents, in order."""
        return map(self, documents)

    def _ancestors(self, id: str) -> frozenset[str]:
        assert self._kb is not None
        if id not in self._above:
            self._above[id] = ancestors(self._kb, id)
        return self._above[id]


def without_hypernyms(
    related: Sequence[Judged], above: Callable[[str], frozenset[str]]
) -> list[Judged]:
    """Drop each pair that another one of the same label says more exactly.

    `above` gives the ids of everything above an entity.
    """
    kept = list[Judged]()
    for one in related:
        is_general = any(
            other.label == one.label
            and (
                (other.head == one.head and one.tail in above(other.tail) - {other.tail})
                or (other.tail == one.tail and one.head in above(other.head) - {other.head})
            )
            for other in related
        )
        if not is_general:
            kept.append(one)
    return kept


def _relation(judged: Judged) -> Relation:
    return Relation(
        judged.label,
        (Argument(judged.head), Argument(judged.tail)),
        score=round(judged.probability, _DECIMALS),
        evidence=judged.evidence,
    )
