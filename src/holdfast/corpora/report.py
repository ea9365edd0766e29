"""What a reader skipped and a writer lost, counted while they work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from holdfast.text.safe import one_line

_REASONS_KEPT: Final = 5
_NAMES_KEPT: Final = 10


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
    mended: Counter[str] = field(default_factory=Counter)  # broken, but what it means is clear
    ignored: Counter[str] = field(default_factory=Counter)  # sound, but no part of a Document
    reasons: list[str] = field(default_factory=list)  # why the first few were skipped or mended
    files: int = 0  # that documents were read from
    formats: Counter[str] = field(default_factory=Counter)  # documents by the format of their file
    left_out: Counter[str] = field(default_factory=Counter)  # files of a folder, by reason
    left_out_names: dict[str, list[str]] = field(default_factory=dict)  # the first few by reason
    repeated: Counter[str] = field(default_factory=Counter)  # document ids, after their first use
    _ids: set[str] = field(default_factory=set)

    def skip(self, kind: str, reason: str) -> None:
        self.skipped[kind] += 1
        self._explain(reason)

    def mend(self, what: str, reason: str) -> None:
        self.mended[what] += 1
        self._explain(reason)

    def leave_out(self, reason: str, name: str) -> None:
        """Count a file that is not read, and keep its name if it is one of the first."""
        self.left_out[reason] += 1
        names = self.left_out_names.setdefault(reason, [])
        if len(names) < _NAMES_KEPT:
            names.append(name)

    def see_id(self, document_id: str) -> None:
        """Remember a document's id, and count it if another document had it before."""
        if document_id in self._ids:
            self.repeated[document_id] += 1
        elif document_id:
            self._ids.add(document_id)

    def summary(self) -> list[str]:
        """Lines for a person; none if all of a single file was read."""
        lines = [*self._read()]
        if self.left_out:
            lines.append(f"left out {_files(self.left_out.total())}:")
            for reason, count in self.left_out.items():
                names = self.left_out_names[reason]
                more = f" and {count - len(names):,} more" if count > len(names) else ""
                lines.append(f"  {reason}: {one_line(', '.join(names))}{more}")
        if self.repeated:
            lines.append(f"document ids that repeat: {one_line(_shortened([*self.repeated]))}")
        lines += [f"skipped in the input: {_listed(self.skipped)}"] if self.skipped else []
        lines += [f"mended in the input: {_listed(self.mended)}"] if self.mended else []
        lines += (f"  {one_line(reason)}" for reason in self.reasons)
        if self.ignored:
            lines.append(f"not read (documents have no place for it): {_listed(self.ignored)}")
        return lines

    def _read(self) -> Iterator[str]:
        if self.files > 1 or self.left_out:
            formats = ", ".join(f"{name} {count:,}" for name, count in self.formats.most_common())
            documents = f"{self.documents:,} document{'s' * (self.documents != 1)}"
            found = f": {formats}" if formats else ""
            yield f"read {documents} from {_files(self.files)}{found}"

    def _explain(self, reason: str) -> None:
        if len(self.reasons) < _REASONS_KEPT:
            self.reasons.append(reason)


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
            lines += (f"  {one_line(reason)}" for reason in self.reasons)
        if self.notes:
            lines.append(f"left out or made up: {_listed(self.notes)}")
        return lines


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _shortened(names: list[str]) -> str:
    more = len(names) - _NAMES_KEPT
    return ", ".join(names[:_NAMES_KEPT]) + (f" and {more:,} more" if more > 0 else "")


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{what} ({count:,})" for what, count in counts.most_common())
