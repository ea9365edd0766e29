"""Which entities a string may mean: exact and look-alike names, of the vocabulary and as used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from holdfast.kb.store import KnowledgeBase
from holdfast.link.used_names import UsedNames
from holdfast.names.index import NameMatches
from holdfast.text.tokens import hashes_of_names

_NAMES_SEEN: Final = 60  # look-alike names per index
_EXACT: Final = 0.95  # the least cosine of a name whose key equals the query's


@dataclass(slots=True)
class Found:
    """An entity, and what its names have in common with the query."""

    entity: int  # row in the knowledge base
    name: str = ""  # the one that resembles the query most
    is_used: bool = False  # whether that name comes from a corpus
    is_exact: bool = False
    is_exact_in_kb: bool = False
    is_preferred: bool = False  # the query is the preferred name
    is_verbatim: bool = False  # equal but for case
    ngram: float = 0.0  # the highest cosine of any name
    ngram_in_kb: float = 0.0

    def see(self, name: str, cosine: float, *, is_used: bool) -> None:
        if cosine > self.ngram:
            self.ngram, self.name, self.is_used = cosine, name, is_used
        if not is_used:
            self.ngram_in_kb = max(self.ngram_in_kb, cosine)


class CandidateFinder:
    """Finds candidates for many queries at once."""

    def __init__(self, kb: KnowledgeBase, *, wanted: int, used: UsedNames | None = None) -> None:
        """`wanted`: types of entities, as holdfast.types.mask_of has them."""
        self.kb = kb
        self.used = used
        self._wanted = np.uint32(wanted)
        self._used_rows = [kb.row_of(id) for id in used.entity_ids] if used else []

    def find(self, queries: Sequence[str], *, but: str = "") -> list[list[Found]]:
        """The candidates of each query, in no order. Uses in the document `but` do not count."""
        found: list[dict[int, Found]] = [{} for _ in queries]
        self._find_in_kb(queries, found)
        if self.used is not None:
            self._find_used(queries, found, self.used, but)
        return [list(candidates.values()) for candidates in found]

    def _find_in_kb(self, queries: Sequence[str], found: list[dict[int, Found]]) -> None:
        kb = self.kb
        matches = kb.ngrams.search(queries, _NAMES_SEEN)
        starts, ends = kb.exact.ranges(hashes_of_names(queries))
        for i, query in enumerate(queries):
            for row in kb.exact.rows[starts[i] : ends[i]].tolist():
                if candidate := self._candidate(found[i], int(kb.entity_of_name[row])):
                    self._note_exact(candidate, query, kb.name_at(row), is_used=False)
                    candidate.is_exact_in_kb = True
                    candidate.is_preferred |= int(kb.first_name[candidate.entity]) == row
            for row, cosine in _pairs(matches, i):
                if candidate := self._candidate(found[i], int(kb.entity_of_name[row])):
                    candidate.see(kb.name_at(row), cosine, is_used=False)

    def _find_used(
        self, queries: Sequence[str], found: list[dict[int, Found]], used: UsedNames, but: str
    ) -> None:
        matches = used.ngrams.search(queries, _NAMES_SEEN)
        starts, ends = used.exact.ranges(hashes_of_names(queries))
        for i, query in enumerate(queries):
            rows = used.exact.rows[starts[i] : ends[i]].tolist()
            for row in rows:
                if candidate := self._used_candidate(found[i], row, but):
                    self._note_exact(candidate, query, used.names[row], is_used=True)
            for row, cosine in _pairs(matches, i):
                if candidate := self._used_candidate(found[i], row, but):
                    candidate.see(used.names[row], cosine, is_used=True)

    def _used_candidate(self, found: dict[int, Found], row: int, but: str) -> Found | None:
        assert self.used is not None
        entity = self._used_rows[row]
        if entity is None or not self.used.documents[row] - {but}:
            return None
        return self._candidate(found, entity)

    def _candidate(self, found: dict[int, Found], entity: int) -> Found | None:
        if not self.kb.type_mask[entity] & self._wanted:
            return None
        return found.setdefault(entity, Found(entity))

    @staticmethod
    def _note_exact(candidate: Found, query: str, name: str, *, is_used: bool) -> None:
        candidate.is_exact = True
        candidate.is_verbatim |= name.casefold() == query.casefold()
        candidate.see(name, _EXACT, is_used=is_used)


def _pairs(matches: NameMatches, query: int) -> Iterator[tuple[int, float]]:
    """The rows that a query matches, with their scores."""
    rows, scores = matches.rows[query].tolist(), matches.scores[query].tolist()
    return ((row, score) for row, score in zip(rows, scores, strict=True) if row >= 0)
