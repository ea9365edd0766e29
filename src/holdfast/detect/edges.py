"""Where a tagged mention begins and ends: no dangling bracket, hyphen or function word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from holdfast.detect.scan import closed
from holdfast.detect.tagger import Tagged
from holdfast.document import Span
from holdfast.types import GENE, VARIANT

# Words after which something must follow. So it must after "a", but not after "receptor a".
_DANGLING: Final = re.compile(
    r"\W+(?:an|and|are|as|at|be|been|by|during|for|from|had|has|have|in|into|is|its|of|on|or|than|"
    r"that|the|their|these|this|those|to|was|were|when|which|while|who|with|within|without)"
    r"(?:\W+a)?$"
)
_LEADING: Final = re.compile(r"(?:and|at|by|for|from|of|on|or|that|the|to|with)\W+(?=\w)")
_NUMBER: Final = re.compile(r"\d\w*")  # behind a hyphen: "NLP-" goes on to "NLP-24"
_SHORTEST: Final = 2  # characters of what is left
_IN_WORD: Final = re.compile(r"\w[(\[{]\w")
_OPENING: Final = " /,;:([{°±×"
_CLOSING: Final = " /,;:)]}°±×"
_HYPHENS: Final = "-‐‑–"  # at an end only where it joins the mention to what stands beside it
_COUNT: Final = re.compile(r"\)?\s?\d")  # behind a letter


def joined(tagged: Iterable[Tagged], text: str) -> Iterator[Tagged]:
    """What was tagged, in order, but that a mention which ends in a hyphen goes on in the next.

    "Birt–", "Hogg–" and "Dubé syndrome" are one, if they are of one type. Genes that a hyphen
    joins are several.
    """
    before: Tagged | None = None
    for mention in tagged:
        if before is not None and _goes_on(before, mention, text):
            span = Span(before.span.start, mention.span.end)
            sure = min(before.confidence, mention.confidence)
            before = replace(mention, span=span, confidence=sure)
            continue
        if before is not None:
            yield before
        before = mention
    if before is not None:
        yield before


def _goes_on(before: Tagged, after: Tagged, text: str) -> bool:
    is_joined = before.span.end == after.span.start and text[before.span.end - 1] in _HYPHENS
    return is_joined and before.type == after.type and after.type not in (GENE, VARIANT)


def trimmed_span(span: Span, text: str) -> Span | None:
    """The span without what no mention begins or ends with; None if nothing else is in it.

    "oedema of the" ends before "of". A bracket that is opened inside a word is closed.
    """
    start, end = closed(span, text) if _IN_WORD.search(text, *span) else span
    if text[end - 1] in _HYPHENS and (number := _NUMBER.match(text, end)):
        end = number.end()
    while start < end:
        if text[end - 1] in _OPENING or _joins(text, end - 1, end):
            end -= 1
        elif text[start] in _CLOSING or _joins(text, start, start - 1):
            start += 1
        elif dangling := _DANGLING.search(text[start:end]):
            end = start + dangling.start()
        elif leading := _LEADING.match(text, start, end):
            start = leading.end()
        else:
            break
    is_left = end - start >= min(_SHORTEST, span.end - span.start)
    return Span(start, end) if start < end and is_left else None


def _joins(text: str, at: int, beside: int) -> bool:
    """Whether a hyphen joins its mention to a word, or to a bracket, outside of it."""
    return (
        text[at] in _HYPHENS
        and 0 <= beside < len(text)
        and (text[beside].isalnum() or text[beside] in "([")
    )


def is_label(span: Span, text: str) -> bool:
    """Whether a single letter counts or labels something, where it could be a short form.

    The "E" of "(E)10.5" is a day, and in a text with panels "(A)" and "(B)" it is a panel.
    """
    if span.end - span.start != 1:
        return False
    return _COUNT.match(text, span.end) is not None or _has_panels(text)


@lru_cache(maxsize=64)
def _has_panels(text: str) -> bool:
    return "(A)" in text and "(B)" in text
