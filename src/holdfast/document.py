"""The values that flow: a Document, and what is known of it.

Every value is frozen and checked when it is made. Offsets are Unicode code points into
`Document.text`, half-open. A step of a pipeline takes a Document and returns a richer copy.

The JSON form (`to_json`, `from_json`) is documented in docs/formats.md. It leaves out what is
empty, and repeats each mention's text, which is checked when it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from holdfast.errors import InvalidValueError
from holdfast.mention import (
    NIL,
    STATUSES,
    Candidate,
    Evidence,
    Mention,
    Span,
    TypeScore,
    mention_from_json,
    mention_to_json,
    offset_of,
    string_of,
    without_empty,
)

__all__ = [
    "NIL",
    "STATUSES",
    "Argument",
    "Candidate",
    "Document",
    "Evidence",
    "Mention",
    "Passage",
    "Relation",
    "Span",
    "TypeScore",
]


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of the document: its title, its abstract, a section."""

    kind: str  # "title", "abstract", or a section's name
    start: int
    end: int  # may equal start: an empty abstract is still a passage

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise InvalidValueError(
                f"passage {self.kind!r}: {self.start}-{self.end} is reversed or negative"
            )


@dataclass(frozen=True, slots=True)
class Argument:
    """One end of a relation: an entity of the document, or one of its mentions."""

    entity_id: str = ""
    mention_id: str = ""
    role: str = ""

    def __post_init__(self) -> None:
        if bool(self.entity_id) == bool(self.mention_id):
            raise InvalidValueError("a relation's argument is either an entity or a mention")


@dataclass(frozen=True, slots=True)
class Relation:
    """What a document says of two or more entities."""

    type: str
    arguments: tuple[Argument, ...]
    id: str = ""
    note: str = ""  # what the corpus says besides, e.g. BioRED's "Novel"
    score: float | None = None  # probability that the document says so; None if nobody asked
    evidence: tuple[Span, ...] = ()  # sentences that say it, as offsets into the text

    def __post_init__(self) -> None:
        if len(self.arguments) < 2:
            raise InvalidValueError(f"relation {self.type!r} has fewer than two arguments")
        if self.score is not None and not 0.0 <= self.score <= 1.0:
            raise InvalidValueError(f"relation {self.type!r}: score {self.score} is outside [0, 1]")
        for start, end in self.evidence:
            if not 0 <= start < end:
                raise InvalidValueError(
                    f"relation {self.type!r}: evidence {start}-{end} is empty or negative"
                )


@dataclass(frozen=True, slots=True)
class Document:
    """A text and what is known of it."""

    id: str
    text: str
    passages: tuple[Passage, ...] = ()  # ascending, not overlapping
    mentions: tuple[Mention, ...] = ()  # in the order their source or detector gave
    relations: tuple[Relation, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()  # (key, value); a key may repeat

    def __post_init__(self) -> None:
        end = 0
        for passage in self.passages:
            if passage.start < end or passage.end > len(self.text):
                raise InvalidValueError(
                    f"document {self.id!r}: passage {passage.kind!r} at {passage.start}-"
                    f"{passage.end} overlaps another or leaves the text ({len(self.text)} long)"
                )
            end = passage.end
        ids = set[str]()
        for mention in self.mentions:
            if mention.end > len(self.text):
                raise InvalidValueError(
                    f"document {self.id!r}: mention {mention.start}-{mention.end} leaves the "
                    f"text ({len(self.text)} long)"
                )
            if mention.id and mention.id in ids:
                raise InvalidValueError(f"document {self.id!r}: mention id {mention.id!r} repeats")
            ids.add(mention.id)
        for relation in self.relations:
            if any(end > len(self.text) for _, end in relation.evidence):
                raise InvalidValueError(
                    f"document {self.id!r}: evidence of relation {relation.type!r} leaves the text"
                )
            for argument in relation.arguments:
                if argument.mention_id and argument.mention_id not in ids:
                    raise InvalidValueError(
                        f"document {self.id!r}: relation {relation.type!r} refers to mention "
                        f"{argument.mention_id!r}, which is not there"
                    )

    def text_of(self, mention: Mention) -> str:
        """The mention's words; an interrupted mention's pieces are joined by a space."""
        return " ".join(self.text[start:end] for start, end in mention.spans)

    def with_mentions(self, mentions: Iterable[Mention]) -> Document:
        return replace(self, mentions=tuple(mentions))

    def _repr_html_(self) -> str:
        """How notebooks show it: the text with its mentions marked, and a table of them."""
        from holdfast.notebook.display import document_html

        return document_html(self)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "text": self.text,
            **without_empty(
                {
                    "passages": [
                        {"kind": p.kind, "start": p.start, "end": p.end} for p in self.passages
                    ],
                    "mentions": [mention_to_json(m, self.text_of(m)) for m in self.mentions],
                    "relations": [_relation_to_json(r, self.text) for r in self.relations],
                    "metadata": [list(pair) for pair in self.metadata],
                }
            ),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Document:
        """The inverse of `to_json`. Missing or ill-typed keys raise InvalidValueError."""
        try:
            document = cls(
                id=string_of(data, "id"),
                text=string_of(data, "text"),
                passages=tuple(
                    Passage(string_of(p, "kind"), offset_of(p["start"]), offset_of(p["end"]))
                    for p in data.get("passages", ())
                ),
                mentions=tuple(mention_from_json(m) for m in data.get("mentions", ())),
                relations=tuple(_relation_from_json(r) for r in data.get("relations", ())),
                metadata=tuple(_metadata_from_json(item) for item in data.get("metadata", ())),
            )
        except InvalidValueError:
            raise
        except KeyError as error:
            raise InvalidValueError(f"document {data.get('id')!r}: no key {error}") from error
        except (TypeError, ValueError, AttributeError) as error:
            raise InvalidValueError(f"not a document: {error}") from error
        for mention, item in zip(document.mentions, data.get("mentions", ()), strict=True):
            if item.get("text", document.text_of(mention)) != document.text_of(mention):
                raise InvalidValueError(
                    f"document {document.id!r}: mention {mention.start}-{mention.end} says "
                    f"{item['text']!r}, the text there is {document.text_of(mention)!r}"
                )
        return document


def _relation_to_json(relation: Relation, text: str) -> dict[str, Any]:
    return without_empty(
        {
            "id": relation.id,
            "type": relation.type,
            "arguments": [
                without_empty(
                    {"entity_id": a.entity_id, "mention_id": a.mention_id, "role": a.role}
                )
                for a in relation.arguments
            ],
            "note": relation.note,
            "score": relation.score,
            "evidence": [
                {"start": start, "end": end, "text": text[start:end]}
                for start, end in relation.evidence
            ],
        }
    )


def _relation_from_json(data: Mapping[str, Any]) -> Relation:
    score = data.get("score")
    return Relation(
        type=string_of(data, "type", ""),
        arguments=tuple(
            Argument(
                string_of(a, "entity_id", ""),
                string_of(a, "mention_id", ""),
                string_of(a, "role", ""),
            )
            for a in data["arguments"]
        ),
        id=string_of(data, "id", ""),
        note=string_of(data, "note", ""),
        score=None if score is None else float(score),
        evidence=tuple(
            Span(offset_of(e["start"]), offset_of(e["end"])) for e in data.get("evidence", ())
        ),
    )


def _metadata_from_json(item: Any) -> tuple[str, str]:
    if isinstance(item, list | tuple) and len(item) == 2:
        key, value = item
        if isinstance(key, str) and isinstance(value, str):
            return key, value
    raise InvalidValueError(f"document: metadata must be [key, value] strings, not {item!r}")
