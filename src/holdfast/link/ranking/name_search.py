"""Names that are equal to a query, look like it or mean the same."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking.found import NO_NAMES, Floats, Names
from holdfast.link.ranking.used_names import UsedNames
from holdfast.names.unindexed import NameVectors
from holdfast.text.tokens import hashes_of_names

LOOK_ALIKES: Final = 30
"""Names of each query that are looked for by n-grams."""

_MEAN_ALIKES: Final = 30
# Of the search for look-alikes: on BC5CDR dev these find all but 2 % of what five times the work
# finds, and names that mean alike are found besides.
_LEAST: Final = 0.45
_COMPARED: Final = 100
_POSTINGS: Final = 50_000


class NameSearch:
    """A list of names with its indexes; a name that one index finds is compared by all of them."""

    def __init__(
        self,
        names: KnowledgeBase | UsedNames,
        dense: NameVectors | None,
        *,
        ngrams: bool,
        look_alikes: int = LOOK_ALIKES,
    ) -> None:
        """`ngrams`: whether to compare names by them; that index is opened when it is needed.

        `look_alikes`: how many names are looked for by n-grams; those found otherwise are added.
        Without n-grams or without vectors, the cosines of that kind are 0.
        """
        self._names = names
        self._look_alikes = look_alikes
        self._has_ngrams = ngrams
        self._dense = dense

    def equal(self, queries: Sequence[str]) -> Names:
        """The names that are equal to each query; their cosines are 1."""
        exact = self._names.exact
        starts, ends = exact.ranges(hashes_of_names(queries))
        counts = ends - starts
        query = np.repeat(np.arange(len(queries)), counts)
        places = np.arange(len(query)) + np.repeat(starts - np.cumsum(counts) + counts, counts)
        rows = exact.rows[places].astype(np.int64)
        ones, zeros = np.ones(len(rows), dtype=np.float32), np.zeros(len(rows), dtype=np.float32)
        return Names(
            query,
            rows[np.lexsort((rows, query))],
            np.ones(len(rows), dtype=bool),
            ones if self._has_ngrams else zeros,
            zeros if self._dense is None else ones,
        )

    def alike(self, queries: Sequence[str], vectors: Floats, equal: Names) -> Names:
        """The names in `equal`, and those that look or mean alike, by query, then by row.

        *Shape:* vectors (queries, width)
        """
        mean = np.full((len(queries), 1), -1, dtype=np.int64)
        if self._dense is not None:
            mean = self._dense.search_vectors(vectors, _MEAN_ALIKES).rows
        bounds = np.searchsorted(equal.query, np.arange(len(queries) + 1)).tolist()
        found = [NO_NAMES]
        for i, (query, (start, end)) in enumerate(zip(queries, pairwise(bounds), strict=True)):
            same = equal.row[start:end]
            rows = np.concatenate([same, mean[i][mean[i] >= 0]])
            if self._has_ngrams:
                rows, ngram = self._names.ngrams.alike(
                    query,
                    self._look_alikes,
                    also=rows,
                    least=_LEAST,
                    compared=_COMPARED,
                    postings=_POSTINGS,
                )
            else:
                rows = np.unique(rows)
                ngram = np.zeros(len(rows), dtype=np.float32)
            dense = np.zeros(len(rows), dtype=np.float32)
            if self._dense is not None:
                dense = self._dense.similarity(vectors[i], rows)
            found.append(Names(np.full(len(rows), i), rows, np.isin(rows, same), ngram, dense))
        return Names.concatenated(found)
