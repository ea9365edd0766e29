"""What a ranker looks at: numbers about each candidate of each mention of a document.

Three groups, side by side in one matrix: how the candidate's names resemble the mention, how the
entity was used in a corpus, and what the rest of the document says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from math import log1p
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.link.candidates import CandidateFinder, Found
from holdfast.link.queries import Query
from holdfast.names.preference import preference_of_entities
from holdfast.text.tokens import key_of, key_of_token, tokens_of

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
        self._preference = preference_of_entities(finder.kb)
        self._of_entity = lru_cache(maxsize=1 << 16)(self._describe_entity)

    def of_query(self, query: str, found: Found, *, but: str = "") -> Matrix:
        """All but the document's. *Shape:* (candidates, len(FEATURES)); zeros for the rest."""
        matrix = np.zeros((len(found), len(FEATURES)), dtype=np.float32)
        if len(found):
            columns = matrix.T
            self._fill_names(columns[: len(_OF_NAMES)], found)
            rest = columns[len(_OF_NAMES) :]
            asked = _words(query)
            rest[: len(_OF_WORDS)] = np.array([_compare(asked, n) for n in found.name]).T
            if self._used is not None:
                rest = rest[len(_OF_WORDS) :]
                rest[: len(_OF_USES)] = np.array(self._uses(query, found, but)).T
        return matrix

    def add_document(
        self,
        matrices: Sequence[Matrix],
        queries: Sequence[Query],
        found: Sequence[Found],
        text: str,
    ) -> list[Matrix]:
        """Copies of the matrices of a document's mentions, with what the document says.

        `text` is empty where the document is not known.
        """
        written = frozenset(_words(text))
        exact = defaultdict[int, float](float)  # entity -> exact matches in the document
        shares = [f.is_exact / max(1, int(f.is_exact.sum())) for f in found]
        for candidates, share in zip(found, shares, strict=True):
            for entity, value in zip(candidates.entity.tolist(), share.tolist(), strict=True):
                if value:
                    exact[entity] += value
        complete = []
        for matrix, query, candidates, share in zip(matrices, queries, found, shares, strict=True):
            filled = matrix.copy()
            if len(candidates):
                entities = candidates.entity.tolist()
                elsewhere = np.array([exact.get(e, 0.0) for e in entities]) - share
                near = frozenset(_words(query.near))
                labels = [self._of_entity(entity)[2] for entity in entities]
                last = filled[:, -len(_OF_DOCUMENT) :]
                if self._memory:
                    last[:, 0] = np.minimum(elsewhere, _MOST_ELSEWHERE)
                    last[:, 1] = (elsewhere > 0.4) & ~candidates.is_exact
                if self._context:
                    last[:, 2] = [_share(label, written) for label in labels]
                    last[:, 3] = [_share(label, near) for label in labels]
            complete.append(filled)
        return complete

    def _fill_names(self, columns: Matrix, found: Found) -> None:
        known = [self._of_entity(entity) for entity in found.entity.tolist()]
        preference = self._preference[found.entity]
        columns[:] = (
            np.ones(len(found)),
            found.is_exact,
            found.is_exact_in_kb,
            found.is_preferred,
            found.is_verbatim,
            found.is_exact / max(1, int(found.is_exact.sum())),
            found.ngram,
            found.ngram**3,
            found.ngram_in_kb,
            found.ngram.max() - found.ngram,
            found.dense,
            found.dense**3,
            found.dense_in_kb,
            found.dense.max() - found.dense,
            found.dense == 0,
            found.ngram * found.dense,
            np.searchsorted(np.unique(preference), preference),
            [xrefs for xrefs, *_ in known],
            [names for _, names, *_ in known],
            [is_omim for *_, is_omim, _ in known],
            [is_supplementary for *_, is_supplementary in known],
        )

    def _describe_entity(self, entity: int) -> tuple[float, float, frozenset[str], bool, bool]:
        """Counts of xrefs and names (logarithms), the label's words, and kinds of id."""
        kb, id = self._kb, self._kb.id_at(entity)
        return (
            log1p(kb.count_of("xrefs", entity)),
            log1p(kb.count_of("names", entity)),
            frozenset(_words(kb.label_at(entity))),
            id.startswith("OMIM:"),
            id.startswith("MESH:C"),
        )

    def _uses(self, query: str, found: Found, but: str) -> list[tuple[float, ...]]:
        assert self._used is not None
        itself = {but}
        by_name = self._used.of_key.get(key_of(query), {})
        uses = {id: len(documents - itself) for id, documents in by_name.items()}
        total = max(1, sum(uses.values()))
        rows = list[tuple[float, ...]]()
        for entity, is_used in zip(found.entity.tolist(), found.is_used.tolist(), strict=True):
            id = self._kb.id_at(entity)
            entity_uses = len(self._used.of_entity.get(id, frozenset()) - itself)
            own = uses.get(id, 0)
            rows.append((is_used, log1p(entity_uses), entity_uses > 0, log1p(own), own / total))
        return rows


@lru_cache(maxsize=1 << 16)
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


def _share(words: frozenset[str], text: frozenset[str]) -> float:
    return len(words & text) / len(words) if words else 0.0
