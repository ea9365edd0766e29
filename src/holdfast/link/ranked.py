"""The learned linker: candidates by name, ordered by what was learned from annotated documents.

A mention's probability is shared among its candidates and "none of these". A mention that names
several things ("breast and ovarian cancer") is also read in parts, and gets an id for each part
where that is the better reading.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from holdfast import artifacts, types
from holdfast.document import NIL, Candidate, Document, Evidence, Mention
from holdfast.errors import ArtifactError
from holdfast.kb.store import KnowledgeBase
from holdfast.link import used_names
from holdfast.link.candidates import CandidateFinder, Found
from holdfast.link.features import FeatureMaker, Matrix
from holdfast.link.queries import Query, queries_of
from holdfast.link.ranker import KIND, VERSION, Ranker
from holdfast.link.used_names import UsedNames
from holdfast.names.dense import DenseIndex
from holdfast.text.composites import split_composite
from holdfast.types import canonical_type

_DECIMALS: Final = 4
_KEPT: Final = 1 << 15  # queries whose candidates are remembered


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """A query's candidates, best first, with their probabilities."""

    query: str
    found: Found
    order: Sequence[int]  # places in `found`
    probabilities: Sequence[float]  # in this order
    none: float  # the probability of "none of these"

    @property
    def best(self) -> float:
        return self.probabilities[0] if self.probabilities else 0.0

    @property
    def is_linked(self) -> bool:
        return self.best > self.none


class RankedLinker:
    """Links the mentions of a document together: what one is can tell what another is."""

    def __init__(
        self,
        kb: KnowledgeBase,
        *,
        ranker: Ranker,
        used: UsedNames | None = None,
        dense: DenseIndex | None = None,
        only: Collection[str] | None = None,
        top: int = 5,
        without: Collection[str] = (),
        digest: str = "",
    ) -> None:
        """`dense` is the index of the knowledge base's names, if the ranker was fitted with one.

        `without` names PARTS of the ranker that it was fitted without. `digest` identifies the
        model folder, for those who report what they measured with.
        """
        self.digest = digest
        self._kb = kb
        self._without = frozenset(without)
        self._finder = CandidateFinder(kb, used=used, dense=dense, ngrams="ngram" not in without)
        self._maker = FeatureMaker(
            self._finder, memory="memory" not in without, context="context" not in without
        )
        self._is_foreign = used is not None and not any(id in kb for id in used.entity_ids)
        self._ranker = ranker
        self._wanted = types.mask_of(only)
        self._top = top
        self._known: dict[tuple[str, int], tuple[Found, Matrix]] = {}

    @classmethod
    def open(
        cls,
        model: Path,
        kb: KnowledgeBase,
        *,
        dense: DenseIndex | None = None,
        only: Collection[str] | None = None,
        top: int = 5,
    ) -> RankedLinker:
        """With a model folder that `holdfast train` wrote, and the encoder it was fitted with."""
        manifest = artifacts.read_manifest(model, kind=KIND, version=VERSION)
        artifacts.verify(model, manifest)
        if manifest.config["encoder"] != (dense.encoder.digest if dense else ""):
            raise ArtifactError(f"{model}: was fitted with another name encoder; train it again")
        used = UsedNames.open(model) if used_names.FILE in manifest.files else None
        ranker = Ranker.read(model)
        return cls(
            kb,
            ranker=ranker,
            used=used,
            dense=dense,
            only=only,
            top=top,
            without=manifest.config["without"],
            digest=manifest.digest,
        )

    def __call__(self, document: Document) -> Document:
        """The document with candidates, best first, and ids for every mention."""
        wholes = queries_of(document, abbreviations="abbreviations" not in self._without)
        masks = [self._mask_of(mention.type) for mention in document.mentions]
        queries, wanted = list(wholes), list(masks)
        places = list[range]()  # of each mention's parts among the queries
        for query, mask in zip(wholes, masks, strict=True):
            parts = () if "composites" in self._without else split_composite(query.text)
            start = len(queries)
            if len(parts) > 1:
                queries += [Query(part, query.near) for part in parts]
                wanted += [mask] * len(parts)
            places.append(range(start, len(queries)))
        ranked = self._rank(queries, wanted, document.text)
        return document.with_mentions(
            self._linked(mention, document.text_of(mention), whole, [ranked[i] for i in parts])
            for mention, whole, parts in zip(
                document.mentions, ranked[: len(wholes)], places, strict=True
            )
        )

    def rank_strings(self, texts: Sequence[str]) -> Iterator[tuple[Candidate, ...]]:
        """The candidates of strings that stand in no document, one string at a time."""
        described = self._describe(texts, [self._wanted] * len(texts))
        for text, (found, matrix) in zip(texts, described, strict=True):
            probabilities = self._ranker.probabilities(matrix).tolist()
            yield tuple(self._candidates(_ordered(text, found, probabilities), []))

    def _mask_of(self, type: str) -> int:
        canonical = canonical_type(type)
        own = types.mask_of([canonical]) if canonical in types.TYPES else types.mask_of(None)
        return own & self._wanted

    def _rank(self, queries: Sequence[Query], wanted: Sequence[int], text: str) -> list[_Ranked]:
        described = self._describe([query.text for query in queries], wanted)
        found = [candidates for candidates, _ in described]
        matrices = self._maker.add_document(
            [matrix for _, matrix in described], queries, found, text
        )
        return [
            _ordered(query.text, candidates, self._ranker.probabilities(matrix).tolist())
            for query, candidates, matrix in zip(queries, found, matrices, strict=True)
        ]

    def _describe(self, texts: Sequence[str], wanted: Sequence[int]) -> list[tuple[Found, Matrix]]:
        """What does not depend on the document; remembered, since names come again and again."""
        keys = list(zip(texts, wanted, strict=True))
        new = list(dict.fromkeys(key for key in keys if key not in self._known))
        if len(self._known) + len(new) > _KEPT:
            self._known.clear()
            new = list(dict.fromkeys(keys))
        found = self._finder.find([t for t, _ in new], wanted=[mask for _, mask in new])
        for key, candidates in zip(new, found, strict=True):
            self._known[key] = candidates, self._maker.of_query(key[0], candidates)
        return [self._known[key] for key in keys]

    def _linked(
        self, mention: Mention, surface: str, whole: _Ranked, parts: Sequence[_Ranked]
    ) -> Mention:
        said = [] if surface == whole.query else [_abbreviation(surface, whole.query)]
        if _are_better(parts, whole):
            candidates = [c for part in parts for c in self._candidates(part, [*said, _part(part)])]
            candidates.sort(key=lambda candidate: -candidate.score)
            best = {c.entity_id: c for c in reversed(candidates)}
            firsts = dict.fromkeys(self._kb.id_at(_first(part)) for part in parts)
            ranked = sorted(best.values(), key=lambda c: (c.entity_id not in firsts, -c.score))
            ordered = sorted(ranked[: self._top], key=lambda c: -c.score)
            return replace(mention, candidates=tuple(ordered), ids=tuple(firsts))
        candidates = list(self._candidates(whole, said))
        # What "none of these" was learned from says little of a vocabulary that no document of
        # the training used: there, a name that equals the mention is taken at its word.
        is_named = self._is_foreign and bool(whole.order) and whole.found.is_exact[whole.order[0]]
        ids = (candidates[0].entity_id,) if whole.is_linked or is_named else (NIL,)
        return replace(mention, candidates=tuple(candidates), ids=ids)

    def _candidates(self, ranked: _Ranked, said: Sequence[Evidence]) -> Iterator[Candidate]:
        for at, score in zip(ranked.order[: self._top], ranked.probabilities, strict=False):
            entity = int(ranked.found.entity[at])
            yield Candidate(
                entity_id=self._kb.id_at(entity),
                name=ranked.found.name[at],
                label=self._kb.label_at(entity),
                score=round(min(1.0, score), _DECIMALS),
                evidence=(*said, *self._why(ranked.found, at)),
            )

    def _why(self, found: Found, at: int) -> Iterator[Evidence]:
        """What the candidate's best name has in common with the mention."""
        name = found.name[at]
        source = self._kb.sources[int(self._kb.source_of[found.entity[at]])].name
        if found.is_exact[at] and found.is_used[at]:
            yield Evidence("used", f"“{name}” is used for it")
        elif found.is_exact[at]:
            role = "name" if found.is_preferred[at] else "synonym"
            yield Evidence("exact", f"{source} {role} “{name}”")
        else:
            origin = "the used name" if found.is_used[at] else source
            likeness = {
                Evidence("ngram", f"looks like {origin} “{name}”", _rounded(found.ngram[at])),
                Evidence("dense", f"means like {origin} “{name}”", _rounded(found.dense[at])),
            }
            yield from sorted(
                (e for e in likeness if e.score), key=lambda e: (-(e.score or 0), e.kind)
            )


def _ordered(query: str, found: Found, probabilities: Sequence[float]) -> _Ranked:
    order = np.argsort(-np.array(probabilities), kind="stable").tolist()
    none = 1.0 - sum(probabilities)
    return _Ranked(query, found, order, [probabilities[i] for i in order], none)


def _are_better(parts: Sequence[_Ranked], whole: _Ranked) -> bool:
    """Whether the parts are a better reading: all are linked, each more surely than the whole."""
    if len(parts) < 2 or whole.found.is_exact.any():  # who knows the whole means the whole
        return False
    if not all(part.is_linked for part in parts):
        return False
    if len({_first(part) for part in parts}) < 2:
        return False
    return min(part.best for part in parts) > whole.best


def _first(ranked: _Ranked) -> int:
    return int(ranked.found.entity[ranked.order[0]])


def _rounded(value: np.float32) -> float:
    return round(float(value), _DECIMALS)


def _part(ranked: _Ranked) -> Evidence:
    return Evidence("part", f"read as “{ranked.query}”")


def _abbreviation(surface: str, query: str) -> Evidence:
    return Evidence("abbreviation", f"{surface} is defined as “{query}”")
