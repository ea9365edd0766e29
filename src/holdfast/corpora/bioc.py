"""BioC: what its XML and its JSON have in common.

Both are read into `Node`s, plain values in the shape of the format, and written from them.
A mention's ids are in the infon `identifier`, or in one that is named after a vocabulary
(`MESH`, `NCBI Gene`). A relation's mentions are its nodes; its entities are the infons `entity1`,
`entity2`, …, numbered by their place among the arguments.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final

from holdfast.corpora.ids import curies_by_bare_id, join_ids, split_ids, to_curie
from holdfast.corpora.layout import Piece, lay_out, pieces_of
from holdfast.corpora.losses import Holds, Losses
from holdfast.corpora.reading import Reading
from holdfast.corpora.relation_scores import (
    EVIDENCE,
    SCORE,
    spans_from_text,
    spans_to_text,
)
from holdfast.curies import known_prefix
from holdfast.document import NIL, STATUSES, Argument, Document, Mention, Relation
from holdfast.types import TYPES, canonical_type

HOLDS: Final = Holds(
    metadata=True,
    passages=True,
    interrupted=True,
    mention_ids=True,
    parts=True,
    status=True,
    relations=True,
    entity_arguments=True,
    mention_arguments=True,
    many_arguments=True,
    roles=True,
    relation_notes=True,
    relation_ids=True,
    relation_scores=True,
)

Infons = list[tuple[str, str]]

_ENTITY: Final = re.compile(r"(?:entity|argument)(\d+)", re.ASCII)
_RELATION_TYPE_KEYS: Final = ("type", "relation", "relation type")
_NOTE_KEYS: Final = ("note", "novel", "novelty")


@dataclass(slots=True)
class Annotation:
    id: str
    infons: Infons
    text: str | None
    locations: list[tuple[int, int]]  # (offset, length)


@dataclass(slots=True)
class RelationNode:
    id: str
    infons: Infons
    nodes: list[tuple[str, str]]  # (refid, role)


@dataclass(slots=True)
class PassageNode:
    offset: int
    infons: Infons
    text: str
    annotations: list[Annotation] = field(default_factory=list)


@dataclass(slots=True)
class DocumentNode:
    id: str
    infons: Infons
    passages: list[PassageNode]
    annotations: list[Annotation]  # of the document rather than of a passage
    relations: list[RelationNode]  # of the document and of its passages

    @property
    def mention_count(self) -> int:
        return len(self.annotations) + sum(len(p.annotations) for p in self.passages)


def to_document(node: DocumentNode, reading: Reading, *, line: int | None) -> Document | None:
    """The Document; None if it was refused."""
    pieces = [Piece(_kind(p.infons), p.offset, p.text) for p in node.passages]
    layout = lay_out(pieces, document_id=node.id, reading=reading, line=line)
    mentions = list[Mention]()
    for annotation in (*(a for p in node.passages for a in p.annotations), *node.annotations):
        mention = _mention(annotation, layout.text, node.id, reading, line)
        if mention is not None:
            mentions.append(mention)
    curies = curies_by_bare_id(mentions)
    relations = list[Relation]()
    for relation_node in node.relations:
        relation = _relation(relation_node, curies)
        if relation is None:
            reading.ignore("relation of fewer than two arguments")
        else:
            relations.append(relation)
    return reading.document(
        node.id,
        layout.text,
        passages=layout.passages,
        mentions=mentions,
        relations=relations,
        metadata=node.infons,
        line=line,
    )


def from_document(document: Document, losses: Losses) -> DocumentNode:
    """What to write of the document. Mentions stand in the passage in which they start."""
    fitted = losses.fit(document, HOLDS)
    pieces = pieces_of(fitted)
    passages = [
        PassageNode(p.start, [] if p.kind is None else [("type", p.kind)], p.text) for p in pieces
    ]
    starts = [p.start for p in pieces]
    in_order = list[Mention]()
    for index, mentions in _grouped(fitted.mentions, starts):
        in_order += mentions
        passages[index].annotations = [_annotation(m, fitted, losses) for m in mentions]
    losses.note("mention order", int(in_order != [*fitted.mentions]))
    relations = [*_relation_nodes(fitted, losses)]
    node = DocumentNode(fitted.id, [*fitted.metadata], passages, [], relations)
    _number([a for p in passages for a in p.annotations], "T", "mention ids made up", losses)
    _number(relations, "R", "relation ids made up", losses)
    return node


def _number(
    nodes: Sequence[Annotation] | Sequence[RelationNode], letter: str, note: str, losses: Losses
) -> None:
    """Give an id to every node that has none: BioC's readers expect each to have its own."""
    taken = {node.id for node in nodes}
    free = (f"{letter}{n}" for n in count(1) if f"{letter}{n}" not in taken)
    for node in nodes:
        if not node.id:
            node.id = next(free)
            losses.note(note)


def _grouped(mentions: Iterable[Mention], starts: list[int]) -> Iterator[tuple[int, list[Mention]]]:
    """(index of a piece, its mentions), by index."""
    groups = defaultdict[int, list[Mention]](list)
    for mention in mentions:
        groups[max(bisect_right(starts, mention.start) - 1, 0)].append(mention)
    yield from sorted(groups.items())


def _kind(infons: Infons) -> str | None:
    """PMC articles call their title "front"."""
    values = dict(infons)
    kind = values.get("type", values.get("section_type"))
    return "title" if kind == "front" and values.get("section_type") == "TITLE" else kind


def _mention(
    annotation: Annotation, text: str, document_id: str, reading: Reading, line: int | None
) -> Mention | None:
    spans = reading.spans(
        text,
        [(offset, offset + length) for offset, length in annotation.locations],
        annotation.text,
        document_id=document_id,
        line=line,
    )
    if spans is None:
        return None
    values = dict(annotation.infons)
    type = values.get("type", "")
    status = values.get("status")
    parts = values.get("parts", "")
    return Mention(
        spans,
        type=type,
        ids=_ids(annotation.infons, type),
        id=annotation.id,
        parts=tuple(parts.split("|")) if parts else (),
        status=status if status in STATUSES else None,
    )


def _ids(infons: Infons, type: str) -> tuple[str, ...]:
    ids = dict[str, None]()
    for key, value in infons:
        if key.casefold() == "identifier":
            return split_ids(value, type)
        prefix = known_prefix(key)
        if prefix and value.strip():
            split = split_ids(value, type)
            bare = (i for i in split if i != NIL)
            ids |= dict.fromkeys(i if ":" in i else to_curie(f"{prefix}:{i}", type) for i in bare)
            if split == (NIL,):
                ids.setdefault(NIL)
    return tuple(i for i in ids if i != NIL) or tuple(ids)


def _annotation(mention: Mention, document: Document, losses: Losses) -> Annotation:
    where = f"mention {mention.start}-{mention.end}"
    infons = [("type", mention.type)] if mention.type else []
    if mention.ids:
        column = join_ids(mention.ids, mention.type, bare=False)
        if column is None:
            losses.lose(f"the ids {', '.join(mention.ids)}", document, where)
        else:
            infons.append(("identifier", column))
    if mention.parts:
        parts = "|".join(mention.parts)
        if not parts or tuple(parts.split("|")) != mention.parts:
            losses.lose("parts that are empty or contain '|'", document, where)
        else:
            infons.append(("parts", parts))
    if mention.status:
        infons.append(("status", mention.status))
    locations = [(start, end - start) for start, end in mention.spans]
    return Annotation(mention.id, infons, document.text_of(mention), locations)


def _relation(node: RelationNode, curies: dict[str, str]) -> Relation | None:
    """None if it has fewer than two arguments that can be read."""
    values = dict(node.infons)
    placed = dict[int, Argument]()
    named = list[Argument]()
    for key, value in node.infons:
        match = _ENTITY.fullmatch(key)
        entity_id = curies.get(value) or to_curie(value, key)
        if match and value.strip():
            placed[int(match[1])] = Argument(entity_id, role=values.get(f"role{match[1]}", ""))
        elif canonical_type(key) in TYPES and value.strip():
            named.append(Argument(entity_id))
    mentioned = [Argument(mention_id=refid, role=role) for refid, role in node.nodes if refid]
    rest = iter([*mentioned, *named])
    places = max(len(mentioned) + len(named) + len(placed), *placed, 0)
    found = (placed.get(place) or next(rest, None) for place in range(1, places + 1))
    arguments = tuple(argument for argument in found if argument)
    if len(arguments) < 2:
        return None
    type = next((values[k] for k in _RELATION_TYPE_KEYS if k in values), "")
    note = next((values[k] for k in _NOTE_KEYS if k in values), "")
    scored = Relation(type, arguments, id=node.id, note=note)
    spans = spans_from_text(values.get(EVIDENCE, ""))
    try:
        score = float(values[SCORE]) if SCORE in values else None
        return replace(scored, score=score, evidence=spans or ())
    except ValueError:  # another tool's score, which is none of ours
        return scored


def _relation_nodes(document: Document, losses: Losses) -> Iterator[RelationNode]:
    curies = curies_by_bare_id(document.mentions)
    for relation in document.relations:
        node = _relation_node(relation)
        if _relation(node, curies) == relation:
            yield node
        else:
            losses.lose("a relation between these ids", document, repr(relation.type))


def _relation_node(relation: Relation) -> RelationNode:
    infons, nodes = [("type", relation.type)], list[tuple[str, str]]()
    for place, argument in enumerate(relation.arguments, 1):
        if argument.mention_id:
            nodes.append((argument.mention_id, argument.role))
            continue
        infons.append((f"entity{place}", argument.entity_id))
        if argument.role:
            infons.append((f"role{place}", argument.role))
    if relation.note:
        infons.append(("note", relation.note))
    if relation.score is not None:
        infons.append((SCORE, repr(relation.score)))
    if relation.evidence:
        infons.append((EVIDENCE, spans_to_text(relation.evidence)))
    return RelationNode(relation.id, infons, nodes)
