"""What a reader skipped and a writer lost, counted while they work."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

_REASONS_KEPT: Final = 5


@dataclass(slots=True)
class _Counts:
    documents: int = 0
    mentions: int = 0
    relations: int = 0

    def count(self, *, mentions: int, relations: int) -> None:
        """One more document, with so many mentions and relations."""
        self.documents += 1
        self.mentions += mentions
        self.relations += relations


@dataclass(slots=True)
class ReadReport(_Counts):
    """What was read, skipped and ignored so far; whole once the reader is exhausted."""

    skipped: Counter[str] = field(default_factory=Counter)  # broken, by kind: "mention", …
    ignored: Counter[str] = field(default_factory=Counter)  # sound, but no part of a Document
    reasons: list[str] = field(default_factory=list)  # why the first few were skipped

    def skip(self, kind: str, reason: str) -> None:
        self.skipped[kind] += 1
        if len(self.reasons) < _REASONS_KEPT:
            self.reasons.append(reason)

    def summary(self) -> list[str]:
        """Lines for a person; none if everything was read."""
        lines = [f"skipped in the input: {_listed(self.skipped)}"] if self.skipped else []
        lines += (f"  {reason}" for reason in self.reasons)
        if self.ignored:
            lines.append(f"not read (documents have no place for it): {_listed(self.ignored)}")
        return lines


@dataclass(slots=True)
class WriteReport(_Counts):
    """What was written, and what the format could not hold."""

    lost: Counter[str] = field(default_factory=Counter)  # by what it was, under allow_loss
    notes: Counter[str] = field(default_factory=Counter)  # left out or made up, never an error
    reasons: list[str] = field(default_factory=list)  # where the first few losses were

    def lose(self, what: str, reason: str) -> None:
        self.lost[what] += 1
        if len(self.reasons) < _REASONS_KEPT:
            self.reasons.append(reason)

    def summary(self) -> list[str]:
        """Lines for a person: what was written, and what was lost."""
        lines = [
            f"{self.documents:,} documents, {self.mentions:,} mentions, "
            f"{self.relations:,} relations written"
        ]
        if self.lost:
            lines.append(f"lost: {_listed(self.lost)}")
            lines += (f"  {reason}" for reason in self.reasons)
        if self.notes:
            lines.append(f"left out or made up: {_listed(self.notes)}")
        return lines


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{what} ({count:,})" for what, count in counts.most_common())
