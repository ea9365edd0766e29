"""A relation's score and evidence as text, for formats that have no place of their own for them.

score=0.9312 evidence=120-245,301-377
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from holdfast.document import Relation, Span

SCORE: Final = "score"
EVIDENCE: Final = "evidence"
_SCORED: Final = re.compile(
    r"(?:(?P<note>.+) )?score=(?P<score>[01](?:\.\d+)?)(?: evidence=(?P<spans>[\d,-]+))?"
)


def spans_to_text(spans: tuple[Span, ...]) -> str:
    """ "120-245,301-377"; ends are exclusive."""
    return ",".join(f"{start}-{end}" for start, end in spans)


def spans_from_text(text: str) -> tuple[Span, ...] | None:
    """The inverse of `spans_to_text`; None if it is something else."""
    found = list[Span]()
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)-(\d+)", part)
        if match is None or not int(match[1]) < int(match[2]):
            return None
        found.append(Span(int(match[1]), int(match[2])))
    return tuple(found)


def note_with_score(relation: Relation) -> str:
    """The note, and behind it the score and the evidence; the note alone if it has no score."""
    if relation.score is None:
        return relation.note
    parts = [relation.note] if relation.note else []
    parts.append(f"{SCORE}={relation.score!r}")
    if relation.evidence:
        parts.append(f"{EVIDENCE}={spans_to_text(relation.evidence)}")
    return " ".join(parts)


def with_score_of_note(relation: Relation) -> Relation:
    """The relation with the score and evidence that its note ends in, if it does."""
    match = _SCORED.fullmatch(relation.note)
    spans = spans_from_text(match["spans"]) if match and match["spans"] else ()
    if match is None or spans is None or float(match["score"]) > 1:
        return relation
    return replace(relation, note=match["note"] or "", score=float(match["score"]), evidence=spans)
