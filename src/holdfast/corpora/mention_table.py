"""A table of mentions, tab-separated with a header: for spreadsheets, scripts and scoring.

    document_id	start	end	mention	type	ids	name	score
    1000001	0	7	Aspirin	Chemical	MESH:D001241	aspirin	0.98
    1000001	30;49	37;55	ovarian cancer	Disease	MESH:D010051

Starts and ends of an interrupted mention are joined by `;`, ids by `|`, or `,` for variants. `name`
and `score` are those of the best candidate; they are not read. The table has no text: a document
that is read from it has the mentions' words in their places and spaces everywhere else.
Columns are found by their name, in any order; `name`, `score`, `type` and `ids` may be missing.
The rows of a document stand together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from os import PathLike
from typing import Final, TextIO

from holdfast.corpora.ids import join_ids, split_ids
from holdfast.corpora.losses import Holds, Losses
from holdfast.corpora.reading import Reading
from holdfast.corpora.report import ReadReport
from holdfast.document import Document, Mention, Span
from holdfast.errors import FormatError
from holdfast.files import read_lines

HOLDS: Final = Holds(passages=True, interrupted=True, candidates=True)
COLUMNS: Final = ("document_id", "start", "end", "mention", "type", "ids", "name", "score")

_REQUIRED: Final = ("document_id", "start", "end", "mention")
_BLANKS: Final = str.maketrans("\t\r\n", "   ")

Row = tuple[int, dict[str, str]]


def read_mention_table(
    path: str | PathLike[str], *, lenient: bool = False, report: ReadReport | None = None
) -> Iterator[Document]:
    """One document for each run of rows with the same `document_id`."""
    reading = Reading(path, lenient=lenient, report=report)
    seen = set[str]()
    for document_id, group in groupby(_rows(reading), key=lambda row: row[1]["document_id"]):
        rows = [*group]
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
            stream.write("\t".join((name, *_columns(mention, fitted, losses))) + "\n")
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
        spans = _spans(row)
        stated = row["mention"]
        if spans is None or not _place(stated, spans, text):
            reading.refuse(
                "mention",
                f"document {document_id}: mention {stated!r} does not fit {row['start']}-"
                f"{row['end']}, or contradicts another mention there",
                line=line,
            )
            continue
        type = row.get("type", "")
        ids = split_ids(row.get("ids", ""), type)
        mentions.append(Mention(tuple(spans), type=type, ids=ids))
    return reading.document(document_id, "".join(text), mentions=mentions, line=rows[0][0])


def _spans(row: dict[str, str]) -> list[Span] | None:
    """None unless they are ascending, and as many ends as starts."""
    starts, ends = row["start"].split(";"), row["end"].split(";")
    if len(starts) != len(ends) or not all(n.isdecimal() for n in (*starts, *ends)):
        return None
    spans = [Span(int(start), int(end)) for start, end in zip(starts, ends, strict=True)]
    sound = all(span.start < span.end for span in spans) and all(
        one.end <= other.start for one, other in pairwise(spans)
    )
    return spans if sound else None


def _place(stated: str, spans: list[Span], text: list[str]) -> bool:
    """Whether the words could be put into the text at their places; if not, it is unchanged."""
    if len(stated) != sum(end - start for start, end in spans) + len(spans) - 1:
        return False
    placed, taken = list[tuple[int, str]](), 0
    for start, end in spans:
        placed += zip(range(start, end), stated[taken:], strict=False)
        taken += end - start + 1
    if any(at < len(text) and text[at] not in (" ", char) for at, char in placed):
        return False
    text += " " * (spans[-1].end - len(text))
    for at, char in placed:
        text[at] = char
    return True


def _columns(mention: Mention, document: Document, losses: Losses) -> list[str]:
    type = mention.type.translate(_BLANKS)
    if type != mention.type:
        losses.lose("tabs or line breaks in a type", document, repr(mention.type), how="blanks")
    ids = join_ids(mention.ids, type, bare=False) if mention.ids else ""
    if ids is None or ids != ids.translate(_BLANKS):
        where = f"mention {mention.start}-{mention.end}"
        losses.lose(f"the ids {', '.join(mention.ids)}", document, where)
        ids = ""
    best = mention.candidates[0] if mention.candidates else None
    losses.note("candidates after the best", max(len(mention.candidates) - 1, 0))
    return [
        ";".join(str(start) for start, _ in mention.spans),
        ";".join(str(end) for _, end in mention.spans),
        document.text_of(mention).translate(_BLANKS),
        type,
        ids,
        (best.label or best.name).translate(_BLANKS) if best else "",
        f"{best.score:.4f}" if best else "",
    ]
