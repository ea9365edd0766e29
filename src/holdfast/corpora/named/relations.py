"""Sentences with two entities and the relation between them, as classifiers learn it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from holdfast.document import Span
from holdfast.errors import InvalidValueError, UsageError

NO_RELATION: Final = "none"
"""The label of a pair between which the sentence states nothing."""


@dataclass(frozen=True, slots=True)
class RelationExample:
    """A sentence, two entities in it, and what it says of them.

    In ChemProt and GAD the two entities' names are replaced by markers, and the spans are those
    of the markers; in DDI the sentence is as it was written. An entity whose marker the corpus
    forgot has no span.
    """

    id: str  # unique in its file
    text: str
    label: str  # NO_RELATION, or the corpus's own name of the relation
    head: tuple[Span, ...]  # the first entity: the gene in ChemProt and GAD
    tail: tuple[Span, ...]  # the second
    document_id: str = ""  # "" where the corpus does not say

    def __post_init__(self) -> None:
        for start, end in self.head + self.tail:
            if not 0 <= start < end <= len(self.text):
                raise InvalidValueError(
                    f"example {self.id!r}: span {start}-{end} is empty or leaves the text"
                )

    @property
    def is_positive(self) -> bool:
        return self.label != NO_RELATION


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A training split, and a development split made from it; both in the original order."""

    train: tuple[RelationExample, ...]
    dev: tuple[RelationExample, ...]


def hold_out(examples: Iterable[RelationExample], *, fraction: float) -> HeldOut:
    """Makes a development split of about `fraction` of the examples, the same on every machine.

    Examples of one document, or with one text where documents are unknown, stay together.
    """
    if not 0.0 < fraction < 1.0:
        raise UsageError(f"the held-out fraction must lie between 0 and 1, not be {fraction}")
    train = list[RelationExample]()
    dev = list[RelationExample]()
    for example in examples:
        digest = hashlib.sha256((example.document_id or example.text).encode()).digest()
        share = int.from_bytes(digest[:8], "big") / 2**64
        (dev if share < fraction else train).append(example)
    return HeldOut(tuple(train), tuple(dev))


def marker_spans(text: str, marker: str) -> tuple[Span, ...]:
    """Where the marker stands first, or () if it does not."""
    start = text.find(marker)
    return () if start < 0 else (Span(start, start + len(marker)),)


def check_label(label: str, known: Sequence[str]) -> str:
    """The label itself; InvalidValueError if the corpus does not have it."""
    if label not in known:
        raise InvalidValueError(f"label {label!r} is not one of {', '.join(known)}")
    return label
