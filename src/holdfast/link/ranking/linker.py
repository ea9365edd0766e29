"""The learned linker: candidates by name, ordered by what was learned from annotated documents.

A mention's probability is shared among its candidates and "none of these". Entities of several
vocabularies that mean the same are one candidate. A mention that names several things ("breast
and ovarian cancer") is also read in parts, and gets an id for each part where that is the better
reading.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Final

from holdfast import artifacts, types
from holdfast.blocks import in_blocks
from holdfast.document import NIL, Candidate, Document, Evidence, Mention
from holdfast.errors import ArtifactError
from holdfast.kb.store import KnowledgeBase
from holdfast.link.describe import describe
from holdfast.link.ranking import used_names
from holdfast.link.ranking.candidates import CandidateFinder
from holdfast.link.ranking.equivalents import Equivalents, Group
from holdfast.link.ranking.features import FeatureMaker, Matrix, Texts
from holdfast.link.ranking.found import Found
from holdfast.link.ranking.queries import Query, queries_of
from holdfast.link.ranking.ranker import KIND, VERSION, Ranker
from holdfast.link.ranking.trust import NilShift
from holdfast.link.ranking.used_names import UsedNames
from holdfast.names.recent import Recent
from holdfast.names.unindexed import NameVectors
from holdfast.text.composites import split_composite
from holdfast.text.lines import on_one_line

_DECIMALS: Final = 4
_KEPT: Final = 1 << 13  # queries whose candidates are remembered
_BATCH: Final = 64  # documents


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is looked up for a document: its mentions, then the parts of those that have any."""

    queries: Sequence[Query]
    wanted: Sequence[int]  # the types that each may have, as bits
    parts: Sequence[slice]  # of each mention, among the queries


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """What does not depend on the document: a query's candidates, and what is said of them."""

    found: Found
    matrix: Matrix
    linked: frozenset[tuple[int, int]]  # places of candidates that refer to each other
    described: dict[Group, Candidate] = field(default_factory=dict)  # without scores


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """A query's candidates, best first, with their probabilities."""

    query: str
    known: _Known
    groups: Sequence[Group]  # candidates that mean the same
    probabilities: Sequence[float]  # of each group

    @property
    def none(self) -> float:
        """The probability of "none of these"."""
        return 1.0 - sum(self.probabilities)

    @property
    def best(self) -> float:
        return self.probabilities[0] if self.probabilities else 0.0

    @property
    def is_linked(self) -> bool:
        return self.best > self.none


class RankedLinker:
    """Links all mentions of a document at once: what one is can tell what another is."""

    def __init__(
        self,
        kb: KnowledgeBase,
        *,
        ranker: Ranker,
        used: UsedNames | None = None,
        dense: NameVectors | None = None,
        only: Collection[str] | None = None,
        top: int = 5,
        without: Collection[str] = (),
        digest: str = "",
    ) -> None:
        """`dense` has the vectors of the knowledge base's names, if the ranker was fitted with one.

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
        entities = self._finder.entity_of_used
        self._trust = NilShift(kb, used=entities)
        self._equivalents = Equivalents(kb, self._maker.preference, used=entities)
        self._ranker = ranker
        self._wanted = types.mask_of(only)
        self._top = top
        self._recent = Recent[tuple[str, int], _Known](_KEPT)

    @classmethod
    def open(
        cls,
        model: Path,
        kb: KnowledgeBase,
        *,
        dense: NameVectors | None = None,
        only: Collection[str] | None = None,
        top: int = 5,
    ) -> RankedLinker:
        """With a model folder that `holdfast train` wrote, and the encoder it was fitted with."""
        manifest = artifacts.read_manifest(model, kind=KIND, version=VERSION)
        artifacts.verify(model, manifest)
        expected = (manifest.config["encoder"] or {}).get("digest")
        if expected != (dense.encoder.digest if dense is not None else None):
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
        return self._link([document])[0]

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Many documents, in order; several times faster than one at a time."""
        for block in in_blocks(documents, _BATCH):
            yield from self._link(block)

    def _link(self, documents: Sequence[Document]) -> list[Document]:
        asked = [self._asked(document) for document in documents]
        ranked = iter(self._rank(asked, [document.text for document in documents]))
        linked = []
        for document, of_document in zip(documents, asked, strict=True):
            found = list(islice(ranked, len(of_document.queries)))
            linked.append(
                document.with_mentions(
                    self._linked(
                        mention, on_one_line(document.text_of(mention)), whole, found[parts]
                    )
                    for mention, whole, parts in zip(
                        document.mentions, found, of_document.parts, strict=False
                    )
                )
            )
        return linked

    def _asked(self, document: Document) -> _Asked:
        queries = queries_of(document, abbreviations="abbreviations" not in self._without)
        wanted = [types.mask_of_mention(m.type, self._wanted) for m in document.mentions]
        parts = list[slice]()
        for query, mask in list(zip(queries, wanted, strict=True)):
            named = () if "composites" in self._without else split_composite(query.text)
            start = len(queries)
            if len(named) > 1:
                queries += [Query(part, query.near) for part in named]
                wanted += [mask] * len(named)
            parts.append(slice(start, len(queries)))
        return _Asked(queries, wanted, parts)

    def _rank(self, asked: Sequence[_Asked], texts: Sequence[str]) -> list[_Ranked]:
        """Of every query of the documents, one document after the other."""
        queries = [query for of_document in asked for query in of_document.queries]
        wanted = [mask for of_document in asked for mask in of_document.wanted]
        known = self._describe([query.text for query in queries], wanted)
        matrices = self._maker.add_documents(
            [of_query.matrix for of_query in known],
            queries,
            [of_query.found for of_query in known],
            Texts(texts, [len(of_document.queries) for of_document in asked]),
        )
        shares = self._ranker.probabilities(matrices)
        return [
            self._ordered(query.text, of_query, probabilities)
            for query, of_query, probabilities in zip(queries, known, shares, strict=True)
        ]

    def _ordered(self, query: str, known: _Known, probabilities: Sequence[float]) -> _Ranked:
        """The candidates by concept: what the members of a group share is the group's."""
        order = sorted(range(len(probabilities)), key=lambda at: -probabilities[at])
        groups = self._equivalents.groups(known.found.entity, order, known.linked)
        shares = [sum(probabilities[at] for at in group) for group in groups]
        shares = self._trust.shifted(query, known.found, groups, shares)
        best = sorted(range(len(groups)), key=lambda i: -shares[i])
        return _Ranked(query, known, [groups[i] for i in best], [shares[i] for i in best])

    def _describe(self, texts: Sequence[str], wanted: Sequence[int]) -> list[_Known]:
        """Remembered, since names come again and again."""
        keys = list(zip(texts, wanted, strict=True))
        known = self._recent.known(keys)
        new = list(dict.fromkeys(key for key in keys if key not in known))
        if new:
            asked = [text for text, _ in new]
            found = self._finder.find(asked, wanted=[mask for _, mask in new])
            matrices = self._maker.of_queries(asked, found)
            described = {
                # Copies: a row that is kept must not keep the whole batch in memory.
                key: _Known(candidates, matrix.copy(), self._equivalents.linked(candidates.entity))
                for key, candidates, matrix in zip(new, found, matrices, strict=True)
            }
            self._recent.keep(described)
            known |= described
        return [known[key] for key in keys]

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
        ids = (candidates[0].entity_id,) if whole.is_linked else (NIL,)
        return replace(mention, candidates=tuple(candidates), ids=ids)

    def _candidates(self, ranked: _Ranked, said: Sequence[Evidence]) -> Iterator[Candidate]:
        described = ranked.known.described
        for group, score in zip(ranked.groups[: self._top], ranked.probabilities, strict=False):
            if group not in described:
                described[group] = describe(self._kb, ranked.known.found, group)
            bare = described[group]
            yield Candidate(
                entity_id=bare.entity_id,
                name=bare.name,
                label=bare.label,
                score=round(min(1.0, score), _DECIMALS),
                evidence=(*said, *bare.evidence) if said else bare.evidence,
            )


def _are_better(parts: Sequence[_Ranked], whole: _Ranked) -> bool:
    """Whether the parts are a better reading: all are linked, each more surely than the whole."""
    if len(parts) < 2 or whole.known.found.is_exact.any():  # who knows the whole means the whole
        return False
    if not all(part.is_linked for part in parts):
        return False
    if len({_first(part) for part in parts}) < 2:
        return False
    return min(part.best for part in parts) > whole.best


def _first(ranked: _Ranked) -> int:
    return int(ranked.known.found.entity[ranked.groups[0][0]])


def _part(ranked: _Ranked) -> Evidence:
    return Evidence("part", f"read as “{ranked.query}”")


def _abbreviation(surface: str, query: str) -> Evidence:
    return Evidence("abbreviation", f"{surface} is defined as “{query}”")
