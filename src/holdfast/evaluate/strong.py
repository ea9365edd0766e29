"""Exact spans: `strong` (with the entity), `mention` (alone), `typed` (with the type)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from holdfast.document import NIL, Span
from holdfast.evaluate.align import Item, Pair
from holdfast.evaluate.equality import Equality, collapse, count_matches
from holdfast.evaluate.intervals import precision_recall_f1
from holdfast.evaluate.tally import Tally

_Spans = tuple[Span, ...]
_Places = defaultdict[_Spans, list[frozenset[str]]]


def score_strong(pairs: Sequence[Pair], equality: Equality) -> Tally:
    """A prediction is right if a gold mention has all of its spans and its first id.

    A gold mention with several ids is one, and any of them will do. Mentions without an id, gold
    or predicted, are dropped; the figures `…_with_nil` keep them, under the id NIL. Mentions of
    one side on the same spans that share an id are one.
    """
    rows = []
    left_out = Counter[str](nil=0, unlinked=0, duplicate=0, type=0)
    n_scored = 0
    for pair in pairs:
        linked = _count(pair, equality, keep_nil=False)
        rows.append(
            linked | {f"{k}_nil": n for k, n in _count(pair, equality, keep_nil=True).items()}
        )
        left_out.update(reasons_without_id(pair.gold))
        left_out["type"] += pair.n_other_types
        left_out["duplicate"] += sum(bool(item.ids) for item in pair.gold) - linked["gold"]
        n_scored += linked["gold"]
    figures = precision_recall_f1(hits="hits", predicted="predicted", gold="gold")
    figures |= precision_recall_f1(
        after="_with_nil", hits="hits_nil", predicted="predicted_nil", gold="gold_nil"
    )
    return Tally(rows, figures, n_scored, left_out)


def score_mention(pairs: Sequence[Pair], _: Equality) -> Tally:
    """A prediction is right if a gold mention has all of its spans."""
    return _score_places(pairs, typed=False)


def score_typed(pairs: Sequence[Pair], _: Equality) -> Tally:
    """A prediction is right if a gold mention has all of its spans and its canonical type."""
    return _score_places(pairs, typed=True)


def reasons_without_id(items: Iterable[Item]) -> Counter[str]:
    """How many have no entity because somebody said so, and how many because nobody did."""
    return Counter("nil" if item.is_nil else "unlinked" for item in items if not item.ids)


def _count(pair: Pair, equality: Equality, *, keep_nil: bool) -> dict[str, int]:
    gold = _by_spans((item.spans, item.ids) for item in pair.gold if item.ids or keep_nil)
    predicted = _by_spans(
        (item.spans, item.ids[:1]) for item in pair.predicted if item.ids or keep_nil
    )
    counts = {"hits": 0, "predicted": 0, "gold": 0}
    for spans in gold.keys() | predicted.keys():
        gold_units = collapse(gold.get(spans, ()), equality)
        predicted_units = collapse(predicted.get(spans, ()), equality)
        counts["gold"] += len(gold_units)
        counts["predicted"] += len(predicted_units)
        counts["hits"] += count_matches(gold_units, predicted_units, equality)
    return counts


def _by_spans(mentions: Iterable[tuple[_Spans, tuple[str, ...]]]) -> _Places:
    """The sets of ids on each choice of spans; no id is NIL."""
    places: _Places = defaultdict(list)
    for spans, ids in mentions:
        places[spans].append(frozenset(ids or (NIL,)))
    return places


def _score_places(pairs: Sequence[Pair], *, typed: bool) -> Tally:
    rows = []
    left_out = Counter[str](duplicate=0, type=0)
    for pair in pairs:
        gold = {(item.spans, item.type if typed else "") for item in pair.gold}
        predicted = {(item.spans, item.type if typed else "") for item in pair.predicted}
        rows.append({"hits": len(gold & predicted), "predicted": len(predicted), "gold": len(gold)})
        left_out["duplicate"] += len(pair.gold) - len(gold)
        left_out["type"] += pair.n_other_types
    figures = precision_recall_f1(hits="hits", predicted="predicted", gold="gold")
    return Tally(rows, figures, sum(row["gold"] for row in rows), left_out)
