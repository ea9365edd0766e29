"""The concept nearest to a string that names none: misspelled, shortened or decorated.

    "hart attack"      ->  Myocardial Infarction: spelling hart→heart
    "stage IV NSCLC"   ->  Carcinoma, Non-Small-Cell Lung: without “stage IV”, NSCLC is “…”

Four ways are tried, and the surest answer is taken: a reading of the string that equals a name, a
name that the reading misspells, what the linker makes of the reading, and a name within the
string. What none of them makes credible has no nearest concept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from holdfast import types
from holdfast.document import Candidate, Document, Evidence, Mention
from holdfast.kb.store import KnowledgeBase
from holdfast.link.strings.clinical_words import clinical_words
from holdfast.link.strings.misspelled import Speller
from holdfast.link.strings.readings import StringReading, in_any_order, readings_of
from holdfast.names.credible import SYMBOLS, is_credible
from holdfast.names.preference import preference_of_entities
from holdfast.text.tokens import hashes_of_names, key_of_token, tokens_of

_SPELLED: Final = 6  # readings whose spelling is looked into
_SPELT: Final = 0.6  # the least weight of a misspelled reading
_SURE: Final = 0.8  # a weight from which on nothing surer is looked for
_LINKED: Final = 0.5  # the least score at which the linker's answer to a reading counts
_DOUBT: Final = 0.8  # times the linker's score
_WITHIN: Final = 0.6  # times the share of the string that a name within it covers
_COVERED: Final = 0.5  # the least share
_LONGEST: Final = 6  # tokens of a name within a string
_SHORTEST: Final = 5  # letters of a name within a string
_ACRONYM: Final = 4  # letters
_DECIMALS: Final = 4
_OTHER: Final = types.mask_of([types.OTHER])
_FINDINGS: Final = types.mask_of([types.DISEASE, types.PHENOTYPE])
_WITHIN_TYPES: Final = (
    types.mask_of([types.DISEASE, types.PHENOTYPE, types.CHEMICAL, types.SPECIES])
    | types.UNTYPED
    | types.FOREIGN
    | types.OWN
)
_DIVIDING: Final = re.compile(r"[,;()\[\]]|\. ")

Link = Callable[[Iterable[Document]], Iterator[Document]]


@dataclass(frozen=True, slots=True)
class _Guess:
    """A name of the knowledge base that a string may mean."""

    name: str
    entities: frozenset[int]  # rows
    weight: float
    changes: tuple[str, ...]


class NearestFinder:
    """Finds the nearest concept of many strings, none of which the linker could link."""

    def __init__(
        self, kb: KnowledgeBase, link: Link, *, only: Collection[str] | None = None
    ) -> None:
        """`link` links marked documents; it chooses among concepts that share a name.

        `only`: canonical types that the concepts may have, by default all.
        """
        self._kb = kb
        self._link = link
        self._wanted = np.uint32(types.mask_of(only))
        self._asks_other = only is not None
        self._words = clinical_words()
        self._speller = Speller(kb, wanted=int(self._wanted), asks_other=self._asks_other)
        self._preference = preference_of_entities(kb)

    def find(self, strings: Sequence[str]) -> list[Candidate | None]:
        """The nearest concept of each string, or None. Its first evidence says how it was read."""
        readings = [readings_of(string, self._words) for string in strings]
        guesses = [self._named(of_string) for of_string in readings]
        for i, of_string in enumerate(readings):
            best = guesses[i]
            if best is None or best.weight < _SURE:
                guesses[i] = _surer(best, self._spelled(of_string))
        answers = self._candidates(guesses)
        self._add_linked(answers, readings)
        rest = [i for i, answer in enumerate(answers) if answer is None]
        within = self._candidates([self._within(readings[i]) for i in rest])
        for i, answer in zip(rest, within, strict=True):
            answers[i] = answer
        return answers

    def _named(self, readings: Sequence[StringReading]) -> _Guess | None:
        """The first reading, in any order of its words, that is a name."""
        forms = [
            form for reading in readings for form in (reading, *in_any_order(reading, self._words))
        ]
        if not forms:
            return None
        held = self._kb.exact.holds(hashes_of_names([form.text for form in forms]))
        for form, is_held in zip(forms, held.tolist(), strict=True):
            if is_held and (entities := self._entities_named(form.text)):
                return _Guess(form.text, entities, form.weight, form.changes)
        return None

    def _entities_named(self, text: str, mask: int = types.mask_of(None)) -> frozenset[int]:
        """The entities that the text names credibly, of the wanted types."""
        start, end = self._kb.exact.ranges(hashes_of_names([text]))
        found = set[int]()
        for row in self._kb.exact.rows[start[0] : end[0]].tolist():
            entity = int(self._kb.entity_of_name[row])
            kinds = self._kb.type_mask[entity]
            if kinds & self._wanted & np.uint32(mask) and self._is_fit(text, row, int(kinds)):
                found.add(entity)
        return frozenset(found)

    def _is_fit(self, text: str, name_row: int, kinds: int) -> bool:
        """Whether the text means the name, and names something that a column would list."""
        name = self._kb.name_at(name_row)
        if len(name) <= _ACRONYM and name.isupper():  # it stands for too many things
            return False
        spoken = _DIVIDING.sub(" ", text)  # a column's commas and brackets divide no sentence
        if not is_credible(spoken, name, is_symbol=bool(kinds & SYMBOLS)):
            return False
        return self._asks_other or kinds != _OTHER or len(tokens_of(text)) > 1

    def _spelled(self, readings: Sequence[StringReading]) -> _Guess | None:
        """The name that a reading misspells least."""
        best: _Guess | None = None
        for reading in sorted(readings, key=lambda reading: -reading.weight)[:_SPELLED]:
            if best is not None and best.weight >= reading.weight:
                break
            found = self._speller.correct(reading.text)
            entities = self._entities_named(found.name) if found else None
            if found is not None and entities and found.likeness * reading.weight >= _SPELT:
                weight = reading.weight * found.likeness
                changes = (*reading.changes, *found.changes)
                best = _surer(best, _Guess(found.name, entities, weight, changes))
        return best

    def _within(self, readings: Sequence[StringReading]) -> _Guess | None:
        """A name within the string: what it ends in, or else what covers enough of it."""
        if not readings:
            return None
        reading = readings[0]
        tokens = tokens_of(reading.text)
        letters = sum(len(token) for token in tokens if self._counts(token))
        for start, end in (*_tails(len(tokens)), *_spans(len(tokens))):
            text = " ".join(tokens[start:end])
            covered = sum(len(token) for token in tokens[start:end] if self._counts(token))
            content = [t for t in tokens[start:end] if self._words.is_content(key_of_token(t))]
            is_head = end == len(tokens) and self._names_something(" ".join(tokens[:start]))
            if sum(map(len, content)) < _SHORTEST or (covered < _COVERED * letters and not is_head):
                continue
            if entities := self._entities_named(text, _FINDINGS if is_head else _WITHIN_TYPES):
                share = 1.0 if is_head else covered / letters
                changes = (*reading.changes, "a part of the string")
                return _Guess(text, entities, reading.weight * _WITHIN * share, changes)
        return None

    def _counts(self, token: str) -> bool:
        """Whether a word says more than how, where or how badly."""
        return key_of_token(token) not in self._words.modifiers and not token.isdigit()

    def _names_something(self, text: str) -> bool:
        """Whether a text is a name: "Helicobacter pylori" before "gastritis"."""
        return bool(text) and bool(self._entities_named(text))

    def _candidates(self, guesses: Sequence[_Guess | None]) -> list[Candidate | None]:
        """The concept of each guess: of those that share the name, the linker's choice."""
        names = list(dict.fromkeys(guess.name for guess in guesses if guess is not None))
        linked = dict(zip(names, self._linked(names), strict=True))
        return [None if guess is None else self._choose(guess, linked) for guess in guesses]

    def _choose(self, guess: _Guess, linked: Mapping[str, Mention]) -> Candidate:
        ids = {self._kb.id_at(entity): entity for entity in guess.entities}
        score = round(min(1.0, guess.weight), _DECIMALS)
        for candidate in linked[guess.name].candidates:
            if candidate.entity_id in ids or self._is_named(candidate):
                said = _spelling_evidence(candidate.name or guess.name, guess.changes)
                return replace(candidate, score=score, evidence=(said, *candidate.evidence))
        best = min(guess.entities, key=lambda entity: (self._preference[entity], entity))
        return Candidate(
            entity_id=self._kb.id_at(best),
            name=guess.name,
            label=self._kb.label_at(best),
            score=score,
            evidence=(_spelling_evidence(guess.name, guess.changes),),
        )

    def _is_named(self, candidate: Candidate) -> bool:
        """Whether a candidate, or an equal concept that it stands for, has the name itself."""
        by_name = any(evidence.kind in ("exact", "rule") for evidence in candidate.evidence)
        return by_name and (self._asks_other or self._is_listed(candidate.entity_id))

    def _add_linked(
        self, answers: list[Candidate | None], readings: Sequence[Sequence[StringReading]]
    ) -> None:
        """Where there is no answer, what the linker makes of the shortest full reading."""
        rest = {
            i: of_string[-1] if len(of_string) == 1 else _core(of_string)
            for i, of_string in enumerate(readings)
            if answers[i] is None and of_string
        }
        mentions = self._linked([reading.text for reading in rest.values()])
        for (i, reading), mention in zip(rest.items(), mentions, strict=True):
            best = mention.candidates[0] if mention.candidates else None
            if best is None or not mention.is_linked or best.score < _LINKED:
                continue
            if not self._asks_other and not self._is_listed(best.entity_id):
                continue
            score = round(best.score * reading.weight * _DOUBT, _DECIMALS)
            said = _spelling_evidence(reading.text, reading.changes)
            answers[i] = replace(best, score=score, evidence=(said, *best.evidence))

    def _is_listed(self, id: str) -> bool:
        """Whether an entity is of a kind that columns list: no symbol, and no other thing."""
        row = self._kb.row_of(id)
        kinds = types.UNTYPED if row is None else int(self._kb.type_mask[row])
        return kinds != _OTHER and not kinds & SYMBOLS

    def _linked(self, texts: Sequence[str]) -> Iterator[Mention]:
        documents = (Document("", text, mentions=(Mention.at(0, len(text)),)) for text in texts)
        return (document.mentions[0] for document in self._link(documents))


def _surer(first: _Guess | None, second: _Guess | None) -> _Guess | None:
    if first is None or (second is not None and second.weight > first.weight):
        return second
    return first


def _core(readings: Sequence[StringReading]) -> StringReading:
    """The reading that leaves out most, with short forms in full where there are any."""
    last = readings[-1]
    return next((r for r in readings if r.changes[:-1] == last.changes and r.changes), last)


def _tails(count: int) -> Iterator[tuple[int, int]]:
    """Runs of tokens at the end, but for the whole, the longest first."""
    return ((start, count) for start in range(max(1, count - _LONGEST), count))


def _spans(count: int) -> Iterator[tuple[int, int]]:
    """Runs of tokens, the longest first, of equal ones the last first."""
    for size in range(min(count, _LONGEST), 0, -1):
        for start in range(count - size, -1, -1):
            yield start, start + size


def _spelling_evidence(name: str, changes: Sequence[str]) -> Evidence:
    told = f": {', '.join(changes)}" if changes else ""
    return Evidence("reading", f"read as “{name}”{told}")
