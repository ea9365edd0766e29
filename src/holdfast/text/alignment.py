"""How well a short form abbreviates the words before it.

An alignment spends every letter and digit of the short form, in order, on the words of the long
form. It costs nothing where each letter opens a word, and more for letters inside words and for
words that no letter stands for. The cheapest alignment decides where the long form starts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from holdfast.text.normalise import fold

INFINITE: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Costs:
    """What departures from "each letter opens a word" cost. Fitted on half of MED1250."""

    contiguous: float = 0.3  # a letter right after the one before it, in the same word
    combined: float = 0.7  # a later letter of that word after an "o", as in "hepato|cellular"
    gap: float = 0.9  # another later letter of that word
    inside: float = 1.7  # a letter of a word whose first letter is not used
    numeral: float = 0.3  # "3" for "three" or "III"
    digit: float = 1.5  # a digit of the short form that stands for nothing
    plural: float = 0.1  # a final "s" that stands for nothing
    sign: float = 0.6  # a final "+" or "-" that stands for nothing
    word: float = 1.5  # a word that no letter stands for
    last: float = 1.6  # … if it is the last one
    part: float = 0.5  # … if it is a part of a hyphenated word
    number: float = 0.15  # … if it is a number or a single letter such as a locant
    minor: float = 0.2  # … if it is a preposition, an article or a conjunction
    comma: float = 1.0  # the long form goes on over a comma
    bracket: float = 2.0  # the long form goes on over a bracket that stands apart
    part_start: float = 0.5  # the long form starts inside a hyphenated word
    minor_start: float = 1.2  # the long form starts with a preposition, an article, …


COSTS: Final = Costs()

_UNIT: Final = re.compile(r"[^\W\d_]+|\d+")
_SENTENCE_END: Final = re.compile(r"[;?!]|:\s")
_FREE_BRACKET: Final = re.compile(r"\s[(\[]|[)\]]\s")
_LOCANTS: Final = re.compile(
    r"(?:(?:[\d,.'’′()\[\]+*]+|[^\W\d_]|alpha|beta|gamma|delta|epsilon|omega|cis|trans)-)+",
    re.IGNORECASE,
)
# fmt: off
_MINOR: Final = frozenset({
    "a", "an", "and", "as", "at", "by", "de", "for", "from", "in", "into", "la", "of", "on", "or",
    "per", "the", "to", "type", "via", "with", "without",
})
# fmt: on
_NUMERALS: Final = {
    "1": ("one", "mono", "first", "single", "uni"),
    "2": ("two", "di", "bi", "second", "double"),
    "3": ("three", "tri", "third", "triple"),
    "4": ("four", "tetra", "quadr"),
    "5": ("five", "penta", "fifth"),
    "6": ("six", "hexa"),
}
_ROMAN: Final = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6"}
_SIGNS: Final = {"+": "p", "-": "n"}


class ShortForm(NamedTuple):
    """A short form as an alignment sees it."""

    letters: str  # letters and digits, folded; a final "+" or "-" as "p" or "n"
    spare: float  # what leaving out the last letter costs; INFINITE if it must be used


class Alignment(NamedTuple):
    """The cheapest reading; INFINITE and -1 if there is none."""

    cost: float
    start: int  # where the long form starts


NO_ALIGNMENT: Final = Alignment(INFINITE, -1)


class _Unit(NamedTuple):
    """A run of letters, or of digits, and its surroundings."""

    start: int
    text: str  # folded, not empty
    opens: bool  # after a space, a bracket or a quote
    glued: bool  # after a letter or digit, as "beta" in "17beta"
    ends_sentence: bool
    pause: float  # the cost of what stands between it and the next unit
    skip: float  # the cost if no letter stands for it


def read_short_form(text: str, *, costs: Costs = COSTS) -> ShortForm:
    """`text` needs at least one letter or digit."""
    letters = fold("".join(filter(str.isalnum, text)))
    if len(text) > 1 and text[-1] in _SIGNS:
        return ShortForm(letters + _SIGNS[text[-1]], costs.sign)
    if len(text) > 2 and text[-1] == "s" and text[-2].isupper():
        return ShortForm(letters, costs.plural)
    return ShortForm(letters, INFINITE)


def align(
    short: ShortForm,
    text: str,
    start: int,
    end: int,
    *,
    most: float = INFINITE,
    costs: Costs = COSTS,
) -> Alignment:
    """The cheapest long form that ends at `end` and starts at or after `start`.

    It lies in one sentence, has balanced brackets, and at most as many words as a short form of
    this length can stand for. What costs more than `most` may not be found.
    """
    letters = short.letters
    size = len(letters)
    words_left = min(size + 5, 2 * size) + 5
    start = max(start, end - 16 * words_left)
    # rest[i] is the least cost of spending letters[i:] on the units seen so far.
    rest = [INFINITE] * size + [0.0]
    rest[size - 1] = short.spare
    _leave_out_digits(rest, letters, costs)
    best = NO_ALIGNMENT
    ceiling = most + costs.part_start  # which locants give back
    for unit in _units_from_the_right(text, start, end, costs):
        if unit.ends_sentence:
            break
        if unit.pause:
            rest = [cost + unit.pause for cost in rest]
        if not unit.glued:
            cost = _cost_of_start(unit, letters, rest, costs)
            if cost < best.cost and _is_balanced(text[unit.start : end]):
                best = Alignment(cost, unit.start)
        rest = _spend(unit, letters, rest, costs)
        words_left -= unit.opens
        # Every word further to the left costs more.
        if not words_left or min(rest) >= min(best.cost, ceiling):
            break
    return _with_locants(best, text, start, end, costs)


def _units_from_the_right(text: str, start: int, end: int, costs: Costs) -> Iterator[_Unit]:
    next_start = -1
    for match in reversed(list(_UNIT.finditer(text, start, end))):
        before = text[match.start() - 1] if match.start() > start else " "
        opens = before.isspace() or before in '(["“'
        folded = fold(match[0])
        is_last = next_start < 0
        between = "" if is_last else text[match.end() : next_start]
        pause = 0.0
        ends_sentence = False
        if len(between) > 1:
            initial = len(match[0]) == 1
            ends_sentence = bool(_SENTENCE_END.search(between)) or (
                not initial and between[0] == "." and between[1].isspace()
            )
            pause = costs.comma * (", " in between)
            pause += costs.bracket * bool(_FREE_BRACKET.search(between))
        if folded in _MINOR:
            skip = costs.minor
        elif folded[:1].isdigit() or (len(folded) == 1 and not opens):
            skip = costs.number
        elif is_last:
            skip = costs.last
        else:
            skip = costs.word if opens else costs.part
        next_start = match.start()
        if folded:
            yield _Unit(next_start, folded, opens, before.isalnum(), ends_sentence, pause, skip)


def _cost_of_start(unit: _Unit, letters: str, rest: list[float], costs: Costs) -> float:
    """The least cost if the unit's first letter is the short form's first."""
    opening = _cost_of_opening(unit.text, letters[0], costs)
    if opening == INFINITE:
        return INFINITE
    cost = min(
        cost + rest[spent] for spent, cost in _runs(unit.text, letters, 0, 0, opening, costs)
    )
    if not unit.opens:
        cost += costs.part_start
    if unit.text in _MINOR:
        cost += costs.minor_start
    return cost


def _spend(unit: _Unit, letters: str, rest: list[float], costs: Costs) -> list[float]:
    """`rest` after the unit: it is skipped, or letters are spent on it."""
    word = unit.text
    result = [cost + unit.skip for cost in rest]
    for i, letter in enumerate(letters):
        opening = _cost_of_opening(word, letter, costs)
        if opening < INFINITE:
            for spent, cost in _runs(word, letters, i, 0, opening, costs):
                if cost + rest[spent] < result[i]:
                    result[i] = cost + rest[spent]
        inside = word.find(letter, 1)
        if inside > 0:
            for spent, cost in _runs(word, letters, i, inside, costs.inside, costs):
                if cost + rest[spent] < result[i]:
                    result[i] = cost + rest[spent]
    _leave_out_digits(result, letters, costs)
    return result


def _runs(
    word: str, letters: str, first: int, at: int, cost: float, costs: Costs
) -> list[tuple[int, float]]:
    """(letters spent so far, cost) for each number of letters spent on the word.

    `letters[first]` stands at `word[at]`, for `cost`; each next letter at its next occurrence.
    """
    runs = [(first + 1, cost)]
    for i in range(first + 1, len(letters)):
        found = word.find(letters[i], at + 1)
        if found < 0:
            break
        if found == at + 1:
            cost += costs.contiguous
        else:
            cost += costs.combined if word[found - 1] == "o" else costs.gap
        at = found
        runs.append((i + 1, cost))
    return runs


def _cost_of_opening(word: str, letter: str, costs: Costs) -> float:
    """The cost of a letter or digit that stands for the start of a word."""
    if word[0] == letter:
        return 0.0
    if letter in _NUMERALS and (_ROMAN.get(word) == letter or word.startswith(_NUMERALS[letter])):
        return costs.numeral
    return INFINITE


def _leave_out_digits(rest: list[float], letters: str, costs: Costs) -> None:
    for i in range(len(letters) - 1, 0, -1):
        if letters[i].isdigit():
            rest[i] = min(rest[i], rest[i + 1] + costs.digit)


def _with_locants(alignment: Alignment, text: str, start: int, end: int, costs: Costs) -> Alignment:
    """Moved back over locants: "1,2-" of "1,2-diacylglycerol (DAG)" belongs to the name."""
    at = alignment.start
    while at > start and not text[at - 1].isspace():
        at -= 1
    if (
        at < alignment.start
        and _LOCANTS.fullmatch(text, at, alignment.start)
        and _is_balanced(text[at:end])
    ):
        return Alignment(max(0.0, alignment.cost - costs.part_start), at)
    return alignment


def _is_balanced(text: str) -> bool:
    depth = 0
    for character in text:
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0
