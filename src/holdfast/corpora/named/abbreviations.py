"""MED1250: abstracts with the abbreviations that they define."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from holdfast.document import Document, Passage
from holdfast.errors import FormatError
from holdfast.files import numbered_lines


class Definition(NamedTuple):
    """A short form and what it stands for, e.g. ("MS", "multiple sclerosis")."""

    short: str
    long: str


@dataclass(frozen=True, slots=True)
class AbbreviationExample:
    """An abstract, and its gold definitions in the order of the file.

    A definition that the abstract gives twice is there twice; some long forms are put together
    from words that do not stand next to each other.
    """

    document: Document
    definitions: tuple[Definition, ...]


def read_med1250(path: Path) -> Iterator[AbbreviationExample]:
    """Records between blank lines: PMID, title, abstract, then lines `  short|long`.

    Lines that begin with `//` are the annotators' remarks, also where they hold a pair that
    they decided against. The text is the title, a line feed and the abstract; the carriage
    returns that end sentences in a part of the file are dropped. Where a record breaks off and
    its PMID is repeated, what follows is still its abstract. In the unlabelled file no record
    has definitions. The files are Windows-1252.
    """
    pmid, start = "", 0
    body = list[str]()
    definitions = list[Definition]()
    after_blank = True
    for number, raw in numbered_lines(path, encoding="cp1252"):
        line = raw.replace("\r", "")
        if after_blank and line.strip().isdigit():
            if line.strip() != pmid:
                if pmid:
                    yield _example(pmid, body, definitions, path=path, line=start)
                pmid, start, body, definitions = line.strip(), number, [], []
        elif line.startswith("  ") and line.strip():
            definitions.append(_definition(line, path=path, line_number=number))
        elif line.strip() and not line.startswith("//"):
            if not pmid:
                raise FormatError(f"a PMID is expected, not {line[:40]!r}", path=path, line=number)
            body.append(line.strip())
        after_blank = not line.strip()
    if pmid:
        yield _example(pmid, body, definitions, path=path, line=start)


def _definition(line: str, *, path: Path, line_number: int) -> Definition:
    short, separator, long = (part.strip() for part in line.partition("|"))
    if not (short and separator and long):
        raise FormatError(
            f"'short|long' is expected, not {line.strip()!r}", path=path, line=line_number
        )
    return Definition(short, long)


def _example(
    pmid: str, body: list[str], definitions: list[Definition], *, path: Path, line: int
) -> AbbreviationExample:
    if not body:
        raise FormatError(f"record {pmid} has no title", path=path, line=line)
    title, abstract = body[0], " ".join(body[1:])
    text = f"{title}\n{abstract}"
    passages = (
        Passage("title", 0, len(title)),
        Passage("abstract", len(title) + 1, len(text)),
    )
    return AbbreviationExample(Document(pmid, text, passages), tuple(definitions))
