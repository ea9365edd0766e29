"""Annotated texts as sequences of tokens with words and entities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from holdfast.encoders.tokens import TokenReader
from holdfast.systems.kebiolm.knowledge.annotated_text import AnnotatedText

Integers = npt.NDArray[np.int64]

NO_ENTITY: Final = -1
"""The row of a mention whose entity has no vector: it receives no entity state."""
OUTSIDE, BEGIN, INSIDE = range(3)
_SHORTEST: Final = 16  # tokens of a sequence that is worth learning from


@dataclass(frozen=True, slots=True, eq=False)
class TextSequence:
    """Tokens without the special ones. Spans are of tokens, ends inclusive."""

    tokens: Integers  # (tokens,)
    words: Integers  # (tokens,): the number of the word that each belongs to, ascending
    spans: Integers  # (mentions, 2), ascending
    entities: Integers  # (mentions,): rows of the entity table, or NO_ENTITY


def sequences_of(
    texts: Iterable[AnnotatedText],
    reader: TokenReader,
    rows: Mapping[str, int],
    *,
    longest: int,
    most_entities: int = 50,
) -> Iterator[TextSequence]:
    """Cut texts into sequences of at most `longest` tokens, between words and beside mentions.

    A sequence keeps its first `most_entities` mentions; the words of the others stay. `rows` has
    the row of each entity.
    """
    for text in texts:
        tokens = reader.read(text.text)
        words = np.cumsum(np.isin(np.arange(len(tokens)), tokens.words)) - 1
        places, entities = list[tuple[int, int]](), list[int]()
        for start, end, id in zip(text.starts, text.ends, text.entities, strict=True):
            first = int(np.searchsorted(tokens.ends, start, side="right"))
            last = int(np.searchsorted(tokens.starts, end, side="left")) - 1
            if first <= last and (not places or first > places[-1][1]):
                places.append((first, last))
                entities.append(rows.get(id, NO_ENTITY))
        spans = np.array(places, dtype=np.int64).reshape(-1, 2)
        known = np.array(entities, dtype=np.int64)
        for begin, end in _cuts(words, spans, longest):
            if end - begin < _SHORTEST:
                continue
            own = np.flatnonzero((spans[:, 0] >= begin) & (spans[:, 1] < end))[:most_entities]
            yield TextSequence(
                tokens.ids[begin:end], words[begin:end], spans[own] - begin, known[own]
            )


def _cuts(words: Integers, spans: Integers, longest: int) -> Iterator[tuple[int, int]]:
    """Runs of tokens that part neither a word nor a mention, if they are not too long for it."""
    begin = 0
    while begin < len(words):
        end = min(begin + longest, len(words))
        if end < len(words):
            inside = spans[(spans[:, 0] < end) & (spans[:, 1] >= end)]
            best = int(inside[0, 0]) if len(inside) else end
            while best > begin and words[best - 1] == words[best]:
                best -= 1
            end = best if best > begin else end
        yield begin, end
        begin = end


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Sequences side by side. Places of tokens count over all sequences."""

    tokens: Tensor  # (tokens,)
    lengths: Tensor  # (sequences,)
    words: Tensor  # (tokens,): numbers of words, different in every sequence
    spans: Tensor  # (mentions, 2)
    entities: Tensor  # (mentions,)

    @classmethod
    def of(cls, sequences: Sequence[TextSequence]) -> TextBatch:
        """On the device that torch makes tensors on."""
        lengths = [len(sequence.tokens) for sequence in sequences]
        begins = np.cumsum([0, *lengths])[:-1]
        words, first = list[Integers](), 0
        for sequence in sequences:
            own = sequence.words - sequence.words[0] + first
            words.append(own)
            first = int(own[-1]) + 1
        spans = [s.spans + begin for s, begin in zip(sequences, begins, strict=True)]
        return cls(
            torch.tensor(np.concatenate([s.tokens for s in sequences])),
            torch.tensor(lengths),
            torch.tensor(np.concatenate(words)),
            torch.tensor(np.concatenate(spans)),
            torch.tensor(np.concatenate([s.entities for s in sequences])),
        )

    def tags(self) -> Tensor:
        """BIO tags of the mentions. *Shape:* (tokens,)"""
        tags = torch.full_like(self.tokens, OUTSIDE)
        places, _ = span_tokens(self.spans)
        tags[places] = INSIDE
        tags[self.spans[:, 0]] = BEGIN
        return tags


def span_tokens(spans: Tensor) -> tuple[Tensor, Tensor]:
    """The places of all tokens of some spans, and the span that each belongs to."""
    lengths = spans[:, 1] - spans[:, 0] + 1
    owners = torch.repeat_interleave(torch.arange(len(spans)), lengths)
    begins = torch.cumsum(lengths, 0) - lengths
    return torch.arange(len(owners)) - begins[owners] + spans[owners, 0], owners


def spans_of_tags(tags: Tensor, lengths: Tensor) -> Tensor:
    """The mentions of BIO tags; one begins at every B, and at an I that follows nothing.

    None goes on from one sequence into the next. *Shape:* (mentions, 2)
    """
    firsts = torch.zeros_like(tags, dtype=torch.bool)
    firsts[torch.cumsum(lengths, 0) - lengths] = True
    inside = tags != OUTSIDE
    before = torch.cat([torch.zeros(1, dtype=torch.bool), inside[:-1]]) & ~firsts
    begins = inside & ((tags == BEGIN) | ~before)
    after = torch.cat([begins[1:], torch.ones(1, dtype=torch.bool)])
    following = torch.cat([inside[1:], torch.zeros(1, dtype=torch.bool)])
    next_first = torch.cat([firsts[1:], torch.ones(1, dtype=torch.bool)])
    ends = inside & (after | ~following | next_first)
    return torch.stack([begins.nonzero()[:, 0], ends.nonzero()[:, 0]], dim=1)
