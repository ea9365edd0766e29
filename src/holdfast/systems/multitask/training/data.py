"""Training documents as word pieces, words, sentences and the labels of the three tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from holdfast.document import Document
from holdfast.encoders.tokens import TokenReader
from holdfast.systems.multitask.bilou import TaggedSpan, tags_of
from holdfast.systems.multitask.labels import NO_ENTITY, Labels
from holdfast.systems.multitask.text import Located, Words, locate, read_words
from holdfast.text.windows import Window, windows

Integers = npt.NDArray[np.int64]

NO_TYPE = -1
"""The label of a span whose type is not learned: a mention without a type, or no mention."""


@dataclass(frozen=True, slots=True)
class WindowConfig:
    """How documents are cut into windows. A shorter document is one window: no token is read twice.

    Where a window ends inside a document, each side keeps half of the overlap as context.
    """

    window: int = 382  # tokens at most, without the two special ones
    overlap: int = 96  # tokens that two windows share at least: about a sentence before and after


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A document and its labels. Spans are of words, ends inclusive."""

    document: Document
    words: Words
    windows: tuple[Window, ...]
    recognition: Integers  # BILOU tags; (words,)
    typing: Integers  # BILOU tags with types; (words,)
    linking: Integers  # classes; (words,)
    spans: Integers  # of the gold mentions, then of what is none; (spans, 2)
    span_types: Integers  # NO_TYPE where none is learned; (spans,)
    span_classes: Integers  # (spans,)
    mistaken: int = 0  # how many of the spans, the last ones, are no mentions

    def with_hidden_words(self, share: float, blank: int, rng: np.random.Generator) -> Example:
        """A copy in which the pieces of words drawn at random are `blank`; its labels stay."""
        tokens = self.words.tokens
        pieces = np.diff(tokens.words, append=len(tokens))
        hidden = np.repeat(rng.random(len(self.words)) < share, pieces)
        ids = np.where(hidden, blank, tokens.ids)
        return replace(self, words=replace(self.words, tokens=replace(tokens, ids=ids)))


def examples_of(
    documents: Iterable[Document],
    reader: TokenReader,
    labels: Labels,
    reading: WindowConfig,
    *,
    mistaken: Iterable[Document] = (),
) -> Iterator[Example]:
    """Documents with at least one word, in order.

    `mistaken` has the documents as another model recognised them; those of its mentions that are
    none become spans of no entity.
    """
    wrong = {document.id: document for document in mistaken}
    for document in documents:
        words = read_words(reader, document.text)
        if not len(words):
            continue
        found = list(locate(words, document.mentions))
        gold = {(one.first, one.last) for one in found}
        guessed = wrong.get(document.id)
        guesses = locate(words, guessed.mentions) if guessed else ()
        others = [(one.first, one.last) for one in guesses if (one.first, one.last) not in gold]
        yield _example(document, words, found, others, labels, reading)


def _example(
    document: Document,
    words: Words,
    found: Sequence[Located],
    others: Sequence[tuple[int, int]],
    labels: Labels,
    reading: WindowConfig,
) -> Example:
    types = [_type_of(one, labels) for one in found]
    classes = [labels.class_of(one.mention.ids) for one in found]
    typed = [
        TaggedSpan(one.first, one.last, type)
        for one, type in zip(found, types, strict=True)
        if type != NO_TYPE
    ]
    linking = np.full(len(words), NO_ENTITY, dtype=np.int64)
    for one, label in zip(found, classes, strict=True):
        linking[one.first : one.last + 1] = label
    spans = [(one.first, one.last) for one in found] + list(others)
    return Example(
        document,
        words,
        tuple(windows(len(words.tokens), size=reading.window, overlap=reading.overlap)),
        recognition=tags_of([TaggedSpan(one.first, one.last) for one in found], len(words)),
        typing=tags_of(typed, len(words)),
        linking=linking,
        spans=np.array(spans, dtype=np.int64).reshape(-1, 2),
        span_types=np.array(types + [NO_TYPE] * len(others), dtype=np.int64),
        span_classes=np.array(classes + [NO_ENTITY] * len(others), dtype=np.int64),
        mistaken=len(others),
    )


def _type_of(one: Located, labels: Labels) -> int:
    type = labels.type_of(one.mention.type)
    return NO_TYPE if type is None else type


@dataclass(frozen=True, slots=True)
class ExampleBatch:
    """Documents side by side, as tensors. Rows of tokens and of words count over all documents."""

    tokens: Tensor  # of all windows; (read,)
    lengths: Tensor  # tokens of each window; (windows,)
    kept: Tensor  # places among the read tokens, one for each token of the documents; (tokens,)
    word_of: Tensor  # the word that each kept token belongs to; (tokens,)
    sentences: Tensor  # words of each sentence; (sentences,)
    recognition: Tensor  # (words,)
    typing: Tensor  # (words,)
    linking: Tensor  # (words,)
    spans: Tensor  # (spans, 2)
    span_types: Tensor  # (spans,)
    span_classes: Tensor  # (spans,)

    @classmethod
    def of(cls, examples: Sequence[Example]) -> ExampleBatch:
        """*Shape:* everything of one document after everything of another."""
        read, kept, word_of = list[Integers](), list[Integers](), list[Integers]()
        lengths, spans = list[int](), list[Integers]()
        place = words = 0
        for example in examples:
            tokens = example.words.tokens
            for window in example.windows:
                read.append(tokens.ids[window.start : window.end])
                length = window.end - window.start
                kept.append(place + np.arange(window.kept.start, window.kept.stop))
                lengths.append(length)
                place += length
            pieces = np.diff(tokens.words, append=len(tokens))
            word_of.append(words + np.repeat(np.arange(len(example.words)), pieces))
            spans.append(example.spans + words)
            words += len(example.words)

        def joined(name: str) -> Tensor:
            return torch.from_numpy(np.concatenate([getattr(e, name) for e in examples]))

        sentences = [np.diff(example.words.sentences) for example in examples]
        return cls(
            torch.from_numpy(np.concatenate(read)),
            torch.tensor(lengths),
            torch.from_numpy(np.concatenate(kept)),
            torch.from_numpy(np.concatenate(word_of)),
            torch.from_numpy(np.concatenate(sentences)),
            joined("recognition"),
            joined("typing"),
            joined("linking"),
            torch.from_numpy(np.concatenate(spans)),
            joined("span_types"),
            joined("span_classes"),
        )
