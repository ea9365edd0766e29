"""What every reader does with a mention, a document, and with what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Final

from holdfast.corpora.report import ReadReport
from holdfast.document import Document, Mention, Passage, Relation, Span
from holdfast.errors import FormatError, InvalidValueError

_BLANKS: Final = str.maketrans("\t\r\n", "   ")


class Reading:
    """One file being read: where it is, and whether broken things are skipped or raised."""

    def __init__(
        self, path: str | PathLike[str], *, lenient: bool, report: ReadReport | None
    ) -> None:
        self.path = Path(path)
        self.lenient = lenient
        self.report = ReadReport() if report is None else report

    def refuse(self, kind: str, message: str, *, line: int | None = None) -> None:
        """Raise FormatError, or count and return where reading is lenient."""
        if not self.lenient:
            raise FormatError(f"{message}; --lenient skips this {kind}", path=self.path, line=line)
        self.report.skip(kind, str(FormatError(message, path=self.path, line=line)))

    def ignore(self, kind: str) -> None:
        """Count something that is sound but that a Document has no place for."""
        self.report.ignored[kind] += 1

    def spans(
        self,
        text: str,
        offsets: Iterable[tuple[int, int]],
        stated: str | None,
        *,
        document_id: str,
        line: int | None = None,
    ) -> tuple[Span, ...] | None:
        """The spans, if they are sound and hold the words that the file says they hold.

        Spans are sorted; where reading is lenient, those that overlap are merged. A file may
        write an interrupted mention's words with or without a space between the pieces, or with
        everything that stands between them. Tabs and line breaks may be written as spaces. None
        if the mention was refused.
        """
        spans = tuple(sorted(Span(start, end) for start, end in offsets))
        merged = merge_spans(spans) if self.lenient else spans
        wrong = _wrong(text, merged)
        place = ";".join(f"{start}-{end}" for start, end in spans)
        if not wrong and (stated is None or _says(text, spans, stated)):
            if merged != spans:
                self.mend_spans(document_id, place, line=line)
            return merged
        actual = " ".join(text[start:end] for start, end in spans)
        self.refuse(
            "mention",
            f"document {document_id}: mention at {place} says {stated!r}, "
            + (wrong or f"the text there is {actual!r}"),
            line=line,
        )
        return None

    def mend_spans(self, document_id: str, place: str, *, line: int | None = None) -> None:
        """Count a mention whose spans overlap, and were merged."""
        message = f"document {document_id}: the spans {place} of a mention overlap; merged"
        self.report.mend(
            "mention whose spans overlap", str(FormatError(message, path=self.path, line=line))
        )

    def document(
        self,
        id: str,
        text: str,
        *,
        passages: Iterable[Passage] = (),
        mentions: Iterable[Mention] = (),
        relations: Iterable[Relation] = (),
        metadata: Iterable[tuple[str, str]] = (),
        line: int | None = None,
    ) -> Document | None:
        """The Document of these parts, without those that were refused; None if all of it was."""
        mentions = self._with_unique_ids(id, mentions, line)
        relations = self._with_their_mentions(id, relations, {m.id for m in mentions}, line)
        try:
            return Document(
                id,
                text,
                passages=tuple(passages),
                mentions=tuple(mentions),
                relations=tuple(relations),
                metadata=tuple(metadata),
            )
        except InvalidValueError as error:
            self.refuse("document", str(error), line=line)
            return None

    def _with_unique_ids(
        self, document_id: str, mentions: Iterable[Mention], line: int | None
    ) -> list[Mention]:
        kept, ids = list[Mention](), set[str]()
        for mention in mentions:
            if mention.id and mention.id in ids:
                self.refuse(
                    "mention",
                    f"document {document_id}: mention id {mention.id!r} repeats",
                    line=line,
                )
                continue
            ids.add(mention.id)
            kept.append(mention)
        return kept

    def _with_their_mentions(
        self, document_id: str, relations: Iterable[Relation], ids: set[str], line: int | None
    ) -> list[Relation]:
        kept = list[Relation]()
        for relation in relations:
            missing = [a.mention_id for a in relation.arguments if a.mention_id not in ids]
            if any(missing):
                self.refuse(
                    "relation",
                    f"document {document_id}: relation {relation.type!r} refers to mention "
                    f"{next(filter(None, missing))!r}, which is not there",
                    line=line,
                )
                continue
            kept.append(relation)
        return kept


def merge_spans(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Sorted spans, those that overlap as one; what is empty or reversed stays as it is."""
    merged = list[Span]()
    for span in spans:
        if merged and span.start < merged[-1].end and span.start < span.end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return tuple(merged)


def _wrong(text: str, spans: Sequence[Span]) -> str:
    """What is wrong with the spans; "" if nothing is."""
    end = 0
    for span in spans:
        if span.start < end or span.start >= span.end:
            return f"{span.start}-{span.end} is empty, negative or overlaps another span of it"
        end = span.end
    if not spans:
        return "it has no offsets"
    return f"the text is only {len(text)} characters long" if end > len(text) else ""


def _says(text: str, spans: Sequence[Span], stated: str) -> bool:
    if len(spans) == 1 and stated == text[spans[0].start : spans[0].end]:
        return True
    pieces = [text[start:end] for start, end in spans]
    readings = (" ".join(pieces), "".join(pieces), text[spans[0].start : spans[-1].end])
    return stated.translate(_BLANKS) in {reading.translate(_BLANKS) for reading in readings}
