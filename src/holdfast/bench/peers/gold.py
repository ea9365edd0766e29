"""What every tool is asked: documents with gold mentions, and how its answers are scored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Final

from holdfast.corpora.named import load_corpus
from holdfast.corpora.named.splits import CorpusSplit, split_name
from holdfast.document import Document, Mention
from holdfast.errors import HoldfastError
from holdfast.evaluate.gold_mentions import StrictCase, score_strict
from holdfast.evaluate.protocols import score_documents
from holdfast.evaluate.report import Report
from holdfast.experiments.recipe_kb import primary_ids, with_primary_ids
from holdfast.kb.store import KnowledgeBase
from holdfast.types import CHEMICAL, DISEASE, canonical_type

_TYPES: Final = frozenset({DISEASE, CHEMICAL})  # those that MeSH's ids stand for in these corpora

Ranking = Sequence[tuple[str, float]]
Found = Sequence[tuple[int, int, str]]


@dataclass(frozen=True)
class GoldSet:
    """One split, with its gold mentions of diseases and chemicals in primary ids."""

    corpus: str
    split: str
    documents: tuple[Document, ...]

    @property
    def name(self) -> str:
        """The corpus and the split: "bc5cdr test"."""
        return split_name((self.corpus, self.split))

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The types that its documents have gold mentions of."""
        return tuple(sorted({m.type for d in self.documents for m in d.mentions}))

    @cached_property
    def mentions(self) -> int:
        return sum(len(document.mentions) for document in self.documents)

    def to_json(self) -> dict[str, Any]:
        """What a result says of it."""
        return {
            "corpus": self.corpus,
            "split": self.split,
            "documents": len(self.documents),
            "mentions": self.mentions,
            "types": list(self.types),
        }


def load_gold_set(
    chosen: CorpusSplit, kb: KnowledgeBase, *, data: Path, most: int | None = None
) -> GoldSet:
    """A split of a corpus; `most`: its first so many documents."""
    corpus, split = chosen
    documents = islice(load_corpus(corpus, split, data=data), most)
    primary = with_primary_ids(documents, primary_ids(kb))
    return GoldSet(corpus, split, tuple(_of_types(document) for document in primary))


def requests_of(sets: Iterable[GoldSet]) -> list[dict[str, Any]]:
    """The documents as tools get them: text and the places of mentions, without any answer."""
    return [
        {"text": document.text, "mentions": [[m.start, m.end] for m in document.mentions]}
        for gold in sets
        for document in gold.documents
    ]


def score_rankings(
    sets: Sequence[GoldSet], rankings: Sequence[Ranking], kb: KnowledgeBase
) -> dict[str, Report]:
    """The `strict` report of each set by its name. `rankings`: of all mentions, in order."""
    count = sum(gold.mentions for gold in sets)
    if count != len(rankings):
        raise HoldfastError(f"{len(rankings):,} rankings for {count:,} mentions")
    every = iter(rankings)
    reports = {}
    for gold in sets:
        cases = [
            StrictCase(frozenset(mention.ids), _sorted(next(every)), document.id)
            for document in gold.documents
            for mention in document.mentions
        ]
        reports[gold.name] = score_strict(cases, entities=kb)
    return reports


def score_found(
    sets: Sequence[GoldSet], found: Sequence[Found], kb: KnowledgeBase
) -> dict[str, Report]:
    """The `strong` report of each set by its name. `found`: of all documents of all sets, in order.

    What a tool linked to a concept of another type than the corpus has is left out, for every tool
    alike: none is told which types are wanted.
    """
    count = sum(len(gold.documents) for gold in sets)
    if count != len(found):
        raise HoldfastError(f"{len(found):,} answers for {count:,} documents")
    every = iter(found)
    equivalents = kb.equivalents if len(kb.sources) > 1 else None
    reports = {}
    for gold in sets:
        predicted = [
            document.with_mentions(_predicted(next(every), gold.types, kb))
            for document in gold.documents
        ]
        reports[gold.name] = score_documents(
            gold.documents, predicted, protocol="strong", only=gold.types, equivalents=equivalents
        )
    return reports


def _of_types(document: Document) -> Document:
    return document.with_mentions(
        Mention(m.spans, type=canonical_type(m.type), ids=m.ids)
        for m in document.mentions
        if canonical_type(m.type) in _TYPES
    )


def _sorted(ranking: Ranking) -> tuple[tuple[str, float], ...]:
    pairs = [(id, float(score)) for id, score in ranking]
    return tuple(sorted(pairs, key=lambda pair: -pair[1]))


def _predicted(found: Found, types: Sequence[str], kb: KnowledgeBase) -> list[Mention]:
    """The mentions whose concept has one of the types; each place and id once."""
    mentions = []
    for start, end, id in dict.fromkeys((start, end, id) for start, end, id in found):
        row = kb.row_of(id)
        own = map(canonical_type, kb.types_of(row) if row is not None else ())
        if wanted := [type for type in own if type in types]:
            mentions.append(Mention.at(start, end, type=wanted[0], ids=(id,)))
    return mentions
