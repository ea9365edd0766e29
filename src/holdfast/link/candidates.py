"""Which entities a string may mean: names that are equal, look alike or mean alike.

Names come from the knowledge base and, where a linker remembers a corpus, from its use there.
Every name that any of the three ways finds is compared in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from holdfast.kb.store import KnowledgeBase
from holdfast.link.dense_names import dense_index_of_strings
from holdfast.link.used_names import UsedNames
from holdfast.names.dense import DenseIndex
from holdfast.names.exact import ExactIndex
from holdfast.names.index import NameMatches
from holdfast.names.ngram import NgramIndex
from holdfast.text.tokens import hashes_of_names

MOST: Final = 20  # candidates of a query
_LOOK_ALIKES: Final = 30  # names per index
_MEAN_ALIKES: Final = 30
# Of the search for look-alikes: on BC5CDR dev these find all but 2 % of what five times the work
# finds, and names that mean alike are found besides.
_LEAST: Final = 0.45
_COMPARED: Final = 100
_POSTINGS: Final = 50_000

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """The names that a query finds in one place, each compared in all ways. *Shape:* (names,)"""

    row: Rows
    is_exact: Flags
    ngram: Floats  # cosines
    dense: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The candidates of one query as columns, best first. *Shape:* (candidates,)

    Best is: equal names before others, then the sum of both cosines; ties by row.
    """

    entity: Rows  # rows in the knowledge base
    name: tuple[str, ...]  # of each, the one that resembles the query most
    is_used: Flags  # whether that name comes from a corpus
    is_exact: Flags
    is_exact_in_kb: Flags
    is_preferred: Flags  # the query is the preferred name
    is_verbatim: Flags  # equal but for case
    ngram: Floats  # the highest cosine of any name
    ngram_in_kb: Floats
    dense: Floats
    dense_in_kb: Floats

    def __len__(self) -> int:
        return len(self.entity)


class _Similar(Protocol):
    """Vectors of names: how near they are to encoded queries."""

    def search_vectors(self, queries: Floats, k: int) -> NameMatches: ...

    def similarity(self, queries: Floats, rows: Rows) -> Floats: ...


class _Place:
    """Names with their indexes."""

    def __init__(
        self, exact: ExactIndex, ngrams: NgramIndex | None, dense: _Similar | None
    ) -> None:
        self._exact = exact
        self._ngrams = ngrams
        self._dense = dense

    def equal(self, queries: Sequence[str]) -> list[Names]:
        """The names that are equal to each query; their cosines are 1."""
        starts, ends = self._exact.ranges(hashes_of_names(queries))
        found = []
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            rows = np.sort(self._exact.rows[start:end]).astype(np.int64)
            ones = np.ones(len(rows), dtype=np.float32)
            zeros = np.zeros(len(rows), dtype=np.float32)
            found.append(
                Names(
                    rows,
                    np.ones(len(rows), dtype=bool),
                    zeros if self._ngrams is None else ones,
                    zeros if self._dense is None else ones,
                )
            )
        return found

    def alike(self, queries: Sequence[str], vectors: Floats, equal: Sequence[Names]) -> list[Names]:
        """The same and those that look or mean alike. *Shape:* vectors (queries, width)"""
        look = mean = np.zeros((len(queries), 0), dtype=np.int64)
        if self._ngrams is not None:
            look = self._ngrams.search(
                queries, _LOOK_ALIKES, least=_LEAST, compared=_COMPARED, postings=_POSTINGS
            ).rows
        if self._dense is not None:
            mean = self._dense.search_vectors(vectors, _MEAN_ALIKES).rows
        found = []
        for i, query in enumerate(queries):
            rows = np.unique(np.concatenate([equal[i].row, look[i], mean[i]]))
            rows = rows[rows >= 0]
            ngram = dense = np.zeros(len(rows), dtype=np.float32)
            if self._ngrams is not None:
                ngram = self._ngrams.similarity(query, rows)
            if self._dense is not None:
                dense = self._dense.similarity(vectors[i], rows)
            found.append(Names(rows, np.isin(rows, equal[i].row), ngram, dense))
        return found


class CandidateFinder:
    """Finds candidates for many queries at once.

    Where some name equals the query, no others are looked for: on development data they were
    right no more often, and most mentions are found so, many times faster.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        *,
        used: UsedNames | None = None,
        dense: DenseIndex | None = None,
        ngrams: bool = True,
    ) -> None:
        """`dense` is the index of the knowledge base's names; `ngrams`: whether to look by them."""
        self.kb = kb
        self.used = used
        self._encoder = dense.encoder if dense else None
        self._in_kb = _Place(kb.exact, kb.ngrams if ngrams else None, dense)
        self._in_use: _Place | None = None
        if used is not None and used.names:
            vectors = dense_index_of_strings(used.names, dense.encoder) if dense else None
            self._in_use = _Place(used.exact, used.ngrams if ngrams else None, vectors)
            self._entity_of_used = np.array(
                [-1 if (row := kb.row_of(id)) is None else row for id in used.entity_ids]
            )

    def find(self, queries: Sequence[str], *, wanted: Sequence[int], but: str = "") -> list[Found]:
        """The candidates of each query.

        `wanted`: the types that each may have, as holdfast.types.mask_of has them. Uses in the
        document `but` do not count.
        """
        found = list[Found]()
        listed = self._in_kb.equal(queries)
        uses: Sequence[Names | None] = [None] * len(queries)
        if self._in_use is not None:
            uses = [self._counted(names, but) for names in self._in_use.equal(queries)]
        for query, mask, in_kb, in_use in zip(queries, wanted, listed, uses, strict=True):
            found.append(self._join(query, np.uint32(mask), in_kb, in_use))
        open_ones = [i for i, candidates in enumerate(found) if not len(candidates)]
        asked = [queries[i] for i in open_ones]
        vectors = np.zeros((len(asked), 0), dtype=np.float32)
        if self._encoder is not None:
            vectors = self._encoder.encode(asked)
        more = self._in_kb.alike(asked, vectors, [listed[i] for i in open_ones])
        more_uses: Sequence[Names | None] = [None] * len(asked)
        if self._in_use is not None:
            equal = [_NO_NAMES] * len(asked)
            more_uses = [
                self._counted(names, but) for names in self._in_use.alike(asked, vectors, equal)
            ]
        for i, in_kb, in_use in zip(open_ones, more, more_uses, strict=True):
            found[i] = self._join(queries[i], np.uint32(wanted[i]), in_kb, in_use)
        return found

    def _counted(self, names: Names, but: str) -> Names:
        """Those that some other document uses for an entity of the knowledge base."""
        assert self.used is not None
        itself = {but}
        counts = self._entity_of_used[names.row] >= 0
        if but:
            documents = self.used.documents
            counts &= np.array([bool(documents[row] - itself) for row in names.row], dtype=bool)
        return Names(
            names.row[counts], names.is_exact[counts], names.ngram[counts], names.dense[counts]
        )

    def _join(self, query: str, wanted: np.uint32, listed: Names, uses: Names | None) -> Found:
        """One row per entity of a wanted type, of its names in both places."""
        kb = self.kb
        entity = kb.entity_of_name[listed.row].astype(np.int64)
        row, is_exact, ngram, dense = listed.row, listed.is_exact, listed.ngram, listed.dense
        count = len(row)
        if uses is not None and len(uses.row):
            entity = np.concatenate([entity, self._entity_of_used[uses.row]])
            row = np.concatenate([row, uses.row])
            is_exact = np.concatenate([is_exact, uses.is_exact])
            ngram = np.concatenate([ngram, uses.ngram])
            dense = np.concatenate([dense, uses.dense])
        is_used = np.arange(len(row)) >= count
        fits = (kb.type_mask[entity] & wanted) != 0
        order = np.flatnonzero(fits)
        score = 2 * is_exact + ngram + dense
        # Entities together, and of each the best name first; the vocabulary's before a corpus's.
        order = order[np.lexsort((order, -score[order], entity[order]))]
        if not len(order):
            return _NOTHING
        first = np.flatnonzero(np.diff(entity[order], prepend=-1))
        best = order[first]
        kept = np.lexsort((entity[best], -score[best]))[:MOST]
        listed_only = np.where(is_used, 0, 1).astype(np.float32)

        def highest(values: npt.NDArray[np.float32]) -> Floats:
            return np.maximum.reduceat(values[order], first)[kept]

        best = best[kept]
        names = tuple(
            self.used.names[r] if u and self.used else kb.name_at(int(r))
            for r, u in zip(row[best].tolist(), is_used[best].tolist(), strict=True)
        )
        exact = is_exact.astype(np.float32)
        leads = kb.first_name[entity] == np.where(is_used, -1, row)
        folded = query.casefold()
        return Found(
            entity=entity[best],
            name=names,
            is_used=is_used[best],
            is_exact=highest(exact) > 0,
            is_exact_in_kb=highest(exact * listed_only) > 0,
            is_preferred=highest(exact * leads.astype(np.float32)) > 0,
            is_verbatim=np.array([name.casefold() == folded for name in names], dtype=bool),
            ngram=highest(ngram),
            ngram_in_kb=highest(ngram * listed_only),
            dense=highest(dense),
            dense_in_kb=highest(dense * listed_only),
        )


_NO_NAMES: Final = Names(
    np.zeros(0, dtype=np.int64),
    np.zeros(0, dtype=bool),
    np.zeros(0, dtype=np.float32),
    np.zeros(0, dtype=np.float32),
)
_NOTHING: Final = Found(
    np.zeros(0, dtype=np.int64),
    (),
    *(np.zeros(0, dtype=bool) for _ in range(5)),
    *(np.zeros(0, dtype=np.float32) for _ in range(4)),
)
