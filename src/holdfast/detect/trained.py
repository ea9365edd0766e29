"""The trained detector: a tagger for the types that it was taught, the dictionary for the others.

Both look at the same names of the knowledge base: the tagger as hints, the dictionary as answers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import numpy as np

from holdfast import types
from holdfast.blocks import in_threads, is_single
from holdfast.detect.agreement import agree
from holdfast.detect.bio import OUTSIDE
from holdfast.detect.dictionary import DictionaryDetector, longest_from_left
from holdfast.detect.tagger import Reading, Tagger
from holdfast.detect.variants import (
    genes_run_into,
    with_written,
    without_variants,
    written_variants,
)
from holdfast.document import Document, Mention, Span
from holdfast.kb.store import KnowledgeBase
from holdfast.sessions import cores
from holdfast.text.lines import unwrapped

# Of names that the tagger did not tag, those that it does not deny are mentions too: whoever brings
# a vocabulary expects its names to be found.
_SURE: Final = 0.9
DETECTOR: Final = Path(__file__).parents[1] / "weights" / "detector"


@cache
def shipped_tagger() -> Tagger:
    return Tagger.open(DETECTOR)


class TrainedDetector:
    """Finds mentions in text, whether or not the knowledge base knows their names."""

    def __init__(
        self,
        kb: KnowledgeBase,
        *,
        only: Collection[str] | None = None,
        tagger: Tagger | None = None,  # by default the one that ships
    ) -> None:
        """`only`: the types to find; by default those of the knowledge base but `Other`.

        Variants are in no vocabulary: they are found where there are genes.
        """
        self._tagger = tagger or shipped_tagger()
        self._names = DictionaryDetector(kb)
        taught = frozenset(self._tagger.types)
        self._tagged = taught & (_types_of(kb) if only is None else frozenset(only))
        self._rest = None if only is None else _dictionary(kb, set(only) - taught)
        self._takes_rest = only is None

    @property
    def digest(self) -> str:
        """Of the tagger's files."""
        return self._tagger.encoder.digest

    def __call__(self, document: Document) -> Document:
        """The document with the mentions found added to those it had."""
        return document.with_mentions((*document.mentions, *self.detect(document.text)))

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The same for many, in order; each core reads a document of its own."""
        is_one, stream = is_single(documents)
        if is_one:
            yield from map(self, stream)
            return
        tagger = self._alone

        def found(document: Document) -> Document:
            new = self._detect(document.text, tagger)
            return document.with_mentions((*document.mentions, *new))

        yield from in_threads(found, stream, threads=cores())

    @cached_property
    def _alone(self) -> Tagger:
        """For threads of our own: on several documents they are faster than the network's."""
        return self._tagger.in_one_thread()

    def detect(self, text: str) -> list[Mention]:
        """Mentions that do not overlap, in the order of the text."""
        return self._detect(text, self._tagger)

    def _detect(self, text: str, tagger: Tagger) -> list[Mention]:
        names = self._names.names_in(text)
        others = self._others(text, names)
        text = unwrapped(text)
        reading = tagger.read(text, names)
        found = agree(tagger.decode(reading), text)
        mentions = [tagged.mention for tagged in found if tagged.type in self._tagged]
        if types.VARIANT in self._tagged:
            variants = written_variants(text, names, is_gene=self._is_gene)
            mentions = with_written(mentions, variants, text)
            names = without_variants(names, variants)
            if types.GENE in self._tagged:
                mentions = merged(mentions, genes_run_into(text, variants))
        listed = [name for name in longest_from_left(names) if name.type in self._tagged]
        listed = [name for name in listed if not _denied(name, reading)]
        mentions = merged(without_parts(mentions, listed), listed)
        return merged(mentions, longest_from_left(others))

    def _is_gene(self, name: str) -> bool:
        """Whether a gene of the vocabulary has exactly this name."""
        whole = (Span(0, len(name)),)
        return any(m.spans == whole and m.type == types.GENE for m in self._names.names_in(name))

    def _others(self, text: str, names: Iterable[Mention]) -> list[Mention]:
        """Names of types that the tagger was not taught."""
        if self._takes_rest:
            return [name for name in names if name.type not in self._tagger.types]
        return [] if self._rest is None else self._rest.names_in(text)


def _denied(name: Mention, reading: Reading) -> bool:
    """Whether the tagger is sure that a name of the vocabulary is no mention where it stands."""
    start = int(np.searchsorted(reading.ends, name.start, side="right"))
    end = int(np.searchsorted(reading.starts, name.end, side="left"))
    outside = np.exp(reading.log_probabilities[start:end, OUTSIDE])
    return end <= start or float(outside.mean()) > _SURE


def without_parts(mentions: Iterable[Mention], names: Sequence[Mention]) -> list[Mention]:
    """The mentions but those that are a mere part of a name of their type, as "heart" of an attack.

    The names do not overlap, and are in the order of the text.
    """
    starts = [name.start for name in names]
    kept = []
    for mention in mentions:
        place = bisect_right(starts, mention.start) - 1
        name = names[place] if place >= 0 else mention
        is_part = mention.end <= name.end and mention.end - mention.start < name.end - name.start
        if not (is_part and mention.type == name.type):
            kept.append(mention)
    return kept


def merged(first: Iterable[Mention], second: Iterable[Mention]) -> list[Mention]:
    """All of the first and what of the second overlaps none of them, in the order of the text.

    Neither overlaps itself.
    """
    taken = sorted(first, key=lambda mention: mention.start)
    starts = np.array([mention.start for mention in taken], dtype=np.int64)
    ends = np.array([mention.end for mention in taken], dtype=np.int64)
    free = [
        mention
        for mention in second
        if np.searchsorted(ends, mention.start, side="right")
        >= np.searchsorted(starts, mention.end, side="left")
    ]
    return sorted((*taken, *free), key=lambda mention: mention.start)


def _dictionary(kb: KnowledgeBase, only: Collection[str]) -> DictionaryDetector | None:
    return DictionaryDetector(kb, only=only) if only else None


def _types_of(kb: KnowledgeBase) -> frozenset[str]:
    mask = int(np.bitwise_or.reduce(kb.type_mask[:])) if len(kb) else 0
    found = {type for bit, type in enumerate(types.TYPES) if mask >> bit & 1}
    return frozenset(found | ({types.VARIANT} if types.GENE in found else set()))
