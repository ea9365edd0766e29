"""One mention explained: its candidates, and what the text around it changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from holdfast.document import Candidate, Document, Mention
from holdfast.mention import mention_to_json
from holdfast.pipeline import Pipeline

_CHANGED: Final = 0.005  # the least difference between scores that is told


def explain(
    document: Document, asked: Mention, *, pipeline: Pipeline, link: Pipeline
) -> dict[str, Any]:
    """The mention as the pipeline links it in the text, and as its words alone are linked.

    `link` is the pipeline without what finds mentions. If the pipeline does not find this very
    mention, it is linked beside those that it finds and that do not overlap it.
    """
    found = pipeline(document)
    same = next((m for m in found.mentions if m.spans == asked.spans), None)
    mention = same or _linked_beside(found, asked, link)
    words = document.text_of(mention)
    (alone,) = link(Document("", words, mentions=(_bare(words, mention),))).mentions
    return {
        "found": same is not None,
        "mention": mention_to_json(mention, words),
        "alone": mention_to_json(alone, words),
        "context": list(_changes(alone, mention)),
        "summary": list(_summary(words, alone, mention)),
    }


def _bare(words: str, mention: Mention) -> Mention:
    return Mention.at(0, len(words), mention.type)


def _linked_beside(found: Document, asked: Mention, link: Pipeline) -> Mention:
    others = (m for m in found.mentions if not _overlap(m, asked))
    bare = (replace(m, ids=(), candidates=(), id="") for m in (*others, asked))
    linked = link(found.with_mentions(sorted(bare, key=lambda m: m.spans)))
    return next(m for m in linked.mentions if m.spans == asked.spans)


def _overlap(first: Mention, second: Mention) -> bool:
    return any(a.start < b.end and b.start < a.end for a in first.spans for b in second.spans)


def _changes(alone: Mention, mention: Mention) -> Iterator[dict[str, Any]]:
    """The candidates whose score differs, in the order that the text gives them."""
    before = {c.entity_id: c for c in alone.candidates}
    after = {c.entity_id: c for c in mention.candidates}
    for id in dict.fromkeys([*after, *before]):
        old, new = before.get(id), after.get(id)
        if old and new and abs(old.score - new.score) < _CHANGED:
            continue
        known = new or old
        assert known is not None
        yield {
            "entity_id": id,
            "label": known.label or known.name,
            "alone": old.score if old else None,
            "in_context": new.score if new else None,
        }


def _summary(words: str, alone: Mention, mention: Mention) -> Iterator[str]:
    """Whole sentences for a person."""
    yield f"“{words}” is {_answer(mention)}."
    for candidate in _chosen(mention):
        reasons = "; ".join(evidence.detail for evidence in candidate.evidence)
        if reasons:
            yield f"{_named(candidate)}: {reasons}."
    rivals = [c for c in mention.candidates if c.entity_id not in mention.ids]
    if rivals:
        reasons = "; ".join(evidence.detail for evidence in rivals[0].evidence)
        yield f"Next comes {_named(rivals[0])}{f': {reasons}' if reasons else ''}."
    if alone.ids == mention.ids:
        yield "Without the text around it, the answer would be the same."
    else:
        yield f"Without the text around it, it would be {_answer(alone)}."


def _answer(mention: Mention) -> str:
    if mention.is_nil:
        return "none of the candidates"
    if not mention.is_linked:
        return "not linked"
    return " and ".join([_named(c) for c in _chosen(mention)] or mention.ids)


def _chosen(mention: Mention) -> list[Candidate]:
    by_id = {candidate.entity_id: candidate for candidate in mention.candidates}
    return [by_id[id] for id in mention.ids if id in by_id]


def _named(candidate: Candidate) -> str:
    return f"{candidate.label or candidate.name} ({candidate.entity_id}, {candidate.score:.2f})"
