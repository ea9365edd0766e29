"""What is looked up for a mention: its words, written out, and the text around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from holdfast.document import Document
from holdfast.text.abbreviations import long_forms
from holdfast.text.lines import on_one_line

_NEAR: Final = 100  # characters to each side of a mention


@dataclass(frozen=True, slots=True)
class Query:
    """A mention as it is looked up."""

    text: str  # short forms that the document defines are written out
    near: str = ""  # the text around the mention, without it


def queries_of(document: Document, *, abbreviations: bool = True) -> list[Query]:
    """One for each mention, in order. `abbreviations`: whether short forms are written out."""
    meant = long_forms(document.text) if abbreviations else {}
    queries = []
    for mention in document.mentions:
        before = document.text[max(0, mention.start - _NEAR) : mention.start]
        after = document.text[mention.end : mention.end + _NEAR]
        text = written_out(on_one_line(document.text_of(mention)), meant)
        queries.append(Query(text, f"{before} {after}"))
    return queries


def written_out(surface: str, meant: Mapping[str, str]) -> str:
    """The mention with the short forms that its document defines replaced by their long forms."""
    if surface in meant:
        return meant[surface]
    words = surface.split()
    if len(words) == 1 or not any(word in meant for word in words):
        return surface
    return " ".join(meant.get(word, word) for word in words)
