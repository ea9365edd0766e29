"""The ranked linker: candidates by name, ordered by what was learned from annotated documents."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from holdfast import artifacts, types
from holdfast.document import NIL, Candidate, Document, Evidence, Mention
from holdfast.kb.store import KnowledgeBase
from holdfast.link import used_names
from holdfast.link.candidates import CandidateFinder, Found
from holdfast.link.features import features_of_document, shortlist
from holdfast.link.ranker import KIND, VERSION, Ranker
from holdfast.link.used_names import UsedNames, written_out
from holdfast.text.abbreviations import long_forms

_DECIMALS: Final = 4


class RankedLinker:
    """Links the mentions of a document together: what one is can tell what another is."""

    def __init__(
        self,
        kb: KnowledgeBase,
        *,
        ranker: Ranker,
        used: UsedNames | None = None,
        only: Collection[str] | None = None,
        top: int = 5,
        digest: str = "",
    ) -> None:
        """`digest` identifies the model folder, for those who report what they measured with."""
        self.digest = digest
        self._finder = CandidateFinder(kb, wanted=types.mask_of(only), used=used)
        self._ranker = ranker
        self._top = top

    @classmethod
    def open(
        cls, model: Path, kb: KnowledgeBase, *, only: Collection[str] | None = None, top: int = 5
    ) -> RankedLinker:
        """With a model folder that `holdfast train` wrote."""
        manifest = artifacts.read_manifest(model, kind=KIND, version=VERSION)
        artifacts.verify(model, manifest)
        used = UsedNames.open(model) if used_names.FILE in manifest.files else None
        ranker = Ranker.read(model)
        return cls(kb, ranker=ranker, used=used, only=only, top=top, digest=manifest.digest)

    def __call__(self, document: Document) -> Document:
        """The document with candidates, best first, and ids for every mention."""
        surfaces = [document.text_of(mention) for mention in document.mentions]
        meant = long_forms(document.text)
        queries = [written_out(surface, meant) for surface in surfaces]
        found = [shortlist(candidates) for candidates in self._finder.find(queries)]
        matrices = features_of_document(queries, found, self._finder)
        mentions = []
        for mention, surface, query, candidates, matrix in zip(
            document.mentions, surfaces, queries, found, matrices, strict=True
        ):
            probabilities = self._ranker.probabilities(matrix).tolist()
            said = [] if surface == query else [_abbreviation(surface, query)]
            mentions.append(self._linked(mention, candidates, probabilities, said))
        return document.with_mentions(mentions)

    def _linked(
        self,
        mention: Mention,
        found: Sequence[Found],
        probabilities: Sequence[float],
        said: list[Evidence],
    ) -> Mention:
        order = np.argsort(-np.array(probabilities), kind="stable")[: self._top].tolist()
        candidates = tuple(self._candidate(found[i], probabilities[i], said) for i in order)
        none = 1.0 - sum(probabilities)
        is_linked = bool(candidates) and probabilities[order[0]] > none
        ids = (candidates[0].entity_id,) if is_linked else (NIL,)
        return replace(mention, candidates=candidates, ids=ids)

    def _candidate(self, found: Found, score: float, said: list[Evidence]) -> Candidate:
        kb = self._finder.kb
        source = kb.sources[int(kb.source_of[found.entity])].name
        if found.is_exact and not found.is_used:
            role = "name" if found.is_preferred else "synonym"
            why = Evidence("exact", f"{source} {role} “{found.name}”")
        elif found.is_exact:
            why = Evidence("used", f"“{found.name}” is used for it")
        else:
            likeness = round(found.ngram, _DECIMALS)
            why = Evidence("ngram", f"looks like {source} “{found.name}”", likeness)
        return Candidate(
            entity_id=kb.id_at(found.entity),
            name=found.name,
            label=kb.label_at(found.entity),
            score=round(min(1.0, score), _DECIMALS),
            evidence=(*said, why),
        )


def _abbreviation(surface: str, query: str) -> Evidence:
    return Evidence("abbreviation", f"{surface} is defined as “{query}”")
