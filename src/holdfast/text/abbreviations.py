"""Abbreviations that a document defines: "tumour necrosis factor (TNF)", "TNF (tumour …)".

Every bracket is read in up to three ways: the short form is inside and the long form before it;
both are inside; the short form is before and the long form inside. The first reading whose
alignment is cheap enough for a short form of that length wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from holdfast.document import Span
from holdfast.text.alignment import INFINITE, Alignment, align, read_short_form
from holdfast.text.lines import on_one_line, unwrapped

_BRACKET: Final = re.compile(r"[()\[\]]")
_CLOSES: Final = {"(": ")", "[": "]"}
_SEPARATOR: Final = re.compile(r"[()\[\]]|[;=:]|,(?!\d)|\s(?:or|and)\s|\s[-<>]|-\s")
_INTRODUCTION: Final = re.compile(
    r"(?:abbreviated(?: as| to)?|termed|called|designated|denoted|hereafter|henceforth|"
    r"referred to as|also known as)\s+",
    re.IGNORECASE,
)
_LAST_PART: Final = re.compile(r"[,;]\s+(?:or\s+)?")
_LAST_TOKEN: Final = re.compile(r"[^\s()\[\]]+$")
_GROUP: Final = re.compile(r"[A-Z]+[a-z]*|[a-z]+|\d+")
_QUOTES: Final = "\"'“”‘’"

_MAX_BRACKET: Final = 400  # characters inside
_MAX_DEPTH: Final = 3  # of brackets inside brackets
_MAX_SHORT: Final = 24  # characters
_MAX_LETTERS: Final = 16

# The most that an alignment may cost, by the number of letters of the short form.
_LIMIT_BASE: Final = 0.55
_LIMIT_PER_LETTER: Final = 0.8
_LIMIT_OF_TWO: Final = 1.65
_STRICT_PER_LETTER: Final = 0.3
_LOWER_CASE_PER_LETTER: Final = 0.35
_MAX_LOWER_CASE: Final = 5
_REORDERED: Final = 0.4  # the extra cost of "V(T)" for "tidal volume"
_LIMIT_OF_NUMBER_FIRST: Final = 1.0  # the most that "TAS-20" may cost for "20-item Toronto …"
_RIVAL: Final = 0.4  # how much worse than the best a second definition of a short form may be


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """A short form and the long form that the document defines it by."""

    short: Span
    long: Span
    short_text: str
    long_text: str


class _Bracket(NamedTuple):
    start: int  # of the opening character
    end: int  # of the closing character
    outer: int  # where the enclosing bracket's content starts, or 0


class _Definition(NamedTuple):
    abbreviation: Abbreviation
    cost: float


def find_abbreviations(text: str) -> list[Abbreviation]:
    """The definitions in a document, in the order of their brackets.

    A short form may be defined more than once. Time is linear in the length of the text.
    """
    found = []
    for bracket in _brackets(text):
        definition = (
            _short_inside(text, bracket)
            or _both_inside(text, bracket)
            or _short_before(text, bracket)
        )
        if definition is not None:
            found.append(definition)
    cheapest: dict[str, float] = {}
    for definition in found:
        short = definition.abbreviation.short_text
        cheapest[short] = min(cheapest.get(short, INFINITE), definition.cost)
    return [
        abbreviation
        for abbreviation, cost in found
        if cost <= cheapest[abbreviation.short_text] + _RIVAL
    ]


def abbreviation_map(abbreviations: Iterable[Abbreviation]) -> dict[str, str]:
    """Short form -> long form, as they are written; the first definition wins."""
    result: dict[str, str] = {}
    for abbreviation in abbreviations:
        result.setdefault(abbreviation.short_text, abbreviation.long_text)
    return result


@lru_cache(maxsize=32)
def long_forms(text: str) -> Mapping[str, str]:
    """What the short forms that a document defines stand for, also across wrapped lines.

    Several steps of a pipeline ask this of the same text; it is worked out once.
    """
    found = find_abbreviations(unwrapped(text))
    as_written = (replace(a, long_text=on_one_line(text[slice(*a.long)])) for a in found)
    return MappingProxyType(abbreviation_map(as_written))


def _brackets(text: str) -> list[_Bracket]:
    """Matched brackets that are short and not deeply nested, by their start."""
    result = []
    stack: list[tuple[str, int, int]] = []  # character, offset, depth of what is inside
    for match in _BRACKET.finditer(text):
        if match[0] in _CLOSES:
            stack.append((match[0], match.start(), 0))
            continue
        while stack:
            character, start, depth = stack.pop()
            if stack:
                outer = stack[-1]
                stack[-1] = (outer[0], outer[1], max(outer[2], depth + 1))
            if _CLOSES[character] != match[0]:
                continue
            if match.start() - start <= _MAX_BRACKET and depth < _MAX_DEPTH:
                outer_start = stack[-1][1] + 1 if stack else 0
                result.append(_Bracket(start, match.start(), outer_start))
            break
    result.sort()
    return result


def _short_inside(text: str, bracket: _Bracket) -> _Definition | None:
    """ "long form (SF)", "long form (SF; more)", "long form (termed SF)"."""
    start = bracket.start + 1
    introduction = _INTRODUCTION.match(text, start, bracket.end)
    if introduction:
        start = introduction.end()
    end = _first_separator(text, start, bracket.end)
    short = _trimmed(text, start, end)
    if not _may_be_short(text[short.start : short.end]):
        return None
    long_end = _trimmed(text, bracket.outer, bracket.start).end
    line = text.rfind("\n", max(bracket.outer, long_end - _MAX_BRACKET), long_end) + 1
    alignment = _align_either_order(
        text[short.start : short.end], text, max(bracket.outer, line), long_end
    )
    if alignment.cost == INFINITE:
        return None
    definition = _definition(text, short, Span(alignment.start, long_end), alignment.cost)
    is_value = text[end : end + 1] == "="
    return definition if _is_credible(definition, is_value=is_value) else None


def _both_inside(text: str, bracket: _Bracket) -> _Definition | None:
    """ "(long form, SF)"."""
    separators = list(_LAST_PART.finditer(text, bracket.start + 1, bracket.end))
    if not separators:
        return None
    short = _trimmed(text, separators[-1].end(), bracket.end)
    return _strict(text, short, bracket.start + 1, separators[-1].start())


def _short_before(text: str, bracket: _Bracket) -> _Definition | None:
    """ "SF (long form)", "SF (long form; more)"."""
    end = _trimmed(text, bracket.outer, bracket.start).end
    token = _LAST_TOKEN.search(text, max(bracket.outer, end - _MAX_SHORT), end)
    if token is None:
        return None
    short = _trimmed(text, token.start(), end)
    long_start = bracket.start + 1
    for long_end in (bracket.end, _first_separator(text, long_start, bracket.end)):
        definition = _strict(text, short, long_start, long_end)
        if definition is not None and definition.abbreviation.long.start == long_start:
            return definition
    return None


def _strict(text: str, short: Span, start: int, end: int) -> _Definition | None:
    """A definition in an unusual place: capitals, several words, a nearly perfect alignment."""
    written = text[short.start : short.end]
    if not _may_be_short(written) or sum(map(str.isupper, written)) < 2:
        return None
    form = read_short_form(written)
    long = _trimmed(text, start, end)
    most = _STRICT_PER_LETTER * len(form.letters)
    cost, long_start = align(form, text, long.start, long.end, most=most)
    if cost > most:
        return None
    definition = _definition(text, short, Span(long_start, long.end), cost)
    return definition if " " in definition.abbreviation.long_text else None


def _align_either_order(short: str, text: str, start: int, end: int) -> Alignment:
    """The alignment of "V(T)" with "volume … T …" or else with "tidal volume"."""
    form = read_short_form(short)
    most = _most_credible(len(form.letters))
    alignment = align(form, text, start, end, most=most)
    groups = list(short) if len(short) == 2 else _GROUP.findall(short)
    if alignment.cost <= _REORDERED or len(groups) != 2 or not "".join(groups).isalnum():
        return alignment
    other = align(read_short_form(groups[1] + groups[0]), text, start, end, most=most)
    if groups[1].isdigit() and not (
        other.cost <= _LIMIT_OF_NUMBER_FIRST and text[other.start].isdigit()
    ):
        return alignment
    return min(alignment, Alignment(other.cost + _REORDERED, other.start))


def _is_credible(definition: _Definition, *, is_value: bool) -> bool:
    short, long = definition.abbreviation.short_text, definition.abbreviation.long_text
    cost = definition.cost
    size = len(read_short_form(short).letters)
    if f" {short.lower()} " in f" {long.lower()} ":
        return False
    if size == 1:
        return short.isupper() and cost == 0 and not is_value and long.isalpha() and len(long) > 2
    if sum(map(str.isalnum, long)) <= size + 1:
        return False
    if not any(character.isupper() or character.isdigit() for character in short):
        return cost <= _LOWER_CASE_PER_LETTER * size and len(short) <= _MAX_LOWER_CASE
    if size == 2:
        return cost <= _LIMIT_OF_TWO
    return cost <= _LIMIT_BASE + _LIMIT_PER_LETTER * size


def _most_credible(size: int) -> float:
    """No alignment of a short form of so many letters may cost more."""
    return max(_LIMIT_OF_TWO, _LIMIT_BASE + _LIMIT_PER_LETTER * size)


def _may_be_short(text: str) -> bool:
    return (
        0 < len(text) <= _MAX_SHORT
        and sum(map(str.isalnum, text)) <= _MAX_LETTERS
        and any(map(str.isalpha, text))
        and len(text.split()) <= 3
        and text[0] not in "<>=-*/%"
    )


def _first_separator(text: str, start: int, end: int) -> int:
    """Where the first part of a bracket's content ends; inner brackets are passed over."""
    depth = 0
    for match in _SEPARATOR.finditer(text, start, end):
        if match[0] in "([":
            depth += 1
        elif match[0] in ")]":
            depth -= 1
        elif depth == 0:
            return match.start()
    return end


def _trimmed(text: str, start: int, end: int) -> Span:
    """Without spaces, commas and quotes at either end; empty if there is nothing else."""
    while start < end and (text[end - 1].isspace() or text[end - 1] in _QUOTES + ","):
        end -= 1
    while start < end and (text[start].isspace() or text[start] in _QUOTES + ","):
        start += 1
    return Span(start, end)


def _definition(text: str, short: Span, long: Span, cost: float) -> _Definition:
    return _Definition(
        Abbreviation(short, long, text[short.start : short.end], text[long.start : long.end]),
        cost,
    )
