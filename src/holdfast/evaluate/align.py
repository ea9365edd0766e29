"""Bringing gold and predicted documents together before they are compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from holdfast.corpora.ids import to_curie
from holdfast.document import NIL, Document, Mention, Span
from holdfast.errors import InputError, UsageError
from holdfast.text.variants.reading import tmvar_id
from holdfast.types import canonical_type


@dataclass(frozen=True, slots=True)
class Item:
    """A mention as scorers see it."""

    spans: tuple[Span, ...]
    type: str  # canonical
    ids: tuple[str, ...]  # CURIEs; () if it is NIL or nobody linked it
    is_nil: bool  # somebody looked, and found no entity


@dataclass(frozen=True, slots=True)
class RelationItem:
    """A relation as scorers see it: its order does not matter."""

    type: str
    ids: tuple[str, ...]  # of its arguments, sorted; "" for a mention that nobody linked


@dataclass(frozen=True, slots=True)
class Pair:
    """A document's gold and predicted mentions."""

    id: str
    text: str  # of the gold document
    gold: tuple[Item, ...]
    predicted: tuple[Item, ...]
    n_other_types: int  # gold mentions that the choice of types removed
    is_missing: bool  # there is no such predicted document
    gold_relations: tuple[RelationItem, ...] = ()
    predicted_relations: tuple[RelationItem, ...] = ()


def align(
    gold: Iterable[Document],
    predicted: Iterable[Document],
    *,
    only: Iterable[str] = (),
    compare_texts: bool = True,
) -> list[Pair]:
    """Pair documents by id, in gold order, keeping the mentions whose type is in `only` (if any).

    A document without predictions is paired with none: its gold is missed. InputError if an id
    repeats, if a predicted document is not in gold, if there is no gold, or if the texts differ
    in more than the kind of white space (`compare_texts`), since offsets would then mean nothing.
    UsageError if no gold mention has a type in `only`.
    """
    gold_by_id = _by_id(gold, "gold")
    predicted_by_id = _by_id(predicted, "predicted")
    if not gold_by_id:
        raise InputError("there are no gold documents to score against")
    strangers = [key for key in predicted_by_id if key not in gold_by_id]
    if strangers:
        raise InputError(
            f"predicted document {strangers[0]!r} is not in the gold "
            f"({len(strangers):,} of {len(predicted_by_id):,} are not): "
            "give the predictions of the same corpus and split"
        )
    types = frozenset(canonical_type(name) for name in only)
    if types:
        _require_types(types, gold_by_id.values())
    pairs = []
    for document in gold_by_id.values():
        other = predicted_by_id.get(document.id)
        if other is not None and compare_texts:
            _require_same_text(document, other)
        pairs.append(_pair(document, other, types))
    return pairs


def _pair(gold: Document, predicted: Document | None, types: frozenset[str]) -> Pair:
    items = _items(gold.mentions, types)
    return Pair(
        id=gold.id,
        text=gold.text,
        gold=items,
        predicted=() if predicted is None else _items(predicted.mentions, types),
        n_other_types=len(gold.mentions) - len(items),
        is_missing=predicted is None,
        gold_relations=_relations(gold),
        predicted_relations=() if predicted is None else _relations(predicted),
    )


def _relations(document: Document) -> tuple[RelationItem, ...]:
    """Each once. A mention as an argument stands for the first entity that it is linked to."""
    linked = {m.id: _item(m).ids[:1] for m in document.mentions if m.id}
    found = dict[RelationItem, None]()
    for relation in document.relations:
        ids = [a.entity_id or "".join(linked.get(a.mention_id, ())) for a in relation.arguments]
        found[RelationItem(relation.type, tuple(sorted(ids)))] = None
    return tuple(found)


def _items(mentions: Iterable[Mention], types: frozenset[str]) -> tuple[Item, ...]:
    items = (_item(mention) for mention in mentions)
    return tuple(item for item in items if not types or item.type in types)


def _item(mention: Mention) -> Item:
    """Its ids are the mention's own, or else its best candidate's; bare ones become CURIEs."""
    ids = mention.ids or tuple(candidate.entity_id for candidate in mention.candidates[:1])
    curies = tuple(dict.fromkeys(tmvar_id(to_curie(one, mention.type)) for one in ids))
    linked = tuple(curie for curie in curies if curie != NIL)
    return Item(mention.spans, canonical_type(mention.type), linked, bool(ids) and not linked)


def _by_id(documents: Iterable[Document], which: str) -> dict[str, Document]:
    by_id: dict[str, Document] = {}
    for document in documents:
        if document.id in by_id:
            raise InputError(f"{which} document {document.id!r} occurs twice: keep one of them")
        by_id[document.id] = document
    return by_id


def _require_types(types: frozenset[str], documents: Iterable[Document]) -> None:
    found = Counter(canonical_type(m.type) for document in documents for m in document.mentions)
    if not types & found.keys():
        raise UsageError(
            f"no gold mention is of type {', '.join(sorted(types))}; "
            f"there are {', '.join(sorted(name or '(none)' for name in found)) or 'no mentions'}"
        )


def _require_same_text(gold: Document, predicted: Document) -> None:
    one, other = _plain(gold.text), _plain(predicted.text)
    if one == other:
        return
    place = next(i for i, (a, b) in enumerate(zip_longest(one, other)) if a != b)
    raise InputError(
        f"document {gold.id!r}: gold and predicted texts differ at character {place} "
        f"({one[place : place + 20]!r} and {other[place : place + 20]!r}), "
        "so their offsets cannot be compared"
    )


def _plain(text: str) -> str:
    """The text with every white space a space, none at the end: what no offset depends on."""
    return re.sub(r"\s", " ", text).rstrip()
