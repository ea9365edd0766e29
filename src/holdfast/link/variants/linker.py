"""Gives variants their ids: by how they are written, as no vocabulary lists them.

A number of dbSNP is its own id ("dbSNP:rs1801133"). Any other variant gets its description by HGVS
("HGVS:p.Val600Glu"), or tmVar's form where HGVS cannot be written ("tmVar:c|DEL||14"). Two
spellings of one variant get one id. docs/systems/variants.md has the rules.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from holdfast import types
from holdfast.document import NIL, Candidate, Document, Evidence, Mention
from holdfast.kb.store import KnowledgeBase
from holdfast.link.variants.genes import GeneOf, genes_of
from holdfast.link.variants.readings import ReadVariant, read_document
from holdfast.text.variants.reading import read_rs
from holdfast.text.variants.spans import find_variants

_EXACT: Final = ("exact", "used", "rule")  # kinds of evidence that a vocabulary lists the mention
_LONGEST: Final = 200  # characters of a mention without a type that may be a variant
_DECIMALS: Final = 4


class VariantLinker:
    """A step behind a linker: links mentions of type Variant, given or found."""

    def __init__(self, *, untyped: bool, top: int) -> None:
        """`untyped`: also mentions without a type that are written like a variant."""
        self._untyped = untyped
        self._top = top

    def __call__(self, document: Document) -> Document:
        """The document with ids for its variants; NIL for those that cannot be read."""
        places = [
            place
            for place, mention in enumerate(document.mentions)
            if self._is_variant(mention, document)
        ]
        if not places:
            return document
        mentions = list(document.mentions)
        variants = [mentions[place] for place in places]
        read = read_document(document, variants)
        genes = genes_of(document, variants)
        for place, parts, gene in zip(places, read, genes, strict=True):
            mentions[place] = self._linked(document, mentions[place], parts, gene)
        return document.with_mentions(mentions)

    def _is_variant(self, mention: Mention, document: Document) -> bool:
        """Whether to link it here: a name that some vocabulary lists is what that says."""
        if mention.is_linked and _is_listed(mention):
            return False
        if types.canonical_type(mention.type) == types.VARIANT:
            return True
        if mention.type or not self._untyped or mention.end - mention.start > _LONGEST:
            return False
        text = document.text_of(mention)
        return read_rs(text) is not None or [*find_variants(text)] == [(0, len(text))]

    def _linked(
        self,
        document: Document,
        mention: Mention,
        parts: Sequence[ReadVariant],
        gene: GeneOf | None,
    ) -> Mention:
        if not parts:
            return replace(mention, ids=(NIL,), candidates=())
        surface = " ".join(document.text_of(mention).split())
        ranked = {c.entity_id: c for part in parts for c in _candidates(part, surface, gene)}
        ids = tuple(dict.fromkeys(part.id for part in parts))
        best = sorted(ranked.values(), key=lambda c: (c.entity_id not in ids, -c.score))
        return replace(mention, ids=ids, candidates=tuple(best[: max(self._top, len(ids))]))


def variant_linker(
    kb: KnowledgeBase, *, only: Collection[str] | None, top: int
) -> VariantLinker | None:
    """The step; None if variants are not asked for.

    Mentions without a type are read as variants where the knowledge base has genes.
    """
    if only is not None and types.VARIANT not in only:
        return None
    genes = np.uint32(types.mask_of([types.GENE]))
    return VariantLinker(untyped=bool(np.any(kb.type_mask[:] & genes)), top=top)


def _is_listed(mention: Mention) -> bool:
    return any(
        evidence.kind in _EXACT
        for candidate in mention.candidates
        if candidate.entity_id in mention.ids
        for evidence in candidate.evidence
    )


def _candidates(read: ReadVariant, surface: str, gene: GeneOf | None) -> Iterator[Candidate]:
    """The variant, then what it may be instead; one that dbSNP numbers also by its description."""
    told = tuple(_evidence(read, surface, gene))
    label = read.rs or read.name
    yield Candidate(read.id, read.name, read.score, label=label, evidence=told)
    others = [(other, f"“{surface}” could be read as it") for other in read.others]
    if read.rs and read.variant is not None:
        others.insert(0, (read.variant, f"the same variant as {read.rs}"))
    for other, why in others:
        evidence = (Evidence("variant", why), Evidence("tmvar", other.tmvar))
        share = round((1.0 - read.score) / len(others), _DECIMALS)
        name = other.hgvs or other.tmvar
        yield Candidate(other.id, name, share, label=name, evidence=evidence)


def _evidence(read: ReadVariant, surface: str, gene: GeneOf | None) -> Iterator[Evidence]:
    if read.variant is None:
        yield Evidence("variant", f"{read.name} is a number of dbSNP")
    else:
        why = f", {read.reason}" if read.reason else ""
        yield Evidence("variant", f"“{surface}” is read as {read.name}{why}")
        yield Evidence("tmvar", read.variant.tmvar)
    if read.rs:
        yield Evidence("dbsnp", f"{read.rs}, as the text says: “{read.equated}”")
    if gene is not None:
        yield Evidence("gene", f"{gene.id} “{gene.text}”, {gene.reason}")
