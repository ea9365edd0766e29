"""What a dual encoder learns from: pieces of documents with their mentions, and names.

A segment is read in one pass. The collective encoder reads whole windows with all their mentions,
the single-mention encoder a few characters around each mention; from there on nothing differs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer
from torch import Tensor

from holdfast.document import Document, Mention
from holdfast.encoders.tokens import TokenReader, Tokens
from holdfast.kb.store import KnowledgeBase
from holdfast.systems.collective.entities import EntityNames
from holdfast.systems.collective.text import inside, span_of, window_of
from holdfast.text.windows import Window, windows

_BATCH: Final = 8  # synonyms side by side in a made-up document

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SegmentConfig:
    """How documents are cut into segments."""

    window: int = 510  # tokens of a segment at most
    overlap: int = 96  # tokens that two windows share at least
    mentions: int = 0  # of a segment at most; 0: all there are
    context: int = 0  # characters to each side of a single mention; 0: whole windows


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Tokens that are read together, and the mentions among them."""

    ids: Integers  # (tokens,)
    words: Integers  # the place of each word's first token; (words,)
    spans: Integers  # first and last token of each mention, inclusive; (mentions, 2)
    golds: tuple[tuple[int, ...], ...]  # rows of the entities of each; () if none is known
    places: tuple[tuple[str, int], ...]  # the document and the mention's number in it
    taught: bool = True  # whether tokens outside its mentions are known to be in none


@dataclass(frozen=True, slots=True, eq=False)
class NameTable:
    """The names of all entities as token rows, in the order of EntityNames."""

    owner: Integers  # the entity of each name, ascending; (names,)
    tokens: tuple[tuple[int, ...], ...]
    starts: Integers  # where the names of each entity begin; (entities + 1,)
    _alike: Mapping[tuple[int, ...], list[int]] = field(init=False, repr=False)  # rows by tokens

    def __post_init__(self) -> None:
        alike = defaultdict[tuple[int, ...], list[int]](list)
        for row, tokens in enumerate(self.tokens):
            alike[tokens].append(row)
        object.__setattr__(self, "_alike", dict(alike))

    @classmethod
    def of(
        cls, kb: KnowledgeBase, tokenizer: Tokenizer, *, longest: int, most: int = 1
    ) -> NameTable:
        names = EntityNames.of(kb, most=most)
        tokens = name_tokens(tokenizer, names.texts(kb), longest=longest)
        starts = np.searchsorted(names.owner, np.arange(len(kb) + 1))
        return cls(names.owner, tuple(map(tuple, tokens)), starts)

    def __len__(self) -> int:
        return len(self.owner)

    def rows_of(self, entities: Iterable[int]) -> list[int]:
        """The rows of all names of these entities."""
        return [row for e in entities for row in range(self.starts[e], self.starts[e + 1])]

    def is_gold(self, golds: Sequence[Sequence[int]]) -> npt.NDArray[np.bool_]:
        """Which names are of each mention's entities. *Shape:* (mentions, names)."""
        found = np.zeros((len(golds), len(self)), dtype=bool)
        for row, entities in zip(found, golds, strict=True):
            row[self.rows_of(entities)] = True
        return found

    def is_own_wording(
        self, golds: Sequence[Sequence[int]], mentions: Sequence[Sequence[int]]
    ) -> npt.NDArray[np.bool_]:
        """Which names are the mention as it is written, where a gold name is not.

        *Shape:* (mentions, names); `mentions` are the tokens of each.
        """
        found = np.zeros((len(golds), len(self)), dtype=bool)
        for row, entities, tokens in zip(found, golds, mentions, strict=True):
            same = self._alike.get(tuple(tokens), [])
            if not set(self.rows_of(entities)) <= set(same):
                row[same] = True
        return found


def name_tokens(tokenizer: Tokenizer, names: Sequence[str], *, longest: int) -> list[list[int]]:
    """At most so many tokens of each, without special ones."""
    encodings = tokenizer.encode_batch_fast(list(names), add_special_tokens=False)
    return [encoding.ids[:longest] for encoding in encodings]


def segments_of(
    documents: Iterable[Document],
    reader: TokenReader,
    reading: SegmentConfig,
    *,
    rows: Mapping[str, int],  # of entities, by their ids
) -> Iterator[Segment]:
    """Every mention that touches a token is in one segment; ids that have no row are left out."""
    for document in documents:
        if reading.context:
            yield from _around_mentions(document, reader, reading, rows)
        else:
            yield from _windows(document, reader, reading, rows)


def _windows(
    document: Document, reader: TokenReader, reading: SegmentConfig, rows: Mapping[str, int]
) -> Iterator[Segment]:
    tokens = reader.read(document.text)
    spans = [span_of(tokens, m.start, m.end) for m in document.mentions]
    cut = list(windows(len(tokens), size=reading.window, overlap=reading.overlap))
    if reading.mentions:
        cut = _cut_at_mentions(len(tokens), [s for s in spans if s], reading)
    members = [list[int]() for _ in cut]
    for number, span in enumerate(spans):
        if span is not None:
            members[window_of(span, cut)].append(number)
    for window, numbers in zip(cut, members, strict=True):
        found = [(n, span) for n in numbers if (span := spans[n]) is not None]
        yield _segment(document, tokens, window, found, rows)


def _cut_at_mentions(
    tokens: int, spans: Sequence[tuple[int, int]], reading: SegmentConfig
) -> list[Window]:
    """Side by side, each with a limited number of mentions; for training, where they are known."""
    cuts, count = [0], 0
    for first, last in sorted(spans):
        is_full = count == reading.mentions or last - cuts[-1] >= reading.window
        if is_full and first > cuts[-1]:
            cuts.append(first)
            count = 0
        count += 1
    found = list[Window]()
    for start, end in pairwise([*cuts, tokens]):
        for at in range(start, end, reading.window):
            stop = min(at + reading.window, end)
            found.append(Window(at, stop, at, stop))
    return found


def _around_mentions(
    document: Document, reader: TokenReader, reading: SegmentConfig, rows: Mapping[str, int]
) -> Iterator[Segment]:
    for number, mention in enumerate(document.mentions):
        start = max(0, mention.start - reading.context)
        tokens = reader.read(document.text[start : mention.end + reading.context])
        span = span_of(tokens, mention.start - start, mention.end - start)
        if span is not None:
            cut = list(windows(len(tokens), size=reading.window, overlap=0))
            window = cut[window_of(span, cut)]
            segment = _segment(document, tokens, window, [(number, span)], rows)
            yield replace(segment, taught=False)


def _segment(
    document: Document,
    tokens: Tokens,
    window: Window,
    members: Sequence[tuple[int, tuple[int, int]]],  # numbers of mentions, and their tokens
    rows: Mapping[str, int],
) -> Segment:
    words = tokens.words[(tokens.words >= window.start) & (tokens.words < window.end)]
    places = [inside(span, window) for _, span in members]
    return Segment(
        ids=tokens.ids[window.start : window.end],
        words=words - window.start,
        spans=np.array(places, dtype=np.int64).reshape(-1, 2),
        golds=tuple(_golds(document.mentions[number], rows) for number, _ in members),
        places=tuple((document.id, number) for number, _ in members),
    )


def _golds(mention: Mention, rows: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(rows[id] for id in mention.ids if id in rows)


def synonym_segments(
    synonyms: Sequence[tuple[str, int]],  # a name and its entity's row
    reader: TokenReader,
    reading: SegmentConfig,
    *,
    rng: np.random.Generator,
    count: int,
) -> list[Segment]:
    """Made-up documents of `count` random synonyms, some side by side, each a mention.

    They teach that names of one entity mean the same, before any document is read.
    """
    drawn = [synonyms[int(at)] for at in rng.integers(len(synonyms), size=count)]
    documents = []
    for start in range(0, count, _BATCH):
        text, mentions = "", list[Mention]()
        for name, row in drawn[start : start + _BATCH]:
            begin = len(text)
            text += f"{name}; "
            mentions.append(Mention.at(begin, begin + len(name), ids=(str(row),)))
        documents.append(Document(str(start), text, mentions=tuple(mentions)))
    rows = {str(row): row for _, row in drawn}
    found = segments_of(documents, reader, reading, rows=rows)
    return [replace(segment, taught=False) for segment in found if len(segment.ids)]


@dataclass(frozen=True, slots=True)
class SegmentBatch:
    """Segments side by side, as tensors."""

    tokens: Tensor  # (all,)
    lengths: Tensor  # (segments,)
    firsts: Tensor  # the row of each segment's first token; (segments,)
    spans: Tensor  # rows of first and last token of each mention; (mentions, 2)
    golds: tuple[tuple[int, ...], ...]  # entities of each mention

    @classmethod
    def of(cls, segments: Sequence[Segment]) -> SegmentBatch:
        lengths = np.array([len(segment.ids) for segment in segments], dtype=np.int64)
        firsts = np.cumsum(lengths) - lengths
        spans = [s.spans + first for s, first in zip(segments, firsts, strict=True)]
        return cls(
            torch.from_numpy(np.concatenate([segment.ids for segment in segments])),
            torch.from_numpy(lengths),
            torch.from_numpy(firsts),
            torch.from_numpy(np.concatenate(spans)),
            tuple(gold for segment in segments for gold in segment.golds),
        )

    def wordings(self) -> list[list[int]]:
        """The tokens of each mention."""
        tokens = self.tokens.tolist()
        return [tokens[first : last + 1] for first, last in self.spans.tolist()]


def joined_names(rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Token rows as the encoders take them: all in one row, and how many each has."""
    return (
        torch.tensor([id for row in rows for id in row], dtype=torch.long),
        torch.tensor([len(row) for row in rows], dtype=torch.long),
    )


def synonyms_of(
    kb: KnowledgeBase, source: KnowledgeBase, rows: Mapping[str, int]
) -> Iterator[tuple[str, int]]:
    """The names that `source` has for the entities of `kb`, but for those preferred there.

    Each with its entity's row; `rows` are those of `kb` by id.
    """
    encoded = {
        (int(row), name.casefold())
        for row, name in zip(kb.entity_of_name, kb.all_names(), strict=True)
        if name == kb.label_at(int(row))
    }
    known = [rows.get(source.id_at(row)) for row in range(len(source))]
    for owner, name in zip(source.entity_of_name.tolist(), source.all_names(), strict=True):
        row = known[owner]
        if row is not None and (row, name.casefold()) not in encoded:
            yield name, row
