"""A table of mentions, tab-separated with a header: for spreadsheets, scripts and scoring.

    document_id	start	end	mention	type	ids	name	score	why
    1000001	0	7	Aspirin	Chemical	MESH:D001241	aspirin	0.98	MeSH name “Aspirin”
    1000001	30;49	37;55	ovarian cancer	Disease	NIL

Starts and ends of an interrupted mention are joined by `;`, ids by `|`, or `,` for variants. The
`name`, `score` and `why` are those of the candidate that the mention was linked to, and empty where
it is NIL; they are not read. A cell that a spreadsheet would take for a formula has an apostrophe
before it, which is not read either. The table has no text: a document that is read from it has the
mentions' words in their places and spaces everywhere else.
Columns are found by their name, in any order; those after `mention` may be missing. The rows of a
document stand together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from os import PathLike
from typing import Final, TextIO

from holdfast.corpora.ids import join_ids, split_ids
from holdfast.corpora.losses import Holds, Losses
from holdfast.corpora.reading import Reading, merge_spans
from holdfast.corpora.report import ReadReport
from holdfast.document import NIL, Document, Mention, Span
from holdfast.errors import FormatError
from holdfast.files import read_lines
from holdfast.text.safe import guard_cell, unguard_cell

HOLDS: Final = Holds(passages=True, interrupted=True, candidates=True)
COLUMNS: Final = ("document_id", "start", "end", "mention", "type", "ids", "name", "score", "why")

_REQUIRED: Final = ("document_id", "start", "end", "mention")
_BLANKS: Final = str.maketrans("\t\r\n", "   ")

Row = tuple[int, dict[str, str]]


def read_mention_table(
    path: str | PathLike[str], *, lenient: bool = False, report: ReadReport | None = None
) -> Iterator[Document]:
    """One document for each run of rows with the same `document_id`."""
    reading = Reading(path, lenient=lenient, report=report)
    seen = set[str]()
    for name, group in groupby(_rows(reading), key=lambda row: row[1]["document_id"]):
        document_id, rows = unguard_cell(name), [*group]
        if document_id in seen:
            line = rows[0][0]
            message = f"document {document_id}: its rows do not stand together; sort the table"
            raise FormatError(message, path=path, line=line)
        seen.add(document_id)
        document = _document(document_id, rows, reading)
        if document is not None:
            yield document


def write_mention_table(documents: Iterable[Document], stream: TextIO, losses: Losses) -> None:
    """The header, and one row for each mention."""
    stream.write("\t".join(COLUMNS) + "\n")
    for document in documents:
        fitted = losses.fit(document, HOLDS)
        losses.note("texts outside mentions")
        losses.note("documents without mentions", int(not fitted.mentions))
        name = fitted.id.translate(_BLANKS)
        if name != fitted.id:
            losses.lose(f"the document id {fitted.id!r}", document, how="blanks")
        for mention in fitted.mentions:
            cells = (name, *_columns(mention, fitted, losses))
            stream.write("\t".join(map(guard_cell, cells)) + "\n")
        losses.report.count(mentions=len(fitted.mentions), relations=0)


def _rows(reading: Reading) -> Iterator[Row]:
    header: list[str] = []
    for number, raw in read_lines(reading.path):
        line = raw.removesuffix("\r")
        if not line.strip():
            continue
        columns = line.split("\t")
        if not header:
            header = columns
            missing = [name for name in _REQUIRED if name not in header]
            if missing:
                message = f"no column {missing[0]!r} in the header {line[:80]!r}"
                raise FormatError(message, path=reading.path, line=number)
        elif len(columns) != len(header):
            reading.refuse(
                "row", f"{len(columns)} columns, the header has {len(header)}", line=number
            )
        else:
            yield number, dict(zip(header, columns, strict=True))


def _document(document_id: str, rows: list[Row], reading: Reading) -> Document | None:
    mentions, text = list[Mention](), list[str]()
    for line, row in rows:
        spans, stated = _spans(row), row["mention"]
        merged = merge_spans(spans) if reading.lenient else tuple(spans)
        readings = (stated, unguard_cell(stated))  # at most one has the length of the spans
        if not _are_sound(merged) or not any(_place(words, spans, text) for words in readings):
            reading.refuse(
                "mention",
                f"document {document_id}: mention {stated!r} does not fit {row['start']}-"
                f"{row['end']}, or contradicts another mention there",
                line=line,
            )
            continue
        if merged != tuple(spans):
            reading.mend_spans(document_id, f"{row['start']}-{row['end']}", line=line)
        type = unguard_cell(row.get("type", ""))
        ids = split_ids(unguard_cell(row.get("ids", "")), type)
        mentions.append(Mention(merged, type=type, ids=ids))
    return reading.document(document_id, "".join(text), mentions=mentions, line=rows[0][0])


def _spans(row: dict[str, str]) -> list[Span]:
    """None at all unless there are as many ends as starts."""
    starts, ends = row["start"].split(";"), row["end"].split(";")
    if len(starts) != len(ends) or not all(n.isdecimal() for n in (*starts, *ends)):
        return []
    return [Span(int(start), int(end)) for start, end in zip(starts, ends, strict=True)]


def _are_sound(spans: Sequence[Span]) -> bool:
    """Whether there are spans, each of them holds something, and they ascend."""
    ascend = all(one.end <= other.start for one, other in pairwise(spans))
    return bool(spans) and ascend and all(span.start < span.end for span in spans)


def _place(stated: str, spans: Sequence[Span], text: list[str]) -> bool:
    """Whether the words could be put into the text at their places; if not, it is unchanged."""
    if len(stated) != sum(end - start for start, end in spans) + len(spans) - 1:
        return False
    placed, taken = dict[int, str](), 0
    for start, end in spans:
        for at, character in zip(range(start, end), stated[taken:], strict=False):
            if placed.setdefault(at, character) != character:
                return False
        taken += end - start + 1
    if any(at < len(text) and text[at] not in (" ", char) for at, char in placed.items()):
        return False
    text += " " * (max(span.end for span in spans) - len(text))
    for at, char in placed.items():
        text[at] = char
    return True


def _columns(mention: Mention, document: Document, losses: Losses) -> list[str]:
    type = mention.type.translate(_BLANKS)
    if type != mention.type:
        losses.lose("tabs or line breaks in a type", document, repr(mention.type), how="blanks")
    ids = NIL if mention.is_nil else join_ids(mention.ids, type, bare=False) if mention.ids else ""
    if ids is None or ids != ids.translate(_BLANKS):
        where = f"mention {mention.start}-{mention.end}"
        losses.lose(f"the ids {', '.join(mention.ids)}", document, where)
        ids = ""
    best = mention.best
    losses.note("candidates that are not the answer", len(mention.candidates) - (best is not None))
    why = "; ".join(evidence.detail for evidence in best.evidence) if best else ""
    return [
        ";".join(str(start) for start, _ in mention.spans),
        ";".join(str(end) for _, end in mention.spans),
        document.text_of(mention).translate(_BLANKS),
        type,
        ids,
        (best.label or best.name).translate(_BLANKS) if best else "",
        f"{best.score:.4f}" if best else "",
        why.translate(_BLANKS),
    ]
