"""Which entities a string may mean: names that are equal, look alike or mean alike.

Names come from the knowledge base and, where a linker remembers a corpus, from its use there.
Every name that any of the three ways finds is compared in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast import types
from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking.dense_names import dense_index_of_strings
from holdfast.link.ranking.used_names import UsedNames
from holdfast.names.unindexed import NameVectors
from holdfast.text.tokens import hashes_of_names

MOST: Final = 20  # candidates of a query
_LOOK_ALIKES: Final = 30  # names per index
_MEAN_ALIKES: Final = 30
# Of the search for look-alikes: on BC5CDR dev these find all but 2 % of what five times the work
# finds, and names that mean alike are found besides.
_LEAST: Final = 0.45
_COMPARED: Final = 100
_POSTINGS: Final = 50_000
_SPECIES: Final = np.uint32(types.mask_of([types.SPECIES]))

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """The names that queries find in one place, each compared in all ways. *Shape:* (names,)"""

    query: Rows  # whose they are, ascending
    row: Rows
    is_exact: Flags
    ngram: Floats  # cosines
    dense: Floats

    def chosen(self, which: Flags) -> Names:
        return Names(
            self.query[which],
            self.row[which],
            self.is_exact[which],
            self.ngram[which],
            self.dense[which],
        )


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

    @classmethod
    def joined(cls, parts: Sequence[Found]) -> Found:
        """The candidates of several queries, one after the other."""
        parts = [_NOTHING, *parts]
        columns = {
            column: np.concatenate([getattr(part, column) for part in parts])
            for column in cls.__slots__
            if column != "name"
        }
        return cls(name=tuple(chain.from_iterable(part.name for part in parts)), **columns)

    def part(self, start: int, end: int) -> Found:
        """The candidates in these places: a copy, which does not keep the others in memory."""
        columns = {column: getattr(self, column)[start:end] for column in self.__slots__}
        names = columns.pop("name")
        return Found(name=names, **{column: part.copy() for column, part in columns.items()})


class _Place:
    """Names with their indexes."""

    def __init__(
        self,
        names: KnowledgeBase | UsedNames,
        dense: NameVectors | None,
        *,
        ngrams: bool,
        look_alikes: int = _LOOK_ALIKES,
    ) -> None:
        """`ngrams`: whether to compare names by them; that index is opened when it is needed."""
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
        """The same and those that look or mean alike. *Shape:* vectors (queries, width)"""
        mean = np.full((len(queries), 1), -1, dtype=np.int64)
        if self._dense is not None:
            mean = self._dense.search_vectors(vectors, _MEAN_ALIKES).rows
        bounds = np.searchsorted(equal.query, np.arange(len(queries) + 1)).tolist()
        found = [_NO_NAMES]
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
        return _concatenated(found)


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
        dense: NameVectors | None = None,
        ngrams: bool = True,
    ) -> None:
        """`dense` has the vectors of the names; `ngrams`: whether to look by them.

        `entity_of_used` is the entity of each used name, -1 where the knowledge base has none.
        """
        self.kb = kb
        self.used = used
        self._encoder = dense.encoder if dense is not None else None
        self._in_kb = _Place(kb, dense, ngrams=ngrams)
        self._in_use: _Place | None = None
        self.entity_of_used: Rows | None = None
        if used is not None:
            self.entity_of_used = kb.rows_known_as(used.entity_ids)
            self.used = used = used.under_ids_of(kb, self.entity_of_used)
        if used is not None and used.names:
            vectors = (
                dense_index_of_strings(used.names, dense.encoder) if dense is not None else None
            )
            # Of so few names, those that mean alike are all that is needed.
            look_alikes = 0 if dense is not None else _LOOK_ALIKES
            self._in_use = _Place(used, vectors, ngrams=ngrams, look_alikes=look_alikes)

    def find(self, queries: Sequence[str], *, wanted: Sequence[int], but: str = "") -> list[Found]:
        """The candidates of each query.

        `wanted`: the types that each may have, as holdfast.types.mask_of has them. Uses in the
        document `but` do not count.
        """
        listed = self._in_kb.equal(queries)
        uses = _NO_NAMES
        if self._in_use is not None:
            uses = self._counted(self._in_use.equal(queries), but)
            uses = self._without_loose_species(uses, listed)
        found = self._join(queries, wanted, listed, uses)
        open_ones = [i for i, candidates in enumerate(found) if not len(candidates)]
        if not open_ones:
            return found
        asked = [queries[i] for i in open_ones]
        vectors = np.zeros((len(asked), 0), dtype=np.float32)
        if self._encoder is not None:
            vectors = self._encoder.encode(asked)
        listed = self._in_kb.alike(asked, vectors, _renumbered(listed, open_ones))
        if self._in_use is not None:
            uses = self._counted(self._in_use.alike(asked, vectors, _NO_NAMES), but)
        joined = self._join(asked, [wanted[i] for i in open_ones], listed, uses)
        for i, candidates in zip(open_ones, joined, strict=True):
            found[i] = candidates
        return found

    def _counted(self, names: Names, but: str) -> Names:
        """Those that some other document uses for an entity of the knowledge base."""
        assert self.used is not None
        assert self.entity_of_used is not None
        itself = {but}
        counts = self.entity_of_used[names.row] >= 0
        if but:
            documents = self.used.documents
            counts &= np.array([bool(documents[row] - itself) for row in names.row], dtype=bool)
        return names.chosen(counts)

    def _without_loose_species(self, uses: Names, listed: Names) -> Names:
        """Without uses of a scientific name for another organism: "Drosophila" for a fruit fly.

        Corpora use a genus for the species at hand; what it names is ruled by a code.
        """
        entity = self.kb.entity_of_name[listed.row]
        is_species = self.kb.type_mask[entity] & _SPECIES != 0
        leads = is_species & (self.kb.first_name[entity] == listed.row)
        is_named = np.isin(uses.query, listed.query[leads])
        assert self.entity_of_used is not None
        used = self.entity_of_used[uses.row]
        is_other = is_named & (self.kb.type_mask[used] & _SPECIES != 0)
        return uses.chosen(~is_other) if is_other.any() else uses

    def _join(
        self, queries: Sequence[str], wanted: Sequence[int], listed: Names, uses: Names
    ) -> list[Found]:
        """For each query one row per entity of a wanted type, of its names in both places."""
        kb = self.kb
        entity = kb.entity_of_name[listed.row].astype(np.int64)
        is_used = np.zeros(len(listed.row), dtype=bool)
        if len(uses.row) and self.entity_of_used is not None:
            entity = np.concatenate([entity, self.entity_of_used[uses.row]])
            is_used = np.arange(len(entity)) >= len(is_used)
            listed = _concatenated([listed, uses])
        row, is_exact, query = listed.row, listed.is_exact, listed.query
        order = np.flatnonzero(kb.type_mask[entity] & np.array(wanted, dtype=np.uint32)[query])
        if not len(order):
            return [_NOTHING] * len(queries)
        score = 2 * is_exact + listed.ngram + listed.dense
        # Entities together, and of each the best name first; the vocabulary's before a corpus's.
        order = order[np.lexsort((order, -score[order], entity[order], query[order]))]
        is_first = np.diff(query[order], prepend=-1) != 0
        is_first |= np.diff(entity[order], prepend=-1) != 0
        first = np.flatnonzero(is_first)
        best = order[first]
        kept = np.lexsort((entity[best], -score[best], query[best]))
        kept = kept[_ranks_in(query[best[kept]]) < MOST]

        def highest(values: Floats) -> Floats:
            return np.maximum.reduceat(values[order], first)[kept]

        best = best[kept]
        names = [
            self.used.names[r] if u and self.used else kb.name_at(r)
            for r, u in zip(row[best].tolist(), is_used[best].tolist(), strict=True)
        ]
        exact = is_exact.astype(np.float32)
        listed_only = np.where(is_used, 0, 1).astype(np.float32)
        leads = kb.first_name[entity] == np.where(is_used, -1, row)
        folded = [text.casefold() for text in queries]
        owners = query[best].tolist()
        verbatim = [name.casefold() == folded[i] for name, i in zip(names, owners, strict=True)]
        together = Found(
            entity=entity[best],
            name=tuple(names),
            is_used=is_used[best],
            is_exact=highest(exact) > 0,
            is_exact_in_kb=highest(exact * listed_only) > 0,
            is_preferred=highest(exact * leads.astype(np.float32)) > 0,
            is_verbatim=np.array(verbatim, dtype=bool),
            ngram=highest(listed.ngram),
            ngram_in_kb=highest(listed.ngram * listed_only),
            dense=highest(listed.dense),
            dense_in_kb=highest(listed.dense * listed_only),
        )
        bounds = np.searchsorted(query[best], np.arange(len(queries) + 1)).tolist()
        return [together.part(start, end) for start, end in pairwise(bounds)]


def _concatenated(parts: Sequence[Names]) -> Names:
    return Names(
        np.concatenate([names.query for names in parts]),
        np.concatenate([names.row for names in parts]),
        np.concatenate([names.is_exact for names in parts]),
        np.concatenate([names.ngram for names in parts]),
        np.concatenate([names.dense for names in parts]),
    )


def _renumbered(names: Names, kept: Sequence[int]) -> Names:
    """Those of some queries, which ascend, numbered from 0."""
    place = np.searchsorted(kept, names.query)
    is_kept = np.append(kept, -1)[place] == names.query
    return replace(names, query=place).chosen(is_kept)


def _ranks_in(groups: Rows) -> Rows:
    """0, 1, … within each run of equal numbers."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    counts = np.diff(starts, append=len(groups))
    return np.arange(len(groups)) - np.repeat(starts, counts)


_NO_NAMES: Final = Names(
    np.zeros(0, dtype=np.int64),
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
