"""Genes of the species that a document speaks of.

Orthologues share their names: "p53" is a gene of human, mouse and rat. A linker that goes by names
says which gene is meant, and the document says of which species. Their probabilities are
multiplied.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

from holdfast import types
from holdfast.document import NIL, Candidate, Document, Evidence, Mention
from holdfast.kb.store import KnowledgeBase
from holdfast.link.species import HUMAN, Opinion, SpeciesOf
from holdfast.text.tokens import key_of

LOOKED_AT: Final = 8
"""How many candidates of a mention are looked at; the orthologues are among the first."""

# Linkers are fitted on corpora whose genes of other species no open vocabulary lists under the
# same ids, and learn to say "none of these" instead. This part of it goes back to the genes.
_FROM_NONE: Final = 0.8
_FROM_NONE_ALIKE: Final = 0.3  # where no name equals the mention
_DECIMALS: Final = 4
_EXACT: Final = ("exact", "used")  # kinds of evidence that some name is the mention's


@dataclass(frozen=True, slots=True)
class _Gene:
    """What the knowledge base says of a gene's organism."""

    taxon: str
    orthologues: frozenset[str]  # ids


_Group = dict[str, Candidate]  # the same gene, by organism


def has_species(kb: KnowledgeBase, only: Collection[str] | None) -> bool:
    """Whether links may depend on the species: genes are wanted, and their organisms are known."""
    return "in_taxon" in kb.predicates and (only is None or types.GENE in only)


class GenesBySpecies:
    """The step behind a linker after which genes are of the document's species."""

    def __init__(self, kb: KnowledgeBase, *, top: int) -> None:
        """The linker should keep LOOKED_AT candidates of a mention; `top` of them remain."""
        self._kb = kb
        self._top = top
        self._genes = types.mask_of([types.GENE])
        self._gene = lru_cache(maxsize=1 << 14)(self._describe)
        self._covered = frozenset(self._organisms())

    def __call__(self, linked: Document) -> Document:
        """The document with candidates, best first, and ids for every mention."""
        species: SpeciesOf | None = None
        mentions = list[Mention]()
        for mention in linked.mentions:
            decided = mention
            if groups := self._groups(mention):
                species = species or SpeciesOf(linked)
                decided = self._decided(mention, groups, species)
            if len(decided.candidates) > self._top:
                decided = replace(decided, candidates=decided.candidates[: self._top])
            mentions.append(decided)
        return linked.with_mentions(mentions)

    def _groups(self, mention: Mention) -> list[_Group]:
        """For each gene that the mention names: the same gene by organism, its best first.

        A mention without an id is taken for the first gene among its candidates. A gene that the
        knowledge base has of one organism only is left as it is.
        """
        genes = [(c, gene) for c in mention.candidates if (gene := self._gene(c.entity_id))]
        leaders = [(c, gene) for c, gene in genes if c.entity_id in mention.ids]
        if not leaders and len(mention.ids) < 2:
            leaders = genes[:1]
        groups = list[_Group]()
        for leader, gene in leaders:
            group = self._orthologues(leader, gene, genes)
            known = {c.entity_id for other in groups for c in other.values()}
            if len(group) > 1 and known.isdisjoint(c.entity_id for c in group.values()):
                groups.append(group)
        return groups

    def _orthologues(
        self, leader: Candidate, gene: _Gene, genes: Iterable[tuple[Candidate, _Gene]]
    ) -> _Group:
        """By taxon: the leader, its orthologues, and what ties with it by name."""
        group = {gene.taxon: leader}
        key = key_of(leader.name)
        others = [(c, other) for c, other in genes if c is not leader]
        for candidate, other in others:
            if candidate.entity_id in gene.orthologues or leader.entity_id in other.orthologues:
                group.setdefault(other.taxon, candidate)
        for candidate, other in others:
            if key_of(candidate.name) == key:
                group.setdefault(other.taxon, candidate)
        human = group.get(HUMAN)
        known = self._gene(human.entity_id) if human is not None else None
        for id in sorted(known.orthologues) if known is not None else ():
            listed = self._gene(id)
            if human is not None and listed is not None and listed.taxon not in group:
                group[listed.taxon] = self._unnamed(id, human)
        return group

    def _unnamed(self, id: str, human: Candidate) -> Candidate:
        """An orthologue that no name of its own found."""
        label = self._kb.entity(id).name
        why = Evidence("orthologue", f"orthologue of {human.label or human.entity_id}")
        return Candidate(id, human.name, 0.0, label=label, evidence=(*human.evidence, why))

    def _decided(self, mention: Mention, groups: Sequence[_Group], species: SpeciesOf) -> Mention:
        first = mention.candidates[0]
        is_one = len(mention.ids) < 2
        likeliest = dict[str, str]()  # of the group that an id belongs to
        candidates = {c.entity_id: c for c in mention.candidates}
        for group in groups:
            whole = sum(c.score for c in group.values())
            if is_one and first in group.values():
                none = max(0.0, 1.0 - sum(c.score for c in mention.candidates))
                whole += none * _given_back(first)
            opinions = species.around(mention, group, but=self._covered)
            members = [_weighed(group[o.taxon_id], whole, o) for o in opinions]
            best = max(members, key=lambda c: c.score)
            likeliest |= {c.entity_id: best.entity_id for c in members}
            candidates |= {c.entity_id: c for c in members}
        ranked = tuple(sorted(candidates.values(), key=lambda c: -c.score))
        ids = tuple(dict.fromkeys(likeliest.get(id, id) for id in mention.ids))
        if is_one:
            none = 1.0 - sum(c.score for c in ranked)
            ids = (ranked[0].entity_id if ranked[0].score > none else NIL,)
        return replace(mention, candidates=ranked, ids=ids)

    def _organisms(self) -> Iterator[str]:
        """Of whose genes the knowledge base has a vocabulary; the first of each is asked."""
        rows = np.flatnonzero(self._kb.type_mask & np.uint32(self._genes))
        _, firsts = np.unique(self._kb.source_of[rows], return_index=True)
        for row in rows[firsts].tolist():
            if (gene := self._gene(self._kb.id_at(row))) is not None:
                yield gene.taxon

    def _describe(self, id: str) -> _Gene | None:
        """None: no gene, or of unknown organism."""
        row = self._kb.row_of(id)
        if row is None or not int(self._kb.type_mask[row]) & self._genes:
            return None
        entity = self._kb.entity_at(row)
        taxa = (link.object_id for link in entity.links if link.predicate == "in_taxon")
        taxon = next(taxa, HUMAN if entity.source == "HGNC" else None)
        if taxon is None:
            return None
        links = (link.object_id for link in entity.links if link.predicate == "orthologous_to")
        return _Gene(taxon, frozenset(map(self._own_id, links)))

    def _own_id(self, id: str) -> str:
        """The knowledge base's id of a gene that another vocabulary's id names, such as MGI's."""
        if self._kb.row_of(id) is not None:
            return id
        return next(map(self._kb.id_at, self._kb.rows_with_xref(id)), id)


def _given_back(first: Candidate) -> float:
    is_exact = any(evidence.kind in _EXACT for evidence in first.evidence)
    return _FROM_NONE if is_exact else _FROM_NONE_ALIKE


def _weighed(candidate: Candidate, whole: float, opinion: Opinion) -> Candidate:
    """The candidate with its species' share of the whole."""
    likely = round(opinion.probability, _DECIMALS)
    return Candidate(
        entity_id=candidate.entity_id,
        name=candidate.name,
        score=round(min(1.0, whole * opinion.probability), _DECIMALS),
        label=candidate.label,
        evidence=(*candidate.evidence, Evidence("species", opinion.reason, likely)),
    )
