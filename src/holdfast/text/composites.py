"""Mentions that name several things at once: "breast and ovarian cancer" is two.

A mention is read as words, then as conjuncts between coordinators ("and", "or", "/", and commas
that lead up to one). What conjuncts share is put back: a head on the right ("cancer"), words on
the left ("cleft lip and palate"), a preposition ("cancer of the breast and ovary"), a part of a
word ("hypo- and hyperkalemia"). Only the look of words decides; no vocabulary is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final

from holdfast.text.composite_words import (
    ARTICLES,
    BOUND_TO_THE_LEFT,
    COMBINING,
    LABELS,
    PREPOSITIONS,
    SINGULAR_LABELS,
    is_adjective,
    is_designator,
    kind_of,
    stands_beside,
)
from holdfast.text.conjuncts import Words, read_conjuncts, written

_MOST_PARTS: Final = 16  # longer lists are text, not a mention
_LETTER_AND_HYPHEN: Final = re.compile(r"(?:\w|alpha|beta|gamma|delta)-\w")


@lru_cache(maxsize=1 << 14)
def split_composite(text: str) -> tuple[str, ...]:
    """The things that a mention names, in the order of the text; `(text,)` if it is one thing.

    The parts are proposals: "head and neck" apart, nothing here knows that "nausea and vomiting"
    is a concept of its own, so a caller whose vocabulary knows the whole prefers the whole. Parts
    keep case, Greek letters, hyphens and brackets; white space between words becomes one space.
    A list without "and", "or" or "/" is no composite ("Diabetes Mellitus, Type 2"), nor is one of
    more than sixteen parts, or a text whose brackets do not match.
    """
    conjuncts = read_conjuncts(text)
    if not 2 <= len(conjuncts) <= _MOST_PARTS or not all(conjuncts):
        return (text,)
    parts = tuple(dict.fromkeys(written(words) for words in _distribute(conjuncts)))
    if not 2 <= len(parts) <= _MOST_PARTS or any(len(part) < 2 for part in parts):
        return (text,)
    return parts


@dataclass(frozen=True, slots=True)
class _Completed:
    """Conjuncts made whole, in order, and whether they had words in common."""

    parts: tuple[Words, ...]
    in_common: bool


def _distribute(conjuncts: Sequence[Words]) -> list[Words]:
    """Made whole on either side of the first preposition, then joined by it again."""
    place = next((i for i, words in enumerate(conjuncts) if _core(words) < len(words) - 1), None)
    if place is None or conjuncts[place][_core(conjuncts[place])].lower() not in PREPOSITIONS:
        return list(_complete(conjuncts).parts)
    words = conjuncts[place]
    start = _core(words)
    end = start + 1
    if words[end].lower() in ARTICLES and end + 1 < len(words):
        end += 1
    before = _complete((*conjuncts[:place], words[:start]))
    after = _complete((words[end:], *conjuncts[place + 1 :]), modifiers=False)
    last, first = before.parts[-1], after.parts[0]
    alone = [w for w in before.parts if not before.in_common and not _alike(w, last)]
    independent = [
        w for w in after.parts if not after.in_common and _names(w) and not _names(first)
    ]
    heads = [w for w in before.parts if w not in alone]
    tails = [w for w in after.parts if w not in independent]
    linked = [head + _link(words[start:end], tail) for head, tail in product(heads, tails)]
    return [*alone, *linked, *independent]


def _link(link: Words, tail: Words) -> Words:
    """Preposition, article and tail; the tail's own preposition or article comes first."""
    if tail[0].lower() in PREPOSITIONS:
        return tail
    return (link[:1] if tail[0].lower() in ARTICLES else link) + tail


def _complete(conjuncts: Sequence[Words], *, modifiers: bool = True) -> _Completed:
    """Each conjunct with the words that it leaves to another.

    Without `modifiers`, nothing is taken from the left: after "cancer of the", "renal pelvis and
    bladder" are two places.
    """
    if len(conjuncts) == 1:
        return _Completed(tuple(conjuncts), in_common=False)
    return (
        _with_designators(conjuncts)
        or _with_second_halves(conjuncts)
        or _with_first_halves(conjuncts)
        or _with_head(conjuncts)
        or _with_modifier(conjuncts, shared=modifiers)
    )


def _with_designators(conjuncts: Sequence[Words]) -> _Completed | None:
    """What is marked by letters or numbers: "type I and II diabetes", "vitamins A, D and K"."""
    first, last = conjuncts[0], conjuncts[-1]
    start = len(first)
    while start and is_designator(first[start - 1]):
        start -= 1
    if start in (0, len(first)):
        return None
    label = first[start - 1 : start] if first[start - 1].lower() in LABELS else ()
    marks, suffix = [first[start:]], Words()
    for words in conjuncts[1:]:
        skip = int(bool(label) and words[0].lower() in LABELS)
        end = skip
        while end < len(words) and is_designator(words[end]):
            end += 1
        suffix = words[end:]
        if end == skip or (suffix and words is not last):
            return None
        marks.append(words[skip:end])
    stem = first[: start - len(label)]
    label = tuple(word[: len(SINGULAR_LABELS.get(word.lower(), word))] for word in label)
    return _Completed(tuple((*stem, *label, *mark, *suffix) for mark in marks), in_common=True)


def _with_second_halves(conjuncts: Sequence[Words]) -> _Completed | None:
    """What follows its hyphen alone: "COX-1 and -2"."""
    first = conjuncts[0]
    stem, hyphen, _ = first[-1].rpartition("-")
    if not stem or not hyphen or not all(w[0][0] == "-" and w[0] != "-" for w in conjuncts[1:]):
        return None
    rest = tuple((*first[:-1], stem + words[0], *words[1:]) for words in conjuncts[1:])
    return _Completed((first, *rest), in_common=True)


def _with_first_halves(conjuncts: Sequence[Words]) -> _Completed | None:
    """What lacks the end of its word: "B- and T-cell lymphoma", "hypo- and hyperkalemia"."""
    *others, last = conjuncts
    if not all(_lacks_its_end(words[-1], last[0]) for words in others):
        return None
    end = _word_end(last)
    if end is None:
        return None
    halves = ((*words[:-1], words[-1].rstrip("-") + end[0], *end[1:]) for words in others)
    return _Completed((*halves, last), in_common=True)


def _lacks_its_end(word: str, next_word: str) -> bool:
    if word.endswith("-"):
        return len(word) > 1
    if is_designator(word):
        return _LETTER_AND_HYPHEN.match(next_word) is not None
    return COMBINING.fullmatch(word) is not None and "-" not in next_word


def _word_end(words: Words) -> Words | None:
    """The end that first halves before these words lack: "-cell lymphoma", "kalemia"."""
    if "-" in words[0].strip("-"):
        return (words[0][words[0].index("-", 1) :], *words[1:])
    prefix = COMBINING.match(words[0])
    if prefix and len(words[0]) > prefix.end() + 2:
        return (words[0][prefix.end() :], *words[1:])
    for i in range(len(words) - 1, 0, -1):
        if "-" in words[i].strip("-"):
            return (words[i][words[i].rindex("-") :], *words[i + 1 :])
    return ("", words[-1]) if len(words) > 1 else None


def _with_head(conjuncts: Sequence[Words]) -> _Completed | None:
    """What names nothing yet takes the end of the last conjunct: "breast and ovarian cancer"."""
    *others, last = conjuncts
    core = last[: _core(last)]
    lacking = [words for words in others if not _names(words)]
    if not lacking or len(core) < 2 or not _lends_its_head(core, lacking):
        return None
    own = max(map(len, lacking)) + (core[0].lower() in (*ARTICLES, "non"))
    if core[-2].lower() in BOUND_TO_THE_LEFT:
        own = len(core)
    longest = 2 if len(core) > 2 and kind_of(core[-2]) else 1  # "cancer syndrome"
    head = last[min(own, len(core) - longest) :]
    parts = [words + head if words in lacking else words for words in others]
    of_last = head if core[-2].lower() == "other" else _without_article(last)
    return _Completed((*parts, of_last), in_common=True)


def _lends_its_head(core: Words, lacking: Sequence[Words]) -> bool:
    if _names(core) or all(is_adjective(words[-1]) for words in lacking):
        return True
    codes = (*(words[-1] for words in lacking), core[0])
    return all(any(map(str.isdigit, word)) for word in codes)


def _with_modifier(conjuncts: Sequence[Words], *, shared: bool) -> _Completed:
    """Single words take what stands before the first conjunct's last: "cleft lip and palate"."""
    first, *others = map(_without_article, conjuncts)
    modifier = first[:-1] if shared and _core(first) == len(first) else ()
    parts = [
        modifier + words if len(words) == 1 and not stands_beside(words[0], first[-1]) else words
        for words in others
    ]
    return _Completed((first, *parts), in_common=parts != others)


def _names(words: Words) -> bool:
    """Whether the words end as the name of a finding does, but for "type 2" or "of the lung"."""
    end = _core(words)
    while end and (is_designator(words[end - 1]) or words[end - 1].lower() in LABELS):
        end -= 1
    return end > 0 and kind_of(words[end - 1]) != ""


def _alike(one: Words, other: Words) -> bool:
    return kind_of(one[-1]) == kind_of(other[-1])


def _core(words: Words) -> int:
    """How many words come before the first preposition or up to the first comma."""
    for i, word in enumerate(words):
        if i and word.lower() in PREPOSITIONS:
            return i
        if word.endswith(","):
            return i + 1
    return len(words)


def _without_article(words: Words) -> Words:
    return words[1:] if len(words) > 1 and words[0].lower() in ARTICLES else words
