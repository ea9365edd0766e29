"""A mention and what is known of it: its places, candidates and the evidence behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
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
        rest = without_empty({"detail": self.detail, "score": self.score})
        return {"kind": self.kind, **rest}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Evidence:
        score = data.get("score")
        return cls(
            kind=string_of(data, "kind"),
            detail=string_of(data, "detail", ""),
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
        return without_empty(
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
            entity_id=string_of(data, "entity_id"),
            name=string_of(data, "name", ""),
            label=string_of(data, "label", ""),
            score=float(data["score"]),
            evidence=tuple(Evidence.from_json(e) for e in data.get("evidence", ())),
        )


@dataclass(frozen=True, slots=True)
class TypeScore:
    """A fine-grained type of a mention, in words, and the probability that it is of that type."""

    name: str  # e.g. "thyroid neoplasms"
    score: float  # in [0, 1]

    def __post_init__(self) -> None:
        if not self.name:
            raise InvalidValueError("a type of a mention needs a name")
        if not 0.0 <= self.score <= 1.0:
            raise InvalidValueError(f"type {self.name!r}: score {self.score} is outside [0, 1]")

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "score": self.score}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TypeScore:
        return cls(name=string_of(data, "name"), score=float(data["score"]))


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
    types: tuple[TypeScore, ...] = ()  # what kind of thing it is, most probable first

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


def mention_to_json(mention: Mention, text: str) -> dict[str, Any]:
    return without_empty(
        {
            "id": mention.id,
            "spans": [list(span) for span in mention.spans],
            "text": text,
            "type": mention.type,
            "ids": list(mention.ids),
            "parts": list(mention.parts),
            "status": mention.status,
            "candidates": [c.to_json() for c in mention.candidates],
            "types": [t.to_json() for t in mention.types],
        }
    )


def mention_from_json(data: Mapping[str, Any]) -> Mention:
    return Mention(
        spans=tuple(Span(offset_of(start), offset_of(end)) for start, end in data["spans"]),
        type=string_of(data, "type", ""),
        ids=strings_of(data, "ids"),
        id=string_of(data, "id", ""),
        parts=strings_of(data, "parts"),
        status=data.get("status"),
        candidates=tuple(Candidate.from_json(c) for c in data.get("candidates", ())),
        types=tuple(TypeScore.from_json(t) for t in data.get("types", ())),
    )


def string_of(data: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """The key's value; without a default, the key must be there."""
    value = data[key] if default is None else data.get(key, default)
    if not isinstance(value, str):
        raise InvalidValueError(f"document: {key} must be a string, not {value!r}")
    return value


def strings_of(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """The list of strings at the key; empty if it is missing."""
    values = data.get(key, ())
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) for v in values):
        raise InvalidValueError(f"document: {key} must be a list of strings, not {values!r}")
    return tuple(values)


def offset_of(value: Any) -> int:
    """The value, if it is a whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidValueError(f"document: an offset must be a whole number, not {value!r}")
    return value


def without_empty(data: dict[str, Any]) -> dict[str, Any]:
    """The data without empty strings, empty lists and None."""
    return {key: value for key, value in data.items() if value not in ("", None, [])}
