"""Dictionary detection: every stretch of text that is a name in the knowledge base.

From the left, the longest name wins. What a document defines as an abbreviation is a mention
wherever its long form names something, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast import types
from holdfast.detect.edges import is_label
from holdfast.detect.overlaps import longest_from_left, nested_in
from holdfast.detect.scan import known_spans
from holdfast.document import Document, Mention, Span
from holdfast.kb.build import Source
from holdfast.kb.store import KnowledgeBase
from holdfast.kb.tables import column
from holdfast.names.credible import (
    SYMBOLS,
    Trust,
    fault_of,
    is_credible,
    is_inverted,
    names_a_carrier,
)
from holdfast.names.preference import preference_of_entities
from holdfast.names.signs import (
    BEFORE,
    BEHIND,
    head_of,
    length_at_end,
    length_before,
    tail_of,
)
from holdfast.text.abbreviations import long_forms
from holdfast.text.lines import unwrapped
from holdfast.text.occurrences import occurrences
from holdfast.text.readable import readable
from holdfast.text.tokens import hashes_of_names, singular, tokens_of

_ION: Final = re.compile(r"[A-Z][a-z]?\d?")  # "Ca2" before a plus sign
_LONGEST_SIGN: Final = 6  # characters before a word, as in "(+/-)-"
_FUNCTIONS: Final = "GO:"
_SUPPLEMENTARY: Final = "MESH:C"  # chemicals that nobody but MeSH's indexers names


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a stretch of text names."""

    type: str
    trust: Trust
    head: str = ""  # what begins the name and is neither a letter nor a digit
    tail: str = ""  # what ends it


@dataclass(frozen=True, slots=True)
class ListedName:
    """A name of the knowledge base where it stands in a text."""

    span: Span
    meaning: Meaning

    @property
    def is_own(self) -> bool:
        """Whether the user's own vocabulary lists it."""
        return self.meaning.trust >= Trust.OWN

    @property
    def mention(self) -> Mention:
        return Mention((self.span,), type=self.meaning.type)


@dataclass(frozen=True, slots=True)
class Scan:
    """A text on whose lines names may stand, and where."""

    text: str  # unwrapped
    spans: Sequence[Span]  # by start, then the longest first
    defined: Mapping[str, str]  # short forms -> their long forms


class DictionaryDetector:
    """Finds the names of a knowledge base in text, each with the type of its best entity."""

    def __init__(
        self,
        kb: KnowledgeBase,
        *,
        only: Collection[str] | None = None,
        nested: bool = False,
        for_marks: bool = False,
    ) -> None:
        """`only`: the types to find; by default all but `Other`, which is mostly common words.

        nested     also find names of another type inside a longer one
        for_marks  find what marks a text for the tagger, by the rules that it was taught with: no
                   name of common words, but "Cell, Dendritic" without its comma
        """
        self._for_marks = for_marks
        self._kb = kb
        self._nested = nested
        unwanted = types.mask_of([types.OTHER]) if only is None else 0
        self.wanted = types.mask_of(only) & ~unwanted
        self._only = frozenset(only or ())
        self._preference = preference_of_entities(kb)
        self.meaning_of = lru_cache(maxsize=1 << 16)(self._meaning_of_surface)
        self.is_index_entry = lru_cache(maxsize=1 << 16)(self._has_order_of_index)

    def __call__(self, document: Document) -> Document:
        """The document with the mentions found added to those it had."""
        return document.with_mentions((*document.mentions, *self.detect(document.text)))

    def detect(self, text: str) -> list[Mention]:
        """Mentions in the order of the text; they do not overlap unless they are nested."""
        names = self.names_in(text)
        kept = longest_from_left(names)
        inner = nested_in(names, kept) if self._nested else []
        return sorted((*kept, *inner), key=lambda mention: (mention.start, -mention.end))

    def names_in(self, text: str) -> list[Mention]:
        """Every mention there could be, also inside another, by start, then the longest first.

        None goes on in the next line, unless the line was merely wrapped.
        """
        return [name.mention for name in self.names_at(self.scan(text))]

    def scan(self, text: str) -> Scan:
        """Where names of any type may stand."""
        defined = long_forms(text)
        text = unwrapped(readable(text))
        spans = {*known_spans(text, self._kb.exact), *occurrences(text, defined)}
        return Scan(text, sorted(spans, key=lambda span: (span.start, -span.end)), defined)

    def names_at(self, scan: Scan) -> list[ListedName]:
        """The names of the wanted types, by start, then the longest first."""
        found = list[ListedName]()
        modifiers = set[
            Span
        ]()  # "memory" of "T cell memory", which an index has as "T Cell, Memory"
        for span in scan.spans:
            surface = scan.text[span.start : span.end]
            if defines(surface, scan.defined) or is_label(span, scan.text):
                continue
            meaning = self.meaning_of(scan.defined.get(surface) or with_sign(span, scan.text))
            if is_ion(span, scan.text) and (meaning is None or "+" not in meaning.tail):
                continue
            if meaning is None and self.is_index_entry(surface):
                modifiers.add(Span(span.start + surface.rindex(tokens_of(surface)[-1]), span.end))
            if meaning is not None and (meaning.trust >= Trust.OWN or span not in modifiers):
                start = span.start - length_before(meaning.head, scan.text, span.start)
                end = span.end + length_at_end(meaning.tail, scan.text, span.end)
                found.append(ListedName(Span(start, end), meaning))
        return found

    def trust_of(self, row: int) -> Trust:
        """How far a name is trusted if it consists of common words."""
        if self._for_marks:
            return Trust.SYMBOL
        entity = int(self._kb.entity_of_name[row])
        trust = self._trust_of_source[int(self._kb.source_of[entity])]
        if self._has_own:  # names of one's own may be synonyms of an entity that ships
            trust = max(trust, self._trust_of_origin[int(self._origin_of_name[row])])
        if trust is not Trust.SHIPPED:
            return trust
        is_symbol = bool(self._kb.type_mask[entity] & SYMBOLS)
        is_rare = is_symbol or self._kb.id_at(entity).startswith(_SUPPLEMENTARY)
        return Trust.SYMBOL if is_rare else trust

    @cached_property
    def _trust_of_source(self) -> list[Trust]:
        return [trust_of_source(source) for source in self._kb.sources]

    @cached_property
    def _has_own(self) -> bool:
        return any(source.is_own for source in self._kb.sources)

    @cached_property
    def _trust_of_origin(self) -> list[Trust]:
        known = {source.name: trust_of_source(source) for source in self._kb.sources}
        return [known.get(origin, Trust.SHIPPED) for origin in self._kb.origins]

    @cached_property
    def _origin_of_name(self) -> npt.NDArray[np.uint16]:
        origins: npt.NDArray[np.uint16] = column(self._kb.table("names"), "origin")
        return origins

    def rows_named(self, surface: str) -> npt.NDArray[np.uint32]:
        """The names whose tokens equal the surface's, or those of "skin tag" for "skin tags"."""
        for words in filter(None, (surface, singular(surface))):
            start, end = self._kb.exact.ranges(hashes_of_names([words]))
            if start[0] < end[0]:
                break
        return self._kb.exact.rows[start[0] : end[0]]

    def is_meant(self, surface: str, row: int) -> bool:
        """Whether the surface, whose tokens equal the name's, is that name."""
        entity = int(self._kb.entity_of_name[row])
        name = self._kb.name_at(row)
        is_symbol = bool(self._kb.type_mask[entity] & SYMBOLS)
        return (
            fault_of(surface, self.trust_of(row)) is None
            and is_credible(surface, name, is_symbol=is_symbol)
            and (self._for_marks or not is_inverted(surface, name))
            and (self._for_marks or not self.is_carrier(row))
        )

    def is_carrier(self, row: int) -> bool:
        """Whether the name is a synonym of a function in GO, but calls the protein that has it."""
        entity = int(self._kb.entity_of_name[row])
        return (
            self.trust_of(row) < Trust.OWN
            and int(self._kb.first_name[entity]) != row
            and self._kb.id_at(entity).startswith(_FUNCTIONS)
            and names_a_carrier(self._kb.name_at(row))
        )

    def is_listed_as(self, surface: str, type: str) -> bool:
        """Whether an entity of this type has the surface as a name."""
        mask = types.mask_of([type])
        return any(
            self._kb.type_mask[self._kb.entity_of_name[row]] & mask and self.is_meant(surface, row)
            for row in self.rows_named(surface).tolist()
        )

    def _meaning_of_surface(self, surface: str) -> Meaning | None:
        """What the best entity is that the surface names; None if it names nothing wanted."""
        owner = self._kb.entity_of_name
        meant = [
            (int(self._preference[owner[row]]), int(owner[row]), row)
            for row in self.rows_named(surface).tolist()
            if self._kb.type_mask[owner[row]] & self.wanted and self.is_meant(surface, row)
        ]
        if not meant:
            return None
        _, entity, row = min(meant)
        name = self._kb.name_at(row)
        trust = max(self.trust_of(row) for _, _, row in meant)
        return Meaning(self._name_of_type(entity), trust, head_of(name), tail_of(name))

    def _has_order_of_index(self, surface: str) -> bool:
        """Whether the surface is the name of something in the order of an index only."""
        return not self._for_marks and any(
            is_inverted(surface, self._kb.name_at(row)) for row in self.rows_named(surface).tolist()
        )

    def _name_of_type(self, entity: int) -> str:
        mask = int(self._kb.type_mask[entity]) & self.wanted
        known = (type for bit, type in enumerate(types.TYPES) if mask >> bit & 1)
        named = self._kb.types_of(entity)
        own = (type for type in named if type in self._only)
        return next(known, None) or next(own, None) or next(iter(named), "")


def trust_of_source(source: Source) -> Trust:
    """How far the names of a vocabulary are trusted, but for genes and the like."""
    if not source.is_own:
        return Trust.SHIPPED
    return Trust.EVERY if source.every_name else Trust.OWN


def with_sign(span: Span, text: str) -> str:
    """The words at the span with the plus or minus sign that stands at either end."""
    sign = BEHIND.match(text, span.end)
    before = BEFORE.search(text[max(0, span.start - _LONGEST_SIGN) : span.start])
    words = text[span.start : span.end]
    return f"{before[0] if before else ''}{words}{sign[0] if sign else ''}"


def is_ion(span: Span, text: str) -> bool:
    """Whether a plus sign makes an ion of what would be a gene: "Ca2" before "+"."""
    return text.startswith("+", span.end) and _ION.fullmatch(text, *span) is not None


def defines(surface: str, defined: Mapping[str, str]) -> bool:
    """Whether the surface is a long form with its short form behind it: two names, not one."""
    long, _, short = surface.removesuffix(")").rpartition(" (")
    return short in defined and defined[short].casefold() in long.casefold()
