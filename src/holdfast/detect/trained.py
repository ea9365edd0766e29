"""The trained detector: a tagger for the types that it was taught, the dictionary for the others.

Both look at the same names of the knowledge base: the tagger as hints, the dictionary as answers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast import types
from holdfast.blocks import cores, in_threads, is_single
from holdfast.detect.agreement import agree
from holdfast.detect.bio import OUTSIDE, beginning, inside
from holdfast.detect.contest import Contested, decide
from holdfast.detect.dictionary import DictionaryDetector, ListedName, Scan
from holdfast.detect.edges import joined, trimmed_span
from holdfast.detect.overlaps import Taken, is_part, longest_from_left, span_of
from holdfast.detect.tagger import Tagged, TaggedText, Tagger
from holdfast.detect.variants import (
    genes_run_into,
    with_written,
    without_variants,
    written_variants,
)
from holdfast.document import Document, Mention, Span
from holdfast.kb.store import KnowledgeBase

SURE: Final = 0.9
"""How probable it must be that a listed name's words are outside of any mention, on average over
them, for the tagger to deny it. What it does not deny is a mention although it was not tagged."""

PART: Final = 0.1
"""How probable a name's type must be for the tagger where the name is a part of a longer one."""

_SYMBOLS: Final = (types.GENE, types.CELL_LINE, types.VARIANT)
"""Types whose names are mostly symbols."""

_ALIKE: Final = (types.DISEASE, types.PHENOTYPE)
"""What the tagger calls the first may be the second, which it was not taught."""


@dataclass(frozen=True, slots=True, eq=False)
class Considered:
    """All that a detector weighs in a text before it decides."""

    scan: Scan
    reading: TaggedText
    tagged: Sequence[Mention]  # of the wanted types; they do not overlap
    listed: Sequence[ListedName]  # of the wanted types, also those that the tagger denies
    names: Taken  # where names of any type stand, the longest from the left


class TrainedDetector:
    """Finds mentions in text, whether or not the knowledge base knows their names."""

    def __init__(
        self,
        kb: KnowledgeBase,
        *,
        tagger: Tagger,
        only: Collection[str] | None = None,
        nested: bool = False,
        threads: int | None = None,
    ) -> None:
        """`only`: the types to find; by default those of the knowledge base but `Other`, and all of
        a tagger that is for every knowledge base.

        Variants are in no vocabulary: they are found where there are genes. `nested`: also find
        mentions of another type inside a longer one. `threads`: documents that `pipe` reads at the
        same time, by default as many as there are cores; with 1, the tagger must have one too.
        """
        self._tagger = tagger
        self._threads = threads or cores()
        self._nested = nested
        self._marks = DictionaryDetector(kb, for_marks=True)
        self._names = DictionaryDetector(kb)
        self.dictionary = self._names if only is None else DictionaryDetector(kb, only=only)
        taught = frozenset(self._tagger.types)
        wanted = taught if tagger.everywhere else _types_of(kb)
        self._tagged = taught & (wanted if only is None else frozenset(only))

    @property
    def digest(self) -> str:
        """Of the tagger's files."""
        return self._tagger.encoder.digest

    def __call__(self, document: Document) -> Document:
        """The document with the mentions found added to those it had."""
        return document.with_mentions((*document.mentions, *self.detect(document.text)))

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Many documents, in order; each core reads a document of its own."""
        is_one, stream = (True, iter(documents)) if self._threads == 1 else is_single(documents)
        if is_one:
            yield from map(self, stream)
            return
        tagger = self._tagger_of_one_thread

        def found(document: Document) -> Document:
            new = self.decide(self._consider(document.text, tagger)).mentions
            return document.with_mentions((*document.mentions, *new))

        yield from in_threads(found, stream, threads=self._threads)

    @cached_property
    def _tagger_of_one_thread(self) -> Tagger:
        """The tagger for `pipe`, whose threads are faster on many documents than the network's."""
        return self._tagger.in_one_thread()

    def detect(self, text: str) -> list[Mention]:
        """Mentions in the order of the text; they do not overlap unless they are nested."""
        return self.decide(self.consider(text)).mentions

    def consider(self, text: str) -> Considered:
        """What the tagger reads and the knowledge base lists, of the wanted types."""
        return self._consider(text, self._tagger)

    def _consider(self, text: str, tagger: Tagger) -> Considered:
        scan = self._names.scan(text)
        names = self._names.names_at(scan)
        listed = names if self.dictionary is self._names else self._wanted_names(names, scan)
        reading = tagger.read(scan.text, [name.mention for name in self._marks.names_at(scan)])
        found = agree(tagger.decode(reading), scan.text)
        tagged = list(self._trimmed(found, names, scan.text))
        if types.VARIANT in self._tagged:
            mentions = [name.mention for name in names]
            variants = written_variants(scan.text, mentions, is_gene=self._is_gene)
            tagged = with_written(tagged, variants, scan.text)
            kept = without_variants([name.mention for name in listed], variants)
            spans = {span_of(mention) for mention in kept}
            listed = [name for name in listed if name.span in spans]
            if types.GENE in self._tagged:
                tagged = merged(tagged, genes_run_into(scan.text, variants))
        longest = longest_from_left(name.mention for name in names)
        return Considered(scan, reading, tagged, listed, Taken(map(span_of, longest)))

    def _is_gene(self, name: str) -> bool:
        """Whether a gene of the vocabulary has exactly this name."""
        meaning = self._names.meaning_of(name)
        return meaning is not None and meaning.type == types.GENE

    def _wanted_names(self, names: Iterable[ListedName], scan: Scan) -> list[ListedName]:
        """The names of the types that were asked for.

        What is chiefly the name of something else is not taken for a type that the tagger was
        taught: "lung" is no disease although one is called so.
        """
        chiefly = {name.span: name.meaning.type for name in names}
        return [
            name
            for name in self.dictionary.names_at(scan)
            if name.is_own
            or name.meaning.type not in self._tagger.types
            or chiefly.get(name.span) == name.meaning.type
        ]

    def _trimmed(
        self, found: Iterable[Tagged], names: Iterable[ListedName], text: str
    ) -> Iterator[Mention]:
        """What was tagged of the wanted types, without dangling ends unless it is listed so."""
        as_they_are = {name.span for name in names}
        for tagged in joined(found, text):
            is_whole = tagged.span in as_they_are or tagged.type == types.VARIANT
            span = tagged.span if is_whole else trimmed_span(tagged.span, text)
            if tagged.type in self._tagged and span is not None:
                yield Mention((span,), type=tagged.type)

    def decide(self, considered: Considered) -> Contested:
        """Which mentions stay."""

        def keeps_type(name: ListedName, type: str) -> bool:
            surface = considered.scan.text[name.span.start : name.span.end]
            if name.is_own or (type, name.meaning.type) == _ALIKE:
                return self.dictionary.is_listed_as(surface, type)
            return is_symbol(surface, name.meaning.type) or self._names.is_listed_as(surface, type)

        listed = [
            name
            for name in considered.listed
            if not self.denies(name, considered) and self.hides(name, considered) is None
        ]
        return decide(considered.tagged, listed, keeps_type=keeps_type, nested=self._nested)

    def denies(self, name: ListedName, considered: Considered) -> bool:
        """Whether the tagger is sure that a name is no mention where it stands.

        It may not deny names of a user's own vocabulary, nor of types that it was not taught.
        """
        return self.may_deny(name) and outside(name.span, considered.reading) > SURE

    def chief_type(self, surface: str) -> str | None:
        """The type of what the surface names, if any type is wanted."""
        meaning = self._names.meaning_of(surface)
        return None if meaning is None else meaning.type

    def may_deny(self, name: ListedName) -> bool:
        return not name.is_own and name.meaning.type in self._tagger.types

    def hides(self, name: ListedName, considered: Considered) -> Span | None:
        """The longer name, though of a type that nobody wants, that an untagged one is a part of.

        "adipose" is no gene in "adipose tissue", unless the tagger takes that for likely.
        """
        if self._nested or not self.may_deny(name):
            return None
        around = considered.names.overlapping(name.span)
        longer = next((other for other in around if is_part(name.span, other)), None)
        if longer is None or self.likelihood(name, considered.reading) >= PART:
            return None
        return longer

    def likelihood(self, name: ListedName, reading: TaggedText) -> float:
        """The tagger's probability that a name's words are of its type: their mean."""
        type = self._tagger.types.index(name.meaning.type)
        tags = [beginning(type), inside(type)]
        words = _words(name.span, reading)
        return float(words[:, tags].sum(axis=1).mean()) if len(words) else 0.0


def is_symbol(surface: str, type: str) -> bool:
    """Whether a listed name may as well be a short form of something that no vocabulary lists.

    Its type is then what the tagger reads from the context.
    """
    has_word = any(word.islower() for word in surface.split())
    return type in _SYMBOLS or (type == types.PROCESS and not has_word)


def outside(span: Span, reading: TaggedText) -> float:
    """The tagger's probability that what stands there is no mention: its words' mean."""
    words = _words(span, reading)
    return float(words[:, OUTSIDE].mean()) if len(words) else 1.0


def _words(span: Span, reading: TaggedText) -> npt.NDArray[np.float32]:
    """The probabilities of the tags of the words at a span. *Shape:* (words, tags)"""
    start = int(np.searchsorted(reading.ends, span.start, side="right"))
    end = int(np.searchsorted(reading.starts, span.end, side="left"))
    return np.exp(reading.log_probabilities[start : max(start, end)])


def merged(first: Iterable[Mention], second: Iterable[Mention]) -> list[Mention]:
    """`first`, plus the mentions of `second` that overlap none of it, in the order of the text.

    The mentions of each must not overlap each other.
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


def _types_of(kb: KnowledgeBase) -> frozenset[str]:
    mask = int(np.bitwise_or.reduce(kb.type_mask[:])) if len(kb) else 0
    found = {type for bit, type in enumerate(types.TYPES) if mask >> bit & 1}
    return frozenset(found | ({types.VARIANT} if types.GENE in found else set()))
