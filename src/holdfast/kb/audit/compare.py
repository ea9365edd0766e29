"""Compares a knowledge base with the terms of its sources, and counts what it lacks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast.kb.audit.walks import Term
from holdfast.kb.store import KnowledgeBase
from holdfast.kb.tables import column

_BATCH: Final = 1 << 13
_EXAMPLES: Final = 20
_CHUNK: Final = 1 << 16

TERMS: Final = "terms"
NAMES: Final = "names"
TYPES: Final = "types"
PARENTS: Final = "parents"
DEFINITIONS: Final = "definitions"
KINDS: Final = (TERMS, NAMES, TYPES, PARENTS, DEFINITIONS)

Hashes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Gap:
    """What a knowledge base lacks of one term."""

    kind: str  # of KINDS
    id: str
    what: str


@dataclass(frozen=True, slots=True)
class Gaps:
    """What a knowledge base lacks of one source."""

    terms: int  # of the source
    counts: dict[str, int]  # by kind, 0 too
    examples: tuple[Gap, ...]  # the first of each kind

    @property
    def total(self) -> int:
        return sum(self.counts.values())


class Comparison:
    """One knowledge base, compared with its sources one after the other.

    Names, parents and definitions are looked up by 64-bit hashes in sorted arrays, a batch of
    terms at a time: a million entities take tens of megabytes.
    """

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        ids = _hashes(_strings(kb.table("entities"), "id"))
        self._order = np.argsort(ids, kind="stable")
        self._ids = ids[self._order]
        self._types = _types_by_row(kb)
        is_a = np.array([predicate == "is_a" for predicate in kb.predicates] or [False])
        relations = kb.table("relations")
        parents = relations.filter(is_a[column(relations, "predicate")])
        self._known = {
            NAMES: _pairs_of(kb.table("names"), "name"),
            PARENTS: _pairs_of(parents, "object_id"),
            DEFINITIONS: _pairs_of(kb.table("definitions"), "definition"),
        }
        self.walked = np.zeros(len(kb), dtype=bool)  # the rows of terms that were compared

    def compare(self, source: int, terms: Iterable[Term], *, strict: bool) -> Gaps:
        """What the knowledge base lacks of the terms of a source, given by its number.

        With `strict`, an entity may have no type that the term does not allow; without, another
        source may have added some.
        """
        counts = Counter[str]()
        examples = defaultdict[str, list[Gap]](list)
        total, waiting = 0, iter(terms)
        while batch := list(islice(waiting, _BATCH)):
            total += sum(term.is_entry for term in batch)
            for gap in self._gaps(source, batch, strict=strict):
                counts[gap.kind] += 1
                if len(examples[gap.kind]) < _EXAMPLES:
                    examples[gap.kind].append(gap)
        first = tuple(gap for kind in KINDS for gap in examples[kind])
        return Gaps(total, {kind: counts[kind] for kind in KINDS}, first)

    def _gaps(self, source: int, terms: Sequence[Term], *, strict: bool) -> Iterator[Gap]:
        there = list[tuple[int, Term]]()
        for row, term in zip(self._rows_of(source, terms), terms, strict=True):
            if row >= 0:
                there.append((row, term))
            elif term.is_entry and not self._kb.sources[source].is_part:
                yield Gap(TERMS, term.id, term.names[0])
        self.walked[[row for row, _ in there]] = True
        yield from self._absent(NAMES, [(row, t, v) for row, t in there for v in t.names])
        yield from self._absent(PARENTS, [(row, t, v) for row, t in there for v in t.parents])
        defined = [(row, term, term.definition) for row, term in there if term.definition]
        yield from self._absent(DEFINITIONS, defined)
        for row, term in there:
            types = self._types[row]
            # An entity that another vocabulary entered has that vocabulary's types too.
            is_own = strict and int(self._kb.source_of[row]) == source
            if term.types and (types.isdisjoint(term.types) or (is_own and types - term.types)):
                found, allowed = (", ".join(sorted(kinds)) for kinds in (types, term.types))
                yield Gap(TYPES, term.id, f"{found or 'none'} instead of {allowed}")

    def _rows_of(self, source: int, terms: Sequence[Term]) -> list[int]:
        """The row of each term, -1 if there is none.

        A term may be there under another id that names it as a cross-reference, if its source is
        the same: genes of HGNC have NCBI's ids in the knowledge base of all vocabularies.
        """
        wanted = _hashes([term.id for term in terms])
        at = np.minimum(np.searchsorted(self._ids, wanted), len(self._ids) - 1)
        rows: list[int] = np.where(self._ids[at] == wanted, self._order[at], -1).tolist()
        for i, (row, term) in enumerate(zip(rows, terms, strict=True)):
            if row < 0:
                same = self._kb.rows_with_xref(term.id)
                name = self._kb.sources[source].name
                rows[i] = next((row for row in same if self._source_name(row) == name), -1)
        return rows

    def _source_name(self, row: int) -> str:
        return self._kb.sources[int(self._kb.source_of[row])].name

    def _absent(self, kind: str, wanted: Sequence[tuple[int, Term, str]]) -> Iterator[Gap]:
        if wanted:
            hashes = _hashes([(row, _plain(value)) for row, _, value in wanted])
            for i in np.flatnonzero(~_among(hashes, self._known[kind])).tolist():
                yield Gap(kind, wanted[i][1].id, wanted[i][2])


def _types_by_row(kb: KnowledgeBase) -> list[frozenset[str]]:
    """The types of every entity; equal sets are one object."""
    table = kb.table("types")
    known: dict[frozenset[str], frozenset[str]] = {}
    found = [frozenset[str]()] * len(kb)
    for row, code in zip(column(table, "entity"), column(table, "type"), strict=True):
        types = found[row] | {kb.types[code]}
        found[row] = known.setdefault(types, types)
    return found


def _pairs_of(table: Any, name: str) -> Hashes:
    """Hashes of (entity, value), sorted."""
    owners = column(table.combine_chunks(), "entity").tolist()
    return np.sort(_hashes(zip(owners, map(_plain, _strings(table, name)), strict=True)))


def _plain(value: str) -> str:
    """Without case and outer space: a name that differs only so is not lost."""
    return value.strip().casefold()


def _among(wanted: Hashes, known: Hashes) -> npt.NDArray[np.bool_]:
    """Which of the hashes are in a sorted array."""
    if not len(known):
        return np.zeros(len(wanted), dtype=bool)
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    found: npt.NDArray[np.bool_] = known[at] == wanted
    return found


def _strings(table: Any, name: str) -> Iterator[str]:
    values = table.column(name)
    for start in range(0, len(values), _CHUNK):
        yield from values.slice(start, _CHUNK).to_pylist()


def _hashes(values: Iterable[object]) -> Hashes:
    return np.fromiter(map(hash, values), np.int64)
