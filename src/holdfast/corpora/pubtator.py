"""PubTator: a title line, an abstract line, then mentions and relations as columns.

    1000001|t|Aspirin-induced tinnitus.
    1000001|a|Two patients recovered.
    1000001	0	7	Aspirin	Chemical	D001241
    1000001	CID	D001241	D014012

The document's text is the title, a line feed and the abstract, which are its two passages. A
seventh column lists the parts of a composite mention, joined by `|`. A fifth column of a relation
is its note. A blank line or the next title ends a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Final, TextIO

from holdfast.corpora.ids import curies_by_bare_id, join_ids, split_ids, to_bare, to_curie
from holdfast.corpora.losses import Holds, Losses
from holdfast.corpora.reading import Reading
from holdfast.corpora.relation_scores import note_with_score, with_score_of_note
from holdfast.corpora.report import ReadReport
from holdfast.document import Argument, Document, Mention, Passage, Relation
from holdfast.errors import FormatError
from holdfast.files import read_lines

HOLDS: Final = Holds(
    passages=True,
    parts=True,
    relations=True,
    entity_arguments=True,
    relation_notes=True,
    relation_scores=True,
)

_TEXT_LINE: Final = re.compile(r"([^|\t]+)\|([ta])\|(.*)", re.DOTALL)
_BREAK_BLANKS: Final = str.maketrans("\r\n", "  ")
_BREAKS: Final = re.compile(r"[\r\n]")
_BLANKS: Final = str.maketrans("\t\r\n", "   ")


def read_pubtator(
    path: str | PathLike[str], *, lenient: bool = False, report: ReadReport | None = None
) -> Iterator[Document]:
    """The documents of a file, one at a time."""
    reading = Reading(path, lenient=lenient, report=report)
    block = list[tuple[int, str]]()
    found = False
    for number, raw in read_lines(reading.path):
        line = raw.removesuffix("\r")
        starts = "|t|" in line and _is_title(line)
        if block and (starts or not line.strip()):
            yield from _document(block, reading)
            block = []
        if line.strip():
            found = True
            block.append((number, line))
    if not found:
        raise FormatError("no documents: every line is blank", path=reading.path)
    if block:
        yield from _document(block, reading)


def write_pubtator(documents: Iterable[Document], stream: TextIO, losses: Losses) -> None:
    """Title, abstract, mentions, relations, and a blank line after every document."""
    for document in documents:
        fitted = losses.fit(document, HOLDS)
        title, abstract = _title_and_abstract(fitted, losses)
        name = _document_id(fitted, losses)
        lines = [f"{name}|t|{title}", f"{name}|a|{abstract}"]
        mentions = [*_mention_columns(fitted, losses)]
        relations = [*_relation_columns(fitted, losses)]
        lines += ("\t".join((name, *columns)) for columns in (*mentions, *relations))
        stream.write("\n".join(lines) + "\n\n")
        losses.report.count(mentions=len(mentions), relations=len(relations))


def _is_title(line: str) -> bool:
    match = _TEXT_LINE.fullmatch(line)
    return match is not None and match[2] == "t"


def _document(block: list[tuple[int, str]], reading: Reading) -> Iterator[Document]:
    """At most one document: none where it was refused."""
    line, first = block[0]
    title = _TEXT_LINE.fullmatch(first)
    if title is None or title[2] != "t":
        reading.refuse("document", f"expected 'id|t|title', not {first[:80]!r}", line=line)
        return
    document_id, rows, abstract = title[1], block[1:], ""
    match = _TEXT_LINE.fullmatch(rows[0][1]) if rows else None
    if match is not None and match[2] == "a":
        abstract, rows = match[3], rows[1:]
        if match[1] != document_id:
            message = f"document {document_id}: the abstract is of document {match[1]}"
            reading.refuse("document", message, line=line + 1)
            return
    text = f"{title[3]}\n{abstract}"
    mentions, relations = _annotations(document_id, text, rows, reading)
    document = reading.document(
        document_id,
        text,
        passages=_passages(title[3], text),
        mentions=mentions,
        relations=relations,
        line=line,
    )
    if document is not None:
        yield document


def _annotations(
    document_id: str, text: str, rows: list[tuple[int, str]], reading: Reading
) -> tuple[list[Mention], list[Relation]]:
    mentions, relation_rows = list[Mention](), list[list[str]]()
    for line, row in rows:
        columns = row.split("\t")
        if columns[0].strip() != document_id.strip():
            message = f"document {document_id}: expected a mention or relation of it, not "
            kind = "line" if "|" in columns[0] else "annotation"  # perhaps another document's text
            reading.refuse(kind, f"{message}{row[:80]!r}", line=line)
        elif _is_mention(columns):
            mention = _mention(document_id, text, columns, reading, line)
            if mention is not None:
                mentions.append(mention)
        elif len(columns) in (4, 5):
            relation_rows.append(columns)
        else:
            message = f"document {document_id}: neither a mention nor a relation: {row[:80]!r}"
            reading.refuse("annotation", message, line=line)
    curies = curies_by_bare_id(mentions) if relation_rows else {}
    return mentions, [_relation(columns, curies) for columns in relation_rows]


def _passages(title: str, text: str) -> tuple[Passage, Passage]:
    return Passage("title", 0, len(title)), Passage("abstract", len(title) + 1, len(text))


def _is_mention(columns: list[str]) -> bool:
    return 5 <= len(columns) <= 7 and columns[1].isdecimal() and columns[2].isdecimal()


def _mention(
    document_id: str, text: str, columns: list[str], reading: Reading, line: int
) -> Mention | None:
    _, start, end, stated, type, *more = columns
    spans = reading.spans(
        text, [(int(start), int(end))], stated, document_id=document_id, line=line
    )
    if spans is None:
        return None
    parts = tuple(more[1].split("|")) if len(more) > 1 and more[1] else ()
    return Mention(spans, type=type, ids=split_ids(more[0], type) if more else (), parts=parts)


def _relation(columns: list[str], curies: dict[str, str]) -> Relation:
    """Its ids are those of the document's mentions, whose types say which vocabulary."""
    _, type, first, second, *note = columns
    arguments = tuple(
        Argument(entity_id=curies.get(raw.strip()) or to_curie(raw, "")) for raw in (first, second)
    )
    return with_score_of_note(Relation(type, arguments, note=note[0] if note else ""))


def _document_id(document: Document, losses: Losses) -> str:
    name = re.sub(r"[|\t\r\n]", "_", document.id).strip() or "_"
    if name != document.id:
        losses.lose(f"the document id {document.id!r}", document, how=f"writes {name!r} for")
    return name


def _title_and_abstract(document: Document, losses: Losses) -> tuple[str, str]:
    """Two lines that, with a line feed between, keep every offset."""
    text, passages = document.text, document.passages
    cut = _cut(document)
    if not passages or passages == (Passage("title", 0, len(text)),):
        losses.note("title and abstract made up")
    elif text[cut : cut + 1] != "\n" or passages != _passages(text[:cut], text):
        losses.lose(
            "passages other than a title and, on the next line, an abstract",
            document,
            ", ".join(p.kind for p in passages),
            how="joins",
        )
    title, abstract = text[:cut], text[cut + 1 :]
    if _BREAKS.search(title) or _BREAKS.search(abstract):
        losses.lose("line breaks inside a title or an abstract", document, how="writes a space for")
    return title.translate(_BREAK_BLANKS), abstract.translate(_BREAK_BLANKS)


def _cut(document: Document) -> int:
    """Where the blank between title and abstract is; the length of the text if there is none."""
    text, passages = document.text, document.passages
    if passages and passages[0].kind == "title":
        after = text[passages[0].end : passages[0].end + 1]
        if after and after in "\n \r\t":
            return passages[0].end
    return text.find("\n") if "\n" in text else len(text)


def _column(value: str, what: str, document: Document, losses: Losses) -> str:
    clean = value.translate(_BLANKS)
    if clean != value:
        losses.lose(f"tabs or line breaks in {what}", document, repr(value), how="blanks")
    return clean


def _mention_columns(document: Document, losses: Losses) -> Iterator[list[str]]:
    for mention in document.mentions:
        where = f"mention {mention.start}-{mention.end}"
        type = _column(mention.type, "a type", document, losses)
        ids = join_ids(mention.ids, type, bare=True) if mention.ids else ""
        if ids is None or "\t" in ids or _BREAKS.search(ids):
            losses.lose(f"the ids {', '.join(mention.ids)}", document, where)
            ids = ""
        columns = [
            str(mention.start),
            str(mention.end),
            document.text_of(mention).translate(_BLANKS),
            type,
            ids,
        ]
        if mention.parts:
            parts = "|".join(mention.parts)
            again = tuple(parts.translate(_BLANKS).split("|"))
            if not parts or again != mention.parts:
                losses.lose("parts that are empty or contain '|', tabs or breaks", document, where)
            else:
                columns.append(parts)
        yield columns


def _relation_columns(document: Document, losses: Losses) -> Iterator[list[str]]:
    curies = curies_by_bare_id(document.mentions)
    bares = {curie: bare for bare, curie in curies.items()}
    for relation in document.relations:
        columns = [relation.type]
        for argument in relation.arguments:
            columns.append(bares.get(argument.entity_id) or to_bare(argument.entity_id, ""))
        if note := note_with_score(relation):
            columns.append(note)
        row = "\t".join(("", *columns))
        again = row.split("\t")
        if (
            _BREAKS.search(row)
            or len(again) > 5
            or _is_mention(again)
            or _relation(again, curies) != relation
        ):
            losses.lose("a relation of these columns", document, repr(columns))
        else:
            yield columns
