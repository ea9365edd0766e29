"""BM25 over the names of a knowledge base: the retrieval that dense vectors are compared with."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast import types
from holdfast.document import NIL, Candidate, Document, Evidence, Mention
from holdfast.kb.store import KnowledgeBase
from holdfast.systems.collective.entities import NearestEntity
from holdfast.text.tokens import key_of_token, tokens_of

_SATURATION: Final = 1.2  # k1
_LENGTH: Final = 0.75  # b
_WIDER: Final = 4  # how many times `top` is looked at where types are wanted
_DECIMALS: Final = 4


@dataclass(frozen=True, slots=True)
class _Postings:
    names: npt.NDArray[np.int64]  # ascending
    weights: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Bm25Index:
    """Names as bags of word keys; an entity scores as its best name."""

    owner: npt.NDArray[np.int64]  # the entity of each name
    _postings: dict[str, _Postings]

    @classmethod
    def build(cls, kb: KnowledgeBase) -> Bm25Index:
        """Over every name of every entity."""
        found = defaultdict[str, list[tuple[int, int]]](list)
        lengths = np.zeros(kb.names, dtype=np.float32)
        for row, name in enumerate(kb.all_names()):
            keys = Counter(_keys(name))
            lengths[row] = keys.total()
            for key, count in keys.items():
                found[key].append((row, count))
        norm = _SATURATION * (1 - _LENGTH + _LENGTH * lengths / max(1.0, float(lengths.mean())))
        postings = {}
        for key, entries in found.items():
            rows, counts = np.array(entries, dtype=np.int64).T
            rarity = np.log1p((kb.names - len(rows) + 0.5) / (len(rows) + 0.5))
            weights = rarity * counts * (_SATURATION + 1) / (counts + norm[rows])
            postings[key] = _Postings(rows, weights.astype(np.float32))
        return cls(kb.entity_of_name.astype(np.int64), postings)

    def search(self, queries: Sequence[str], k: int) -> list[list[NearestEntity]]:
        """Up to k entities of each query, best first; ties in the order of names.

        A query that shares no word with any name finds nothing.
        """
        return [self._search(query, k) for query in queries]

    def _search(self, query: str, k: int) -> list[NearestEntity]:
        known = [self._postings[key] for key in _keys(query) if key in self._postings]
        if not known:
            return []
        names, places = np.unique(np.concatenate([p.names for p in known]), return_inverse=True)
        scores = np.zeros(len(names), dtype=np.float32)
        np.add.at(scores, places, np.concatenate([p.weights for p in known]))
        found = dict[int, NearestEntity]()
        for at in np.lexsort((names, -scores)).tolist():
            entity = int(self.owner[names[at]])
            if entity not in found:
                found[entity] = NearestEntity(entity, int(names[at]), float(scores[at]))
            if len(found) == k:
                break
        return list(found.values())


def _keys(text: str) -> list[str]:
    return [key_of_token(token) for token in tokens_of(text)]


class Bm25Linker:
    """Links each mention to the entities whose names share its words. A score is the share of the
    candidates' sum: it ranks, and is no probability."""

    digest = ""

    def __init__(
        self, kb: KnowledgeBase, *, only: Collection[str] | None = None, top: int = 5
    ) -> None:
        self._kb = kb
        self._index = Bm25Index.build(kb)
        self._wanted = types.mask_of(only)
        self._top = top

    def __call__(self, document: Document) -> Document:
        """The document with candidates, best first, and ids for every mention."""
        found = self._index.search([document.text_of(m) for m in document.mentions], self._asked)
        return document.with_mentions(map(self._linked, document.mentions, found))

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Link many documents, in order."""
        return map(self, documents)

    @property
    def _asked(self) -> int:
        return self._top * (1 if self._wanted == types.mask_of(None) else _WIDER)

    def _linked(self, mention: Mention, near: Sequence[NearestEntity]) -> Mention:
        mask = types.mask_of_mention(mention.type, self._wanted)
        fitting = [n for n in near if int(self._kb.type_mask[n.entity]) & mask][: self._top]
        total = sum(n.score for n in fitting)
        candidates = tuple(
            Candidate(
                self._kb.id_at(n.entity),
                self._kb.name_at(n.name),
                round(n.score / total, _DECIMALS),
                label=self._kb.label_at(n.entity),
                evidence=(Evidence("bm25", "words in common", round(n.score, _DECIMALS)),),
            )
            for n in fitting
        )
        ids = (candidates[0].entity_id,) if candidates else (NIL,)
        return replace(mention, candidates=candidates, ids=ids)
