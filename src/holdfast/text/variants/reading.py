"""Reads what a mention of a variant says: dbSNP's number, one variant or several.

read_variants("G12D/G12V") has two variants, read_variants("E255K/V") too.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.text.variants.find import ALLELE, SUB, Variant, from_tmvar
from holdfast.text.variants.notation import read_notation
from holdfast.text.variants.plain import plain
from holdfast.text.variants.words import read_words

Readings = tuple[Variant, ...]
"""What one variant may be, the likeliest first."""

_RS: Final = re.compile(r"(?:refSNP|SNP|dbSNP)?[ :#]*\brs ?#?(\d{2,12})", re.IGNORECASE)
_JOINT: Final = re.compile(r" ?(?:/|,|;|\+|\band\b|\bor\b|&) ?")
_RESIDUE: Final = re.compile(r"[ACDEFGHIKLMNPQRSTVWYX*]")
_MOST: Final = 12  # variants in one mention
_DECORATION: Final = re.compile(
    r"^(?:the|a|an|heterozygous|homozygous|somatic|germline|missense|nonsense|novel|mutant|SNPs?|snp"
    r"|mutation|variant|polymorphism|allele)\s"
    r"|\s(?:mutations?|mutants?|variants?|polymorphisms?|substitutions?|alleles?|genotypes?|SNPs?"
    r"|change|transition|transversion|heterozygotes?|homozygotes?|carriers?|proteins?)$",
    re.IGNORECASE,
)


def read_rs(text: str) -> str | None:
    """The number that dbSNP gives a variant, "rs1801133", if the text is one."""
    found = _RS.fullmatch(plain(text))
    return f"rs{int(found[1])}" if found else None


def read_variants(text: str) -> tuple[Readings, ...]:
    """The variants that a text describes, each with its readings; none if it cannot be read."""
    body = plain(text)
    if read_rs(body):
        return (NUMBERED,)
    if whole := read_notation(body):
        return (whole,)
    if parts := _several(body):
        return parts
    bare = _undecorated(body)
    if bare != body and (parts := read_variants(bare)):
        return parts
    words = read_words(body)
    return (words,) if words else ()


NUMBERED: Final[Readings] = ()
"""The readings of a number of dbSNP, which does not tell the change itself."""


def _undecorated(text: str) -> str:
    """Without the words that may stand around a variant: "the V600E mutation"."""
    return _DECORATION.sub("", text)


def _several(text: str) -> tuple[Readings, ...]:
    """The readings of each of several variants in notation; none unless all can be read."""
    pieces = _JOINT.split(text, maxsplit=_MOST)
    if not 2 <= len(pieces) <= _MOST:
        return ()
    found = list[Readings]()
    for piece in pieces:
        readings = read_notation(piece)
        if not readings and found and _RESIDUE.fullmatch(piece):  # "E255K/V"
            readings = tuple(_with_alt(variant, piece) for variant in found[-1])
        if not readings:
            return ()
        found.append(readings)
    alleles = [readings for readings in found if readings[0].kind == ALLELE]
    return () if len(alleles) == len(found) else tuple(found)


def _with_alt(variant: Variant, alt: str) -> Variant:
    code = alt.replace("*", "X")
    return Variant(variant.level, SUB, variant.position, variant.ref, code)


def tmvar_id(curie: str) -> str:
    """One id for every way to write a variant's: tmVar's form, whether it comes as that or as HGVS.

    An id of another vocabulary, or one that cannot be read, stays as it is.
    """
    prefix, _, rest = curie.partition(":")
    if prefix not in ("tmVar", "HGVS"):
        return curie
    variant = from_tmvar(rest) or next(iter(read_notation(rest)), None)
    return f"tmVar:{variant.tmvar}" if variant else curie
