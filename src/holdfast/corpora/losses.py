"""What a format can hold of a Document, and what happens to the rest.

A loss is an error unless the caller allows it; then it is counted. What is derived (candidates)
or says nothing by itself (the id of a mention that no relation names) is only noted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from holdfast.corpora.report import WriteReport
from holdfast.document import Argument, Document, Mention, Relation
from holdfast.errors import LossError


@dataclass(frozen=True, slots=True, kw_only=True)
class Holds:
    """Which parts of a Document a format has a place for."""

    metadata: bool = False
    passages: bool = False
    mentions: bool = True
    interrupted: bool = False  # mentions of several spans
    overlapping: bool = True
    ids: bool = True
    mention_ids: bool = False
    parts: bool = False
    status: bool = False
    candidates: bool = False
    types: bool = False  # fine-grained ones, with probabilities
    relations: bool = False
    entity_arguments: bool = False
    mention_arguments: bool = False
    many_arguments: bool = False  # relations of more than two
    roles: bool = False
    relation_notes: bool = False
    relation_ids: bool = False
    relation_scores: bool = False  # and the sentences that are evidence


class Losses:
    """The losses of one output: raised or counted as `allow` says."""

    def __init__(self, format: str, *, allow: bool, report: WriteReport | None = None) -> None:
        self.format = format
        self.allow = allow
        self.report = WriteReport() if report is None else report

    def lose(self, what: str, document: Document, where: str = "", *, how: str = "drops") -> None:
        """Raise LossError, or count one loss of `what`. `how` completes "--allow-loss … it"."""
        place = f"document {document.id}" + (f", {where}" if where else "")
        message = f"{self.format} cannot hold {what}: {place}"
        if not self.allow:
            raise LossError(f"{message}; --allow-loss {how} it")
        self.report.lose(what, message)

    def note(self, what: str, count: int = 1) -> None:
        """Count something left out or made up that is no error."""
        if count:
            self.report.notes[what] += count

    def fit(self, document: Document, holds: Holds) -> Document:
        """The document without what the format has no place for."""
        if document.metadata and not holds.metadata:
            self.lose("metadata", document, repr(document.metadata[0][0]))
            document = replace(document, metadata=())
        if document.passages and not holds.passages:
            first = document.passages[0]
            self.lose("passages", document, f"{first.kind!r} at {first.start}-{first.end}")
            document = replace(document, passages=())
        relations = tuple(self._relations(document, holds))
        named = {a.mention_id for r in relations for a in r.arguments}
        mentions = tuple(self._mentions(document, holds, named))
        kept = {"", *(m.id for m in mentions)}
        whole = tuple(r for r in relations if all(a.mention_id in kept for a in r.arguments))
        self.note("relations of dropped mentions", len(relations) - len(whole))
        if mentions == document.mentions and whole == document.relations:
            return document
        return replace(document, mentions=mentions, relations=whole)

    def _mentions(self, document: Document, holds: Holds, named: set[str]) -> Iterator[Mention]:
        end = 0
        for mention in document.mentions:
            where = f"mention {mention.start}-{mention.end}"
            if not holds.mentions:
                self.lose("mentions", document, where)
                continue
            if len(mention.spans) > 1 and not holds.interrupted:
                self.lose("discontinuous mentions", document, where)
                continue
            if not holds.overlapping:
                if mention.start < end:
                    self.lose("overlapping or unordered mentions", document, where)
                    continue
                end = mention.end
            yield self._fit_mention(mention, document, holds, named=mention.id in named)

    def _fit_mention(
        self, mention: Mention, document: Document, holds: Holds, *, named: bool
    ) -> Mention:
        where = f"mention {mention.start}-{mention.end}"
        if mention.ids and not holds.ids:
            self.lose("entity ids", document, where)
            mention = replace(mention, ids=())
        if mention.parts and not holds.parts:
            self.lose("the parts of a composite", document, where)
            mention = replace(mention, parts=())
        if mention.status and not holds.status:
            self.lose("a mention's status", document, where)
            mention = replace(mention, status=None)
        if mention.candidates and not holds.candidates:
            self.note("candidates", len(mention.candidates))
            mention = replace(mention, candidates=())
        if mention.types and not holds.types:
            self.note("fine-grained types", len(mention.types))
            mention = replace(mention, types=())
        if mention.id and not holds.mention_ids and not named:
            self.note("mention ids that no relation names")
            mention = replace(mention, id="")
        return mention

    def _relations(self, document: Document, holds: Holds) -> Iterator[Relation]:
        for relation in document.relations:
            what = _unheld(relation, holds)
            if what:
                self.lose(what, document, f"relation {relation.type!r}")
                continue
            if relation.note and not holds.relation_notes:
                self.lose("a relation's note", document, repr(relation.note))
                relation = replace(relation, note="")
            has_score = relation.score is not None or relation.evidence
            if has_score and not holds.relation_scores:
                self.note("scores and evidence of relations")
                relation = replace(relation, score=None, evidence=())
            if relation.id and not holds.relation_ids:
                self.note("relation ids")
                relation = replace(relation, id="")
            if not holds.roles and any(a.role for a in relation.arguments):
                self.lose("the roles of a relation's arguments", document, repr(relation.type))
                bare = tuple(Argument(a.entity_id, a.mention_id) for a in relation.arguments)
                relation = replace(relation, arguments=bare)
            yield relation


def _unheld(relation: Relation, holds: Holds) -> str | None:
    if not holds.relations:
        return "relations"
    if len(relation.arguments) > 2 and not holds.many_arguments:
        return "relations of more than two arguments"
    if not holds.entity_arguments and any(a.entity_id for a in relation.arguments):
        return "relations between entities (only between mentions)"
    if not holds.mention_arguments and any(a.mention_id for a in relation.arguments):
        return "relations between mentions (only between entities)"
    return None
