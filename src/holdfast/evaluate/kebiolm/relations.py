"""Relations of whole documents: which entities are related, and how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations

from holdfast.evaluate.align import Pair, RelationItem
from holdfast.evaluate.equality import Equality
from holdfast.evaluate.intervals import precision_recall_f1
from holdfast.evaluate.tally import Tally

Same = Callable[[RelationItem, RelationItem], bool]


def score_relations(pairs: Sequence[Pair], equality: Equality) -> Tally:
    """The set of (document, type, entities), in any order of the entities; micro figures.

    `pair_…`: without the type. A gold relation of a mention without an id is left out.
    """
    rows = []
    left_out = Counter[str](unlinked=0)
    for pair in pairs:
        gold = [item for item in pair.gold_relations if all(item.ids)]
        left_out["unlinked"] += len(pair.gold_relations) - len(gold)
        predicted = [item for item in pair.predicted_relations if all(item.ids)]
        rows.append(
            {
                **_count(gold, predicted, equality, ""),
                **_count(_untyped(gold), _untyped(predicted), equality, "pair_"),
            }
        )
    figures = precision_recall_f1(hits="hits", predicted="predicted", gold="gold")
    figures |= precision_recall_f1(
        "pair_", hits="pair_hits", predicted="pair_predicted", gold="pair_gold"
    )
    return Tally(rows, figures, round(sum(row["gold"] for row in rows)), left_out)


def _untyped(items: Sequence[RelationItem]) -> list[RelationItem]:
    return list(dict.fromkeys(replace(item, type="") for item in items))


def _count(
    gold: Sequence[RelationItem], predicted: Sequence[RelationItem], equality: Equality, name: str
) -> dict[str, float]:
    if equality.is_exact:
        hits = len(set(gold) & set(predicted))
    else:
        hits = _most_pairs(gold, predicted, lambda one, other: _are_same(one, other, equality))
    return {f"{name}hits": hits, f"{name}predicted": len(predicted), f"{name}gold": len(gold)}


def _are_same(one: RelationItem, other: RelationItem, equality: Equality) -> bool:
    if one.type != other.type or len(one.ids) != len(other.ids):
        return False
    return any(all(map(equality.same, one.ids, order)) for order in permutations(other.ids))


def _most_pairs(gold: Sequence[RelationItem], predicted: Sequence[RelationItem], same: Same) -> int:
    """The most gold relations that can each have a prediction of their own."""
    owner = dict[int, int]()  # predicted -> gold

    def assign(unit: int, seen: set[int]) -> bool:
        for place, candidate in enumerate(predicted):
            if place in seen or not same(gold[unit], candidate):
                continue
            seen.add(place)
            if place not in owner or assign(owner[place], seen):
                owner[place] = unit
                return True
        return False

    return sum(assign(unit, set()) for unit in range(len(gold)))
