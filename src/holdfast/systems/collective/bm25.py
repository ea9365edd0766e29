"""BM25 over the names of a knowledge base: the retrieval that dense vectors are compared with."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.kb.store import KnowledgeBase
from holdfast.systems.collective.entities import Nearest
from holdfast.text.tokens import key_of_token, tokens_of

_SATURATION: Final = 1.2  # k1
_LENGTH: Final = 0.75  # b


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

    def search(self, queries: Sequence[str], k: int) -> list[list[Nearest]]:
        """Up to k entities of each query, best first; ties in the order of names.

        A query that shares no word with any name finds nothing.
        """
        return [self._search(query, k) for query in queries]

    def _search(self, query: str, k: int) -> list[Nearest]:
        known = [self._postings[key] for key in _keys(query) if key in self._postings]
        if not known:
            return []
        names, places = np.unique(np.concatenate([p.names for p in known]), return_inverse=True)
        scores = np.zeros(len(names), dtype=np.float32)
        np.add.at(scores, places, np.concatenate([p.weights for p in known]))
        found = dict[int, Nearest]()
        for at in np.lexsort((names, -scores)).tolist():
            entity = int(self.owner[names[at]])
            if entity not in found:
                found[entity] = Nearest(entity, int(names[at]), float(scores[at]))
            if len(found) == k:
                break
        return list(found.values())


def _keys(text: str) -> list[str]:
    return [key_of_token(token) for token in tokens_of(text)]
