"""The plus and minus signs in names: "CD4−" is not "CD4+", and (+)-menthol is not (−)-menthol.

Keys of names leave signs out, as they leave out hyphens, which look the same. A minus behind a
word is a sign where nothing follows that a hyphen could join: "HER2-", but not "HER2-positive" and
not the first hyphen of "alpha- and beta-globin".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from holdfast.text.tokens import TOKEN, key_of_token

PLUS: Final = "+"
MINUS: Final = "-"
_BOTH: Final = "±"
_SHORTEST_WORD: Final = 3

BEHIND: Final = re.compile(
    r"[+⁺]/[-−⁻–]|[+⁺]+|[-−⁻–](?![\w(\[+-])(?!\s+(?:and|or|to)\b)(?!\s*[,/]\s*[^\s,]+-)"
)
"""Matches the sign of a word at the word's end."""
_SPELLED: Final = re.compile(r"[\s\-‐‑–]?(pos|neg)(?:itive)?(?:ative)?\b", re.IGNORECASE)
BEFORE: Final = re.compile(r"\(([+\-−±]|\+/[-−])\)[-‐‑]?(?=\w|$)")
"""Matches the sign before a word, where the text is searched up to the word or beyond."""
_TAIL: Final = re.compile(r"[+⁺⁻\-−*'’′″\"”]+$")
_HEAD: Final = re.compile(r"[^\w\s]+(?=\w)")
_PLAIN: Final = str.maketrans("⁺⁻−–‐‑’′”″", "+-----''\"\"")
_MAYBE: Final = re.compile(
    r"\w[+⁺⁻]|\w[-−–](?!\w)|\([+\-−±]|[\s\-‐‑–](?:pos|neg)(?:itive|ative)?\b", re.IGNORECASE
)


def has_sign(name: str) -> bool:
    """Whether the name may have a sign; a quick look that is never wrong when it says no."""
    return _MAYBE.search(name) is not None


def are_opposed(one: str, other: str) -> bool:
    """Whether the names have the same word with different signs."""
    if not (has_sign(one) and has_sign(other)):
        return False
    first, second = _signs_of(one), _signs_of(other)
    return any(second.get(word, sign) != sign for word, sign in first.items())


def lacks_minus(surface: str, name: str) -> bool:
    """Whether a word of the name has a minus, and the same word of the surface no sign."""
    return has_sign(name) and any(
        sign == MINUS and word not in _signs_of(surface) and not word.startswith("(")
        for word, sign in _signs_of(name).items()
    )


def lacks_sign(surface: str, name: str) -> bool:
    """Whether the name has a minus, or ends in a plus, that the surface lacks.

    A plus inside is often left out ("CD4 T cells" are CD4+ T cells), and so is the charge behind a
    word of letters ("NAD").
    """
    if not has_sign(name):
        return False
    is_word = len(surface) >= _SHORTEST_WORD and surface.isalpha()
    lacks_plus = PLUS in _plain(tail_of(name)) and PLUS not in _plain(tail_of(surface))
    return (lacks_plus and not is_word) or lacks_minus(surface, name)


def tail_of(name: str) -> str:
    """What ends the name behind its last letter or digit: a sign, a quote, an asterisk."""
    found = _TAIL.search(name)
    return found[0] if found else ""


def head_of(name: str) -> str:
    """What begins the name before its first letter or digit, if that follows at once."""
    found = _HEAD.match(name)
    return found[0] if found else ""


def length_at_end(tail: str, text: str, end: int) -> int:
    """How many characters of the text at `end` are the tail, however its signs are written."""
    written = _plain(text[end : end + len(tail)])
    goes_on = text[end + len(tail) : end + len(tail) + 1].isalnum()
    return len(tail) if written == _plain(tail) and not (goes_on and tail.endswith("-")) else 0


def length_before(head: str, text: str, start: int) -> int:
    """How many characters of the text before `start` are the head, which begins a word."""
    first = max(0, start - len(head))
    is_joined = text[max(0, first - 1) : first].isalnum()
    return len(head) if _plain(text[first:start]) == _plain(head) and not is_joined else 0


def _plain(marks: str) -> str:
    return marks.translate(_PLAIN)


@lru_cache(maxsize=1 << 14)
def _signs_of(name: str) -> dict[str, str]:
    """The sign of each word that has one; of one before a word, under "(" and the word."""
    found = dict[str, str]()
    for token in TOKEN.finditer(name):
        key = key_of_token(token[0])
        if sign := BEHIND.match(name, token.end()):
            found[key] = _class_of(sign[0])
        elif word := _SPELLED.match(name, token.end()):
            found[key] = PLUS if word[1].casefold() == "pos" else MINUS
    for before in BEFORE.finditer(name):
        word_after = TOKEN.search(name, before.end())
        if word_after is not None:
            found[f"({key_of_token(word_after[0])}"] = _class_of(before[1])
    return found


def _class_of(sign: str) -> str:
    plain = _plain(sign)
    if "/" in plain or _BOTH in plain:
        return _BOTH
    return PLUS if PLUS in plain else MINUS
