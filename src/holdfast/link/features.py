"""What a ranker looks at: numbers about each candidate of each mention of a document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import log1p
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.link.candidates import CandidateFinder, Found
from holdfast.text.tokens import key_of, key_of_token, tokens_of

FEATURES: Final = (
    "bias",  # against "none of these", whose score is 0
    "exact",
    "exact_in_kb",
    "preferred",
    "verbatim",
    "share_of_exact",  # 1 / how many entities have exactly this name
    "ngram",
    "ngram_cubed",
    "ngram_in_kb",
    "behind_best",  # cosine of the best candidate, less this one's
    "query_covered",  # share of the query's words that the name has
    "name_covered",
    "same_last_word",
    "same_first_word",
    "name_longer",
    "name_shorter",
    "length_difference",
    "xrefs",
    "names",
    "used_name",  # the best name comes from a corpus
    "entity_uses",
    "entity_used",
    "name_uses",  # of this key for this entity
    "share_of_uses",
    "elsewhere",  # exact matches of other mentions of the document
    "elsewhere_and_inexact",
    "is_omim",
    "is_supplementary",
)
MOST: Final = 25  # candidates that are ranked

Matrix = npt.NDArray[np.float32]


def shortlist(found: Sequence[Found]) -> list[Found]:
    """The candidates worth ranking, exact ones first, then the most alike; ties by row."""
    return sorted(found, key=lambda f: (-(f.is_exact + f.ngram), f.entity))[:MOST]


def features_of_document(
    queries: Sequence[str],
    found: Sequence[Sequence[Found]],
    finder: CandidateFinder,
    *,
    but: str = "",
) -> list[Matrix]:
    """A matrix per mention. *Shape:* (candidates, len(FEATURES))

    `found` are the shortlists of the document's mentions. Uses in the document `but` do not
    count: when a ranker is fitted, the document itself.
    """
    shares = [1 / max(1, sum(f.is_exact for f in candidates)) for candidates in found]
    exact = defaultdict[int, float](float)  # entity -> exact matches in the document
    for share, candidates in zip(shares, found, strict=True):
        for candidate in candidates:
            exact[candidate.entity] += share * candidate.is_exact
    matrices = []
    for query, share, candidates in zip(queries, shares, found, strict=True):
        matrix = np.zeros((len(candidates), len(FEATURES)), dtype=np.float32)
        best = max((candidate.ngram for candidate in candidates), default=0.0)
        for row, candidate in enumerate(candidates):
            own = share * candidate.is_exact
            matrix[row] = (
                1.0,
                *_of_match(candidate, own, best),
                *_of_words(query, candidate.name),
                *_of_entity(query, candidate, finder, but),
                *_of_document(candidate, exact[candidate.entity] - own),
                *_of_id(finder.kb.id_at(candidate.entity)),
            )
        matrices.append(matrix)
    return matrices


def _of_match(candidate: Found, share: float, best: float) -> tuple[float, ...]:
    return (
        candidate.is_exact,
        candidate.is_exact_in_kb,
        candidate.is_preferred,
        candidate.is_verbatim,
        share,
        candidate.ngram,
        candidate.ngram**3,
        candidate.ngram_in_kb,
        best - candidate.ngram,
    )


def _of_words(query: str, name: str) -> tuple[float, ...]:
    asked = [key_of_token(token) for token in tokens_of(query)]
    listed = [key_of_token(token) for token in tokens_of(name)]
    if not asked or not listed:
        return (0.0,) * 7
    both = len(set(asked) & set(listed))
    return (
        both / len(set(asked)),
        both / len(set(listed)),
        asked[-1] == listed[-1],
        asked[0] == listed[0],
        len(listed) > len(asked),
        len(listed) < len(asked),
        abs(len(asked) - len(listed)) / 5,
    )


def _of_entity(
    query: str, candidate: Found, finder: CandidateFinder, but: str
) -> tuple[float, ...]:
    kb, id = finder.kb, finder.kb.id_at(candidate.entity)
    known = (
        log1p(kb.count_of("xrefs", candidate.entity)),
        log1p(kb.count_of("names", candidate.entity)),
    )
    if finder.used is None:
        return (*known, 0.0, 0.0, 0.0, 0.0, 0.0)
    itself = {but}
    by_name = finder.used.of_key.get(key_of(query), {})
    uses = len(by_name.get(id, frozenset()) - itself)
    all_uses = sum(len(documents - itself) for documents in by_name.values())
    entity_uses = len(finder.used.of_entity.get(id, frozenset()) - itself)
    return (
        *known,
        candidate.is_used,
        log1p(entity_uses),
        entity_uses > 0,
        log1p(uses),
        uses / all_uses if all_uses else 0.0,
    )


def _of_document(candidate: Found, elsewhere: float) -> tuple[float, ...]:
    return min(elsewhere, 3.0), (elsewhere > 0.4) and not candidate.is_exact


def _of_id(id: str) -> tuple[float, ...]:
    return id.startswith("OMIM:"), id.startswith("MESH:C")
