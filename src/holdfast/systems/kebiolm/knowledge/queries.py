"""Cloze queries from triples: "apraclonidine may prevent [MASK]", and the other way round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from holdfast.kb.store import KnowledgeBase
from holdfast.systems.kebiolm.knowledge.triples import Triple, Triples
from holdfast.text.tokens import key_of

_WITH_IS = ("of", "as", "by")


@dataclass(frozen=True, slots=True)
class ClozeQuery:
    """What stands before and after the gap, and the ids of all that fit."""

    before: str
    after: str
    relation: str
    answers: tuple[str, ...]  # ids
    is_tail: bool  # the tail is asked for

    @property
    def text(self) -> str:
        return " ".join(part for part in (self.before, "[MASK]", self.after) if part)


def relation_words(relation: str) -> str:
    """The relation as it is read: "is part of" for "part_of"."""
    words = relation.replace("_", " ").split()
    return " ".join(["is", *words] if words and words[-1] in _WITH_IS else words)


def queries_of(triples: Iterable[Triple], kb: KnowledgeBase) -> Iterator[ClozeQuery]:
    """Two queries for each triple; those that read alike are one, with the answers of all.

    Entities that the knowledge base lacks are left out.
    """
    answers = defaultdict[tuple[str, str, str, bool], dict[str, None]](dict)
    for triple in triples:
        rows = [row for row in map(kb.row_of, (triple.head, triple.tail)) if row is not None]
        if len(rows) < 2:
            continue
        head, tail = map(kb.label_at, rows)
        words = relation_words(triple.relation)
        answers[f"{head} {words}", "", triple.relation, True][triple.tail] = None
        answers["", f"{words} {tail}", triple.relation, False][triple.head] = None
    for (before, after, relation, is_tail), ids in answers.items():
        yield ClozeQuery(before, after, relation, tuple(ids), is_tail)


def draw_queries(
    asked: Triples, every: Iterable[Triples], kb: KnowledgeBase, *, most: int, seed: int = 0
) -> list[ClozeQuery]:
    """Queries about some of the asked triples, at most so many of each relation.

    An answer that any of `every` has fits, not only that of the asked triples.
    """
    rng = np.random.default_rng(seed)
    asked = _sampled(asked, 2 * most, rng)
    wanted = {(q.before, q.after, q.relation) for q in queries_of(_listed(asked), kb)}
    near = _related(asked, every)
    full = (q for q in queries_of(near, kb) if (q.before, q.after, q.relation) in wanted)
    by_relation = defaultdict[str, list[ClozeQuery]](list)
    for query in full:
        by_relation[query.relation].append(query)
    found = list[ClozeQuery]()
    for relation in sorted(by_relation):
        own = sorted(by_relation[relation], key=lambda q: (q.before, q.after))
        places = rng.permutation(len(own))[:most]
        found += (own[place] for place in sorted(places.tolist()))
    return found


def _sampled(triples: Triples, most: int, rng: np.random.Generator) -> Triples:
    """At most so many triples of each relation; a knowledge base may have millions."""
    order = rng.permutation(len(triples))
    codes = triples.rows[order, 1]
    chosen = (order[codes == code][:most] for code in range(len(triples.relations)))
    return triples.keeping(np.concatenate([order[:0], *chosen]))


def _listed(triples: Triples) -> Iterator[Triple]:
    return (triples.at(row) for row in range(len(triples)))


def _related(asked: Triples, every: Iterable[Triples]) -> Iterator[Triple]:
    """The triples that share an end and the relation with an asked one: all that may fit."""
    codes = len(asked.relations)
    heads = set((asked.rows[:, 0] * codes + asked.rows[:, 1]).tolist())
    tails = set((asked.rows[:, 2] * codes + asked.rows[:, 1]).tolist())
    for triples in every:
        rows = triples.rows
        of_head = np.isin(rows[:, 0] * codes + rows[:, 1], list(heads))
        of_tail = np.isin(rows[:, 2] * codes + rows[:, 1], list(tails))
        yield from (triples.at(int(row)) for row in np.flatnonzero(of_head | of_tail))


def is_within(query: ClozeQuery, names: Iterable[str]) -> bool:
    """Type 1: all words of a right answer occur in the query."""
    words = set(key_of(f"{query.before} {query.after}").split())
    return any(own and set(own.split()) <= words for own in map(key_of, names))
