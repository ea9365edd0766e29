"""Tokens with labels: IOB, IOB2, BIOES and BILOU, one token on a line, a blank line between
sentences.

    -DOCSTART-	1000001	O

    Aspirin	B-Chemical
    -induced	O

The token is the first column and the label the last. The text is the tokens joined by single
spaces, and the sentences by line feeds. A `-DOCSTART-` line starts a document, and may name it;
in a file without one, every sentence is a document of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from os import PathLike
from typing import Final, TextIO

from holdfast.corpora.losses import Holds, Losses
from holdfast.corpora.reading import Reading
from holdfast.corpora.report import ReadReport
from holdfast.document import Document, Mention, Span
from holdfast.errors import FormatError
from holdfast.files import read_lines

HOLDS: Final = Holds(overlapping=False, ids=False)

_START: Final = "-DOCSTART-"
_MEDLINE: Final = "###MEDLINE:"
_NAMELESS: Final = frozenset({"", "O", "_", "-X-"})
_LABEL: Final = re.compile(r"([BIEMLSUW])(?:-(.*))?", re.DOTALL)
_BEGINS: Final = frozenset("BSUW")
_ENDS: Final = frozenset("ELSUW")
_TOKEN: Final = re.compile(r"(?:\w[\u0300-\u036f]*)+|[^\w\s]")  # accents stay with their letter


@dataclass(slots=True)
class _Building:
    """A document in the making."""

    id: str
    line: int
    chunks: list[str] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    length: int = 0
    open_type: str | None = None  # of the mention that the next token may continue

    def add(self, token: str, label: str, separator: str) -> None:
        separator = separator if self.chunks else ""
        self.chunks += (separator, token)
        start = self.length + len(separator)
        self.length = start + len(token)
        match = _LABEL.fullmatch(label)
        if match is None:
            self.open_type = None
            return
        tag, type = match[1], match[2] or ""
        if tag in _BEGINS or self.open_type != type:
            self.mentions.append(Mention((Span(start, self.length),), type=type))
        else:
            last = self.mentions[-1]
            self.mentions[-1] = Mention((Span(last.start, self.length),), type=type)
        self.open_type = None if tag in _ENDS else type


def read_iob(
    path: str | PathLike[str], *, lenient: bool = False, report: ReadReport | None = None
) -> Iterator[Document]:
    """The documents of a file, one at a time, whichever of the schemes it uses."""
    reading = Reading(path, lenient=lenient, report=report)
    stem = reading.path.name.removesuffix(".gz").rpartition(".")[0]
    building: _Building | None = None
    has_starts, number, separator = False, 0, "\n"
    for line, raw in read_lines(reading.path):
        row = raw.removesuffix("\r")
        if not row.strip():
            separator = "\n"
            continue
        columns = row.split("\t") if "\t" in row else row.split()
        starts = columns[0] == _START or columns[0].startswith(_MEDLINE)
        has_starts = has_starts or starts
        if starts or building is None or (separator == "\n" and not has_starts):
            if building is not None:
                yield from _finished(building, reading)
            number += 1
            building = _Building(_name(columns) or f"{stem}-{number}", line)
        if not starts:
            if separator == "\n":
                building.open_type = None
            building.add(columns[0], _label(columns, reading, line), separator)
            separator = " "
        else:
            separator = "\n"
    if building is None:
        raise FormatError("no tokens: every line is blank", path=path)
    yield from _finished(building, reading)


def _write(documents: Iterable[Document], stream: TextIO, losses: Losses, *, scheme: str) -> None:
    for document in documents:
        fitted = losses.fit(document, HOLDS)
        name = re.sub(r"[\t\r\n]", "_", fitted.id)
        if name != fitted.id or name in _NAMELESS:
            name = name if name not in _NAMELESS else "unnamed"
            losses.lose(f"the document id {document.id!r}", document, how=f"writes {name!r} for")
        types = {type: _type(type, fitted, losses) for type in {m.type for m in fitted.mentions}}
        stream.write(f"{_START}\t{name}\tO\n\n")
        begun = 0
        for sentence in _sentences(fitted, losses):
            for start, end, label in _labelled(sentence, fitted.mentions, types, scheme):
                stream.write(f"{fitted.text[start:end]}\t{label}\n")
                begun += label[0] in _BEGINS
            stream.write("\n")
        if begun < len(fitted.mentions):
            losses.lose("mentions of nothing but blanks", document)
        losses.report.count(mentions=begun, relations=0)


write_iob = partial(_write, scheme="BIIB")
write_bioes = partial(_write, scheme="BIES")
write_bilou = partial(_write, scheme="BILU")


def _name(columns: list[str]) -> str:
    if columns[0].startswith(_MEDLINE):
        return columns[0].removeprefix(_MEDLINE).strip()
    named = columns[0] == _START and len(columns) > 2 and columns[1] not in _NAMELESS
    return columns[1] if named else ""


def _label(columns: list[str], reading: Reading, line: int) -> str:
    label = columns[-1] if len(columns) > 1 else ""
    if label == "O" or _LABEL.fullmatch(label):
        return label
    reading.refuse(
        "label",
        f"token {columns[0]!r} has the label {label!r}, which is not O, B-type, I-type, …",
        line=line,
    )
    return "O"


def _finished(building: _Building, reading: Reading) -> Iterator[Document]:
    document = reading.document(
        building.id, "".join(building.chunks), mentions=building.mentions, line=building.line
    )
    if document is not None:
        yield document


def _type(type: str, document: Document, losses: Losses) -> str:
    clean = re.sub(r"[\t\r\n]", " ", type)
    if clean != type:
        losses.lose("tabs or line breaks in a type", document, repr(type), how="blanks")
    return clean


def _sentences(document: Document, losses: Losses) -> list[list[Span]]:
    """The tokens of each line of the text.

    Without losses they are what single spaces separate, or it is an error. Where losses are
    allowed, every document of an output is cut in the same way: into words and punctuation marks,
    and wherever a mention starts or ends.
    """
    if losses.allow:
        sentences = _words(document)
        if _rebuilt(sentences, document.text) != document.text:
            losses.lose("the text's own spacing", document)
        return sentences
    sentences = _between_spaces(document.text)
    starts = {start for sentence in sentences for start, _ in sentence}
    ends = {end for sentence in sentences for _, end in sentence}
    first_words = {document.text[sentence[0].start : sentence[0].end] for sentence in sentences}
    if (
        any(start == end for sentence in sentences for start, end in sentence)
        or re.search(r"[\t\r]", document.text)
        or any(word == _START or word.startswith(_MEDLINE) for word in first_words)
        or any(
            m.start not in starts or m.end not in ends or "\n" in document.text_of(m)
            for m in document.mentions
        )
    ):
        losses.lose(
            "the text's own spacing (only tokens between single spaces)",
            document,
            how="cuts the text into tokens and respaces",
        )
    return sentences


def _between_spaces(text: str) -> list[list[Span]]:
    sentences, start = list[list[Span]](), 0
    for line in text.split("\n") if text else ():
        sentence = list[Span]()
        for token in line.split(" "):
            sentence.append(Span(start, start + len(token)))
            start += len(token) + 1
        sentences.append(sentence)
    return sentences


def _words(document: Document) -> list[list[Span]]:
    cuts = sorted({offset for m in document.mentions for offset in (m.start, m.end)})
    sentences, last = list[list[Span]](), 0
    inside = [(m.start, m.end) for m in document.mentions if "\n" in document.text_of(m)]
    for match in _TOKEN.finditer(document.text):
        start, end = match.span()
        is_break = "\n" in document.text[last:start] and not any(
            first < start < beyond and first < last for first, beyond in inside
        )
        if is_break or not sentences:
            sentences.append([])
        edges = [start, *cuts[bisect_right(cuts, start) : bisect_left(cuts, end)], end]
        sentences[-1] += (Span(*pair) for pair in pairwise(edges))
        last = end
    return sentences


def _rebuilt(sentences: list[list[Span]], text: str) -> str:
    return "\n".join(" ".join(text[start:end] for start, end in s) for s in sentences)


def _labelled(
    sentence: list[Span], mentions: Sequence[Mention], types: dict[str, str], scheme: str
) -> Iterator[tuple[int, int, str]]:
    """(start, end, label) of each token; `scheme` has the letters of a mention's first token,
    its inner ones, its last, and an only one."""
    begin, inner, last, only = tuple(scheme)
    ends = [m.end for m in mentions]
    owners = list[int | None]()
    for start, end in sentence:
        index = bisect_right(ends, start)
        owned = index < len(mentions) and mentions[index].start <= start and end <= ends[index]
        owners.append(index if owned else None)
    for place, ((start, end), owner) in enumerate(zip(sentence, owners, strict=True)):
        if owner is None:
            yield start, end, "O"
            continue
        is_first = place == 0 or owners[place - 1] != owner
        is_last = place + 1 == len(owners) or owners[place + 1] != owner
        letter = (only if is_last else begin) if is_first else (last if is_last else inner)
        type = types[mentions[owner].type]
        yield start, end, f"{letter}-{type}" if type else letter
