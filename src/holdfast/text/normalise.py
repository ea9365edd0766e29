"""The form in which text and names are compared, with a way back to the original offsets.

Folding is decided character by character, without context: case, accents, compatibility forms
(ligatures, full width, superscripts), Greek letters, dashes, quotes and spaces. So it is the same
for a name and for the same name inside a document, and folding twice changes nothing more.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.document import Span
from holdfast.errors import InvalidValueError

# fmt: off
_GREEK: Final = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu",
    "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "υ": "upsilon",
    "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}
# Letters that Unicode does not decompose.
_LATIN: Final = {
    "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ȷ": "j", "ł": "l",
    "ŧ": "t", "þ": "th",
}
# fmt: on
# Letters of the phonetic alphabet that are typed for the Greek ones, as in "TNF-ɑ".
_GREEK_LOOKALIKES: Final = {"ɑ": "alpha", "ɣ": "gamma", "ɛ": "epsilon"}
_DASHES: Final = (
    "\u02d7\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d\u2e3a\u2e3b"
)
_SINGLE_QUOTES: Final = (
    "\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u2018\u2019\u201a\u201b\u2032\u2035\u2039\u203a"
    "\u1ffd\uff07"
)
_DOUBLE_QUOTES: Final = (
    "\u00ab\u00bb\u02ba\u201c\u201d\u201e\u201f\u2033\u2036\u301d\u301e\u301f\uff02"
)
_LINE_ENDS: Final = "\u0085\u2028\u2029"
# Compatibility forms would turn these into letters of the word before them.
_KEPT: Final = "™℠"

_SPECIAL: Final = {
    **_GREEK,
    **_GREEK_LOOKALIKES,
    **_LATIN,
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_SINGLE_QUOTES, "'"),
    **dict.fromkeys(_DOUBLE_QUOTES, '"'),
    **dict.fromkeys(_LINE_ENDS, "\n"),
    **{character: character for character in _KEPT},
    "\u2044": "/",  # the fraction slash of ½
}

_INVISIBLE: Final = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
# Accents and pointing. Marks elsewhere (Indic vowels, the kana voicing mark) make other letters.
_ACCENTS: Final = (
    (0x0300, 0x036F),
    (0x0483, 0x0487),
    (0x0591, 0x05BD),
    (0x05BF, 0x05BF),
    (0x05C1, 0x05C2),
    (0x05C4, 0x05C5),
    (0x05C7, 0x05C7),
    (0x064B, 0x065F),
    (0x0670, 0x0670),
    (0x1AB0, 0x1AFF),
    (0x1DC0, 0x1DFF),
    (0x20D0, 0x20FF),
    (0xFE20, 0xFE2F),
)


def _is_within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def _fold_character(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    code = ord(character)
    if _is_within(code, _INVISIBLE) or _is_within(code, _ACCENTS):
        return ""
    category = unicodedata.category(character)
    if category == "Zs":
        return " "
    if category == "Pd":
        return "-"
    forms = unicodedata.normalize("NFKD", character)
    if forms == character:
        forms = character.casefold()
    return forms if forms == character else "".join(map(_fold_character, forms))


class _Table(dict[int, str]):
    """Code point -> its folded form, computed when it is first met; for `str.translate`."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_character(chr(code))
        return folded


_TABLE: Final = _Table()
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]+")


def fold(text: str) -> str:
    """The comparison form of a name, a token or a whole text.

    Lower case without accents; Greek letters spelled out ("TGF-β" -> "tgf-beta"), "ß" -> "ss",
    ligatures and super- and subscripts as plain characters; every dash "-", every quote "'" or
    '"', every space " ", every line end that is not ASCII "\\n"; soft hyphens, zero-width and
    direction marks removed. Spaces are not trimmed or merged. Never raises.
    """
    if text.isascii():
        return text.lower()
    return _NOT_ASCII.sub(_fold_match, text.lower())


def _fold_match(match: re.Match[str]) -> str:
    return match[0].translate(_TABLE)


@dataclass(frozen=True, slots=True, eq=False)
class NormalisedText:
    """A folded text that knows where each of its characters came from."""

    text: str
    original_length: int
    # Where the source of each character of `text` starts and ends; None if nothing moved.
    _starts: npt.NDArray[np.int64] | None = None
    _ends: npt.NDArray[np.int64] | None = None

    def span(self, start: int, end: int) -> Span:
        """The smallest range of the original that produced `text[start:end]`.

        A base character brings the accents that follow it. An empty range maps to an empty one.
        """
        if not 0 <= start <= end <= len(self.text):
            raise InvalidValueError(
                f"span {start}-{end} is reversed or leaves the text ({len(self.text)} long)"
            )
        if self._starts is None or self._ends is None:
            return Span(start, end)
        if start == end:
            at = int(self._starts[start]) if start < len(self.text) else self.original_length
            return Span(at, at)
        return Span(int(self._starts[start]), int(self._ends[end - 1]))


def normalise(text: str) -> NormalisedText:
    """`fold(text)` with the map back to the offsets of `text`."""
    folded = fold(text)
    if text.isascii():
        return NormalisedText(folded, len(text))
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    foreign = np.flatnonzero(codes > 127)
    foreign_codes = codes[foreign].tolist()
    foreign_lengths = [len(_TABLE[code]) for code in foreign_codes]
    if all(length == 1 for length in foreign_lengths):
        return NormalisedText(folded, len(text))
    lengths = np.ones(len(text), dtype=np.int64)
    lengths[foreign] = foreign_lengths
    ends = np.arange(1, len(text) + 1, dtype=np.int64)
    for position, code in zip(reversed(foreign.tolist()), reversed(foreign_codes), strict=True):
        if position and not _TABLE[code] and _is_within(code, _ACCENTS):
            ends[position - 1] = ends[position]
    return NormalisedText(
        folded,
        len(text),
        np.repeat(np.arange(len(text), dtype=np.int64), lengths),
        np.repeat(ends, lengths),
    )
