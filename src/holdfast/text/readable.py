"""Marks that hide where a word ends, replaced by plain ones: as long, so offsets stay.

An arrow or a tick parts what stands on its two sides; so do the control characters between the
cells of a table. A page break is a line end. A raised number behind a word is a footnote's.
"""

from __future__ import annotations

import re
from typing import Final

# Arrows, comparisons, ticks, boxes, bullets and the signs of footnotes and sections.
_PARTING: Final = "\u2190-\u21ff\u2248\u2264\u2265\u25a0-\u25ff\u2610-\u2612\u2713-\u2718•¶§†‡"
_LINE_ENDS: Final = "\x0b\x0c\x85"
_CONTROLS: Final = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
_TRADE: Final = "®™©"
_FOOTNOTE: Final = r"(?<=[^\W\d_][^\W\d_][^\W\d_])[¹²³⁰⁴-⁹]+(?![\w⁺⁻])"
_REPLACED: Final = re.compile(
    rf"(?P<part>[{_PARTING}{_CONTROLS}]+)|(?P<line>[{_LINE_ENDS}]|\r(?!\n))"
    rf"|(?P<space>[{_TRADE}]+|{_FOOTNOTE})"
)
_BY: Final = {"part": ";", "line": "\n", "space": " "}


def readable(text: str) -> str:
    """The text as those read it who look for words."""
    return _REPLACED.sub(_plain, text)


def _plain(match: re.Match[str]) -> str:
    assert match.lastgroup is not None
    return _BY[match.lastgroup] * len(match[0])
