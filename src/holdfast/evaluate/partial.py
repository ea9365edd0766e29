"""Overlapping spans with the same entity: `partial`, as neleval's overlap-maxmax counts it.

Each mention, gold or predicted, is credited with the largest fraction of its own characters that
any one mention of the other side covers. Precision is the mean credit of predicted mentions,
recall that of gold ones. Nothing is paired one to one, and repeated mentions all count.

Which mentions are compared follows neleval: both lists are swept from the end of the document, and
of two mentions the one that starts later (or, at the same start, ends earlier) is done with after
the comparison. Where mentions of one entity are nested, a long one can thus miss a partner that
lies beyond a short one inside it. We keep this, since published scores have it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from holdfast.document import NIL, Span
from holdfast.evaluate.align import Item, Pair
from holdfast.evaluate.equality import Equality, collapse
from holdfast.evaluate.intervals import precision_recall_f1
from holdfast.evaluate.strong import reasons_without_id
from holdfast.evaluate.tally import Tally


def score_partial(pairs: Sequence[Pair], equality: Equality) -> Tally:
    """Credit for overlap with an equal id; ids and NIL as in `score_strong`.

    A gold mention with several ids is compared under each of them and keeps its largest credit.
    The characters of an interrupted mention are those of its pieces, not of the gaps.
    """
    rows = []
    left_out = Counter[str](nil=0, unlinked=0, type=0)
    n_scored = 0
    for pair in pairs:
        linked = _credit(pair, equality, keep_nil=False)
        rows.append(
            linked | {f"{k}_nil": n for k, n in _credit(pair, equality, keep_nil=True).items()}
        )
        left_out.update(reasons_without_id(pair.gold))
        left_out["type"] += pair.n_other_types
        n_scored += sum(bool(item.ids) for item in pair.gold)
    figures = precision_recall_f1(
        hits="credit", gold_hits="gold_credit", predicted="predicted", gold="gold"
    ) | precision_recall_f1(
        after="_with_nil",
        hits="credit_nil",
        gold_hits="gold_credit_nil",
        predicted="predicted_nil",
        gold="gold_nil",
    )
    return Tally(rows, figures, n_scored, left_out)


def _credit(pair: Pair, equality: Equality, *, keep_nil: bool) -> dict[str, float]:
    gold = _sorted(item for item in pair.gold if item.ids or keep_nil)
    predicted = _sorted(item for item in pair.predicted if item.ids or keep_nil)
    gold_ids = [item.ids or (NIL,) for item in gold]
    first_ids = [item.ids[0] if item.ids else NIL for item in predicted]
    gold_credit = [0.0] * len(gold)
    credit = [0.0] * len(predicted)
    for entity in collapse((frozenset((first,)) for first in first_ids), equality):
        ours = [i for i, first in enumerate(first_ids) if first in entity]
        theirs = [i for i, ids in enumerate(gold_ids) if equality.share(ids, entity)]
        while ours and theirs:
            mine, other = predicted[ours[-1]], gold[theirs[-1]]
            common = _common(mine.spans, other.spans)
            credit[ours[-1]] = max(credit[ours[-1]], common / _size(mine.spans))
            gold_credit[theirs[-1]] = max(gold_credit[theirs[-1]], common / _size(other.spans))
            (ours if _order(mine) > _order(other) else theirs).pop()
    return {
        "credit": sum(credit),
        "gold_credit": sum(gold_credit),
        "predicted": len(predicted),
        "gold": len(gold),
    }


def _sorted(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=lambda item: (_order(item), item.ids))


def _order(item: Item) -> tuple[int, int, tuple[Span, ...]]:
    """By start, the longer first; only mentions with the same spans are level."""
    return item.spans[0].start, -item.spans[-1].end, item.spans


def _common(some: tuple[Span, ...], others: tuple[Span, ...]) -> int:
    """How many characters both hold."""
    return sum(
        max(0, min(one.end, other.end) - max(one.start, other.start))
        for one in some
        for other in others
    )


def _size(spans: tuple[Span, ...]) -> int:
    return sum(span.end - span.start for span in spans)
