"""The parts of a line of OBO 1.4: escapes, quoted text, trailing modifiers and comments.

Functions raise ValueError with what is wrong; the reader adds the file and the line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_ESCAPE: Final = re.compile(r"\\(.?)", re.DOTALL)
_MEANING: Final = {"n": "\n", "W": " ", "t": "\t"}
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_MODIFIER: Final = r'[^\s="{}]+\s*=\s*"(?:[^"\\]|\\.)*"'
# Modifiers count only when well formed, since older files do not escape braces in chemical
# names, and a comment only after a space, since they do not escape exclamation marks either.
_TAIL: Final = re.compile(
    rf"(?:\s*(?<!\\)\{{\s*(?:{_MODIFIER}(?:\s*,\s*{_MODIFIER})*)?\s*\}})?"
    r"(?:\s*(?<!\S)!.*|\s*)$"
)
_LIST_END: Final = re.compile(r"(?:[^\]\\]|\\.)*\]")


@dataclass(frozen=True, slots=True)
class Synonym:
    """A synonym clause."""

    text: str
    scope: str  # EXACT, NARROW, BROAD or RELATED
    type: str  # e.g. "ABBREVIATION"; "" if the clause gives none


def split_clause(line: str) -> tuple[str, str]:
    """The tag and the rest of a `tag: value` line."""
    tag, colon, value = line.partition(":")
    if not colon or not tag.strip():
        raise ValueError(f"{line[:60]!r} is no 'tag: value' line")
    return tag.strip(), value.strip()


def unescape(text: str) -> str:
    """Replace every backslash pair by what it means; an unknown pair is its second character."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_replace, text)


def _replace(match: re.Match[str]) -> str:
    if not match[1]:
        raise ValueError("a backslash with nothing after it; the line may be cut off")
    return _MEANING.get(match[1], match[1])


def plain(value: str) -> str:
    """A value without quotes: its modifiers and comment dropped, its escapes resolved."""
    tail = _TAIL.search(value)
    return unescape(value[: tail.start()] if tail else value).strip()


def first_word(value: str) -> str:
    """The id with which a value begins; "" for an empty one."""
    words = plain_words(value)
    return words[0] if words else ""


def plain_words(value: str) -> list[str]:
    """The words of an unquoted value; an escaped space does not end a word."""
    tail = _TAIL.search(value)
    return [unescape(word) for word in (value[: tail.start()] if tail else value).split()]


def quoted(value: str) -> str:
    """The quoted text that begins a definition, whose list of references must be closed."""
    match = _opening(value)
    _check_list(value[match.end() :])
    return unescape(match[1])


def synonym(value: str) -> Synonym:
    """A synonym clause. A missing scope is RELATED, as the format says."""
    match = _opening(value)
    rest = value[match.end() :]
    _check_list(rest)
    words = rest.partition("[")[0].partition("{")[0].partition("!")[0].split()
    scope = words[0] if words else "RELATED"
    return Synonym(unescape(match[1]), scope, words[1] if len(words) > 1 else "")


def _opening(value: str) -> re.Match[str]:
    match = _QUOTED.match(value)
    if match is None:
        problem = "is never closed" if value.startswith('"') else "is missing"
        raise ValueError(f"the quoted text {problem}: {value[:60]}")
    return match


def _check_list(rest: str) -> None:
    before, bracket, references = rest.partition("[")
    if bracket and "{" not in before and not _LIST_END.match(references):
        raise ValueError(f"the list of references is never closed: [{references[:60]}")
