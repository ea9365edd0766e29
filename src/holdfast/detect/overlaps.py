"""Which of several mentions stays where they overlap."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from holdfast.document import Mention, Span


@dataclass(slots=True, init=False)
class Taken:
    """Spans that do not overlap, in order."""

    spans: list[Span]

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self.spans = sorted(spans)

    def is_free(self, span: Span) -> bool:
        place = bisect_right(self.spans, span)
        before = self.spans[place - 1].end if place else 0
        after = self.spans[place].start if place < len(self.spans) else span.end
        return before <= span.start and span.end <= after

    def add(self, span: Span) -> None:
        self.spans.insert(bisect_right(self.spans, span), span)

    def overlapping(self, span: Span) -> list[Span]:
        """Those that share a character with the span, in order."""
        first = bisect_right(self.spans, span.start, key=lambda taken: taken.end)
        last = first
        while last < len(self.spans) and self.spans[last].start < span.end:
            last += 1
        return self.spans[first:last]


def longest_from_left(mentions: Iterable[Mention]) -> list[Mention]:
    """From the left, the longest mention that overlaps none taken before, in the order of the text.

    No mention is taken that lies inside another.
    """
    taken, end = list[Mention](), 0
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end)):
        if mention.start >= end:
            taken.append(mention)
            end = mention.end
    return taken


def nested_in(mentions: Sequence[Mention], kept: Sequence[Mention]) -> list[Mention]:
    """The mentions inside the kept ones, each of another type than the mention around it.

    A mention inside may have others inside it. Two never cross.
    """
    found, around = list[Mention](), kept
    while around:
        around = longest_from_left(_directly_inside(mentions, around))
        found += around
    return found


def _directly_inside(mentions: Iterable[Mention], around: Iterable[Mention]) -> Iterable[Mention]:
    """The mentions that are a part of one of `around` and of another type than it."""
    outer = {span_of(mention): mention for mention in around}
    taken = Taken(outer)
    for mention in mentions:
        span = span_of(mention)
        for container in taken.overlapping(span):
            if is_part(span, container) and outer[container].type != mention.type:
                yield mention


def is_part(span: Span, whole: Span) -> bool:
    """Whether the span lies inside another and is shorter."""
    return whole != span and whole.start <= span.start and span.end <= whole.end


def span_of(mention: Mention) -> Span:
    """From the mention's first character to its last."""
    return Span(mention.start, mention.end)
