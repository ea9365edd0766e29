"""Where the names of a knowledge base may stand in a text: runs of tokens that its index holds.

All runs of a document are hashed at once and looked up in sorted, memory-mapped arrays: nothing is
built in memory, and the cost hardly grows with the vocabulary. Beyond PREFIX tokens a run goes on
only where some name begins with it, so that long names cost little and none is too long.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.document import Span
from holdfast.names.exact import ExactIndex
from holdfast.text.tokens import TOKEN, ends_prefix, extend_hash, hash_of_token, singular

_SPACE: Final = " \u00a0\u2000-\u200a\u202f"
_MARK: Final = r"(?:[^\w\s]|_)"
# What may stand between two tokens of one name. A line break never does.
_JOINING: Final = re.compile(
    rf"[{_SPACE}\-/'’+.‐‑–]{{0,3}}|{_MARK}{{0,6}}[{_SPACE}]?{_MARK}{{0,6}}"
)

# Nothing is named inside the address of a page, a paper or a person.
# Bounded, and tried at the start of a word only, so that no text takes quadratic time.
ADDRESS: Final = re.compile(
    r"(?:https?://|www\.|\bdoi:|\bdoi\.org/)\S+|(?<!\S)[^\s@]{1,100}@[^\s@]{1,200}\.\w+"
)

_CLOSES: Final = {"(": ")", "[": "]", "{": "}"}
_OPENS: Final = {closing: opening for opening, closing in _CLOSES.items()}


def known_spans(text: str, index: ExactIndex) -> list[Span]:
    """Every run of whole words that the index holds, with the brackets that belong to it."""
    text = ADDRESS.sub(lambda match: "\n" * len(match[0]), text)
    tokens = [token.span() for token in TOKEN.finditer(text)]
    if not tokens:
        return []
    words = [text[a:b] for a, b in tokens]
    hashes = np.array([hash_of_token(word) for word in words], dtype=np.uint64)
    last_hashes = hashes.copy()  # where a word ends a name, the plural of a short one
    for place, word in enumerate(words):
        if one := singular(word):
            last_hashes[place] = hash_of_token(one)
    spans = (
        Span(tokens[first][0], tokens[last][1])
        for first, last in _known_runs(hashes, last_hashes, _joined(text, tokens), index)
    )
    return [with_brackets(span, text) for span in spans if is_of_whole_words(span, text)]


def are_joined(name: str) -> bool:
    """Whether the name could be found in a text that spells it as it is."""
    tokens = [token.span() for token in TOKEN.finditer(name)]
    return bool(_joined(name, tokens).all())


def is_of_whole_words(span: Span, text: str) -> bool:
    """Whether no letter or digit goes on at either end."""
    return (
        not text[span.start - 1 : span.start].isalnum()
        and not text[span.end : span.end + 1].isalnum()
    )


def with_brackets(span: Span, text: str) -> Span:
    """The span with the bracket that closes or opens one inside it, where it stands beside it."""
    start, end = closed(span, text)
    unopened, _ = _unmatched(text[start:end])
    for bracket in unopened:
        if not start or text[start - 1] != _OPENS[bracket]:
            break
        start -= 1
    return Span(start, end)


def closed(span: Span, text: str) -> Span:
    """The span with the brackets that close those opened inside it, where they follow it.

    A charge may stand before the bracket, as in "sodium(1+)".
    """
    start, end = span
    _, unclosed = _unmatched(text[start:end])
    for bracket in reversed(unclosed):
        closing = end + (text[end : end + 1] in ("+", "-"))
        if not text.startswith(_CLOSES[bracket], closing):
            break
        end = closing + 1
    return Span(start, end)


def _unmatched(surface: str) -> tuple[list[str], list[str]]:
    """Closing brackets that nothing opened, and opening ones that nothing closed, in order."""
    unopened, unclosed = list[str](), list[str]()
    for character in surface:
        if character in _CLOSES:
            unclosed.append(character)
        elif character in _OPENS:
            if unclosed and unclosed[-1] == _OPENS[character]:
                unclosed.pop()
            else:
                unopened.append(character)
    return unopened, unclosed


def _joined(text: str, tokens: list[tuple[int, int]]) -> npt.NDArray[np.bool_]:
    """Whether each token but the last could be of one name with the next. *Shape:* (tokens - 1,)"""
    return np.array(
        [
            _JOINING.fullmatch(text, left[1], right[0]) is not None
            for left, right in pairwise(tokens)
        ],
        dtype=bool,
    )


def _known_runs(
    hashes: npt.NDArray[np.uint64],
    last_hashes: npt.NDArray[np.uint64],
    joined: npt.NDArray[np.bool_],
    index: ExactIndex,
) -> list[tuple[int, int]]:
    """The first and the last token of every run that the index holds.

    `last_hashes` are another way to hash each token where it ends a run.
    """
    differs = hashes != last_hashes
    goes_on = np.append(joined, False)
    first = np.arange(len(hashes))
    runs = np.zeros(len(hashes), dtype=np.uint64)
    found = list[tuple[int, int]]()
    length = 0
    while len(first):
        length += 1
        last = first + length - 1
        before, runs = runs, extend_hash(runs, hashes[last])
        known = index.holds(runs)
        if (other := np.flatnonzero(differs[last])).size:
            known[other] |= index.holds(extend_hash(before[other], last_hashes[last[other]]))
        found += zip(first[known].tolist(), last[known].tolist(), strict=True)
        going = goes_on[last]
        if ends_prefix(length):
            going &= index.begins(runs)
        runs, first = runs[going], first[going]
    return found
