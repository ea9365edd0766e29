"""Where variants stand in a text, by how they are written.

A pattern finds what may be one, and what reads as a variant and stands in no list of figures,
primers or cell lines is one. "T98G" is spelled like a variant and never is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from holdfast.document import Span
from holdfast.text.residues import RESIDUES, THREE
from holdfast.text.variants.reading import read_variants

_ONE: Final = "[ACDEFGHIKLMNPQRSTVWY]"
_TITLED: Final = [three for one, three in THREE.items() if one not in "UX"]
_THREE: Final = "(?:" + "|".join([*_TITLED, *(three.upper() for three in _TITLED)]) + ")"
_STOP: Final = r"(?:Ter|TER|[Ss]top|X|\*)"
_FRAME: Final = r"\s?fs(?:\s?(?:\*|X|Ter|stop)\s?)?\d{0,4}"
_SIGN: Final = r"[-+−–]"
_BASE: Final = "[ACGTU]"
_ARROW: Final = r"\s?(?:[-–—=]{1,3}>|>|→|⇒|➔|&gt;)\s?"
_POINT: Final = rf"(?:[*{_SIGN[1:-1]}]\s?)?\d{{1,7}}(?:\s?{_SIGN}\s?\d{{1,5}})?"
_INTRON: Final = rf"IVS\s?\d{{1,3}}\s?{_SIGN}\s?\d{{1,5}}"
_CHANGED: Final = (
    rf"(?:{_BASE}{{1,30}}{_ARROW}{_BASE}{{1,30}}|{_BASE}/{_BASE}|delins{_BASE}{{1,60}}"
    rf"|del(?:{_BASE}{{1,60}}|\d{{1,4}})?(?:ins{_BASE}{{1,60}})?|ins(?:{_BASE}{{1,60}}|\d{{1,4}})"
    rf"|dup(?:{_BASE}{{1,60}}|\d{{1,4}})?|inv|{_BASE}?=)"
)
_RESIDUE: Final = rf"(?:{_THREE}|{_ONE})"
_SEVERAL: Final = rf"(?:{_THREE}{{1,20}}|{_ONE}{{1,20}})"
_PROTEIN: Final = (
    rf"{_RESIDUE}\s?\d{{1,5}}(?:[_-]{_RESIDUE}?\d{{1,5}})?"
    rf"(?:{_RESIDUE}?{_FRAME}|delins{_SEVERAL}|del|dup|ins{_SEVERAL}|{_THREE}|{_ONE}|{_STOP}|=)"
)
_NAMED: Final = "(?:" + "|".join(sorted((n for n in RESIDUES if len(n) > 3), key=len)[::-1]) + ")"
_WORDED: Final = rf"(?i:{_NAMED}|(?-i:{_THREE}))"
_NUMBER: Final = (
    r"(?:\d{1,6}(?:[.,]\d{1,3})?|one|two|three|four|five|six|seven|eight|nine|ten|single)"
)
_UNIT: Final = r"(?:bp|kb|Mb|nt|base[\s-]?pairs?|bases?|nucleotides?)"
_SIZED: Final = (
    r"(?:insertion\s?[/-]\s?deletion|deletion\s?[/-]\s?insertion|ins/del|indel"
    r"|deletion|insertion|duplication)"
)
_AT: Final = (
    r"(?:\s(?:substitution|change|mutation|replacement|exchange|transition|transversion))?"
    r"\s(?:at|in|of)\s(?:the\s)?(?:codon|amino[\s-]acid|residue|position|nucleotide|nt|base)"
    r"(?:\s(?:position|residue|number))?\s"
)

_WRITTEN: Final = rf"""
      (?<![\w.])(?:rs\s?\d{{3,12}}|RS\d{{5,12}})
    | (?<![\w.])p\.\s?(?:\(\s?{_PROTEIN}\s?\)|\[\s?{_PROTEIN}\s?\]|{_PROTEIN})
    | (?<![\w.])[cgmn]\.\s?(?:\((?:{_POINT}(?:_{_POINT})?\s?{_CHANGED})\)
                            |{_POINT}(?:_{_POINT})?\s?{_CHANGED}|{_BASE}{_POINT}{_BASE})
    | (?<![\w.>*]){_THREE}[\s-]?\(?\d{{1,5}}\)?(?:[_-]{_THREE}\d{{1,5}})?[\s-]?
        (?:{_THREE}?{_FRAME}|del|dup|delins{_SEVERAL}|ins{_SEVERAL}|(?:{_ARROW})?{_THREE}|{_STOP})
    | (?:(?<![\w.>*])|(?<=\brt)|(?<=\bs))(?P<ref>{_ONE})\d{{2,4}}(?!(?P=ref))
        (?:{_ONE}|X|\*)(?:/(?:{_ONE}|X|\*)(?!\w)){{0,9}}
    | (?<![\w.>*]){_ONE}\d{{2,4}}(?:{_ONE}?fs(?:\*|X|Ter)?\d{{0,4}}|del|dup)
    | (?<![\w.>*]){_ONE}\d{{2,4}}[_-]{_ONE}\d{{2,4}}
        (?:delins{_ONE}{{1,20}}|del|dup|ins{_ONE}{{1,20}})
    | (?<!\w)(?:del|delta\s?|[Δ∆])
        (?:[DFIKLMNQRVWY]\d{{2,4}}|{_RESIDUE}\d{{2,4}}[_-]{_RESIDUE}\d{{2,4}})
    | (?<![\w.>*])(?:{_INTRON}|(?:(?<!\d){_SIGN}\s?)?\d{{1,7}}(?:[-+]\d{{1,4}})?)
        \s?{_BASE}{{1,12}}{_ARROW}{_BASE}{{1,12}}
    | (?<![.>*\d]){_SIGN}\d{{2,6}}\s?{_BASE}(?:/|{_ARROW}){_BASE}
    | (?<![\w.>*-])\d{{2,6}}\s?{_BASE}/{_BASE}(?!/)
    | (?<![\w.>*-]){_BASE}\s?\(?{_SIGN}\s?\d{{2,5}}\)?\s?{_BASE}
    | (?<![\w.>*-])(?:[CGT]\s\d{{2,5}}|A\s\d{{3,5}}){_BASE}
    | (?<![\w.>*-])\d{{1,6}}(?:[_-]\d{{1,6}})?\s?(?:del|ins|dup)(?:{_BASE}{{1,40}}|\d{{1,4}})
    | (?<![\w.>*-])\d{{1,6}}_\d{{1,6}}(?:del|dup)
    | (?<![\w.>*-])del\s?\d{{2,6}}{_BASE}{{1,40}}
    | (?<![\w.>*])(?i:{_NUMBER})[\s-]?{_UNIT}[\s-](?:\(\w{{1,20}}\)\s)?{_SIZED}s?
    | (?<!\w)[Ee]xons?\s\d{{1,3}}(?:\s?[-–]\s?\d{{1,3}})?\s(?:deletion|duplication)s?
    | (?<!\w)(?:deletion|duplication)\sof\sexons?\s\d{{1,3}}(?:\s?[-–]\s?\d{{1,3}})?
    | (?<!\w){_WORDED}(?:\s\(\w{{1,3}}\))?(?:[\s-](?:to|for|by|with)[\s-]|{_ARROW})(?:an?\s|the\s)?
        {_WORDED}(?:\s\(\w{{1,3}}\))?{_AT}\d{{1,5}}
    | (?<!\w){_WORDED}[\s-]?\d{{1,5}}[\s-](?:to|by)[\s-]{_WORDED}
    | (?<!\w)\(?{_BASE}(?:[\s-]to[\s-]|{_ARROW}|/){_BASE}\)?{_AT}{_SIGN}?\d{{1,6}}
    | (?<!\w){_ONE}[\s-]to[\s-]{_ONE}{_AT}\d{{1,5}}
    | (?<!\w)(?:deletion|insertion|duplication)\sof\s(?:an?\s|the\s)?
        (?:{_BASE}{{1,12}}(?!-)|(?i:{_NUMBER})[\s-]?{_UNIT})(?:\s(?:residue|nucleotide|base))?
        (?:\sat\s(?:nucleotide|position|base|nt)(?:\sposition)?\s\d{{1,6}})?
    | (?<!\w)(?:[Aa]denine|[Cc]ytosine|[Gg]uanine|[Tt]hym(?:id)?ine)\s(?:\d{{1,6}}\s)?
        (?:deletion|insertion)(?![/-])
    | (?<![\w-])[ACGT]{{2,12}}\s(?:deletion|insertion|duplication)(?![/-])
    | (?<![\w-])\(?[ACGT]{{3,6}}\)?\srepeats?
    | (?<!\w)(?:ins/del|del|ins|dup)\s?\d{{1,5}}\s?bp
    | (?<!\w)codon\s\d{{1,5}},?\s(?:from\s)?{_WORDED}(?:[\s-]to[\s-]|{_ARROW}){_WORDED}
    """
_NEEDED: Final = re.compile(r"\d|deletion|insertion|duplication|indel|ins/del|repeat")
"""Every variant has a digit or one of these words; the long pattern is compiled for no others."""
_CLOSED: Final = re.compile(r"[\w*>]")

# Cell lines, strains and primers whose names are spelled as one residue for another.
_ALIKE: Final = frozenset(
    ["T98G", "T47D", "C33A", "F36P", "A375P", "A375M", "H295R", "M13F", "M13R", "S288C"]
)
_LISTED: Final = re.compile(
    r"\b(?:fig(?:ure)?s?|tables?|panels?|sections?|files?|movies?|videos?|datasets?|appendix|primers?"
    r"|probes?|supplement(?:ary|al)?)\.?\s(?:[\w.]{1,8}\s?(?:,|and|&|to|[-–])\s?){0,6}$",
    re.IGNORECASE,
)
_FOLLOWED: Final = re.compile(r"\s?(?:[-\s](?:cell\sline|primer|probe|strain|plasmid|vector)s?\b)")
_LOOK_BACK: Final = 60
_BARE: Final = re.compile(rf"{_ONE}\d{{2,4}}(?:{_ONE}|X)")


def find_variants(text: str) -> Iterator[Span]:
    """The places of variants in notation or in set phrases, from the left, without overlap."""
    if not _NEEDED.search(text):
        return
    for match in _written().finditer(text):
        start, end = match.span()
        if _CLOSED.match(text, end) or not read_variants(match[0]):
            continue
        if _BARE.fullmatch(match[0]) and _is_a_name(text, start, end):
            continue
        yield Span(start, end)


@cache
def _written() -> re.Pattern[str]:
    return re.compile(_WRITTEN, re.VERBOSE)


def _is_a_name(text: str, start: int, end: int) -> bool:
    """Whether what is spelled like a variant names a figure, a primer, a cell line or the like."""
    before = text[max(0, start - _LOOK_BACK) : start]
    return (
        text[start:end] in _ALIKE
        or _LISTED.search(before) is not None
        or _FOLLOWED.match(text, end) is not None
    )
