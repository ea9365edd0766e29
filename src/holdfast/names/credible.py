"""Which look-alikes of a name are the name: rules about case, common words and punctuation.

A vocabulary of a million names holds every English word as somebody's gene. These rules keep
"was" from being WAS, "in 2" from being IN2, and "liver, kidney disease" from being a name that
has no comma. How far a name of common words is trusted depends on whose name it is.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import Enum, IntEnum
from functools import cache
from importlib.resources import files
from typing import Final

from holdfast.names.signs import are_opposed, lacks_sign
from holdfast.text.tokens import key_of, key_of_token, tokens_of
from holdfast.types import CELL_LINE, GENE, mask_of

SYMBOLS: Final = mask_of([GENE, CELL_LINE])
"""The types whose short names are symbols, written with care, as bits."""

_SHORTEST: Final = 3  # characters of a name that the document does not define itself
_ACRONYM: Final = 6  # characters up to which upper case is part of the name
# All marks but those that are written now so, now otherwise: hyphens, primes, quotes, accents.
_DIVIDING: Final = re.compile(
    r"[^\w\s\-/'’′″\"“”+.‐‑–−⁺⁻\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff®™]|\. "
)
_ION: Final = re.compile(r"[A-Z][a-z]\d")  # "Ca2" in "Ca2+" is not the gene CA2
_CHARGE: Final = re.compile(r"\(\d+[+-]\)$")  # "naproxen 1" is not the ion naproxen(1-)
# Two parts of words, of which the second is put behind the first in an index only.
_INVERTED: Final = re.compile(
    r"[^,]*, (?!(?:type|stage|grade|class|group|form|variant|subtype|with|without|due|in|of|and|or"
    r"|not)\b)[^\W\d_]{3,}(?:['’]?s?[ -][^\W\d_]{3,})*",
    re.IGNORECASE,
)
_CARRIER: Final = re.compile(
    r"(?:\b(?:receptor|transporter|chaperone|suppressor|channel|molecule|carrier|symporter|antiporter|"
    r"exchanger|factor|regulator|inhibitor|activator|protein|enzyme|hormone|ligand)|ase)s?$"
)
_NOT_WORD: Final = re.compile(r"[\W_]+")
_FUNCTION_WORDS: Final = "# function words"


class Trust(IntEnum):
    """How far the names of an entity are trusted that consist of ordinary words."""

    SYMBOL = 0  # not at all: synonyms of genes are "life cycle" and "high grade"
    SHIPPED = 1  # if two words say something: "weight loss", but not "type 2"
    OWN = 2  # if one of several words says something: whoever lists "alpha 9 marker" means it
    EVERY = 3  # always


class Fault(Enum):
    """Why a stretch of text cannot be a name, whatever the vocabulary says."""

    NOTHING = "it has no letter or digit"
    SHORT = "it has fewer than three letters or digits"
    COMMON_WORD = "it is a common word"
    COMMON_WORDS = "it consists of common words, numbers and single letters"


@cache
def common_words() -> frozenset[str]:
    """The keys of ordinary words."""
    return frozenset(word for words in _word_lists().values() for word in words)


@cache
def function_words() -> frozenset[str]:
    """The keys of ordinary words that say nothing by themselves: "the", "of", "seven"."""
    return _word_lists()[_FUNCTION_WORDS]


@cache
def _word_lists() -> dict[str, frozenset[str]]:
    """The words of each heading of the list."""
    text = files("holdfast.names").joinpath("common_words.txt").read_text(encoding="utf-8")
    lists: dict[str, set[str]] = {}
    heading = ""
    for line in text.splitlines():
        if line.startswith("#"):
            heading = line
        else:
            lists.setdefault(heading, set()).update(key_of_token(word) for word in line.split())
    return {heading: frozenset(words) for heading, words in lists.items()}


def may_name(surface: str, trust: Trust = Trust.SYMBOL) -> bool:
    """Whether a stretch of text could name something, whatever the vocabulary says."""
    return fault_of(surface, trust) is None


def fault_of(surface: str, trust: Trust = Trust.SYMBOL) -> Fault | None:
    """Why a stretch of text can name nothing whose names are trusted so far; None: it can."""
    tokens = tokens_of(surface)
    if not tokens:
        return Fault.NOTHING
    if trust is Trust.EVERY:
        return None
    if len(_NOT_WORD.sub("", surface)) < _SHORTEST:
        return Fault.SHORT
    if len(tokens) == 1 and surface.isupper():
        return None
    if not all(_is_empty(token) or key_of_token(token) in common_words() for token in tokens):
        return None
    if len(tokens) == 1:
        return Fault.COMMON_WORD
    said = sum(not _is_empty(t) and key_of_token(t) not in function_words() for t in tokens)
    needed = {Trust.SHIPPED: 2, Trust.OWN: 1}.get(trust)
    return None if needed is not None and said >= needed else Fault.COMMON_WORDS


def _is_empty(token: str) -> bool:
    return token.isdigit() or len(token) == 1


def is_credible(surface: str, name: str, *, is_symbol: bool = False) -> bool:
    """Whether the surface, whose tokens equal the name's, is meant as that name.

    Case matters in short names: "was" is not WAS, "CAT" is no cat, but "GPCRs" are GPCR and
    "brca1" is BRCA1. With `is_symbol` (genes, cell lines) it matters whatever the case: "itch" is
    not the mouse gene Itch.
    """
    return surface == name or not (
        is_divided(surface, name)
        or has_other_sign(surface, name)
        or is_written_otherwise(surface, name, is_symbol=is_symbol)
    )


def has_other_sign(surface: str, name: str) -> bool:
    """Whether a plus or minus tells that something else is meant, or one is missing."""
    return are_opposed(surface, name) or lacks_sign(surface, name)


def is_divided(surface: str, name: str) -> bool:
    """Whether the surface has a comma or bracket that the name lacks, or lacks its charge."""
    marks = _DIVIDING.findall(surface)
    if marks and Counter(marks) - Counter(_DIVIDING.findall(name)):
        return True
    charge = _CHARGE.search(name)
    return charge is not None and not surface.endswith(charge[0])


def is_inverted(surface: str, name: str) -> bool:
    """Whether the surface has the words of "Cell, Dendritic" in that order, without its comma.

    What follows the comma may stand there in a sentence too, as "type 2" does.
    """
    inverted = "," in name and "," not in surface and _INVERTED.fullmatch(name)
    return bool(inverted) and key_of(surface) == key_of(name)


def names_a_carrier(name: str) -> bool:
    """Whether a name ends in what carries a function out: "histone chaperone", "protein kinase"."""
    return _CARRIER.search(name) is not None


def is_written_otherwise(surface: str, name: str, *, is_symbol: bool = False) -> bool:
    """Whether a short name's capitals tell that something else is meant."""
    written, listed = _NOT_WORD.sub("", surface), _NOT_WORD.sub("", name)
    if len(listed) > _ACRONYM or written == listed:
        return False
    if any(character.isdigit() for character in written):
        return _ION.fullmatch(written) is not None
    if sum(character.isupper() for character in listed) >= 2:
        return not (written.endswith("s") and written[:-1] == listed)
    return is_symbol or written.isupper()
