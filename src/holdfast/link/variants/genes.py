"""The gene that a variant belongs to, where the text says so: "BRAF V600E", "T790M in EGFR"."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from holdfast.document import NIL, Document, Mention
from holdfast.text.sentences import split_sentences
from holdfast.types import GENE, canonical_type

_KINDS: Final = (
    r"(?:gene|protein|receptor|promoter|mutation|mutant|mutated|variant|polymorphism|allele"
    r"|substitution|missense|deletion|codon|SNP|kinase)s?"
)
_BEFORE: Final = re.compile(rf"[\s(:/–-]{{0,3}}(?:{_KINDS}[\s(:,]{{1,2}}){{0,3}}(?:p\.|c\.)?")
_AFTER: Final = re.compile(
    rf"\)?[\s-]?(?:{_KINDS}[\s-]){{0,2}}"
    rf"|\)?\s?(?:{_KINDS}\s|\w+\s){{0,3}}?(?:of|in|within|on)\s(?:the\s|human\s|exon\s\d+\sof\s)*"
)
_LIST: Final = re.compile(r"\s?(?:,|/|;|\+|&|and|or|, and|, or)\s?(?:the\s)?")
_FAR: Final = 60  # characters between a variant and a gene that names it


@dataclass(frozen=True, slots=True)
class GeneOf:
    """A variant's gene and how the text tells it."""

    id: str  # NIL if the gene was found and not linked
    text: str
    reason: str


def genes_of(document: Document, variants: Sequence[Mention]) -> list[GeneOf | None]:
    """The gene of each variant, in their order; None where the text does not say."""
    genes = sorted(
        (m for m in document.mentions if canonical_type(m.type) == GENE), key=lambda m: m.spans
    )
    if not genes:
        return [None] * len(variants)
    finder = _Finder(document, genes)
    order = sorted(range(len(variants)), key=lambda at: variants[at].spans)
    found: list[GeneOf | None] = [None] * len(variants)
    for place, at in enumerate(order):
        variant = variants[at]
        found[at] = finder.beside(variant)
        if found[at] is None and place > 0:
            before = order[place - 1]
            joint = document.text[variants[before].end : variant.start]
            if len(joint) <= _FAR and _LIST.fullmatch(joint):
                found[at] = found[before]
    return [
        gene or finder.alone_in_sentence(variant)
        for gene, variant in zip(found, variants, strict=True)
    ]


class _Finder:
    def __init__(self, document: Document, genes: Sequence[Mention]) -> None:
        self._document = document
        self._text = document.text
        self._genes = genes
        self._starts = [gene.start for gene in genes]
        self._sentences = split_sentences(document.text)
        self._firsts = [sentence.start for sentence in self._sentences]

    def beside(self, variant: Mention) -> GeneOf | None:
        """The gene that stands right before or after it, or that it is said to be in."""
        at = bisect_left(self._starts, variant.start)
        if at > 0 and (gene := self._genes[at - 1]).end <= variant.start:
            joint = self._text[gene.end : variant.start]
            if len(joint) <= _FAR and _BEFORE.fullmatch(joint):
                return self._gene_of(gene, "before it")
        at = bisect_left(self._starts, variant.end)
        if at < len(self._genes):
            gene = self._genes[at]
            joint = self._text[variant.end : gene.start]
            if len(joint) <= _FAR and _AFTER.fullmatch(joint):
                return self._gene_of(gene, "after it")
        return None

    def alone_in_sentence(self, variant: Mention) -> GeneOf | None:
        """The gene of the sentence, if it names only one."""
        at = bisect_right(self._firsts, variant.start) - 1
        if at < 0:
            return None
        start, end = self._sentences[at]
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        genes = self._genes[first:last]
        if len({self._key(gene) for gene in genes}) != 1:
            return None
        return self._gene_of(genes[0], "the only gene of the sentence")

    def _key(self, gene: Mention) -> str:
        return "|".join(gene.ids) if gene.is_linked else self._document.text_of(gene)

    def _gene_of(self, gene: Mention, reason: str) -> GeneOf:
        id = gene.ids[0] if len(gene.ids) == 1 else NIL
        return GeneOf(id, " ".join(self._document.text_of(gene).split()), reason)
