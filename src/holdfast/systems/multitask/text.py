"""Documents as the network reads them: word pieces, words, and sentences as runs of words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.document import Mention
from holdfast.encoders.tokens import TokenReader, Tokens
from holdfast.text.sentences import split_sentences

LONGEST_SENTENCE: Final = 256
"""Words that a task's encoder reads at once; longer sentences are cut."""

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """A text in words, each made of one or more word pieces."""

    tokens: Tokens
    starts: Integers  # (words,): code points
    ends: Integers  # (words,): exclusive
    sentences: Integers  # (sentences + 1,): the first word of each, and the number of words

    def __len__(self) -> int:
        return len(self.starts)

    def span_of(self, start: int, end: int) -> tuple[int, int] | None:
        """The first and the last word that touch these code points; None if none does."""
        first = int(np.searchsorted(self.ends, start, side="right"))
        last = int(np.searchsorted(self.starts, end, side="left")) - 1
        return (first, last) if first <= last else None

    def sentence_of(self, word: int) -> int:
        return int(np.searchsorted(self.sentences, word, side="right")) - 1


def read_words(reader: TokenReader, text: str) -> Words:
    """Cut a text. Every word is in one sentence; a text without words has none of either."""
    tokens = reader.read(text)
    if len(tokens):  # a special token that the text spells begins no word by itself
        tokens = replace(tokens, words=np.union1d([0], tokens.words))
    starts, ends = tokens.word_starts(), tokens.word_ends()
    firsts = [int(np.searchsorted(starts, s.start)) for s in split_sentences(text)]
    bounds = sorted({0, len(starts), *firsts})
    cuts = [cut for first, last in pairwise(bounds) for cut in range(first, last, LONGEST_SENTENCE)]
    return Words(tokens, starts, ends, np.array([*cuts, len(starts)], dtype=np.int64))


def word_states(states: Floats, words: Integers) -> Floats:
    """The mean over the pieces of each word. *Shape:* (tokens, width) to (words, width).

    `words` holds the place of each word's first token, the first of them 0.
    """
    if not len(words):
        return np.zeros((0, states.shape[1]), dtype=np.float32)
    lengths = np.diff(words, append=len(states))
    sums = np.add.reduceat(states, words, axis=0)
    return (sums / lengths[:, None]).astype(np.float32)


def mean_states(states: Floats, spans: Iterable[tuple[int, int]]) -> Floats:
    """The mean over the words of each span, ends inclusive. *Shape:* (spans, width)."""
    rows = [states[first : last + 1].mean(axis=0) for first, last in spans]
    return np.stack(rows) if rows else np.zeros((0, states.shape[1]), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Located:
    """A mention among the words of a document."""

    first: int
    last: int  # inclusive
    mention: Mention


def locate(words: Words, mentions: Sequence[Mention]) -> Iterator[Located]:
    """The mentions that tags can say, from the left: in one piece, in one sentence, not nested.

    Of mentions that share a word the longest is kept, then the first.
    """
    taken = np.zeros(len(words), dtype=bool)
    found = list[Located]()
    for mention in sorted(mentions, key=lambda m: (m.start - m.end, m.start)):
        span = words.span_of(mention.start, mention.end)
        if span is None or len(mention.spans) > 1:
            continue
        first, last = span
        is_crossing = words.sentence_of(first) != words.sentence_of(last)
        if not is_crossing and not taken[first : last + 1].any():
            taken[first : last + 1] = True
            found.append(Located(first, last, mention))
    yield from sorted(found, key=lambda one: one.first)
