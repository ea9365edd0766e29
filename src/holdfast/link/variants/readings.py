"""What the variants of a document are: each mention is read with the help of the others.

"C677T" may be of bases or of residues, and "677C>T" beside it decides. "C677T (rs1801133)" gives
the variant its number wherever the document speaks of it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from holdfast.document import Document, Mention
from holdfast.link.variants.numbers import Numbers
from holdfast.text.variants.find import DEL, DUP, FS, SUB, Variant
from holdfast.text.variants.notation import read_notation
from holdfast.text.variants.plain import plain
from holdfast.text.variants.reading import Readings, read_rs, read_variants
from holdfast.text.variants.spans import find_variants

# How often each way of reading is right in BioRED's train split; see docs/systems/variants.md.
WRITTEN: Final = 0.98  # by the rules of HGVS, with its prefix, or as a number of dbSNP
SHORT: Final = 0.81  # in one of the usual short forms
WORDS: Final = 0.67
BETWEEN: Final = 0.63  # in a form that may speak of bases or of residues

_PREFIXED: Final = re.compile(r"(?:[NX][A-Z]_[\d.]+(?:\(\w+\))?:)?[pcgmn]\.")
_OF_DNA: Final = re.compile(
    r"polymorphi\w+|SNPs?\b|genotyp\w+|alleles?\b|nucleotides?\b|promoter|haplotyp\w+|transition"
    r"|transversion|intron\w*|UTR\b|base pairs?|bp\b|\b([ACGT])/?\1\b|carriers?\b|PCR\b|RFLP\b"
    r"|sequenc\w+|splic\w+|mtDNA|mitochondrial DNA",
)
_OF_PROTEIN: Final = re.compile(
    r"amino[ -]acids?|residues?\b|codons?\b|mutants?\b|proteins?\b|kinase|inhibitors?\b|resistan\w+"
    r"|binding|domain|wild-type|transfect\w+|missense|inhibit\w+"
)
_WINDOW: Final = 100  # characters on each side that tell bases from residues
# Of four letters both, by chance one in 25 proteins' variants is spelled, and all of DNA's. What
# remains of proteins stands at low positions, and few proteins have the high ones.
_VOTES: Final = ((1_000, 3), (100, 1), (0, -1))  # from a position on, for bases
_CODON: Final = 3  # votes of a residue that the document changes in the codon of the base
_APPOSED: Final = 4  # votes of a residue's change that follows: "C677T (p.Ala222Val)"
_IS_APPOSED: Final = re.compile(r"\s?[(\[/,;]\s?(?:p\.|[A-Z][a-z]{2}\s?\d)")
_SHORTEST: Final = re.compile(r"[A-Z]\d+[A-Z*]")
_COMPANION: Final = 2  # votes of variants that can be read in one way only


@dataclass(frozen=True, slots=True)
class ReadVariant:
    """One variant of a mention, as the document tells it."""

    id: str
    name: str  # for a person: "p.Val600Glu"
    score: float
    variant: Variant | None = None  # None: a number of dbSNP
    others: Readings = ()  # what it may be instead
    reason: str = ""  # why this reading, where there were several
    rs: str = ""  # dbSNP's number, where the document equates them
    equated: str = ""  # the words that do


def read_document(document: Document, mentions: Sequence[Mention]) -> list[tuple[ReadVariant, ...]]:
    """What each mention says: nothing if it cannot be read, several if it names several."""
    read = [_read(document.text_of(mention)) for mention in mentions]
    known = _SureReadings.of(document, mentions, read)
    chosen = list[tuple[ReadVariant, ...]]()
    for mention, (rs, parts) in zip(mentions, read, strict=True):
        if rs:
            chosen.append((ReadVariant(f"dbSNP:{rs}", rs, WRITTEN),))
        else:
            chooser = _Chooser(document.text, mention, known)
            chosen.append(tuple(chooser.choose(part) for part in parts))
    chosen = _completed(chosen)
    numbers = Numbers.of_document(
        document.text,
        [(mention.start, mention.end) for mention in mentions],
        [parts[0].variant or parts[0].name if len(parts) == 1 else None for parts in chosen],
    )
    return [tuple(_numbered(one, numbers) for one in parts) for parts in chosen]


def _numbered(one: ReadVariant, numbers: Numbers) -> ReadVariant:
    """With dbSNP's number, where the document tells it of the variant or of its position."""
    known = numbers.of(one.variant) if one.variant is not None else None
    if known is None:
        return one
    rs, score = known.rs, max(one.score, SHORT)
    return replace(one, id=f"dbSNP:{rs}", rs=rs, equated=known.words, score=score)


_Parts = tuple[str | None, tuple[Readings, ...]]


def _read(text: str) -> _Parts:
    """dbSNP's number, or the variants; a variant inside longer words counts if it is the only."""
    rs = read_rs(text)
    parts = () if rs else read_variants(text)
    if rs or parts:
        return rs, parts
    inside = [text[start:end] for start, end in find_variants(text)]
    return _read(inside[0]) if len(inside) == 1 and inside[0] != text else (None, ())


@dataclass(frozen=True, slots=True)
class _SureReadings:
    """What a document surely says: by the mentions of variants that can be read in one way only."""

    variants: Set[Variant]
    codons: Set[str]  # where residues are substituted
    has_bases: bool  # substituted anywhere
    has_residues: bool  # substituted anywhere, and written in single letters: "K417N"

    @classmethod
    def of(
        cls, document: Document, mentions: Sequence[Mention], read: Sequence[_Parts]
    ) -> _SureReadings:
        variants = {part[0] for _, parts in read for part in parts if len(part) == 1}
        residues = {one for one in variants if one.level == "p" and one.kind == SUB}
        return cls(
            variants,
            {one.position for one in residues},
            any(one.level != "p" and one.kind == SUB for one in variants),
            any(
                parts and parts[0][0] in residues and _SHORTEST.fullmatch(document.text_of(mention))
                for mention, (_, parts) in zip(mentions, read, strict=True)
                if all(parts)
            ),
        )


@dataclass(frozen=True, slots=True)
class _Chooser:
    """Decides between the readings of what one mention says."""

    text: str
    mention: Mention
    known: _SureReadings

    def choose(self, readings: Readings) -> ReadVariant:
        surface = self.text[self.mention.start : self.mention.end]
        best, reason = readings[0], ""
        score = _score(surface)
        if len(readings) > 1:
            sure = next((variant for variant in readings if variant in self.known.variants), None)
            if sure is not None:
                best, reason = sure, "as the document writes it elsewhere"
            elif len({variant.level for variant in readings}) > 1:
                best, reason = self._by_votes(readings)
                score = BETWEEN
        others = tuple(variant for variant in readings if variant != best)
        name = best.hgvs or best.tmvar
        return ReadVariant(best.id, name, score, best, others, reason)

    def _by_votes(self, readings: Readings) -> tuple[Variant, str]:
        """Bases or residues, by the words around and by the other variants of the document."""
        around = self.text[max(0, self.mention.start - _WINDOW) : self.mention.end + _WINDOW]
        votes = sum(1 for _ in _OF_DNA.finditer(around))
        votes -= sum(1 for _ in _OF_PROTEIN.finditer(around))
        votes -= _COMPANION * self.known.has_residues
        votes += _COMPANION * self.known.has_bases
        votes += _votes_of_position(readings[0].position)
        votes += _APPOSED * (_IS_APPOSED.match(self.text, self.mention.end) is not None)
        votes += _CODON * (_codon(readings[0].position) in self.known.codons)
        is_dna = votes > 0
        best = next(variant for variant in readings if (variant.level != "p") == is_dna)
        return best, f"of {'bases' if is_dna else 'residues'}, by what stands around it"


def _codon(position: str) -> str:
    """The codon that a base of coding DNA belongs to."""
    return str((int(position) + 2) // 3) if position.isdecimal() else ""


def _votes_of_position(position: str) -> int:
    number = int(re.sub(r"\D", "", position) or 0)
    return next(votes for start, votes in _VOTES if number >= start)


def _score(surface: str) -> float:
    if _PREFIXED.match(plain(surface)):
        return WRITTEN
    return SHORT if read_notation(surface) else WORDS


def _completed(read: Sequence[tuple[ReadVariant, ...]]) -> list[tuple[ReadVariant, ...]]:
    """What is left out at one place ("35del", "I262fs") is filled in from the only fuller form."""
    fuller = defaultdict[Variant, set[Variant]](set)
    for part in (one for parts in read for one in parts):
        if part.variant and (bare := _bare(part.variant)) != part.variant:
            fuller[bare].add(part.variant)

    def complete(one: ReadVariant) -> ReadVariant:
        forms = fuller.get(one.variant, set()) if one.variant else set()
        if len(forms) != 1:
            return one
        (whole,) = forms
        reason = "with what the document says elsewhere"
        return replace(
            one, id=whole.id, name=whole.hgvs or whole.tmvar, variant=whole, reason=reason
        )

    return [tuple(complete(one) for one in parts) for parts in read]


def _bare(variant: Variant) -> Variant:
    """Without what may be left out: the bases of a deletion, what follows a frameshift."""
    if variant.kind == FS:
        return replace(variant, alt="", count="")
    if variant.kind in (DEL, DUP) and variant.position and variant.level != "p":
        return replace(variant, ref="")
    return variant
