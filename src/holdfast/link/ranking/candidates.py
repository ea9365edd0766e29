"""Which entities a string may mean: names that are equal, look alike or mean alike.

Names come from the knowledge base and, where a linker remembers a corpus, from its use there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from holdfast import types
from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking.dense_names import dense_index_of_strings
from holdfast.link.ranking.found import (
    NO_CANDIDATES,
    NO_NAMES,
    Flags,
    Floats,
    Found,
    Names,
    Rows,
)
from holdfast.link.ranking.name_search import LOOK_ALIKES, NameSearch
from holdfast.link.ranking.used_names import UsedNames
from holdfast.names.signs import are_opposed, has_sign, lacks_minus
from holdfast.names.unindexed import NameVectors

MOST: Final = 20  # candidates of a query
_SPECIES: Final = np.uint32(types.mask_of([types.SPECIES]))


@dataclass(frozen=True, slots=True, eq=False)
class _OwnedNames:
    """Names of the knowledge base and of a corpus, each with its entity. *Shape:* (names,)"""

    names: Names
    entity: Rows
    is_used: Flags  # whether the name comes from the corpus

    def grouped(self, allowed: Rows) -> _Groups:
        """The allowed names by query and entity, with the best MOST entities of each query.

        Best is: equal names before others, then the sum of both cosines; ties by entity. Of an
        entity's equally good names, the knowledge base's comes before the corpus's.
        """
        query, entity = self.names.query, self.entity
        score = 2 * self.names.is_exact + self.names.ngram + self.names.dense
        order = allowed[np.lexsort((allowed, -score[allowed], entity[allowed], query[allowed]))]
        is_first = np.diff(query[order], prepend=-1) != 0
        is_first |= np.diff(entity[order], prepend=-1) != 0
        starts = np.flatnonzero(is_first)
        best = order[starts]
        kept = np.lexsort((entity[best], -score[best], query[best]))
        kept = kept[_ranks_in(query[best[kept]]) < MOST]
        return _Groups(order, starts, kept)


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Names by query and entity."""

    order: Rows  # the names of each group side by side, the best of each group first
    starts: Rows  # where each group begins in `order`
    kept: Rows  # the groups that become candidates: by query, best first

    @property
    def best(self) -> Rows:
        """The best name of each kept group."""
        return self.order[self.starts][self.kept]

    def highest(self, values: Floats) -> Floats:
        """The highest value of any name in each kept group. *Shape:* (names,) to (kept,)"""
        highest: Floats = np.maximum.reduceat(values[self.order], self.starts)[self.kept]
        return highest


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
        self._in_kb = NameSearch(kb, dense, ngrams=ngrams)
        self._in_use: NameSearch | None = None
        self.entity_of_used: Rows | None = None
        if used is not None:
            self.entity_of_used = kb.rows_known_as(used.entity_ids)
            self.used = used = used.under_ids_of(kb, self.entity_of_used)
        if used is not None and used.names:
            vectors = (
                dense_index_of_strings(used.names, dense.encoder) if dense is not None else None
            )
            # Of so few names, those that mean alike are all that is needed.
            look_alikes = 0 if dense is not None else LOOK_ALIKES
            self._in_use = NameSearch(used, vectors, ngrams=ngrams, look_alikes=look_alikes)

    def find(self, queries: Sequence[str], *, wanted: Sequence[int], but: str = "") -> list[Found]:
        """The candidates of each query.

        `wanted`: the types that each may have, as holdfast.types.mask_of has them. Uses in the
        document `but` do not count.
        """
        listed = self._in_kb.equal(queries)
        uses = NO_NAMES
        if self._in_use is not None:
            uses = self._counted(self._in_use.equal(queries), but)
            uses = self._without_loose_species(uses, listed)
        found = self._candidates(queries, wanted, listed, uses)
        open_ones = [i for i, candidates in enumerate(found) if not len(candidates)]
        if not open_ones:
            return found
        asked = [queries[i] for i in open_ones]
        vectors = np.zeros((len(asked), 0), dtype=np.float32)
        if self._encoder is not None:
            vectors = self._encoder.encode(asked)
        listed = self._in_kb.alike(asked, vectors, listed.of_queries(open_ones))
        if self._in_use is not None:
            uses = self._counted(self._in_use.alike(asked, vectors, NO_NAMES), but)
        joined = self._candidates(asked, [wanted[i] for i in open_ones], listed, uses)
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

    def _candidates(
        self, queries: Sequence[str], wanted: Sequence[int], listed: Names, uses: Names
    ) -> list[Found]:
        """For each query one row per entity of a wanted type, of its names in both places."""
        owned = self._without_opposites(queries, self._owned(listed, uses))
        mask = np.array(wanted, dtype=np.uint32)[owned.names.query]
        allowed = np.flatnonzero(self.kb.type_mask[owned.entity] & mask)
        if not len(allowed):
            return [NO_CANDIDATES] * len(queries)
        groups = owned.grouped(allowed)
        found = self._described(queries, owned, groups)
        query = owned.names.query[groups.best]
        bounds = np.searchsorted(query, np.arange(len(queries) + 1)).tolist()
        return [found.part(start, end) for start, end in pairwise(bounds)]

    def _owned(self, listed: Names, uses: Names) -> _OwnedNames:
        """The names found in the knowledge base, then those found in the corpus."""
        entity = self.kb.entity_of_name[listed.row].astype(np.int64)
        is_used = np.zeros(len(entity), dtype=bool)
        if not len(uses.row) or self.entity_of_used is None:
            return _OwnedNames(listed, entity, is_used)
        used = self.entity_of_used[uses.row]
        return _OwnedNames(
            Names.concatenated([listed, uses]),
            np.concatenate([entity, used]),
            np.concatenate([is_used, np.ones(len(used), dtype=bool)]),
        )

    def _without_opposites(self, queries: Sequence[str], owned: _OwnedNames) -> _OwnedNames:
        """Without names that have a plus where the query has a minus, or a minus that it lacks."""
        names = owned.names
        is_signed = np.array([has_sign(query) for query in queries], dtype=bool)
        asked = np.flatnonzero(is_signed[names.query] | names.is_exact)
        kept = np.ones(len(names.row), dtype=bool)
        texts = self._texts_at(names.row[asked], owned.is_used[asked])
        for at, text in zip(asked.tolist(), texts, strict=True):
            query = queries[int(names.query[at])]
            if has_sign(text) and text != query:
                lacks = names.is_exact[at] and lacks_minus(query, text)
                kept[at] = not (lacks or are_opposed(query, text))
        if kept.all():
            return owned
        return _OwnedNames(names.chosen(kept), owned.entity[kept], owned.is_used[kept])

    def _described(self, queries: Sequence[str], owned: _OwnedNames, groups: _Groups) -> Found:
        """The candidates of all queries, one query after the other."""
        names, entity, best = owned.names, owned.entity, groups.best
        exact = names.is_exact.astype(np.float32)
        in_kb = (~owned.is_used).astype(np.float32)
        leads = self.kb.first_name[entity] == np.where(owned.is_used, -1, names.row)
        texts = self._texts_at(names.row[best], owned.is_used[best])
        asked = [queries[query].casefold() for query in names.query[best].tolist()]
        is_verbatim = [text.casefold() == query for text, query in zip(texts, asked, strict=True)]
        return Found(
            entity=entity[best],
            name=texts,
            is_used=owned.is_used[best],
            is_exact=groups.highest(exact) > 0,
            is_exact_in_kb=groups.highest(exact * in_kb) > 0,
            is_preferred=groups.highest(exact * leads) > 0,
            is_verbatim=np.array(is_verbatim, dtype=bool),
            ngram=groups.highest(names.ngram),
            ngram_in_kb=groups.highest(names.ngram * in_kb),
            dense=groups.highest(names.dense),
            dense_in_kb=groups.highest(names.dense * in_kb),
        )

    def _texts_at(self, rows: Rows, is_used: Flags) -> tuple[str, ...]:
        """The names of these rows, each of the corpus or of the knowledge base."""
        return tuple(
            self.used.names[row] if in_use and self.used else self.kb.name_at(row)
            for row, in_use in zip(rows.tolist(), is_used.tolist(), strict=True)
        )


def _ranks_in(groups: Rows) -> Rows:
    """0, 1, … within each run of equal numbers."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    counts = np.diff(starts, append=len(groups))
    return np.arange(len(groups)) - np.repeat(starts, counts)
