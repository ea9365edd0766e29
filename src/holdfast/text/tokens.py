"""Words, and the keys under which names are looked up.

A token is a run of letters and digits of any script, with the combining marks and invisible
joiners inside it. Everything else separates, and so does the border of a Greek letter, written or
spelled: "IL-1β", "IL-1beta" and "IL-1 beta" have the same three tokens. A name's key is the
sequence of its folded tokens, so that "Alzheimer's disease", "alzheimer s disease" and
"ALZHEIMER’S DISEASE" share one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.text.normalise import fold

_MARKS: Final = "\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff"
_GREEK: Final = "\u0370-\u03ff\u1f00-\u1fffµ"
# Between digits, capitals and the ends of a word: "TGFbeta1" and "beta2", not "betaine".
_SPELLED: Final = (
    "(?:[Aa]lpha|[Bb]eta|[Gg]amma|[Dd]elta|[Ee]psilon|[Zz]eta|[Tt]heta|[Kk]appa|[Ll]ambda|"
    "[Ss]igma|[Oo]mega)(?![a-z])"
)
_OTHER: Final = rf"[^\W_{_GREEK}]"
TOKEN: Final = re.compile(
    rf"[{_GREEK}][{_GREEK}{_MARKS}]*"
    rf"|{_SPELLED}"
    rf"|{_OTHER}(?:(?!(?<=[A-Z0-9]){_SPELLED})(?:{_OTHER}|[{_MARKS}]))*"
)
_TOKEN_OR_END: Final = re.compile(rf"{TOKEN.pattern}|\n")

KEY_RULES: Final = 2
"""Counts up when the rules below change: an index built under other rules finds nothing."""

# Odd, with its bits well spread: sequences hash to a polynomial in it, modulo 2**64.
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
_SHORTEST_WORD: Final = 5
_SHORT_PLURAL: Final = re.compile(r"(?<![^\W_])(?:[a-z]{2}[^\W\d_sui]|[A-Z]{3})s$")

PREFIX: Final = 8
"""Tokens. Longer names are also known by their first 8, 16, 32, … tokens: who reads a text from
some place on can stop there unless a name begins so."""


@lru_cache(maxsize=1 << 16)
def key_of_token(token: str) -> str:
    """Folded; longer words also in the singular and in American spelling.

    The rules are crude ("species" becomes "specy") and harmless: both sides of every comparison
    go through them. Words too short for them may be acronyms, such as AIDS.
    """
    key = fold(token)
    if len(key) < _SHORTEST_WORD:
        return key
    if key[-1] == "s" and key[-2] not in "sui0123456789":
        key = key[:-3] + "y" if key.endswith("ies") else key[:-1]
    key = key.replace("ae", "e").replace("oe", "e")  # haemorrhage, oedema
    return key[:-3] + "or" if key.endswith("our") else key  # tumour


def singular(name: str) -> str:
    """The name without the plural of a last word that is too short for its key: "skin tags".

    Empty if it has none.
    """
    return name[:-1] if _SHORT_PLURAL.search(name) else ""


@lru_cache(maxsize=1 << 16)
def hash_of_token(token: str) -> int:
    """64 bits that depend on the token's key alone, the same on every machine."""
    digest = hashlib.blake2b(key_of_token(token).encode("utf-8", "replace"), digest_size=8)
    return int.from_bytes(digest.digest(), "little")


def tokens_of(text: str) -> list[str]:
    return TOKEN.findall(text)


def key_of(name: str) -> str:
    """The name's folded tokens, joined by spaces; empty if it has no letter or digit."""
    return " ".join([key_of_token(token) for token in TOKEN.findall(name)])


def extend_hash(
    prefix: npt.NDArray[np.uint64], token: npt.NDArray[np.uint64]
) -> npt.NDArray[np.uint64]:
    """The hashes of sequences one token longer. The empty sequence's hash is 0."""
    return (prefix + np.uint64(1)) * _MULTIPLIER + token


def hash_of_name(name: str) -> int:
    """The hash of the name's tokens; 0 if it has none."""
    value = np.zeros(1, dtype=np.uint64)
    for token in tokens_of(name):
        value = extend_hash(value, np.array([hash_of_token(token)], dtype=np.uint64))
    return int(value[0])


class _Hashes(dict[str, int]):
    """Token -> hash, computed when it is first met; what ends a name is 0."""

    def __missing__(self, token: str) -> int:
        value = self[token] = hash_of_token(token)
        return value


@dataclass(frozen=True, slots=True)
class NameHashes:
    """The hashes of names, and of what longer names begin with."""

    names: npt.NDArray[np.uint64]  # `hash_of_name` of each
    prefixes: npt.NDArray[np.uint64]  # of the first PREFIX, 2 * PREFIX, … tokens of longer names


def hashes_of_names(names: Iterable[str]) -> npt.NDArray[np.uint64]:
    """`hash_of_name` of each, computed together. *Shape:* (names,)"""
    return hash_names(names).names


def hash_names(names: Iterable[str]) -> NameHashes:
    # One pass over all names as one text, a line each, is several times faster than one by one.
    text = "".join([name.replace("\n", " ") + "\n" for name in names])
    tokens = _TOKEN_OR_END.findall(text)
    flat = np.fromiter(map(_Hashes({"\n": 0}).__getitem__, tokens), np.uint64, len(tokens))
    ends = np.flatnonzero(flat == 0)
    count = np.diff(ends, prepend=-1) - 1
    start = ends - count
    result = np.zeros(len(ends), dtype=np.uint64)
    prefixes = [np.zeros(0, dtype=np.uint64)]
    longer = np.flatnonzero(count > 0)
    position = 0
    while len(longer):
        result[longer] = extend_hash(result[longer], flat[start[longer] + position])
        position += 1
        longer = longer[count[longer] > position]
        if ends_prefix(position):
            prefixes.append(result[longer])
    return NameHashes(result, np.concatenate(prefixes))


def ends_prefix(count: int) -> bool:
    """Whether a run of that many tokens is looked up as the beginning of longer names."""
    times = count // PREFIX
    return count % PREFIX == 0 and times > 0 and times & (times - 1) == 0
