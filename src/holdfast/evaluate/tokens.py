"""`per-token`: the scores of a sequence tagger, for any system's mentions.

Tokens are runs of word characters, or single other characters. A mention covers the tokens it
touches. A tagger gives a token one tag, so of mentions that share a token the longest is kept
(then the first), and interrupted mentions are left out; both are counted.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from holdfast.evaluate.align import Item, Pair
from holdfast.evaluate.equality import Equality
from holdfast.evaluate.intervals import Figure, Ratio, precision_recall_f1
from holdfast.evaluate.tally import Tally

_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_TASKS: Final = ("", "typing_", "linking_")


@dataclass(frozen=True, slots=True)
class _Layer:
    """One side's mentions on the tokens of a document."""

    kept: dict[tuple[int, int], Item]  # by first and last token
    tags: list[str]  # of the BILOU scheme, one per token
    items: list[Item | None]  # the mention that covers each token
    left_out: Counter[str]


def score_per_token(pairs: Sequence[Pair], equality: Equality) -> Tally:
    """Accuracy over tokens, and precision, recall and F1 over mentions as runs of tokens.

    The headline is recognition: BILOU tags, and runs. `typing_…` also wants the canonical type,
    `linking_…` the entity (NIL and unlinked are alike: no entity); their accuracy is that of one
    label per token, "none" outside mentions.
    """
    rows = []
    left_out = Counter[str](overlap=0, interrupted=0, no_token=0, type=0)
    for pair in pairs:
        tokens = [match.span() for match in _TOKEN.finditer(pair.text)]
        gold, predicted = _lay(pair.gold, tokens), _lay(pair.predicted, tokens)
        rows.append(_count(gold, predicted, equality))
        left_out.update(gold.left_out)
        left_out["type"] += pair.n_other_types
    figures: dict[str, Figure] = {}
    for task in _TASKS:
        figures[f"{task}accuracy"] = Ratio(f"{task}right_tokens", "tokens")
        figures |= precision_recall_f1(task, hits=f"{task}hits", predicted="predicted", gold="gold")
    n_tokens = int(sum(row["tokens"] for row in rows))
    n_scored = int(sum(row["gold"] for row in rows))
    return Tally(rows, figures, n_scored, left_out, {"n_tokens": n_tokens})


def _count(gold: _Layer, predicted: _Layer, equality: Equality) -> dict[str, float]:
    counts = Counter[str](tokens=len(gold.tags), predicted=len(predicted.kept), gold=len(gold.kept))
    counts["right_tokens"] = sum(a == b for a, b in zip(gold.tags, predicted.tags, strict=True))
    for one, other in zip(gold.items, predicted.items, strict=True):
        counts["typing_right_tokens"] += _type(one) == _type(other)
        counts["linking_right_tokens"] += _same_entity(one, other, equality)
    for run in gold.kept.keys() & predicted.kept.keys():
        one, other = gold.kept[run], predicted.kept[run]
        counts["hits"] += 1
        counts["typing_hits"] += _type(one) == _type(other)
        counts["linking_hits"] += _same_entity(one, other, equality)
    return {name: float(n) for name, n in counts.items()}


def _lay(items: Iterable[Item], tokens: Sequence[tuple[int, int]]) -> _Layer:
    layer = _Layer({}, ["O"] * len(tokens), [None] * len(tokens), Counter())
    starts = [start for start, _ in tokens]
    ends = [end for _, end in tokens]
    for item in sorted(items, key=_longest_first):
        if len(item.spans) > 1:
            layer.left_out["interrupted"] += 1
            continue
        first = bisect_right(ends, item.spans[0].start)
        last = bisect_left(starts, item.spans[0].end) - 1
        if first > last:
            layer.left_out["no_token"] += 1
        elif any(layer.items[first : last + 1]):
            layer.left_out["overlap"] += 1
        else:
            layer.kept[first, last] = item
            layer.items[first : last + 1] = [item] * (last + 1 - first)
            layer.tags[first : last + 1] = _bilou(last + 1 - first)
    return layer


def _bilou(length: int) -> list[str]:
    return ["U"] if length == 1 else ["B", *["I"] * (length - 2), "L"]


def _longest_first(item: Item) -> tuple[int, int, str, tuple[str, ...]]:
    start, end = item.spans[0].start, item.spans[-1].end
    return start - end, start, item.type, item.ids


def _type(item: Item | None) -> str | None:
    return None if item is None else item.type


def _same_entity(gold: Item | None, predicted: Item | None, equality: Equality) -> bool:
    gold_ids = gold.ids if gold else ()
    first = predicted.ids[:1] if predicted else ()
    return equality.share(gold_ids, first) if gold_ids or first else True
