"""Sets of entities per document: `document`, and the BioCreative V task `bc5cdr`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from holdfast.evaluate.align import Item, Pair
from holdfast.evaluate.equality import Equality, collapse, count_matches
from holdfast.evaluate.intervals import Ratio, precision_recall_f1
from holdfast.evaluate.strong import reasons_without_id, score_typed
from holdfast.evaluate.tally import Tally
from holdfast.types import CHEMICAL, DISEASE

_TASK_TYPES: Final = {"disease": DISEASE, "chemical": CHEMICAL}


def score_document(pairs: Sequence[Pair], equality: Equality) -> Tally:
    """The set of ids of each document, all ids of a mention included.

    Micro figures sum over documents. Macro figures are means of each document's own precision,
    recall and F1, over the documents that have any id, gold or predicted.
    """
    rows = []
    left_out = Counter[str](nil=0, unlinked=0, type=0)
    for pair in pairs:
        counts = _count(pair.gold, pair.predicted, equality)
        rows.append(counts | _own_figures(counts))
        left_out.update(reasons_without_id(pair.gold))
        left_out["type"] += pair.n_other_types
    figures = precision_recall_f1(hits="hits", predicted="predicted", gold="gold") | {
        f"macro_{name}": Ratio(name, "filled") for name in ("precision", "recall", "f1")
    }
    n_scored = sum(bool(item.ids) for pair in pairs for item in pair.gold)
    return Tally(rows, figures, n_scored, left_out)


def score_bc5cdr(pairs: Sequence[Pair], equality: Equality) -> Tally:
    """The BioCreative V task on diseases and chemicals; other types are left out.

    `id`, the headline: the set of (document, type, id). `mention`: the set of (document, spans,
    type). Both over the two types together, and for each alone.
    """
    of_task = [_restrict(pair) for pair in pairs]
    rows = [_count_task(pair, equality) for pair in of_task]
    figures = precision_recall_f1(hits="hits", predicted="predicted", gold="gold")
    for kind in ("mention", *(f"{t}_{k}" for t in _TASK_TYPES for k in ("id", "mention"))):
        figures |= precision_recall_f1(
            f"{kind}_", hits=f"{kind}_hits", predicted=f"{kind}_predicted", gold=f"{kind}_gold"
        )
    left_out = Counter[str](nil=0, unlinked=0, type=sum(pair.n_other_types for pair in of_task))
    for pair in of_task:
        left_out.update(reasons_without_id(pair.gold))
    n_scored = sum(bool(item.ids) for pair in of_task for item in pair.gold)
    return Tally(rows, figures, n_scored, left_out)


def _count_task(pair: Pair, equality: Equality) -> dict[str, float]:
    row = Counter[str]()
    for name, wanted in _TASK_TYPES.items():
        gold = tuple(item for item in pair.gold if item.type == wanted)
        predicted = tuple(item for item in pair.predicted if item.type == wanted)
        ids = _count(gold, predicted, equality)
        (places,) = score_typed([replace(pair, gold=gold, predicted=predicted)], equality).rows
        for count in ids:
            row[count] += ids[count]
            row[f"{name}_id_{count}"] = ids[count]
            row[f"mention_{count}"] += int(places[count])
            row[f"{name}_mention_{count}"] = int(places[count])
    return dict(row)


def _count(gold: Iterable[Item], predicted: Iterable[Item], equality: Equality) -> dict[str, int]:
    gold_units = collapse(_singles(gold), equality)
    predicted_units = collapse(_singles(predicted), equality)
    return {
        "hits": count_matches(gold_units, predicted_units, equality),
        "predicted": len(predicted_units),
        "gold": len(gold_units),
    }


def _singles(items: Iterable[Item]) -> list[frozenset[str]]:
    return sorted({frozenset((entity,)) for item in items for entity in item.ids}, key=min)


def _own_figures(counts: dict[str, int]) -> dict[str, float]:
    hits, predicted, gold = counts["hits"], counts["predicted"], counts["gold"]
    return {
        "precision": hits / predicted if predicted else 0.0,
        "recall": hits / gold if gold else 0.0,
        "f1": 2 * hits / (predicted + gold) if predicted + gold else 0.0,
        "filled": float(bool(predicted or gold)),
    }


def _restrict(pair: Pair) -> Pair:
    types = frozenset(_TASK_TYPES.values())
    gold = tuple(item for item in pair.gold if item.type in types)
    return replace(
        pair,
        gold=gold,
        predicted=tuple(item for item in pair.predicted if item.type in types),
        n_other_types=pair.n_other_types + len(pair.gold) - len(gold),
    )
