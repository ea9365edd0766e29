"""Which species a document speaks of, and how near to each of its mentions.

Species are found by words ("patients", "murine") and by mentions that are linked to NCBI Taxonomy.
For one place of the text each species gets points: for standing nearest in the sentence, for its
share of all that is found, for standing in the title. The points are log-odds, so that their
softmax is a probability.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import exp
from typing import Final

from holdfast.document import Document, Mention, Span
from holdfast.text.sentences import split_sentences
from holdfast.types import SPECIES, canonical_type

HUMAN: Final = "NCBITaxon:9606"
MOUSE: Final = "NCBITaxon:10090"
RAT: Final = "NCBITaxon:10116"


@dataclass(frozen=True, slots=True)
class Taxon:
    """A species and the words that speak of it, in lower case."""

    id: str
    name: str
    words: frozenset[str]


def _taxon(number: int, name: str, words: str = "") -> Taxon:
    return Taxon(f"NCBITaxon:{number}", name, frozenset([name, *words.split()]))


# Words that mean any animal as well ("male", "adult", "family", "population") are not here.
TAXA: Final = (
    _taxon(
        9606,
        "human",
        "humans patient patients inpatient inpatients outpatient outpatients man men woman women "
        "boy boys girl girls child children infant infants neonate neonates adolescent adolescents "
        "people person persons volunteer volunteers participant participants individuals families "
        "proband probands pedigree pedigrees kindred kindreds mother mothers father fathers "
        "brother brothers sister sisters sibling siblings carriers caucasian caucasians",
    ),
    _taxon(10090, "mouse", "mice murine"),
    _taxon(10116, "rat", "rats"),
    _taxon(7955, "zebrafish"),
    _taxon(7227, "drosophila"),
    _taxon(6239, "elegans"),
    _taxon(4932, "yeast", "cerevisiae"),
    _taxon(8355, "xenopus"),
    _taxon(9031, "chicken", "chickens chick chicks"),
    _taxon(9913, "bovine", "cow cows cattle"),
    _taxon(9823, "pig", "pigs porcine"),
    _taxon(9615, "dog", "dogs canine"),
    _taxon(9986, "rabbit", "rabbits"),
    _taxon(9940, "sheep", "ovine"),
    _taxon(9544, "macaque", "macaques monkey monkeys"),
    _taxon(10036, "hamster", "hamsters"),
)
_BY_WORD: Final = {word: taxon for taxon in TAXA for word in taxon.words}
_BY_ID: Final = {taxon.id: taxon for taxon in TAXA}
_WORD: Final = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(_BY_WORD))})(?!\w)", re.IGNORECASE)

# Fitted on the gene mentions of BioRED's train split; docs/systems/species.md has the figures.
_NEAREST: Final = 1.6  # the nearest in the mention's sentence
_SHARE: Final = 2.8  # times the share among all that is found
_TITLE: Final = 1.9
_OFTEN: Final = {HUMAN: 1.9, MOUSE: 0.85}  # what documents speak of, even if they do not say so
_RODENT_STYLE: Final = 0.7  # "Trp53"
_HUMAN_STYLE: Final = 0.5  # "TP53"

_LIKE_RODENTS: Final = re.compile(r"[A-Z][a-z]+\d*[a-z]?\d*")
_LIKE_HUMANS: Final = re.compile(r"(?=.*[A-Z].*[A-Z])[A-Z\d-]+")
_LONGEST_SYMBOL: Final = 7  # a longer word with a capital may just open its sentence


@dataclass(frozen=True, slots=True)
class Hint:
    """A place where a document speaks of a species."""

    span: Span
    taxon: Taxon


@dataclass(frozen=True, slots=True)
class Opinion:
    """How likely a species is meant at some place, and why."""

    taxon_id: str
    probability: float
    reason: str  # for a person: "mouse, from “mice” in the sentence"


class SpeciesOf:
    """The species of one document."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._hints = sorted(_hints(document), key=lambda hint: hint.span)
        self._sentences = split_sentences(document.text) if self._hints else []
        self._starts = [sentence.start for sentence in self._sentences]
        self._places = [hint.span.start for hint in self._hints]
        self._counts = Counter(hint.taxon.id for hint in self._hints)
        self._title = self._end_of_title(document)
        self._in_title = {h.taxon.id for h in self._hints if h.span.start < self._title}

    def around(
        self, mention: Mention, among: Iterable[str], *, but: Collection[str] = ()
    ) -> list[Opinion]:
        """How likely the species `among` are meant there, in their order.

        What the document names besides competes with them, except for those in `but`, so that
        the probabilities sum to at most 1.
        """
        near = self._nearest(mention)
        style = _style(self._text[mention.start : mention.end])
        asked = tuple(among)
        others = (id for id in self._counts if id not in asked and id not in but)
        weights = {id: exp(self._points(id, near, style)) for id in (*asked, *others)}
        total = sum(weights.values())
        return [
            Opinion(id, weights[id] / total, self._reason(id, near, style))
            for id in dict.fromkeys(asked)
        ]

    def _points(self, id: str, near: Hint | None, style: Mapping[str, float]) -> float:
        points = style.get(id, 0.0) + _OFTEN.get(id, 0.0) + _TITLE * (id in self._in_title)
        if near is not None:
            points += _NEAREST * (near.taxon.id == id)
        if self._hints:
            points += _SHARE * self._counts[id] / len(self._hints)
        return points

    def _reason(self, id: str, near: Hint | None, style: Mapping[str, float]) -> str:
        """What speaks for it most, for a person."""
        name = _BY_ID[id].name if id in _BY_ID else id
        if near is not None and near.taxon.id == id:
            said = f"from “{self._text[near.span.start : near.span.end]}” in the sentence"
        elif id in self._in_title:
            said = "from the title"
        elif count := self._counts[id]:
            said = f"from {count} of {len(self._hints)} species words in the document"
        elif id in style:
            said = "as it is written"
        else:
            said = "which is not named" if self._hints else "as no species is named"
        return f"{name}, {said}"

    def _nearest(self, mention: Mention) -> Hint | None:
        """The nearest in the mention's sentence."""
        at = bisect_right(self._starts, mention.start) - 1
        if at < 0:
            return None
        sentence = self._sentences[at]
        first = bisect_right(self._places, sentence.start - 1)
        last = bisect_right(self._places, sentence.end - 1)
        after = bisect_right(self._places, mention.start, first, last)
        beside = self._hints[max(first, after - 1) : min(last, after + 1)]
        return min(beside, key=lambda h: abs(h.span.start - mention.start), default=None)

    def _end_of_title(self, document: Document) -> int:
        """Of its passage where there is one, else of the first sentence."""
        titles = (p.end for p in document.passages if p.kind == "title")
        first = self._sentences[0].end if self._sentences else 0
        return next(titles, first)


def _hints(document: Document) -> Iterator[Hint]:
    """Words that are known, and linked mentions where no such word stands."""
    taken = set[int]()
    for match in _WORD.finditer(document.text):
        taken.update(range(*match.span()))
        yield Hint(Span(*match.span()), _BY_WORD[match[0].lower()])
    for mention in document.mentions:
        if canonical_type(mention.type) in (SPECIES, "") and len(mention.ids) == 1:
            taxon = _BY_ID.get(mention.ids[0])
            span = mention.spans[0]
            if taxon is not None and taken.isdisjoint(range(*span)):
                yield Hint(span, taxon)


def _style(surface: str) -> Mapping[str, float]:
    """What the case of a gene's symbol says, as points by species."""
    if len(surface) <= _LONGEST_SYMBOL and _LIKE_RODENTS.fullmatch(surface):
        return {MOUSE: _RODENT_STYLE, RAT: _RODENT_STYLE}
    if _LIKE_HUMANS.fullmatch(surface):
        return {HUMAN: _HUMAN_STYLE}
    return {}
