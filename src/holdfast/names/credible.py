"""Which look-alikes of a name are the name: rules about case, common words and punctuation.

A vocabulary of a million names holds every English word as somebody's gene. These rules keep
"was" from being WAS, "in 2" from being IN2, and "liver, kidney disease" from being a name that
has no comma.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

from holdfast.text.tokens import key_of_token, tokens_of
from holdfast.types import CELL_LINE, GENE, mask_of

SYMBOLS: Final = mask_of([GENE, CELL_LINE])
"""The types whose short names are symbols, written with care, as bits."""

_SHORTEST: Final = 3  # characters of a name that the document does not define itself
_ACRONYM: Final = 6  # characters up to which upper case is part of the name
_DIVIDING: Final = re.compile(r"[,()\[\]]|\. ")
_ION: Final = re.compile(r"[A-Z][a-z]\d")  # "Ca2" in "Ca2+" is not the gene CA2
_CHARGE: Final = re.compile(r"\(\d*[+-]\)$")  # "naproxen 1" is not the ion naproxen(1-)
_NOT_WORD: Final = re.compile(r"[\W_]+")


@cache
def common_words() -> frozenset[str]:
    """The keys of ordinary words."""
    text = files("holdfast.names").joinpath("common_words.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(key_of_token(word) for line in lines for word in line.split())


def may_name(surface: str) -> bool:
    """Whether a stretch of text could name something, whatever the vocabulary says."""
    tokens = tokens_of(surface)
    if len(_NOT_WORD.sub("", surface)) < _SHORTEST:
        return False
    if len(tokens) == 1 and surface.isupper():
        return True
    return not all(
        token.isdigit() or len(token) == 1 or key_of_token(token) in common_words()
        for token in tokens
    )


def is_credible(surface: str, name: str, *, is_symbol: bool = False) -> bool:
    """Whether the surface, whose tokens equal the name's, is meant as that name.

    Case matters in short names: "was" is not WAS, "CAT" is no cat, but "GPCRs" are GPCR and
    "brca1" is BRCA1. With `is_symbol` (genes, cell lines) it matters whatever the case: "itch" is
    not the mouse gene Itch.
    """
    if surface == name:
        return True
    if any(mark not in name for mark in _DIVIDING.findall(surface)):
        return False
    if (charge := _CHARGE.search(name)) and not surface.endswith(charge[0]):
        return False
    written, listed = _NOT_WORD.sub("", surface), _NOT_WORD.sub("", name)
    if len(listed) > _ACRONYM or written == listed:
        return True
    if any(character.isdigit() for character in written):
        return not _ION.fullmatch(written)
    if sum(character.isupper() for character in listed) >= 2:
        return written.endswith("s") and written[:-1] == listed
    return not is_symbol and not written.isupper()
