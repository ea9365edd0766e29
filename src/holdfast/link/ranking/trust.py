"""How far "none of these" is believed where a name equals the mention.

A ranker learns from annotated documents how often none of the candidates is meant. That says
nothing of types and vocabularies that those documents never link to, and it is too doubtful of
preferred names that mean one thing only. docs/ranking.md has the figures behind the constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking.equivalents import Group
from holdfast.link.ranking.found import Found
from holdfast.names.credible import SYMBOLS, is_credible, may_name
from holdfast.text.tokens import hashes_of_names
from holdfast.types import DISEASE, PHENOTYPE, SPECIES, mask_of

# Of the names that training documents link: what a type, and a vocabulary for that type, must
# have for the documents to say something of it.
_OF_TYPE: Final = 0.02
_OF_VOCABULARY: Final = 0.002

_ORGANISMS: Final = np.uint32(mask_of([SPECIES]))
_UNTAUGHT: Final = 0.1
"""The highest probability of none where a name equals the mention and training knows no better."""

_OWN_NAME: Final = 2 / 3
"""Times the odds of none, where a preferred name equals the mention and means one thing only."""

_SECONDED: Final = 1 / 3
"""Times the odds of none, where a vocabulary that training does not link to has that name too."""

_CONDITIONS: Final = np.uint32(mask_of([DISEASE, PHENOTYPE]))

Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]


def taught_entities(kb: KnowledgeBase, used: Rows | None) -> Flags:
    """Which entities are of a type and a vocabulary that training documents link to.

    `used`: the entity of every name in them, -1 where it is not in the knowledge base; None if
    that is not known, and then every entity counts as taught. Organisms never do: documents
    link to a dozen of them, and the names of all others are ruled by codes. *Shape:* (entities,)
    """
    if used is None:
        return np.ones(len(kb), dtype=bool)
    taught = np.zeros(len(kb), dtype=bool)
    rows = used[used >= 0]
    mask = kb.type_mask[rows]
    for bit in range(32):
        flag = np.uint32(1 << bit)
        sources = kb.source_of[rows[mask == flag]]  # of entities with no other type
        if len(sources) < max(1, _OF_TYPE * len(rows)):
            continue
        is_type = kb.type_mask & flag != 0
        for source, count in zip(*np.unique(sources, return_counts=True), strict=True):
            if count >= _OF_VOCABULARY * len(rows):
                taught |= is_type & (kb.source_of == source)
    taught &= kb.type_mask & _ORGANISMS == 0
    return taught


def passed_over_entities(kb: KnowledgeBase, used: Rows | None, taught: Flags) -> Flags:
    """Which entities training documents pass over for an equivalent of a vocabulary they prefer.

    Such an entity was never right in training, whatever its names; `used` as in
    `taught_entities`. *Shape:* (entities,)
    """
    passed_over = np.zeros(len(kb), dtype=bool)
    if used is None or len(kb.sources) < 2:
        return passed_over
    uses = np.bincount(kb.source_of[used[used >= 0]], minlength=len(kb.sources))
    pairs = kb.equivalent_rows()
    for entity, other in (pairs.T, pairs.T[::-1]):
        is_preferred = uses[kb.source_of[other]] > uses[kb.source_of[entity]]
        passed_over[entity[is_preferred & taught[other]]] = True
    return passed_over


class NilShift:
    """Shifts probability from "none of these" to names that equal the mention."""

    def __init__(self, kb: KnowledgeBase, *, used: Rows | None) -> None:
        """`used` as in `taught_entities`."""
        self._kb = kb
        self._type_mask = kb.type_mask
        self._is_taught = taught_entities(kb, used)
        self._is_passed_over = passed_over_entities(kb, used, self._is_taught) | ~self._is_taught
        self._is_shipped = [not source.is_own for source in kb.sources]
        self._is_seconded = lru_cache(maxsize=1 << 13)(self._has_untaught_condition)

    def shifted(
        self, query: str, found: Found, groups: Sequence[Group], shares: Sequence[float]
    ) -> list[float]:
        """The probability of each group of candidates; the shares are those of the ranker.

        What is missing to 1 is the probability of none, before and after.
        """
        named = [i for i, group in enumerate(groups) if self._is_named(query, found, group)]
        none = max(0.0, 1.0 - sum(shares))
        freed = none - self._none(query, found, [groups[i] for i in named], none)
        if freed <= 0.0:
            return list(shares)
        total = sum(shares[i] for i in named)
        result = list(shares)
        for i in named:
            result[i] += freed * (shares[i] / total if total else 1 / len(named))
        return result

    def _none(self, query: str, found: Found, named: Sequence[Group], none: float) -> float:
        """The probability of none, where these groups have the mention as a name."""
        if not named:
            return none
        if not all(self._is_taught[found.entity[list(group)]].any() for group in named):
            return min(none, _UNTAUGHT)
        odds = 1.0
        if len(named) == 1 and any(self._is_own_name(found, at) for at in named[0]):
            odds = _OWN_NAME
        if self._is_condition(found, named) and (
            self._is_elsewhere(found, named) or self._is_seconded(query)
        ):
            odds = _SECONDED
        return odds * none / (odds * none + 1.0 - none)

    def _is_elsewhere(self, found: Found, named: Sequence[Group]) -> bool:
        """Whether one thing is meant, and no entity that training may link to has this name.

        An equivalent entity, which training does link to, goes by other names: that this one
        is wrong was never learned.
        """
        if len(named) != 1:
            return False
        exact = [at for at in named[0] if found.is_exact_in_kb[at]]
        return bool(self._is_passed_over[found.entity[exact]].all())

    def _is_condition(self, found: Found, named: Sequence[Group]) -> bool:
        return all(self._type_mask[found.entity[group[0]]] & _CONDITIONS for group in named)

    def _has_untaught_condition(self, query: str) -> bool:
        """Whether a disease or phenotype of an untaught vocabulary is called so in the first place.

        A mention of a disease is not compared with phenotypes, but they tell that it is listed.
        """
        kb = self._kb
        start, end = kb.exact.ranges(hashes_of_names([query]))
        rows = kb.exact.rows[start[0] : end[0]].astype(np.int64)
        entities = kb.entity_of_name[rows]
        leads = kb.first_name[entities] == rows
        leads &= ~self._is_taught[entities] & (kb.type_mask[entities] & _CONDITIONS != 0)
        return any(is_credible(query, kb.name_at(row)) for row in rows[leads].tolist())

    def _is_named(self, query: str, found: Found, group: Group) -> bool:
        """A common word or a letter is a name only where the user's own vocabulary lists it."""
        is_word = not may_name(query)
        return any(
            found.is_exact_in_kb[at]
            and self._is_meant(query, found, at)
            and not (is_word and self._is_shipped[self._kb.source_of[found.entity[at]]])
            for at in group
        )

    def _is_meant(self, query: str, found: Found, at: int) -> bool:
        return is_credible(query, found.name[at], is_symbol=self._is_symbol(found, at))

    def _is_own_name(self, found: Found, at: int) -> bool:
        """Whether the mention is the entity's preferred name; of symbols, as it is written."""
        is_written_so = found.is_verbatim[at] or not self._is_symbol(found, at)
        return bool(found.is_preferred[at] and is_written_so)

    def _is_symbol(self, found: Found, at: int) -> bool:
        return bool(self._type_mask[found.entity[at]] & SYMBOLS)
