"""The words of a mention, and the conjuncts between its coordinators ("and", "or", "/", commas)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from holdfast.text.composite_words import LABELS, cut_at_slashes, is_designator

Words = tuple[str, ...]

_SHORTEST_SLASHED: Final = 3  # letters: "mg/kg" and "CL/P" are units and abbreviations

_COORDINATORS: Final = frozenset({"and", "or", "nor", "&", "and/or", "/"})
_CORRELATIVES: Final = frozenset({"both", "either", "neither"})
_AS_WELL_AS: Final = re.compile(r"\bas\s+well\s+as\b", re.IGNORECASE)
_FIXED: Final = re.compile(r"\b(head|foot|nose)\s+and\s+(neck|mouth|throat)\b", re.IGNORECASE)
_JOINT: Final = "\x00"  # holds a fixed phrase together while words are cut


def read_conjuncts(text: str) -> list[Words]:
    """The words of each conjunct; none if there is no coordinator or brackets do not match.

    "breast and ovarian cancer" is ("breast",), ("ovarian", "cancer"). A conjunct is empty where a
    coordinator joins nothing.
    """
    return _runs(_words(text))


def written(words: Words) -> str:
    """The words of a conjunct as text, with one space between them."""
    return " ".join(filter(None, words)).replace(_JOINT, " ")


def _words(text: str) -> list[str]:
    """Words, coordinators and commas; what is in brackets belongs to the word before it.

    Nothing if brackets do not match.
    """
    whole = _AS_WELL_AS.sub("and", text.replace(_JOINT, " "))
    whole = _FIXED.sub(lambda m: _JOINT.join((m[1], "and", m[2])), whole)
    groups = list[list[str]]()
    depth = 0
    for piece in whole.split():
        if groups and (depth or piece[0] in "(["):
            groups[-1].append(piece)
        else:
            groups.append([piece])
        depth += sum((c in "([") - (c in ")]") for c in piece)
        if depth < 0:
            return []
    words = list[str]()
    for word in map(" ".join, groups):
        bare = word.rstrip(",")
        words.extend(_unslashed(bare) if bare else ())
        words.extend([","] * (len(word) > len(bare)))
    return words if depth == 0 else []


def _unslashed(word: str) -> list[str]:
    """Three words for "liver/kidney"; "and/or", "mg/kg" and "CL/P" as they are."""
    if word.lower() in _COORDINATORS or "/" not in word:
        return [word]
    sides = cut_at_slashes(word)
    for side in sides:
        if not is_designator(side) and sum(map(str.isalpha, side)) < _SHORTEST_SLASHED:
            return [word]
    return [piece for side in sides for piece in (side, "/")][:-1]


def _runs(words: Sequence[str]) -> list[Words]:
    """The runs of words between coordinators; none if there is no coordinator.

    A run is empty where a coordinator joins nothing. Commas count up to the last coordinator,
    unless a label follows ("gangliosidosis, type 1 and 2"); the others stay with their word.
    """
    joins = [_joins(words, i) for i in range(len(words))]
    if True not in joins:
        return []
    last = len(words) - 1 - joins[::-1].index(True)
    runs: list[list[str]] = [[]]
    for i, word in enumerate(words):
        if joins[i]:
            if words[i - 1 : i] != [","]:
                runs.append([])
        elif word == "," and i < last and words[i + 1].lower() not in LABELS:
            runs.append([])
        elif word == "," and runs[-1]:
            runs[-1][-1] += word
        elif word.lower() not in _CORRELATIVES:
            runs[-1].append(word)
    return [tuple(run) for run in runs]


def _joins(words: Sequence[str], i: int) -> bool:
    """Whether word i is a coordinator; that of "with or without" or "one or more" is none."""
    following = words[i + 1].lower() if i + 1 < len(words) else ""
    return words[i].lower() in _COORDINATORS and following not in ("without", "more")
