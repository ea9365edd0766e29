"""The numbers that a document gives its variants: "C677T (rs1801133)"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from holdfast.text.variants.find import ALLELE, SUB, Variant

_NOUNS: Final = (
    r"(?:polymorphism|allele|genotype|variant|variation|mutation|SNP|substitution|change)s?"
)
_CALLED: Final = (
    r"(?:(?:also known as|referred to as|designated|dbSNP|refSNP|reference SNP|SNP|ID|number)"
    r"[.:#,]?\s?){0,3}"
)
_TOLD: Final = (
    r"(?:(?:also|known|referred|to|as|dbSNP|refSNP|reference|ID|number|no|i\.e|or|the|denoted"
    r"|designated|corresponding|accession|called|resulting|leading|causing|encoding|in|a|an"
    rf"|amino[ -]acid|missense|nonsynonymous|{_NOUNS})[.:#,]?\s?){{0,6}}"
)
# What may stand between two names of the same variant.
_OPENS: Final = re.compile(rf"(?:\s?(?:[\w-]+\s){{0,2}}?{_NOUNS})?\s?[(\[]\s?{_TOLD}")
_TOUCHES: Final = re.compile(rf"(?:\s{_NOUNS})?(?:\s|\s?[/=:|]\s?){_CALLED}")
_GOES_ON: Final = re.compile(rf"\s?[,;/]\s?(?:and\s)?{_TOLD}")
_LONGEST_JOINT: Final = 60

Place = tuple[int, int]
Name = Variant | str | None
"""What a mention says: one variant, a number of dbSNP, or (None) neither."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number of dbSNP, and the words of the text that give it to a variant."""

    rs: str
    words: str


class Numbers:
    """The variants of one document that it gives a number, each just one."""

    def __init__(self, by_variant: Mapping[Variant, Number]) -> None:
        self._by_variant = by_variant
        self._at = defaultdict[tuple[str, str], list[Variant]](list)
        for variant in by_variant:
            if variant.kind in (SUB, ALLELE):
                self._at[variant.level, variant.position].append(variant)

    @classmethod
    def of_document(cls, text: str, places: Sequence[Place], names: Sequence[Name]) -> Numbers:
        """`names` are what the mentions at the `places` say."""
        found = defaultdict[Variant, dict[str, Number]](dict)
        for group in _groups(text, places, names):
            numbers = {name for at in group if isinstance(name := names[at], str)}
            variants = [name for at in group if isinstance(name := names[at], Variant)]
            levels = {variant.level for variant in variants}
            if len(numbers) == 1 and len(levels) == len(variants):
                (rs,) = numbers
                words = " ".join(text[places[group[0]][0] : places[group[-1]][1]].split())
                for variant in variants:
                    found[variant].setdefault(rs, Number(rs, words))
        one = {v: min(n.values(), key=lambda n: n.rs) for v, n in found.items() if len(n) == 1}
        return cls(one)

    def of(self, variant: Variant) -> Number | None:
        """The variant's number; an allele has that of its substitution, and the other way."""
        if variant in self._by_variant or variant.kind not in (SUB, ALLELE):
            return self._by_variant.get(variant)
        found = {
            self._by_variant[other].rs: self._by_variant[other]
            for other in self._at[variant.level, variant.position]
            if ALLELE in (variant.kind, other.kind) and _share_an_allele(variant, other)
        }
        return next(iter(found.values())) if len(found) == 1 else None


def _share_an_allele(one: Variant, other: Variant) -> bool:
    return not {one.ref, one.alt}.isdisjoint({other.ref, other.alt} - {""})


def _groups(text: str, places: Sequence[Place], names: Sequence[Name]) -> Iterator[list[int]]:
    """Groups of neighbouring mentions that are names of one variant, by their numbers."""
    group, is_open = list[int](), False
    for at in sorted(range(len(places)), key=lambda at: places[at]):
        end, start = (places[group[-1]][1] if group else -1), places[at][0]
        is_near = names[at] is not None and 0 <= end <= start <= end + _LONGEST_JOINT
        joint = text[end:start] if is_near else ""
        opens = is_near and _OPENS.fullmatch(joint) is not None
        if opens or (is_near and _joins(joint, is_open=is_open)):
            group.append(at)
            is_open = is_open or opens
            continue
        if len(group) > 1:
            yield group
        group, is_open = ([at] if names[at] is not None else []), False
    if len(group) > 1:
        yield group


def _joins(joint: str, *, is_open: bool) -> bool:
    """Whether the words make two names one; inside a bracket, a comma does as well."""
    if _TOUCHES.fullmatch(joint):
        return True
    return is_open and _GOES_ON.fullmatch(joint) is not None
