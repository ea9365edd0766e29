"""Descriptions of variants with one kind of space, hyphen and arrow."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_ARROW: Final = r"(?:\s?(?:[-–—=]{1,3}>|>|→|⇒|➔|➝|&gt;)\s?)"
_HYPHENS: Final = "‐‑‒–—−"
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def plain(text: str) -> str:
    """The text with one kind of space, hyphen and arrow, and without brackets around it."""
    text = unicodedata.normalize("NFKC", text)
    text = re.sub(_ARROW, ">", re.sub(r"\s+", " ", text))
    text = re.sub(f"[{_HYPHENS}]", "-", text).replace("∗", "*")
    text = re.sub("[Δ∆]", "delta", text)
    text = _THOUSANDS.sub("", text).strip(" .,;:'\"")
    while len(text) > 1 and text[0] + text[-1] in ("()", "[]"):
        if _closes_before_end(text):
            break
        text = text[1:-1].strip()
    return text


def _closes_before_end(text: str) -> bool:
    """Whether the first bracket is closed before the end: "(GCG)6(GCA)"."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if depth == 0:
            return at < len(text) - 1
    return True
