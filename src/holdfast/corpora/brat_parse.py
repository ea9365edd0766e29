"""The lines of brat and standoff annotation files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from holdfast.corpora.ids import to_curie
from holdfast.corpora.reading import Reading
from holdfast.document import NIL, STATUSES, Argument, Mention, Relation
from holdfast.files import read_lines

BLANKS: Final = str.maketrans("\t\r\n", "   ")

_FLAGS: Final = {"Negation": "negated", "Speculation": "hypothetical"}


@dataclass(slots=True)
class Annotations:
    """What the files say, in their order."""

    mentions: list[Mention] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)


@dataclass(slots=True)
class _Lines:
    """Lines that say more about mentions and relations of other lines."""

    ids: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    statuses: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


def parse_annotations(files: Sequence[Path], text: str, reading: Reading) -> Annotations:
    """The mentions and relations of a document's annotation files; an empty file has none."""
    found, about = Annotations(), _Lines()
    for file in files:
        if not file.stat().st_size:
            continue
        own = Reading(file, lenient=reading.lenient, report=reading.report)
        for number, raw in read_lines(file):
            line = raw.removesuffix("\r")
            if line.strip():
                _parse(line, number, text, own, found, about)
    found.mentions = [_completed(m, about) for m in found.mentions]
    found.relations = [replace(r, note=about.notes.get(r.id, "")) for r in found.relations]
    return found


def reference_to_curie(reference: str, type: str) -> str:
    """What an N line names; "NIL:NIL" is this project's way to write NIL."""
    return to_curie(reference.removeprefix("NIL:"), type)


def _parse(
    line: str, number: int, text: str, reading: Reading, found: Annotations, about: _Lines
) -> None:
    name, _, body = line.partition("\t")
    head, _, tail = body.partition("\t")
    try:
        match line[0]:
            case "T":
                mention = _mention(name, head, tail, text, reading, number)
                if mention is not None:
                    found.mentions.append(mention)
            case "N":
                _, target, reference = head.split(" ", 2)
                about.ids[target].append(reference)
            case "A" | "M":
                _attribute(head, reading, about)
            case "R":
                _relation(name, head, reading, found)
            case "#":
                kind, _, target = head.partition(" ")
                if kind == "AnnotatorNotes" and target.startswith("R"):
                    about.notes[target] = tail
                else:
                    reading.ignore("note")
            case "E":
                reading.ignore("event")
            case "*":
                reading.ignore("equivalence")
            case _:
                raise ValueError("unknown kind of line")
    except ValueError as error:
        reading.refuse("annotation", f"not a standoff line ({error}): {line[:80]!r}", line=number)


def _mention(
    name: str, head: str, stated: str, text: str, reading: Reading, line: int
) -> Mention | None:
    type, _, places = head.partition(" ")
    offsets = list[tuple[int, int]]()
    for place in places.split(";"):
        start, end = place.split()
        offsets.append((int(start), int(end)))
    spans = reading.spans(text, offsets, stated, document_id=reading.path.stem, line=line)
    return None if spans is None else Mention(spans, type=type, id=name)


def _attribute(head: str, reading: Reading, about: _Lines) -> None:
    kind, target, *value = head.split()
    status = value[0] if kind == "Status" and value else _FLAGS.get(kind)
    if status in STATUSES and target.startswith("T"):
        about.statuses[target] = status
    else:
        reading.ignore("attribute")


def _relation(name: str, head: str, reading: Reading, found: Annotations) -> None:
    """`Arg1`, `Arg2`, … in their places are no roles, only places."""
    type, *pairs = head.split()
    arguments = list[Argument]()
    for place, pair in enumerate(pairs, 1):
        role, colon, target = pair.partition(":")
        if not colon or not target:
            raise ValueError(f"argument {pair!r} is not Role:T1")
        if target.startswith("E"):
            reading.ignore("relation with an event")
            return
        arguments.append(Argument(mention_id=target, role="" if role == f"Arg{place}" else role))
    found.relations.append(Relation(type, tuple(arguments), id=name))


def _completed(mention: Mention, about: _Lines) -> Mention:
    references = about.ids.get(mention.id, ())
    curies = dict.fromkeys(reference_to_curie(r, mention.type) for r in references)
    ids = tuple(c for c in curies if c != NIL) or tuple(curies)
    status = about.statuses.get(mention.id)
    return replace(mention, ids=ids, status=status) if ids or status else mention
