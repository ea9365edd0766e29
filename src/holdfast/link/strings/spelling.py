"""Whether a string is a name with slips of spelling: word against word, by edit distance.

Every word of the string must have its word in the name and the other way round; order, plural,
British spelling and words such as "of" do not matter. Numbers and short words must be equal:
"type 1" is no slip for "type 2", and "WNL" none for "WNT".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from holdfast.text.tokens import key_of_token, tokens_of

_FUNCTION: Final = re.compile("of|the|in|an|and|or|to|for|with|by|on|at|from|due|as|is|s")
_SHORTEST: Final = 4  # letters of a word that may be misspelled
_PREFIX: Final = 4  # letters of a word that may be cut off: "pneumo" for "pneumoniae"
_LIKENESS: Final = 0.7  # the least share of a word that is spelled right
_INFLECTED: Final = ("ing", "ed")  # "signed" is a word, and no slip for a name like it
_SOUNDS: Final = (
    (re.compile("ph"), "f"),
    (re.compile("ae|oe"), "e"),
    (re.compile("y"), "i"),
    (re.compile("ck|c(?=[^eiy]|$)"), "k"),
    (re.compile("z"), "s"),
    (re.compile("rh"), "r"),
    (re.compile("th"), "t"),
    (re.compile(r"(.)\1"), r"\1"),
)


@dataclass(frozen=True, slots=True)
class SpellingAlignment:
    """How a string's words answer to a name's."""

    slips: tuple[tuple[str, str], ...]  # (as written, as the name has it)
    missing: tuple[str, ...]  # generic words of the name that the string lacks
    likeness: float  # in (0, 1]: the share of letters that are right
    equal: tuple[str, ...]  # keys of the words that are spelled alike
    cost: float  # letters that are wrong


def align(written: str, name: str, *, generic: Collection[str] = ()) -> SpellingAlignment | None:
    """The alignment of a string with a name; None where some word has no counterpart.

    `generic`: keys of words, such as "disease", that either side may lack.
    """
    ours, theirs = _words(written), _words(name)
    equal = [word for word in ours if _take(theirs, word)]
    open_ones = list((Counter(ours) - Counter(equal)).elements())
    slips = list[tuple[str, str]]()
    cost = 0.0
    for word in open_ones:
        best = min(theirs, key=lambda other: (distance(word, other), other), default="")
        slip = slip_cost(word, best) if best else None
        if slip is not None:
            theirs.remove(best)
            slips.append((word, best))
            cost += slip
        elif word not in generic:
            return None
    if any(word not in generic for word in theirs) or not ours:
        return None
    letters = sum(map(len, ours))
    likeness = max(0.05, 1.0 - cost / letters - 0.05 * len(theirs))
    said = tuple(_as_written(slips, written, name))
    return SpellingAlignment(said, tuple(theirs), likeness, tuple(equal), cost)


@lru_cache(maxsize=1 << 14)
def slip_cost(word: str, other: str) -> float | None:
    """How many letters are wrong, if the word may be a slip for the other; otherwise None."""
    if not (word.isalpha() and other.isalpha()) or min(len(word), len(other)) < _SHORTEST - 1:
        return None
    if len(word) >= _PREFIX and other.startswith(word) and len(other) <= 3 * len(word):
        return 0.5
    if min(len(word), len(other)) < _SHORTEST:
        is_cut = other.startswith(word) or word.startswith(other)
        return 1.0 if is_cut and abs(len(word) - len(other)) == 1 else None
    cost = min(float(distance(word, other)), 0.5 + distance(_sound(word), _sound(other)))
    if sorted(word) == sorted(other):  # letters in the wrong places, as in "Chron"
        cost = min(cost, 1.0)
    longest = max(len(word), len(other))
    allowed = 1 if longest <= 5 else 2 if longest <= 8 else 3
    if cost > allowed or 1 - cost / longest < _LIKENESS:
        return None
    if word.endswith(_INFLECTED) and not other.endswith(_INFLECTED):
        return None
    is_other_start = _sound(word)[0] != _sound(other)[0]
    return None if is_other_start and (cost > 1 or longest < 7) else cost


@lru_cache(maxsize=1 << 16)
def distance(first: str, second: str) -> int:
    """Insertions, deletions, replacements and swaps of neighbours between two words."""
    before, row = list[int](), list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        two_before, before = before, row
        row = [i]
        for j, b in enumerate(second, 1):
            value = min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and first[i - 2] == b:
                value = min(value, two_before[j - 2] + 1)
            row.append(value)
    return row[-1]


@lru_cache(maxsize=1 << 14)
def _sound(word: str) -> str:
    """The word as it sounds, roughly."""
    for pattern, sound in _SOUNDS:
        word = pattern.sub(sound, word)
    return word


def _words(text: str) -> list[str]:
    keys = [key_of_token(token) for token in tokens_of(text)]
    return [key for key in keys if not _FUNCTION.fullmatch(key)]


def _take(words: list[str], word: str) -> bool:
    """Remove the word if it is there."""
    if word in words:
        words.remove(word)
        return True
    return False


def _as_written(slips: Sequence[tuple[str, str]], written: str, name: str) -> list[tuple[str, str]]:
    """The slips with the words as both sides spell them, in lower case."""
    ours = {key_of_token(token): token.casefold() for token in tokens_of(written)}
    theirs = {key_of_token(token): token.casefold() for token in tokens_of(name)}
    return [(ours[a], theirs[b]) for a, b in slips]
