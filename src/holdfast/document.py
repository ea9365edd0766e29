"""The values that flow: a Document, and what is known of it.

Every value is frozen and checked when it is made. Offsets are Unicode code points into
`Document.text`, half-open. A step of a pipeline takes a Document and returns a richer copy.

The JSON form (`to_json`, `from_json`) is documented in docs/formats.md. It leaves out what is
empty, and repeats each mention's text, which is checked when it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from holdfast.errors import InvalidValueError

NIL: Final = "NIL"
"""The id of "none of these": the mention was considered, and no entity fits."""

STATUSES: Final = ("affirmed", "negated", "hypothetical", "historical", "other_person")
"""What a document may say of a mention's truth; `None` means that nobody asked."""


class Span(NamedTuple):
    """`start` to `end` (exclusive), in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason for a candidate's score."""

    kind: str  # which part spoke: "exact", "ngram", "abbreviation", "memory", "rule", …
    detail: str  # for a person: what it saw
    score: float | None = None  # that part's own score, where it has one

    def to_json(self) -> dict[str, Any]:
        rest = _without_empty({"detail": self.detail, "score": self.score})
        return {"kind": self.kind, **rest}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Evidence:
        score = data.get("score")
        return cls(
            kind=_string(data, "kind"),
            detail=_string(data, "detail", ""),
            score=None if score is None else float(score),
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a mention may refer to, with the evidence behind its score."""

    entity_id: str  # a CURIE, e.g. "MESH:D000544"
    name: str  # the knowledge base's name that matched
    score: float  # in [0, 1]
    label: str = ""  # the entity's preferred name
    evidence: tuple[Evidence, ...] = ()

    def __post_init__(self) -> None:
        if not self.entity_id:
            raise InvalidValueError("a candidate needs an entity id")
        if not 0.0 <= self.score <= 1.0:
            raise InvalidValueError(
                f"candidate {self.entity_id}: score {self.score} is outside [0, 1]"
            )

    def to_json(self) -> dict[str, Any]:
        return _without_empty(
            {
                "entity_id": self.entity_id,
                "name": self.name,
                "label": self.label,
                "score": self.score,
                "evidence": [e.to_json() for e in self.evidence],
            }
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Candidate:
        return cls(
            entity_id=_string(data, "entity_id"),
            name=_string(data, "name", ""),
            label=_string(data, "label", ""),
            score=float(data["score"]),
            evidence=tuple(Evidence.from_json(e) for e in data.get("evidence", ())),
        )


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of text, perhaps interrupted, that refers to something.

    `ids` are the entities it refers to: `()` if nobody has linked it, `(NIL,)` if it was looked
    at and none fits, several for a composite such as "breast and ovarian cancer".
    """

    spans: tuple[Span, ...]  # ascending, not overlapping; one unless the mention is interrupted
    type: str = ""
    ids: tuple[str, ...] = ()  # CURIEs, or (NIL,)
    id: str = ""  # unique in its document where it is not empty; relations refer to it
    parts: tuple[str, ...] = ()  # the names that a composite joins, where a corpus lists them
    status: str | None = None  # one of STATUSES
    candidates: tuple[Candidate, ...] = ()  # best first

    def __post_init__(self) -> None:
        if not self.spans:
            raise InvalidValueError("a mention needs at least one span")
        end = 0
        for span in self.spans:
            if not 0 <= span.start < span.end:
                raise InvalidValueError(
                    f"mention span {span.start}-{span.end} is empty, reversed or negative"
                )
            if span.start < end:
                raise InvalidValueError(
                    f"mention span {span.start}-{span.end} is out of order or overlaps another"
                )
            end = span.end
        if NIL in self.ids and len(self.ids) > 1:
            raise InvalidValueError(f"a mention is either {NIL} or has ids, not {self.ids}")
        if "" in self.ids:
            raise InvalidValueError("a mention's id is empty")
        if len(set(self.ids)) != len(self.ids):
            raise InvalidValueError(f"a mention's ids repeat: {self.ids}")
        if self.status is not None and self.status not in STATUSES:
            raise InvalidValueError(
                f"mention status {self.status!r} is not one of {', '.join(STATUSES)}"
            )

    @classmethod
    def at(
        cls, start: int, end: int, type: str = "", ids: Iterable[str] = (), *, id: str = ""
    ) -> Mention:
        """The common case: one span."""
        return cls((Span(start, end),), type=type, ids=tuple(ids), id=id)

    @property
    def start(self) -> int:
        return self.spans[0].start

    @property
    def end(self) -> int:
        """Where the last span ends."""
        return self.spans[-1].end

    @property
    def is_nil(self) -> bool:
        return self.ids == (NIL,)

    @property
    def is_linked(self) -> bool:
        """Whether it has at least one entity."""
        return bool(self.ids) and not self.is_nil

    @property
    def best(self) -> Candidate | None:
        """The candidate of the first id; None if the mention is NIL, not linked, or if what
        linked it named no candidates."""
        if not self.is_linked:
            return None
        return next((c for c in self.candidates if c.entity_id == self.ids[0]), None)


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

    def __post_init__(self) -> None:
        if len(self.arguments) < 2:
            raise InvalidValueError(f"relation {self.type!r} has fewer than two arguments")


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

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "text": self.text,
            **_without_empty(
                {
                    "passages": [
                        {"kind": p.kind, "start": p.start, "end": p.end} for p in self.passages
                    ],
                    "mentions": [_mention_to_json(m, self.text_of(m)) for m in self.mentions],
                    "relations": [_relation_to_json(r) for r in self.relations],
                    "metadata": [list(pair) for pair in self.metadata],
                }
            ),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Document:
        """The inverse of `to_json`. Missing or ill-typed keys raise InvalidValueError."""
        try:
            document = cls(
                id=_string(data, "id"),
                text=_string(data, "text"),
                passages=tuple(
                    Passage(_string(p, "kind"), _offset(p["start"]), _offset(p["end"]))
                    for p in data.get("passages", ())
                ),
                mentions=tuple(_mention_from_json(m) for m in data.get("mentions", ())),
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


def _mention_to_json(mention: Mention, text: str) -> dict[str, Any]:
    return _without_empty(
        {
            "id": mention.id,
            "spans": [list(span) for span in mention.spans],
            "text": text,
            "type": mention.type,
            "ids": list(mention.ids),
            "parts": list(mention.parts),
            "status": mention.status,
            "candidates": [c.to_json() for c in mention.candidates],
        }
    )


def _mention_from_json(data: Mapping[str, Any]) -> Mention:
    return Mention(
        spans=tuple(Span(_offset(start), _offset(end)) for start, end in data["spans"]),
        type=_string(data, "type", ""),
        ids=_strings(data, "ids"),
        id=_string(data, "id", ""),
        parts=_strings(data, "parts"),
        status=data.get("status"),
        candidates=tuple(Candidate.from_json(c) for c in data.get("candidates", ())),
    )


def _relation_to_json(relation: Relation) -> dict[str, Any]:
    return _without_empty(
        {
            "id": relation.id,
            "type": relation.type,
            "arguments": [
                _without_empty(
                    {"entity_id": a.entity_id, "mention_id": a.mention_id, "role": a.role}
                )
                for a in relation.arguments
            ],
            "note": relation.note,
        }
    )


def _relation_from_json(data: Mapping[str, Any]) -> Relation:
    return Relation(
        type=_string(data, "type", ""),
        arguments=tuple(
            Argument(
                _string(a, "entity_id", ""), _string(a, "mention_id", ""), _string(a, "role", "")
            )
            for a in data["arguments"]
        ),
        id=_string(data, "id", ""),
        note=_string(data, "note", ""),
    )


def _metadata_from_json(item: Any) -> tuple[str, str]:
    if isinstance(item, list | tuple) and len(item) == 2:
        key, value = item
        if isinstance(key, str) and isinstance(value, str):
            return key, value
    raise InvalidValueError(f"document: metadata must be [key, value] strings, not {item!r}")


def _string(data: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """The key's value; without a default, the key must be there."""
    value = data[key] if default is None else data.get(key, default)
    if not isinstance(value, str):
        raise InvalidValueError(f"document: {key} must be a string, not {value!r}")
    return value


def _strings(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = data.get(key, ())
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) for v in values):
        raise InvalidValueError(f"document: {key} must be a list of strings, not {values!r}")
    return tuple(values)


def _offset(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidValueError(f"document: an offset must be a whole number, not {value!r}")
    return value


def _without_empty(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value not in ("", None, [])}
