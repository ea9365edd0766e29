"""What a document says once, it says again: repeats and short forms are tagged alike.

A tagger judges each place by its own surroundings. Where it is sure at one place, the same words
elsewhere in the document are the same thing, and so is a short form that the document defines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from holdfast.detect.edges import is_label
from holdfast.detect.overlaps import Taken
from holdfast.detect.tagger import Tagged
from holdfast.text.abbreviations import find_abbreviations
from holdfast.text.occurrences import occurrences

SURE: Final = 0.9
"""The least confidence at one place that decides for others; chosen on dev."""

_SHORTEST: Final = 3  # letters of words that are looked for elsewhere


def agree(found: Sequence[Tagged], text: str, *, sure: float = SURE) -> list[Tagged]:
    """The mentions with those added that others of the document vouch for, in order.

    Nothing that was found is changed, and nothing overlaps.
    """
    known = _best_of_words(found, text, sure=sure)
    for abbreviation in find_abbreviations(text):
        for one, other in (
            (abbreviation.long_text, abbreviation.short_text),
            (abbreviation.short_text, abbreviation.long_text),
        ):
            if one in known and other not in known:
                known[other] = known[one]
    taken = Taken(tagged.span for tagged in found)
    added = list[Tagged]()
    for span in sorted(occurrences(text, known), key=lambda span: (span.start, -span.end)):
        if taken.is_free(span) and not is_label(span, text):
            taken.add(span)
            added.append(replace(known[text[span.start : span.end]], span=span))
    return sorted((*found, *added), key=lambda tagged: tagged.span)


def _best_of_words(found: Iterable[Tagged], text: str, *, sure: float) -> dict[str, Tagged]:
    """The surest mention of each wording, where it is sure enough."""
    best = dict[str, Tagged]()
    for tagged in found:
        words = text[tagged.span.start : tagged.span.end]
        is_sure = tagged.confidence >= sure and len(words) >= _SHORTEST
        if is_sure and (words not in best or best[words].confidence < tagged.confidence):
            best[words] = tagged
    return best
