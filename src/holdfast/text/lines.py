"""Lines that are mere wrapping, as text files have them.

A line was wrapped if the next word would not have fitted into the paragraph's widest line, the
paragraph is prose and no list, and something more says that the sentence goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from holdfast.document import Span

_LINE_END: Final = re.compile(r"\r\n?|\n|\u2028|\u2029")
_AROUND_LINE_END: Final = re.compile(r"\s*[\r\n\u2028\u2029]\s*")
_WORD: Final = re.compile(r"[^\s]{1,40}")
_BULLET: Final = re.compile(r"(?:[-–*•·]|\(?\w{1,3}[.)])\s")
_UNFINISHED: Final = frozenset(
    ["a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"]
)
# Words of sentences; names have at most "of", "and", "with" and the like.
_PROSE: Final = re.compile(
    r"\b(?:after|an?|are|as|at|be|been|before|but|by|during|for|from|had|has|have|he|her|his|in|is|"
    r"its?|not?|on|or|our|she|some|than|that|the|their|these|they|this|those|to|was|we|were|which|"
    r"who|whose)\b",
    re.IGNORECASE,
)
_WIDTHS: Final = range(30, 201)  # of what is wrapped: shorter lines are lists, longer paragraphs
_WIDEST: Final = 400  # columns of a list's item
_MANY_LINES: Final = 4
_LOOK_BACK: Final = 60


def blocks(text: str) -> Iterator[Span]:
    """Runs of lines that were wrapped from one, in order, without the spaces around them.

    A blank line is in none of them.
    """
    paragraph: list[Span] = []
    at = 0
    for match in _LINE_END.finditer(text):
        line = trimmed(text, at, match.start())
        at = match.end()
        if line.start < line.end:
            paragraph.append(line)
        else:
            yield from _joined(text, paragraph)
            paragraph = []
    line = trimmed(text, at, len(text))
    if line.start < line.end:
        paragraph.append(line)
    yield from _joined(text, paragraph)


def unwrapped(text: str) -> str:
    """The text with spaces for line ends that are mere wrapping: as long, so offsets stay."""
    if _LINE_END.search(text) is None:
        return text
    found, at = list[str](), 0
    for start, end in blocks(text):
        found += (text[at:start], _LINE_END.sub(_spaces, text[start:end]))
        at = end
    return "".join([*found, text[at:]])


def on_one_line(words: str) -> str:
    """What a mention says, with a space for a line end and what is around it."""
    return _AROUND_LINE_END.sub(" ", words)


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without white space at its ends; empty if there is nothing else."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _joined(text: str, lines: list[Span]) -> Iterator[Span]:
    if not lines:
        return
    width = max(end - start for start, end in lines)
    is_full = [_is_full(text, *pair, width=width) for pair in pairwise(lines)]
    if any(is_full) and not _is_prose(text, lines):
        is_full = [False] * len(is_full)
    many = len(lines) >= _MANY_LINES and 2 * sum(is_full) >= len(is_full)
    block = lines[0]
    for full, (line, following) in zip(is_full, pairwise(lines), strict=True):
        goes_on = full and _goes_on(text, line, following, many=many)
        if goes_on or _hangs(text, block, line, following):
            block = Span(block.start, following.end)
        else:
            yield block
            block = following
    yield block


def _hangs(text: str, block: Span, line: Span, following: Span) -> bool:
    """Whether the next line is set in under a list's item that is not at its end.

    The item begins the block; what is set in is as far right as the item's first word.
    """
    bullet = _BULLET.match(text, block.start, block.end)
    if bullet is None or _BULLET.match(text, following.start, following.end):
        return False
    if text[line.end - 1] in ".;:!?" or "\t" in text[block.start : line.end]:
        return False
    is_long = _column(text, line.end) in _WIDTHS
    return is_long and _column(text, following.start) == _column(text, bullet.end())


def _column(text: str, at: int) -> int:
    """How many characters stand before it in its line."""
    before = [end.end() for end in _LINE_END.finditer(text, max(0, at - _WIDEST), at)]
    return at - (before[-1] if before else 0)


def _is_prose(text: str, lines: list[Span]) -> bool:
    """Whether half of the lines have a word of sentences, and none a tab, as rows of a table do."""
    with_words = sum(_PROSE.search(text, *line) is not None for line in lines)
    return 2 * with_words >= len(lines) and "\t" not in text[lines[0].start : lines[-1].end]


def _is_full(text: str, line: Span, following: Span, *, width: int) -> bool:
    """Whether the next line's first word would not have fitted into `width`."""
    word = _WORD.match(text, following.start, following.end)
    length = len(word[0]) if word else 0
    return width in _WIDTHS and line.end - line.start + 1 + length > width


def _goes_on(text: str, line: Span, following: Span, *, many: bool) -> bool:
    """Whether the next line does not look like a beginning; of many wrapped ones, a list's."""
    if _BULLET.match(text, following.start, following.end):
        return False
    last = text[max(line.start, line.end - _LOOK_BACK) : line.end].split()[-1]
    is_lower = text[following.start].islower()
    return many or is_lower or last.endswith(",") or last in _UNFINISHED
