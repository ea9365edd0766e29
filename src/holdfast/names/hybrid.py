"""Names that look or mean alike: both cosines in one sum, of whatever either index finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from holdfast.encoders.names import NameEncoder
from holdfast.names.dense import DenseIndex
from holdfast.names.index import NameMatches
from holdfast.names.ngram import NgramIndex

_DENSE: Final = 0.6  # the dense cosine's share of the sum, chosen on NCBI and BC5CDR dev
_FOUND: Final = 20  # names that each index gives


@dataclass(frozen=True, slots=True, eq=False)
class HybridIndex:
    """Ranks names without anything learned but the encoder."""

    ngrams: NgramIndex
    dense: DenseIndex

    @classmethod
    def build(cls, names: Iterable[str], encoder: NameEncoder) -> HybridIndex:
        listed = list(names)
        return cls(NgramIndex.build(listed), DenseIndex.build(listed, encoder))

    def search(self, queries: Sequence[str], k: int) -> NameMatches:
        """The k best rows of each query; ties in row order. An empty query finds nothing."""
        rows = np.full((len(queries), k), -1, dtype=np.int64)
        scores = np.zeros((len(queries), k), dtype=np.float32)
        vectors = self.dense.encoder.encode(queries)
        wanted = max(k, _FOUND)
        alike = self.ngrams.search(queries, wanted).rows
        near = self.dense.search_vectors(vectors, wanted).rows
        for i, query in enumerate(queries):
            found = np.union1d(alike[i], near[i])
            found = found[found >= 0]
            score = (1 - _DENSE) * self.ngrams.similarity(query, found)
            score += _DENSE * self.dense.similarity(vectors[i], found)
            best = np.lexsort((found, -score))[:k]
            rows[i, : len(best)] = found[best]
            scores[i, : len(best)] = score[best]
        return NameMatches(rows, scores)
