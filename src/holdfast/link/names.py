"""The first linker: a mention's words against the names of the knowledge base.

Exact matches first, then names that look alike. A short form that the document defines is
looked up by its long form. Scores order candidates and lie in [0, 1]; they are not calibrated.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

from holdfast import types
from holdfast.document import NIL, Candidate, Document, Evidence, Mention
from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking.wording import exact_name
from holdfast.names.credible import SYMBOLS, is_credible
from holdfast.names.preference import preference_of_entities
from holdfast.text.abbreviations import long_forms
from holdfast.text.lines import on_one_line
from holdfast.text.tokens import hashes_of_names

_PREFERRED: Final = 1.0  # the mention is an entity's preferred name
_SYNONYM: Final = 0.95
_LATER_VOCABULARY: Final = 0.9  # times the score, for each vocabulary preferred to this one
_ALIKE: Final = 0.9  # times the cosine, for names that only look alike
_NEXT: Final = 0.99  # times the score before it, at most
_LOOK_ALIKES: Final = 20
_LISTED: Final = 0.3  # the least cosine of a candidate


@dataclass(frozen=True, slots=True)
class _Scored:
    """An entity with the name that speaks for it."""

    entity: int
    name_row: int
    score: float


class NameLinker:
    """Links each mention by its words alone."""

    def __init__(
        self,
        kb: KnowledgeBase,
        *,
        only: Collection[str] | None = None,
        top: int = 5,
        likeness: float = 0.7,
    ) -> None:
        """Links to entities of the types `only`, by default of all.

        A name that only looks like a mention must do so with a cosine of at least `likeness`;
        where none does, the answer is NIL, and the candidates say what came nearest.
        """
        self._kb = kb
        self._wanted = types.mask_of(only)
        self._top = top
        self._likeness = likeness
        self._preference = preference_of_entities(kb)
        self._find = lru_cache(maxsize=1 << 13)(self._find_candidates)

    def __call__(self, document: Document) -> Document:
        """The document with candidates and ids for every mention."""
        meant = long_forms(document.text)
        return document.with_mentions(
            self._link(mention, on_one_line(document.text_of(mention)), meant)
            for mention in document.mentions
        )

    def _link(self, mention: Mention, surface: str, meant: Mapping[str, str]) -> Mention:
        long = meant.get(surface)
        candidates = self._find(long or surface, mention.type)
        if long is not None:
            said = Evidence("abbreviation", f"{surface} is defined as “{long}”")
            candidates = tuple(replace(c, evidence=(said, *c.evidence)) for c in candidates)
            candidates = candidates or self._find(surface, mention.type)
        is_linked = bool(candidates) and self._is_good(candidates[0])
        ids = (candidates[0].entity_id,) if is_linked else (NIL,)
        return replace(mention, candidates=candidates, ids=ids)

    def _is_good(self, best: Candidate) -> bool:
        return best.evidence[-1].kind == "exact" or best.score >= _ALIKE * self._likeness

    def _find_candidates(self, text: str, type: str) -> tuple[Candidate, ...]:
        wanted = np.uint32(types.mask_of_mention(type, self._wanted))
        if exact := self._exact(text, wanted):
            return tuple(self._candidate(scored, "exact") for scored in exact[: self._top])
        alike = self._alike(text, wanted)
        return tuple(self._candidate(scored, "ngram") for scored in alike[: self._top])

    def _exact(self, text: str, wanted: np.uint32) -> list[_Scored]:
        """Entities of this name, by vocabulary; the more there are in one, the lower the score."""
        start, end = self._kb.exact.ranges(hashes_of_names([text]))
        rows = self._kb.exact.rows[start[0] : end[0]].tolist()
        names = self._name_of_entity(text, rows, wanted)
        vocabulary = {entity: int(self._preference[entity]) for entity in names}
        place = {rank: i for i, rank in enumerate(sorted(set(vocabulary.values())))}
        result = list[_Scored]()
        for entity in sorted(names, key=lambda e: (vocabulary[e], *self._rank(e, names[e]))):
            rivals = sum(rank == vocabulary[entity] for rank in vocabulary.values())
            score = _PREFERRED if self._leads(names[entity]) else _SYNONYM
            score *= _LATER_VOCABULARY ** place[vocabulary[entity]] / rivals**0.5
            if result:  # the order is a decision: no two share a score
                score = min(score, _NEXT * result[-1].score)
            result.append(_Scored(entity, names[entity], score))
        return result

    def _alike(self, text: str, wanted: np.uint32) -> list[_Scored]:
        """Entities with a name that resembles the text, the most alike first."""
        matches = self._kb.ngrams.search([text], _LOOK_ALIKES, least=_LISTED)
        found = dict[int, tuple[float, int]]()
        for row, cosine in zip(matches.rows[0].tolist(), matches.scores[0].tolist(), strict=True):
            if row < 0 or cosine < _LISTED:
                break
            entity = int(self._kb.entity_of_name[row])
            if self._kb.type_mask[entity] & wanted:
                found.setdefault(entity, (cosine, row))
        result = list[_Scored]()
        for entity, (cosine, row) in sorted(
            found.items(), key=lambda item: (-item[1][0], self._preference[item[0]], item[0])
        ):
            score = _ALIKE * cosine
            score = min(score, _NEXT * result[-1].score) if result else score
            result.append(_Scored(entity, row, score))
        return result

    def _name_of_entity(self, text: str, rows: list[int], wanted: np.uint32) -> dict[int, int]:
        """Each entity's first name among the rows, of those meant by the text if any is."""
        names: dict[int, int] = {}
        meant: dict[int, int] = {}
        for row in sorted(rows):
            entity = int(self._kb.entity_of_name[row])
            mask = self._kb.type_mask[entity]
            if mask & wanted:
                names.setdefault(entity, row)
                if is_credible(text, self._kb.name_at(row), is_symbol=bool(mask & SYMBOLS)):
                    meant.setdefault(entity, row)
        return meant or names

    def _rank(self, entity: int, name_row: int) -> tuple[bool, int, int]:
        """Within one vocabulary: preferred names first, then what others refer to most."""
        return not self._leads(name_row), -self._kb.count_of("xrefs", entity), entity

    def _leads(self, name_row: int) -> bool:
        """Whether it is its entity's preferred name."""
        return int(self._kb.first_name[self._kb.entity_of_name[name_row]]) == name_row

    def _candidate(self, scored: _Scored, kind: str) -> Candidate:
        name = self._kb.name_at(scored.name_row)
        if kind == "exact":
            leads = self._leads(scored.name_row)
            why = Evidence("exact", exact_name(self._kb, scored.entity, name, is_preferred=leads))
        else:
            cosine, origin = scored.score / _ALIKE, self._kb.origin_of(scored.entity, name)
            why = Evidence("ngram", f"looks like {origin} “{name}”", round(cosine, 4))
        return Candidate(
            entity_id=self._kb.id_at(scored.entity),
            name=name,
            label=self._kb.label_at(scored.entity),
            score=round(scored.score, 4),
            evidence=(why,),
        )
