"""How a clinical string may be read: without what only describes, with short forms in full.

    "stage IV NSCLC"  ->  "non-small cell lung cancer", without "stage IV"

Readings come in the order in which they are tried: what changes least comes first. Each says in
words what was changed, and carries a weight that falls with every change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from holdfast.link.strings.clinical_words import (
    BRACKETS,
    CODE,
    DOSE,
    STAGE,
    TIME,
    ClinicalWords,
    clinical_words,
)
from holdfast.text.lines import on_one_line
from holdfast.text.tokens import key_of, key_of_token, tokens_of

_LONGEST: Final = 200  # characters: what is longer is prose and has no nearest concept
_PERMUTED: Final = 3  # content words up to which every order is tried
_EDGES: Final = " \t,;:.-–—/|@*•·>~=+&?!\"'“”‘’"
_SPACES: Final = re.compile(r"\s+")
_HOLLOW: Final = re.compile(r"\([\s,;.-]*\)|\[[\s,;.-]*\]")
_STRAY: Final = re.compile(r"\s*([,;])(?:\s*[,;:–-])*\s*")
_POSSESSIVE: Final = re.compile(r"(?<=\w)['’`´]s\b")
_PERSON: Final = re.compile(r"\b(?:Mrs?|Ms|Miss|Drs?|Prof|Nurse)\b\.?\s+[A-Z][a-z]")
_PAUSE: Final = re.compile(r"[,;:]\s|[,;]$|\s[-–—/|]+\s|(?<=[a-z]{3})/(?=[a-z]{3})")
_INSIDE: Final = re.compile(r"(?:^|\s)(?:of|the|in|a|an|and|to|for)(?=\s)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StringReading:
    """A text to look up in place of a string, and how it came about."""

    text: str
    changes: tuple[str, ...] = ()  # in words
    weight: float = 1.0  # in (0, 1]

    def changed(self, text: str, change: str, weight: float) -> StringReading:
        changes = (*self.changes, change) if change else self.changes
        return StringReading(text, changes, self.weight * weight)


def readings_of(string: str, words: ClinicalWords | None = None) -> list[StringReading]:
    """The readings of a string, each text once.

    There are none where it is empty, says that something is absent ("denies chest pain"), names a
    person by title ("Dr. Brown") or is as long as prose.
    """
    words = words or clinical_words()
    if len(string) > 2 * _LONGEST:
        return []
    text = _tidy(_POSSESSIVE.sub("", on_one_line(string)))
    if not text or len(text) > _LONGEST or words.negated.match(text) or _PERSON.search(text):
        return []
    kept = dict[str, StringReading]()
    for level in _levels(StringReading(text), words):
        for reading in _orders(level):
            for full in (*_in_full(reading, words), reading):
                if _has_content(full.text, words):
                    kept.setdefault(key_of(full.text), full)
    return list(kept.values())


def _has_content(text: str, words: ClinicalWords) -> bool:
    return any(words.is_content(key_of_token(token)) for token in tokens_of(text))


def in_any_order(reading: StringReading, words: ClinicalWords) -> Iterator[StringReading]:
    """Few words in other orders, without "of" and the like: "pancreatic cancer" for "cancer of
    the pancreas".
    """
    kept = _INSIDE.sub(" ", reading.text).split()
    if not 1 < len(kept) <= _PERMUTED:
        return
    described = [words.adjectives.get(key_of(word), word) for word in kept]
    for chosen in (kept, described) if described != kept else (kept,):
        for order in permutations(chosen):
            if list(order) != reading.text.split():
                yield reading.changed(" ".join(order), "", 0.97)


def _levels(start: StringReading, words: ClinicalWords) -> Iterator[StringReading]:
    """The string, then with one more thing left out each time."""
    steps: tuple[tuple[Callable[[str], Iterator[str]], float], ...] = (
        (_without(CODE), 0.99),
        (_without(TIME), 0.98),
        (_without(STAGE), 0.96),
        (_without(BRACKETS), 0.95),
        (_without(words.remarks), 0.97),
        (_without(DOSE), 0.98),
        (_without(words.forms), 0.98),
        (_without(words.severity), 0.97),
        (_heads(words.breaks), 0.9),
        (_sides(words.laterality), 0.95),
        (_without(words.course), 0.92),
        (_without(words.acuity), 0.88),
    )
    seen = {start.text}
    current = start
    yield start
    for shorten, weight in steps:
        for text in shorten(current.text):
            if text not in seen and _has_content(text, words):
                current = current.changed(text, _left_out(current.text, text), weight)
                seen.add(text)
                yield current


def _without(pattern: re.Pattern[str]) -> Callable[[str], Iterator[str]]:
    """Every match left out."""

    def shorten(text: str) -> Iterator[str]:
        yield _tidy(pattern.sub(" ", text))

    return shorten


def _heads(breaks: re.Pattern[str]) -> Callable[[str], Iterator[str]]:
    """What stands before the last pause or connecting word, then before the one before it."""

    def shorten(text: str) -> Iterator[str]:
        found = [*_PAUSE.finditer(text), *breaks.finditer(text)]
        for start in sorted({match.start() for match in found if match.start() > 0}, reverse=True):
            yield _tidy(text[:start])

    return shorten


def _sides(laterality: re.Pattern[str]) -> Callable[[str], Iterator[str]]:
    """Without "left" and the like; then also without the place that follows: "gout R great toe"."""

    def shorten(text: str) -> Iterator[str]:
        yield _tidy(laterality.sub(" ", text))
        match = laterality.search(text)
        if match:
            yield _tidy(text[: match.start()])

    return shorten


def _orders(reading: StringReading) -> Iterator[StringReading]:
    """As it is, and with what follows a comma put first: "anemia, iron deficiency"."""
    yield reading
    parts = [part.strip() for part in re.split(r"[,;]", reading.text) if part.strip()]
    if 1 < len(parts) <= _PERMUTED:
        yield reading.changed(" ".join(reversed(parts)), "", 0.98)


def _in_full(reading: StringReading, words: ClinicalWords) -> Iterator[StringReading]:
    """With short forms in full; where one has several full names, each in turn."""
    level = words.level.search(reading.text)
    if level:
        analyte = words.analytes[key_of(level["analyte"])]
        full = analyte.low if level["low"] else analyte.high
        yield reading.changed(full, f"“{level[0]}” is “{full}”", 0.9)
    found = list(words.abbreviations.finditer(reading.text))
    meanings = [words.full_names[" ".join(m[0].casefold().rstrip(".").split())] for m in found]
    for choice in range(max(map(len, meanings), default=0)):
        text, changes, weight, end = "", list[str](), 1.0, 0
        for match, full_names in zip(found, meanings, strict=True):
            full = full_names[min(choice, len(full_names) - 1)]
            text += reading.text[end : match.start()] + full
            changes.append(f"{match[0]} is “{full}”")
            weight *= 0.95 if len(match[0]) > 2 else 0.85
            end = match.end()
        yield reading.changed(text + reading.text[end:], ", ".join(changes), weight)


def _left_out(before: str, after: str) -> str:
    """What a step left out, in words."""
    kept = after.casefold().split()
    gone = list[str]()
    for word in before.split():
        bare = word.strip(_EDGES).casefold()
        if kept and (bare == kept[0].strip(_EDGES) or word.casefold() == kept[0]):
            kept.pop(0)
        else:
            gone.append(word)
    said = " ".join(gone).strip(" ,;:")
    return f"without “{said}”" if said else ""


def _tidy(text: str) -> str:
    """One space between words, no punctuation at the ends or left over in between."""
    text = _HOLLOW.sub(" ", text)
    text = _STRAY.sub(r"\1 ", _SPACES.sub(" ", text))
    return text.strip(_EDGES)
