"""The name that a text misspells, among the names that look like it.

A vocabulary of a million names has one a letter away from most words of English: "wart" for
"want". So a word that stands alone must be nearly right, and the name must be well known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from holdfast import types
from holdfast.kb.store import KnowledgeBase
from holdfast.link.strings.clinical_words import clinical_words
from holdfast.link.strings.spelling import SpellingAlignment, align
from holdfast.names.credible import SYMBOLS
from holdfast.text.tokens import hashes_of_names, key_of, key_of_token, tokens_of

_COMPARED: Final = 150  # of the search for them: half the time, and as many are found
_POSTINGS: Final = 100_000
_LOOK_ALIKES: Final = 60  # names that a text is compared with, word by word
_LEAST_ALIKE: Final = 0.3  # the least cosine of such a name
_SUFFIXES: Final = ("disease", "syndrome")
_EPONYM: Final = 8  # letters of a word that may stand for a disease of that name
_SAID: Final = 4  # letters that must be spelled right for other words to be slips
_PHRASE: Final = 12  # letters of a text all of whose words may be slips
_ALONE: Final = 6  # letters of a word that may be a slip although it stands alone
_LONG: Final = 9  # letters of a word that may have two slips
_NAMES: Final = 6  # names of an entity that is well known
_OTHER: Final = types.mask_of([types.OTHER])
_LISTED: Final = (
    types.mask_of([types.DISEASE, types.PHENOTYPE, types.CHEMICAL])
    | types.UNTYPED
    | types.FOREIGN
    | types.OWN
)


@dataclass(frozen=True, slots=True)
class Correction:
    """A name of the knowledge base, and what a text has differently."""

    name: str
    likeness: float  # in (0, 1]: falls with the square of the letters that are wrong
    changes: tuple[str, ...]  # in words


class Speller:
    """Corrects the spelling of texts by the names of a knowledge base."""

    def __init__(self, kb: KnowledgeBase, *, wanted: int, asks_other: bool) -> None:
        """`wanted`: types of entities, as bits; `asks_other`: whether they were asked for."""
        self._kb = kb
        self._wanted = wanted
        self._asks_other = asks_other
        self._words = clinical_words()

    def correct(self, text: str) -> Correction | None:
        """The most credible name that the text misspells; None if there is none."""
        queries = [text]
        if len(tokens_of(text)) == 1 and _is_eponym(text):
            queries += [f"{text} {suffix}" for suffix in _SUFFIXES]
        matches = self._kb.ngrams.search(
            queries, _LOOK_ALIKES, least=_LEAST_ALIKE, compared=_COMPARED, postings=_POSTINGS
        )
        best: tuple[float, bool, float, str, SpellingAlignment] | None = None
        for row, cosine in zip(matches.rows.ravel(), matches.scores.ravel(), strict=True):
            if row < 0 or cosine < _LEAST_ALIKE or not self._may_be_meant(int(row)):
                continue
            name = self._kb.name_at(int(row))
            found = align(text, name, generic=self._words.generic)
            if found is None or not self._is_credible(found, text, int(row)):
                continue
            ranked = (found.likeness, self._leads(int(row)), float(cosine), name, found)
            best = ranked if best is None or ranked[:3] > best[:3] else best
        if best is None:
            return None
        *_, name, found = best
        said = [f"spelling {a}→{b}" for a, b in found.slips if a != b]
        said += [f"with “{word}” added" for word in found.missing]
        return Correction(name, found.likeness**2, tuple(said))

    def _may_be_meant(self, name_row: int) -> bool:
        """Not symbols of genes and cell lines, nor what is of no type that is looked for."""
        kinds = int(self._kb.type_mask[self._kb.entity_of_name[name_row]])
        if not kinds & self._wanted:
            return False
        return self._asks_other or not (kinds & SYMBOLS or kinds == _OTHER)

    def _is_credible(self, found: SpellingAlignment, text: str, name_row: int) -> bool:
        """Whether the words that are spelled differently are slips of that name."""
        equal = [word for word in found.equal if word.isalpha() and word not in self._words.generic]
        words = len(equal) + sum(len(written) >= _SAID for written, _ in found.slips)
        if words > 1 and (len(text) >= _PHRASE or sum(map(len, equal)) >= _SAID):
            return True
        name = self._kb.name_at(name_row)
        if found.missing and not (self._leads(name_row) and _is_eponym_of(text, name)):
            return False
        kinds = int(self._kb.type_mask[self._kb.entity_of_name[name_row]])
        if not kinds & _LISTED or not self._is_well_known(name, name_row):
            return False
        shortest = _ALONE - 1 if found.equal else _ALONE  # "Chron disease"
        return all(_is_near(written, right, shortest) for written, right in found.slips)

    def _is_well_known(self, name: str, name_row: int) -> bool:
        """Whether several vocabularies list the name, or it leads an entity of many names."""
        if len(self._kb.sources) == 1:
            return True
        start, end = self._kb.exact.ranges(hashes_of_names([name]))
        entities = self._kb.entity_of_name[self._kb.exact.rows[start[0] : end[0]]]
        if len(np.unique(self._kb.source_of[entities])) > 1:
            return True
        entity = int(self._kb.entity_of_name[name_row])
        return self._leads(name_row) and self._kb.count_of("names", entity) >= _NAMES

    def _leads(self, name_row: int) -> bool:
        """Whether it is its entity's preferred name, or reads like it."""
        entity = int(self._kb.entity_of_name[name_row])
        return key_of(self._kb.name_at(name_row)) == key_of(self._kb.label_at(entity))


def _is_near(written: str, right: str, least: int) -> bool:
    """Whether a word that stands alone is a slip for another: one letter, two in a long word."""
    first, second = key_of_token(written), key_of_token(right)
    shortest = min(len(first), len(second))
    if shortest < least:
        return False
    found = align(first, second)
    allowed = 1.0 if shortest < _LONG else 2.0
    return found is not None and found.cost <= allowed and abs(len(first) - len(second)) <= allowed


def _is_eponym(word: str) -> bool:
    """Whether a word may be a disease's name without "disease": "Parkinsons"."""
    return len(word) >= _EPONYM or (word.endswith("s") and len(word) >= _ALONE)


def _is_eponym_of(word: str, name: str) -> bool:
    """Whether a name is the word, or nearly, and then "disease" or the like."""
    first, second = tokens_of(word)[0][:1], tokens_of(name)[0][:1]
    is_first = first.casefold() == second.casefold()
    return _is_eponym(word) and is_first and len(tokens_of(name)) == 2
