"""One value for a sequence variant, and the two forms that it is written in: HGVS and tmVar's.

Variant("p", "SUB", "600", "V", "E").hgvs == "p.Val600Glu"
Variant("p", "SUB", "600", "V", "E").tmvar == "p|SUB|V|600|E"

tmVar's form (of PubTator and BioRED) can be written of every variant, HGVS only of those with a
position in a sequence: "14-bp deletion" has none. `holdfast.text.variants.notation` and
`variant_words` read what people write.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from holdfast.text.residues import THREE

LEVELS: Final = ("p", "c", "g", "m", "n")
"""Protein; coding, genomic, mitochondrial and non-coding DNA: the prefixes of HGVS."""

SUB: Final = "SUB"
DEL: Final = "DEL"
INS: Final = "INS"
DUP: Final = "DUP"
INDEL: Final = "INDEL"  # a deletion and an insertion at one place, or either of them
INV: Final = "INV"
FS: Final = "FS"  # a frameshift
ALLELE: Final = "Allele"  # one of the alleles alone: "-857T", "Arg506"
KINDS: Final = (SUB, DEL, INS, DUP, INDEL, INV, FS, ALLELE)

ACIDS: Final = frozenset(THREE)
BASES: Final = frozenset("ACGTU")

_POINT: Final = r"[-*]?\d+(?:[-+]\d+)?"
_PLACE: Final = re.compile(rf"{_POINT}(?:_{_POINT})?", re.ASCII)
_RANGE: Final = re.compile(rf"({_POINT})_({_POINT})", re.ASCII)
_RESIDUES: Final = re.compile(r"\d+(?:_\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Variant:
    """A change of a sequence, as far as a text describes it, in codes of one letter."""

    level: str  # one of LEVELS, or "" where nobody says
    kind: str  # one of KINDS
    position: str = ""  # "600", "46_48", "-857", "1093-1", "IVS2+1", "CODON158", "EX19", or ""
    ref: str = ""  # what was there; of a deletion or duplication perhaps its size: "14", "15K"
    alt: str = ""  # what is there now; of an insertion perhaps its size
    count: str = ""  # FS: residues up to the new stop; DUP: the number of copies
    flanks: str = ""  # the first and last residue of a range of a protein: "EA" in E746_A750del

    @property
    def tmvar(self) -> str:
        """The form that PubTator and BioRED use. It has no place for `flanks`."""
        parts: tuple[str, ...]
        if self.kind == SUB:
            parts = (self.ref, self.position, self.alt)
        elif self.kind == FS:
            parts = (self.ref, self.position, self.alt, self.count)
        elif self.kind == ALLELE:
            parts = (self.alt, self.position)
        elif self.kind == DUP:
            parts = (self.position, self.ref, self.count)
        else:
            parts = (self.position, self.ref if self.kind in (DEL, INV) else self.alt)
        return "|".join((self.level, self.kind, *parts))

    @property
    def hgvs(self) -> str | None:
        """The description by HGVS, without a reference sequence; None if it cannot be written."""
        if self.level == "p":
            return _protein(self)
        return _nucleotides(self) if self.level in LEVELS else None

    @property
    def id(self) -> str:
        """A CURIE: of HGVS where that can be written, else of tmVar."""
        hgvs = self.hgvs
        return f"tmVar:{self.tmvar}" if hgvs is None else f"HGVS:{hgvs}"


def from_tmvar(text: str) -> Variant | None:
    """The variant that a tmVar form describes; None if the text has not that form."""
    level, *rest = text.strip().split("|")
    if not rest or level not in ("", *LEVELS):
        return None
    kind, *parts = rest
    fields = [part.strip() for part in parts]
    while len(fields) > 2 and not fields[-1]:  # some write one more, as of a duplication
        fields.pop()
    if kind == SUB and 2 <= len(fields) <= 3:
        ref, position, alt = (*fields, "")[:3]
        return normalised(Variant(level, SUB, position, ref, alt))
    if kind == FS and 2 <= len(fields) <= 4:
        ref, position, alt, count = (*fields, "", "")[:4]
        return normalised(Variant(level, FS, position, ref, alt, count))
    if kind == ALLELE and len(fields) == 2:
        return normalised(Variant(level, ALLELE, fields[1], alt=fields[0]))
    if kind == DUP and 2 <= len(fields) <= 3:
        position, ref, count = (*fields, "")[:3]
        return normalised(Variant(level, DUP, position, ref, count=count))
    if kind in (DEL, INV) and len(fields) == 2:
        return normalised(Variant(level, kind, fields[0], fields[1]))
    if kind in (INS, INDEL) and len(fields) == 2:
        return normalised(Variant(level, kind, fields[0], alt=fields[1]))
    return None


def normalised(variant: Variant) -> Variant:
    """One value for what is written in several ways.

    A stop is X, a position has no plus sign before it, uracil is thymine, the size of a range is
    left out, a deletion of two neighbours names both, and several bases for several others are an
    INDEL.
    """
    level, kind, count = variant.level, variant.kind, variant.count
    position = variant.position.replace(" ", "").removeprefix("+")
    ref, alt = _sequence(variant.ref, level), _sequence(variant.alt, level)
    flanks = variant.flanks
    if level == "p" and (span := _RESIDUES.fullmatch(position)) and "_" in position:
        first, last = map(int, span[0].split("_"))
        if kind in (DEL, DUP) and last == first + 1 and len(flanks) == 2 and not ref:
            ref = flanks
        if kind in (DEL, DUP) and len(ref) == last - first + 1 and ref.isalpha():
            flanks = ref[0] + ref[-1]
    if kind in (DEL, DUP) and ref.isdigit() and int(ref) == size_of(position):
        ref = ""
    if kind == SUB and level != "p" and "_" in position and len(alt) > 1 and set(alt) <= BASES:
        kind, ref = INDEL, ""
    return Variant(level, kind, position, ref, alt, count, flanks)


def size_of(position: str) -> int | None:
    """How long a range of plain positions is; None for anything else."""
    first, _, last = position.partition("_")
    if not (first.isdecimal() and last.isdecimal()):
        return None
    return int(last) - int(first) + 1


def _sequence(text: str, level: str) -> str:
    plain = text.replace(" ", "").replace("*", "X")
    if level == "p":
        return _ONE.get(plain.casefold(), plain)
    return plain.replace("U", "T") if set(plain) <= BASES else plain


_ONE: Final = {three.casefold(): one for one, three in THREE.items()} | {"stop": "X"}


def _protein(variant: Variant) -> str | None:
    if not _RESIDUES.fullmatch(variant.position):
        return None
    if variant.kind in (SUB, FS):
        return _substitution(variant)
    place = _residues(variant)
    alt = _three(variant.alt)
    if place is None or alt is None:
        return None
    if variant.kind in (DEL, DUP):
        return f"p.{place}{variant.kind.lower()}" if not variant.count else None
    if variant.kind == INS and alt and size_of(variant.position) == 2:
        return f"p.{place}ins{alt}"
    if variant.kind == INDEL and alt:
        return f"p.{place}delins{alt}"
    return None


def _substitution(variant: Variant) -> str | None:
    """Of one residue, or a frameshift that begins there."""
    ref, alt = THREE.get(variant.ref), THREE.get(variant.alt, "")
    if ref is None or "_" in variant.position or bool(alt) != bool(variant.alt):
        return None
    if variant.kind == FS:
        stop = f"Ter{variant.count}" if variant.count else ""
        return f"p.{ref}{variant.position}{alt}fs{stop}"
    return f"p.{ref}{variant.position}{'=' if ref == alt else alt}" if alt else None


def _residues(variant: Variant) -> str | None:
    """ "Glu746_Ala750": the residues that change, first and last; None if they are not known."""
    first, _, last = variant.position.partition("_")
    letters = variant.flanks or (variant.ref if not last else "")
    if len(letters) != (2 if last else 1) or not set(letters) <= ACIDS:
        return None
    end = f"_{THREE[letters[-1]]}{last}" if last else ""
    return f"{THREE[letters[0]]}{first}{end}"


def _three(letters: str) -> str | None:
    return "".join(THREE[one] for one in letters) if set(letters) <= ACIDS else None


def _nucleotides(variant: Variant) -> str | None:
    kind, place, ref, alt = variant.kind, variant.position, variant.ref, variant.alt
    start = f"{variant.level}.{place}"
    if not _PLACE.fullmatch(place) or not set(ref + alt) <= BASES or variant.count:
        return None
    if kind == SUB and len(ref) == len(alt) == 1 and "_" not in place:
        return f"{start}{ref}>{alt}" if ref != alt else f"{start}{ref}="
    if kind in (DEL, DUP, INV):
        return f"{start}{kind.lower()}{ref}"
    if kind == INS and alt and _RANGE.fullmatch(place):
        return f"{start}ins{alt}"
    return f"{start}delins{alt}" if kind == INDEL and alt else None
