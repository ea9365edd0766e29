"""What a ranker looks at: numbers about each candidate of each mention of a document.

Three groups, side by side in one matrix: how the candidate's names resemble the mention, how the
entity was used in a corpus, and what the rest of the document says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, pairwise, repeat
from math import log1p
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from holdfast.link.ranking.candidates import CandidateFinder
from holdfast.link.ranking.found import Found
from holdfast.link.ranking.queries import Query
from holdfast.names.preference import preference_of_entities
from holdfast.text.tokens import key_of_token, tokens_of

_OF_NAMES: Final = (
    "bias",  # against "none of these", whose score is 0
    "exact",
    "exact_in_kb",
    "preferred",
    "verbatim",
    "share_of_exact",  # 1 / how many entities have exactly this name
    "ngram",
    "ngram_cubed",
    "ngram_in_kb",
    "ngram_behind_best",  # cosine of the best candidate, less this one's
    "dense",
    "dense_cubed",
    "dense_in_kb",
    "dense_behind_best",
    "dense_missing",  # the name is not in the dense index, or there is none
    "both",  # product of the two cosines
    "later_vocabulary",  # how many vocabularies among the candidates are preferred to this one's
    "xrefs",
    "names",
    "is_omim",
    "is_supplementary",
)
_OF_WORDS: Final = (
    "query_covered",  # share of the query's words that the name has
    "name_covered",
    "same_last_word",
    "same_first_word",
    "name_longer",
    "name_shorter",
    "length_difference",
    "other_number",  # "type 2" is not "type 1"
)
_OF_USES: Final = (
    "used_name",  # the best name comes from a corpus
    "entity_uses",
    "entity_used",
    "name_uses",  # of this key for this entity
    "share_of_uses",
)
_OF_DOCUMENT: Final = (
    "elsewhere",  # exact matches of other mentions of the document
    "elsewhere_and_inexact",
    "label_in_document",  # share of the preferred name's words that the document has
    "label_nearby",
)
OF_KNOWLEDGE: Final = ("xrefs", "names", "is_omim", "is_supplementary", *_OF_USES)
"""What a vocabulary of one's own may say nothing of."""
FEATURES: Final = (*_OF_NAMES, *_OF_WORDS, *_OF_USES, *_OF_DOCUMENT)

_MOST_ELSEWHERE: Final = 3.0

Matrix = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]


class Texts(NamedTuple):
    """The documents that mentions stand in, each with the number of its mentions, in order.

    A text is empty where the document is not known.
    """

    texts: Sequence[str]
    sizes: Sequence[int]

    def words_of_each(self) -> Iterator[frozenset[str]]:
        """Of each mention, its document's words."""
        return chain.from_iterable(map(repeat, map(_set_of_words, self.texts), self.sizes))


class _Entity(NamedTuple):
    """What the knowledge base alone says of an entity."""

    xrefs: float  # logarithms of counts
    names: float
    words: frozenset[str]  # of the preferred name
    is_omim: bool
    is_supplementary: bool


class FeatureMaker:
    """Describes candidates. What does not depend on a document is remembered by entity."""

    def __init__(
        self, finder: CandidateFinder, *, memory: bool = True, context: bool = True
    ) -> None:
        """`memory`: what other mentions of the document are; `context`: its words."""
        self._memory = memory
        self._context = context
        self._kb = finder.kb
        self._used = finder.used
        self.preference = preference_of_entities(finder.kb)
        self._of_entity = lru_cache(maxsize=1 << 14)(self._describe_entity)
        if self._used is not None:
            self._documents_with = lru_cache(maxsize=1 << 14)(self._used.mentioning)

    def of_queries(
        self, queries: Sequence[str], found: Sequence[Found], *, but: str = ""
    ) -> list[Matrix]:
        """All but the document's, for the candidates of each query.

        *Shape:* (candidates, len(FEATURES)) of each; zeros for the rest.
        """
        joined = Found.joined(found)
        matrix = np.zeros((len(joined), len(FEATURES)), dtype=np.float32)
        if len(joined):
            columns = matrix.T
            counts = np.array([len(candidates) for candidates in found])
            self._fill_names(columns[: len(_OF_NAMES)], joined, counts[counts > 0])
            rest = columns[len(_OF_NAMES) :]
            rest[: len(_OF_WORDS)] = np.array(
                [
                    _compare(asked, name)
                    for asked, candidates in zip(map(_words, queries), found, strict=True)
                    for name in candidates.name
                ]
            ).T
            if self._used is not None:
                uses = (
                    row
                    for query, candidates in zip(queries, found, strict=True)
                    for row in self._uses(query, candidates, but)
                )
                rest[len(_OF_WORDS) :][: len(_OF_USES)] = np.array(list(uses)).T
        return _cut(matrix, found)

    def add_documents(
        self,
        matrices: Sequence[Matrix],
        queries: Sequence[Query],
        found: Sequence[Found],
        texts: Texts,
    ) -> list[Matrix]:
        """Copies of the matrices of documents' mentions, with what each document says."""
        counts = np.array([len(candidates) for candidates in found], dtype=np.int64)
        if not counts.any():
            return list(matrices)
        filled = np.concatenate(matrices)
        last = filled[:, -len(_OF_DOCUMENT) :]
        entity = np.concatenate([candidates.entity for candidates in found])
        if self._memory:
            is_exact = np.concatenate([candidates.is_exact for candidates in found])
            share = is_exact / np.maximum(1, _sums(is_exact, counts))
            owner = np.repeat(np.repeat(np.arange(len(texts.sizes)), texts.sizes), counts)
            _, place = np.unique(owner * len(self._kb.type_mask) + entity, return_inverse=True)
            elsewhere = np.bincount(place, weights=share)[place] - share
            last[:, 0] = np.minimum(elsewhere, _MOST_ELSEWHERE)
            last[:, 1] = (elsewhere > 0.4) & ~is_exact
        if self._context:
            labels = [self._of_entity(row).words for row in entity.tolist()]
            last[:, 2] = _shares(labels, texts.words_of_each(), counts)
            last[:, 3] = _shares(labels, (_set_of_words(q.near) for q in queries), counts)
        return _cut(filled, found)

    def _fill_names(self, columns: Matrix, found: Found, counts: Rows) -> None:
        """`counts`: the candidates of each query that has any, one query after the other."""
        known = [self._of_entity(entity) for entity in found.entity.tolist()]
        starts = np.cumsum(counts) - counts

        def highest(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return np.repeat(np.maximum.reduceat(values, starts), counts)

        exact = _sums(found.is_exact, counts)
        columns[:] = (
            np.ones(len(found)),
            found.is_exact,
            found.is_exact_in_kb,
            found.is_preferred,
            found.is_verbatim,
            found.is_exact / np.maximum(1, exact),
            found.ngram,
            found.ngram**3,
            found.ngram_in_kb,
            highest(found.ngram) - found.ngram,
            found.dense,
            found.dense**3,
            found.dense_in_kb,
            highest(found.dense) - found.dense,
            found.dense == 0,
            found.ngram * found.dense,
            _ranks_within(self.preference[found.entity].astype(np.int64), starts, counts),
            [entity.xrefs for entity in known],
            [entity.names for entity in known],
            [entity.is_omim for entity in known],
            [entity.is_supplementary for entity in known],
        )

    def _describe_entity(self, entity: int) -> _Entity:
        kb, id = self._kb, self._kb.id_at(entity)
        return _Entity(
            xrefs=log1p(kb.count_of("xrefs", entity)),
            names=log1p(kb.count_of("names", entity)),
            words=_set_of_words(kb.label_at(entity)),
            is_omim=id.startswith("OMIM:"),
            is_supplementary=id.startswith("MESH:C"),
        )

    def _uses(self, query: str, found: Found, but: str) -> list[tuple[float, ...]]:
        assert self._used is not None
        itself = {but}
        by_name = self._used.using(query)
        uses = {id: len(documents - itself) for id, documents in by_name.items()}
        total = max(1, sum(uses.values()))
        rows = list[tuple[float, ...]]()
        for entity, is_used in zip(found.entity.tolist(), found.is_used.tolist(), strict=True):
            id = self._kb.id_at(entity)
            entity_uses = len(self._documents_with(id) - itself)
            own = uses.get(id, 0)
            rows.append((is_used, log1p(entity_uses), entity_uses > 0, log1p(own), own / total))
        return rows


def _cut(matrix: Matrix, found: Sequence[Found]) -> list[Matrix]:
    """The rows of each query's candidates."""
    ends = list(accumulate(map(len, found), initial=0))
    return [matrix[start:end] for start, end in pairwise(ends)]


def _sums(flags: npt.NDArray[np.bool_], counts: Rows) -> Rows:
    """In each group, whose sizes are given, how many are true; for each member of the group."""
    before = np.concatenate([[0], np.cumsum(flags)])
    ends = np.cumsum(counts)
    return np.repeat(before[ends] - before[ends - counts], counts)


def _ranks_within(values: Rows, starts: Rows, counts: Rows) -> Rows:
    """How many different lower values each value has before it in its own group."""
    group = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((values, group))
    ordered = values[order]
    is_new = np.diff(ordered, prepend=ordered[:1]) != 0
    is_new[starts] = False
    steps = np.cumsum(is_new)
    ranks = np.empty_like(steps)
    ranks[order] = steps - np.repeat(steps[starts], counts)
    return ranks


def _set_of_words(text: str) -> frozenset[str]:
    return frozenset([key_of_token(token) for token in tokens_of(text)])


@lru_cache(maxsize=1 << 14)
def _words(text: str) -> tuple[str, ...]:
    return tuple([key_of_token(token) for token in tokens_of(text)])


def _compare(asked: Sequence[str], name: str) -> tuple[float, ...]:
    listed = _words(name)
    if not asked or not listed:
        return (0.0,) * len(_OF_WORDS)
    query, names = set(asked), set(listed)
    both = len(query & names)
    return (
        both / len(query),
        both / len(names),
        asked[-1] == listed[-1],
        asked[0] == listed[0],
        len(listed) > len(asked),
        len(listed) < len(asked),
        abs(len(asked) - len(listed)) / 5,
        any(len(word) < 4 and not word.isalpha() for word in query ^ names),
    )


def _shares(
    labels: Sequence[frozenset[str]], texts: Iterable[frozenset[str]], counts: Rows
) -> list[float]:
    """The share of each label's words in its text; so many labels belong to each text."""
    owners = chain.from_iterable(map(repeat, texts, counts.tolist()))
    return [
        len(words & text) / len(words) if words else 0.0
        for words, text in zip(labels, owners, strict=True)
    ]
