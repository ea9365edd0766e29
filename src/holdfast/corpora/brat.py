"""brat and BioNLP standoff: a text file, and beside it a file of annotations.

    T1	Disease 3 10;18 24	ovarian cancer        a mention; `;` between the spans of one
    N1	Reference T1 MESH:D010051	ovarian cancer   an entity that it refers to
    A1	Status T1 negated                         its status; also `Negation T1`, `Speculation T1`
    R1	Treats Arg1:T2 Arg2:T1                    a relation
    #1	AnnotatorNotes R1	from the abstract     the relation's note

The document's id is the files' stem. Annotations are in `.ann`, or in `.a1` and `.a2`. Events and
everything that refers to one are not read, and counted as ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, count
from os import PathLike
from pathlib import Path
from typing import Final, TextIO

from holdfast.corpora.brat_parse import BLANKS, parse_annotations, reference_to_curie
from holdfast.corpora.losses import Holds, Losses
from holdfast.corpora.reading import Reading
from holdfast.corpora.report import ReadReport
from holdfast.document import NIL, Document, Mention, Span
from holdfast.errors import FormatError, UsageError
from holdfast.files import (
    BOM,
    marked_text,
    read_text,
    replacing_folder,
    replacing_text,
    starts_with_mark,
)

HOLDS: Final = Holds(
    interrupted=True,
    mention_ids=True,
    status=True,
    relations=True,
    mention_arguments=True,
    many_arguments=True,
    roles=True,
    relation_notes=True,
    relation_ids=True,
    candidates=True,
)
ANNOTATION_SUFFIXES: Final = (".ann", ".a1")

_WORD: Final = re.compile(r"[^\s:]+")
_MENTION_ID: Final = re.compile(r"T\d+", re.ASCII)
_RELATION_ID: Final = re.compile(r"R\d+", re.ASCII)


def read_brat(
    path: str | PathLike[str], *, lenient: bool = False, report: ReadReport | None = None
) -> Iterator[Document]:
    """The document of an annotation file, or every document of a folder, by file name."""
    reading = Reading(path, lenient=lenient, report=report)
    if reading.path.is_dir():
        files = sorted(p for p in reading.path.iterdir() if p.suffix in ANNOTATION_SUFFIXES)
        if not files:
            raise FormatError("no .ann or .a1 files in this folder", path=path)
    else:
        files = [reading.path]
    for file in files:
        own = Reading(file, lenient=lenient, report=reading.report)
        document = _document(file, own)
        if document is not None:
            yield document


def write_brat(documents: Iterable[Document], stream: TextIO, losses: Losses) -> None:
    """The annotation lines alone. Of several documents, each follows a line `#<tab>id`."""
    remaining = iter(documents)
    first, second = next(remaining, None), next(remaining, None)
    for document in chain((d for d in (first, second) if d is not None), remaining):
        if second is not None:
            stream.write(f"#\t{document.id.translate(BLANKS)}\n")
        fitted = losses.fit(document, HOLDS)
        stream.write("".join(f"{line}\n" for line in _lines(fitted, losses)))
        losses.report.count(mentions=len(fitted.mentions), relations=len(fitted.relations))


def write_brat_files(documents: Iterable[Document], path: Path, losses: Losses) -> None:
    """`path` is a folder that will hold every document, or the `.ann` file of the only one."""
    if path.suffix == ".ann":
        _write_one(documents, path, losses)
        return
    with replacing_folder(path) as folder:
        for document in documents:
            stem = file_stem(document, losses, folder, ".txt")
            text = _text(document, losses)
            with (folder / f"{stem}.txt").open("x", encoding="utf-8", newline="") as stream:
                stream.write(text)
            with (folder / f"{stem}.ann").open("x", encoding="utf-8", newline="") as stream:
                write_brat([document], stream, losses)


def file_stem(document: Document, losses: Losses, folder: Path, suffix: str) -> str:
    """A file name for the document, unused in the folder: its id wherever that can be one."""
    stem = re.sub(r"[/\\:\x00-\x1f]", "_", document.id).lstrip(".")[:200] or "document"
    numbers, base = count(2), stem
    while (folder / f"{stem}{suffix}").exists():
        stem = f"{base}-{next(numbers)}"
    if stem != document.id:
        losses.lose(f"the document id {document.id!r}", document, how=f"writes {stem!r} for")
    return stem


def _write_one(documents: Iterable[Document], path: Path, losses: Losses) -> None:
    several = UsageError(f"{path} can hold only one document; name a folder to write several")
    remaining = iter(documents)
    document = next(remaining, None)
    if document is None:
        raise UsageError(f"no document to write to {path}")
    if document.id != path.stem:
        losses.note("document ids replaced by the file's name")
    with replacing_text(path.with_suffix(".txt")) as text, replacing_text(path) as annotations:
        text.write(_text(document, losses))
        write_brat([document], annotations, losses)
        if next(remaining, None) is not None:
            raise several


def _text(document: Document, losses: Losses) -> str:
    if not document.text:
        losses.lose("an empty text", document, how="writes a line feed for")
    return marked_text(document.text) or "\n"


def _document(file: Path, reading: Reading) -> Document | None:
    text_file = file.with_suffix(".txt")
    if not text_file.exists():
        raise FormatError(f"the text is missing: there is no {text_file.name} beside it", path=file)
    text = read_text(text_file)
    files = [file]
    if file.suffix == ".a1" and file.with_suffix(".a2").exists():
        files.append(file.with_suffix(".a2"))
    counted = starts_with_mark(text_file) and _counts_mark(files, text, reading)
    found = parse_annotations(files, BOM + text if counted else text, reading)
    mentions = [_shifted(m, -1) for m in found.mentions] if counted else found.mentions
    return reading.document(file.stem, text, mentions=mentions, relations=found.relations)


def _counts_mark(files: Sequence[Path], text: str, reading: Reading) -> bool:
    """Whether the annotations fit only if the byte order mark before the text is a character."""
    return not _fits(files, text, reading) and _fits(files, BOM + text, reading)


def _fits(files: Sequence[Path], text: str, reading: Reading) -> bool:
    try:
        found = parse_annotations(files, text, Reading(reading.path, lenient=False, report=None))
    except FormatError:
        return False
    return all(mention.start > 0 for mention in found.mentions) or not text.startswith(BOM)


def _shifted(mention: Mention, by: int) -> Mention:
    return replace(mention, spans=tuple(Span(start + by, end + by) for start, end in mention.spans))


def _lines(document: Document, losses: Losses) -> Iterator[str]:
    numbers = {kind: count(1) for kind in "NAR#"}
    names = _mention_names(document, losses)
    for mention, name in zip(document.mentions, names, strict=True):
        where = f"mention {mention.start}-{mention.end}"
        losses.note("candidates", len(mention.candidates))
        type = _word(mention.type, "type", document, losses)
        spans = ";".join(f"{start} {end}" for start, end in mention.spans)
        yield f"{name}\t{type} {spans}\t{document.text_of(mention).translate(BLANKS)}"
        for curie in mention.ids:
            reference = "NIL:NIL" if curie == NIL else curie
            if re.search(r"\s", curie) or reference_to_curie(reference, mention.type) != curie:
                losses.lose(f"the id {curie!r}", document, where)
                continue
            label = _label(mention, curie, document).translate(BLANKS)
            yield f"N{next(numbers['N'])}\tReference {name} {reference}\t{label}"
        if mention.status:
            yield f"A{next(numbers['A'])}\tStatus {name} {mention.status}"
    named = {m.id: name for m, name in zip(document.mentions, names, strict=True)}
    yield from _relation_lines(document, named, losses)


def _relation_lines(document: Document, named: dict[str, str], losses: Losses) -> Iterator[str]:
    taken = {r.id for r in document.relations if _RELATION_ID.fullmatch(r.id)}
    free = (f"R{n}" for n in count(1) if f"R{n}" not in taken)
    notes, used = count(1), set[str]()
    for relation in document.relations:
        own = relation.id in taken and relation.id not in used
        name = relation.id if own else next(free)
        used.add(name)
        losses.note("relation ids renamed", int(bool(relation.id) and not own))
        type = _word(relation.type, "relation type", document, losses)
        arguments = " ".join(
            f"{_word(a.role, 'role', document, losses) if a.role else f'Arg{place}'}:"
            f"{named[a.mention_id]}"
            for place, a in enumerate(relation.arguments, 1)
        )
        yield f"{name}\t{type} {arguments}\t"
        if relation.note:
            if relation.note != relation.note.translate(BLANKS).strip():
                losses.lose("line breaks, tabs or outer blanks in a note", document, how="blanks")
            note = relation.note.translate(BLANKS)
            yield f"#{next(notes)}\tAnnotatorNotes {name}\t{note}"


def _mention_names(document: Document, losses: Losses) -> list[str]:
    """T1, T2, …: a mention keeps its own id if it looks so."""
    taken = {m.id for m in document.mentions}
    free = (f"T{n}" for n in count(1) if f"T{n}" not in taken)
    names = list[str]()
    for mention in document.mentions:
        own = _MENTION_ID.fullmatch(mention.id)
        names.append(mention.id if own else next(free))
        losses.note("mention ids renamed", int(bool(mention.id) and not own))
    return names


def _word(value: str, what: str, document: Document, losses: Losses) -> str:
    clean = "_".join(_WORD.findall(value)) or "Entity"
    if clean != value:
        losses.lose(f"the {what} {value!r}", document, how=f"writes {clean!r} for")
    return clean


def _label(mention: Mention, curie: str, document: Document) -> str:
    labels = (c.label or c.name for c in mention.candidates if c.entity_id == curie)
    return next(labels, "") or document.text_of(mention)
