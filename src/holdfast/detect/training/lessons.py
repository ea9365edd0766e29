"""What a detector learns from: corpora that annotate different types, without one misleading it.

A corpus that marks diseases says nothing about genes. Its words carry every tag that agrees with
it: outside a mention, that is O and all tags of the types that it does not annotate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.detect.bio import beginning, inside
from holdfast.detect.dictionary import DictionaryDetector
from holdfast.detect.training.schemes import Scheme
from holdfast.document import Document, Mention
from holdfast.encoders.tokens import TokenReader, Tokens
from holdfast.text.sentences import split_sentences
from holdfast.text.windows import Window, windows

MOST_TYPES: Final = 31
"""As many have bits for their tags; O has one too."""

EVERY_TAG: Final = (1 << (2 * MOST_TYPES + 1)) - 1
"""Bit i for tag i, also of tags that a network does not have."""


@dataclass(frozen=True, slots=True, eq=False)
class TaughtDocument:
    """A document as the detector reads it."""

    text: str
    tokens: Tokens
    allowed: npt.NDArray[np.uint64]  # (words,): bit i for tag i
    tags: int  # that the network has
    names: tuple[tuple[Mention, ...], ...]  # of each knowledge base, overlapping ones too


@dataclass(frozen=True, slots=True)
class Lesson:
    """A window of a document."""

    document: TaughtDocument
    window: Window
    passes: float  # how often it is seen in a full training


def lessons(
    documents: Iterable[Document],
    scheme: Scheme,
    *,
    reader: TokenReader,
    dictionaries: Sequence[DictionaryDetector],
    size: int,
    overlap: int,
    short: float = 0.0,
) -> Iterator[Lesson]:
    """All windows of the documents; `size` is without the special tokens.

    `short` is the part of the passes that goes to a few sentences at a time: a detector that has
    only read whole abstracts is lost in a title or a line of notes.
    """
    for document in documents:
        tokens = reader.read(document.text)
        taught = TaughtDocument(
            document.text,
            tokens,
            allowed_tags(document.mentions, tokens, scheme),
            2 * len(scheme.types) + 1,
            tuple(tuple(known.names_in(document.text)) for known in dictionaries),
        )
        for window in windows(len(tokens), size=size, overlap=overlap):
            yield Lesson(taught, window, (1 - short) * scheme.passes)
        if short:
            for window in few_sentences(document.text, tokens, size=size):
                yield Lesson(taught, window, short * scheme.passes)


def few_sentences(text: str, tokens: Tokens, *, size: int) -> Iterator[Window]:
    """The text in runs of one, two and three sentences, in turn; of a long run the first part."""
    starts = [span.start for span in split_sentences(text)]
    places = [*np.searchsorted(tokens.starts, starts).tolist(), len(tokens)]
    lengths, sentence = cycle((1, 2, 3)), 0
    while sentence < len(starts):
        following = min(sentence + next(lengths), len(starts))
        first, last = places[sentence], min(places[following], places[sentence] + size)
        if first < last:
            yield Window(first, last, first, last)
        sentence = following


def allowed_tags(
    mentions: Iterable[Mention], tokens: Tokens, scheme: Scheme
) -> npt.NDArray[np.uint64]:
    """The tags of each word that agree with the mentions, bit i for tag i. *Shape:* (words,)

    Of mentions that overlap the longest counts. Where one is interrupted, any tag is allowed: a
    row of tags cannot say it.
    """
    known = scheme.types
    outside = 1 | sum(_bits(i) for i, type in enumerate(known) if type not in scheme.complete)
    allowed = np.full(len(tokens.words), outside, dtype=np.uint64)
    taken = np.zeros(len(tokens.words), dtype=bool)
    starts, ends = tokens.word_starts(), tokens.word_ends()
    for mention in sorted(mentions, key=lambda m: (m.start - m.end, m.start)):
        meant = scheme.meanings(mention.type)
        first = int(np.searchsorted(ends, mention.start, side="right"))
        last = int(np.searchsorted(starts, mention.end, side="left"))
        if meant is None or first >= last or taken[first:last].any():
            continue
        taken[first:last] = True
        if not meant or len(mention.spans) > 1:
            allowed[first:last] = EVERY_TAG
        else:
            allowed[first] = sum(1 << beginning(known.index(type)) for type in meant)
            allowed[first + 1 : last] = sum(1 << inside(known.index(type)) for type in meant)
    return allowed


def _bits(type: int) -> int:
    return 1 << beginning(type) | 1 << inside(type)
