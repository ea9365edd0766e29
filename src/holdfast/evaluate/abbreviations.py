"""Abbreviation definitions, by the protocol of Ab3P: pairs of a short and a long form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from holdfast.evaluate.intervals import RESAMPLES, SEED, precision_recall_f1
from holdfast.evaluate.report import Report, build_report

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class AbbreviationCase:
    """The (short, long) pairs of one abstract."""

    gold: Sequence[Pair]
    found: Sequence[Pair]


def score_abbreviations(
    cases: Iterable[AbbreviationCase], *, resamples: int = RESAMPLES, seed: int = SEED
) -> Report:
    """Micro precision, recall and F1; a pair counts once per abstract.

    A pair is right if both forms are the same but for case and white space.
    """
    rows = []
    for case in cases:
        gold, found = {_key(pair) for pair in case.gold}, {_key(pair) for pair in case.found}
        rows.append({"gold": len(gold), "predicted": len(found), "hits": len(gold & found)})
    n_gold = sum(row["gold"] for row in rows)
    return build_report(
        "abbreviations",
        rows,
        precision_recall_f1(hits="hits", predicted="predicted", gold="gold"),
        counts={
            "n_scored": n_gold,
            "n_gold": n_gold,
            "n_predicted": sum(row["predicted"] for row in rows),
            "n_documents": len(rows),
        },
        left_out={},
        resamples=resamples,
        seed=seed,
    )


def _key(pair: Pair) -> Pair:
    short, long = (" ".join(form.casefold().split()) for form in pair)
    return short, long
