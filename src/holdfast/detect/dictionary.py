"""Dictionary detection: every stretch of tokens that is a name in the knowledge base.

All runs of up to MAX_TOKENS tokens of a document are hashed together and looked up in one sorted,
memory-mapped array: nothing is built in memory, and the cost hardly grows with the vocabulary.
The longest match wins, from the left. What a document defines as an abbreviation is a mention
wherever its long form names something, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

from holdfast import types
from holdfast.document import Document, Mention, Span
from holdfast.kb.store import KnowledgeBase
from holdfast.names.credible import SYMBOLS, is_credible, may_name
from holdfast.names.preference import preference_of_entities
from holdfast.text.abbreviations import long_forms
from holdfast.text.lines import unwrapped
from holdfast.text.occurrences import occurrences
from holdfast.text.tokens import TOKEN, extend_hash, hash_of_token, hashes_of_names

MAX_TOKENS: Final = 10

# What may stand between two tokens of one name. A line break never does.
_JOINING: Final = re.compile(r"[ \u00a0\u2000-\u200a\u202f\-/'’+.‐‑–]{0,3}|, |:| ?[(\[]|[)\]][ -]?")


# Nothing is named inside the address of a page, a paper or a person.
# Bounded, and tried at the start of a word only, so that no text takes quadratic time.
_ADDRESS: Final = re.compile(
    r"(?:https?://|www\.|\bdoi:|\bdoi\.org/)\S+|(?<!\S)[^\s@]{1,100}@[^\s@]{1,200}\.\w+"
)


_ION: Final = re.compile(r"[A-Z][a-z]?\d?")  # "Ca2" before a plus sign


class DictionaryDetector:
    """Finds the names of a knowledge base in text, each with the type of its best entity."""

    def __init__(self, kb: KnowledgeBase, *, only: Collection[str] | None = None) -> None:
        """`only`: the types to find; by default all but `Other`, which is mostly common words."""
        self._kb = kb
        unwanted = types.mask_of([types.OTHER]) if only is None else 0
        self._wanted = types.mask_of(only) & ~unwanted
        self._only = frozenset(only or ())
        self._preference = preference_of_entities(kb)
        self._type_of = lru_cache(maxsize=1 << 16)(self._type_of_surface)

    def __call__(self, document: Document) -> Document:
        """The document with the mentions found added to those it had."""
        return document.with_mentions((*document.mentions, *self.detect(document.text)))

    def detect(self, text: str) -> list[Mention]:
        """Mentions that do not overlap, in the order of the text."""
        return longest_from_left(self.names_in(text))

    def names_in(self, text: str) -> list[Mention]:
        """Every mention there could be, also inside another, by start, then the longest first.

        None goes on in the next line, unless the line was merely wrapped.
        """
        defined = long_forms(text)
        text = unwrapped(text)
        type_of_short = {short: self._type_of(long) for short, long in defined.items()}
        found = list[Mention]()
        for span in sorted(
            {*self._known_spans(text), *occurrences(text, defined)},
            key=lambda span: (span.start, -span.end),
        ):
            surface = text[span.start : span.end]
            if text.startswith("+", span.end) and _ION.fullmatch(surface):
                continue
            type = type_of_short[surface] if surface in defined else self._type_of(surface)
            if type is not None:
                found.append(Mention((span,), type=type))
        return found

    def _known_spans(self, text: str) -> list[Span]:
        """Every run of tokens that the index holds under some name."""
        text = _ADDRESS.sub(lambda match: "\n" * len(match[0]), text)
        tokens = [token.span() for token in TOKEN.finditer(text)]
        if not tokens:
            return []
        hashes = np.array([hash_of_token(text[a:b]) for a, b in tokens], dtype=np.uint64)
        joined = [
            _JOINING.fullmatch(text, left[1], right[0]) is not None
            for left, right in pairwise(tokens)
        ]
        goes_on = np.array([*joined, False])
        first = np.arange(len(tokens))
        runs = np.zeros(len(tokens), dtype=np.uint64)
        found = []
        for length in range(1, MAX_TOKENS + 1):
            runs = extend_hash(runs, hashes[first + length - 1])
            found.append((runs, first, np.full(len(first), length)))
            going = goes_on[first + length - 1]
            runs, first = runs[going], first[going]
        run, start, count = (np.concatenate(parts) for parts in zip(*found, strict=True))
        known = self._kb.exact.holds(run)
        return [
            Span(tokens[a][0], tokens[a + n - 1][1])
            for a, n in zip(start[known].tolist(), count[known].tolist(), strict=True)
        ]

    def _type_of_surface(self, surface: str) -> str | None:
        """The type of the best entity that the surface names; None if it names nothing wanted."""
        if not may_name(surface):
            return None
        start, end = self._kb.exact.ranges(hashes_of_names([surface]))
        best: tuple[int, int] | None = None
        for row in self._kb.exact.rows[start[0] : end[0]].tolist():
            entity = int(self._kb.entity_of_name[row])
            if self._kb.type_mask[entity] & self._wanted:
                rank = (int(self._preference[entity]), entity)
                better = best is None or rank < best
                if better and self._is_credible(surface, row):
                    best = rank
        return None if best is None else self._name_of_type(best[1])

    def _is_credible(self, surface: str, row: int) -> bool:
        is_symbol = bool(self._kb.type_mask[self._kb.entity_of_name[row]] & SYMBOLS)
        return is_credible(surface, self._kb.name_at(row), is_symbol=is_symbol)

    def _name_of_type(self, entity: int) -> str:
        mask = int(self._kb.type_mask[entity]) & self._wanted
        known = (type for bit, type in enumerate(types.TYPES) if mask >> bit & 1)
        named = self._kb.types_of(entity)
        own = (type for type in named if type in self._only)
        return next(known, None) or next(own, None) or next(iter(named), "")


def longest_from_left(mentions: Iterable[Mention]) -> list[Mention]:
    """Of mentions by start, then the longest first: those that overlap none taken before."""
    taken, end = list[Mention](), 0
    for mention in mentions:
        if mention.start >= end:
            taken.append(mention)
            end = mention.end
    return taken
