"""Which token embeddings a name encoder should start from: what was measured, as a table.

The probe's JSON has a row per kind of embeddings, seed and stage of training, and the differences
to MiniLM's over all seeds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import mean
from typing import TYPE_CHECKING, Any, Final

from holdfast.evaluate.gold_mentions import LenientCase
from holdfast.evaluate.intervals import Estimate, Ratio, estimate
from holdfast.evaluate.probes import table_of

if TYPE_CHECKING:
    from rich.table import Table

MINILM: Final = "MiniLM's"
LEARNED: Final = "learned from nothing"
OWN: Final = "our own, from abstracts"
STARTS: Final = (MINILM, LEARNED, OWN)
ALIGNED: Final = "pre-aligned"
TUNED: Final = "fine-tuned"
STAGES: Final = (ALIGNED, TUNED)
CORPORA: Final = {"ncbi-disease": "NCBI", "bc5cdr-disease": "BC5CDR"}

TITLE: Final = "Token embeddings of ResCNN: where they start from, before all are trained"
COLUMNS: Final = ("stage", "token embeddings", "dev", "accuracy@1", "new", "difference")
NOTE: Final = (
    "Accuracy at 1 of the dense encoder alone: the mean over seeds, and each seed in brackets; "
    "under new, of mentions that equal no name of the dictionary. Differences are to MiniLM's "
    "on the same mentions and seeds, in points, with 95 % bootstrap intervals over documents."
)


def is_right(case: LenientCase) -> bool:
    """Whether the first entry of every part shares an id with the gold."""
    return all(bool(ranking) and bool(ranking[0] & case.gold) for ranking in case.rankings)


def difference(
    cases: Sequence[Sequence[LenientCase]], others: Sequence[Sequence[LenientCase]]
) -> Estimate:
    """Accuracy at 1 of `cases` minus that of `others`, in [-1, 1], resampled by document.

    Both hold the same mentions in the same order, once for each seed.
    """
    counts = defaultdict[str, dict[str, float]](lambda: {"gain": 0.0, "mentions": 0.0})
    for ours, theirs in zip(cases, others, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            counts[one.document]["gain"] += is_right(one) - is_right(other)
            counts[one.document]["mentions"] += 1
    return estimate(list(counts.values()), {"gain": Ratio("gain", "mentions")})["gain"]


def embedding_rows(measured: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The cells of the table, by COLUMNS, from the probe's JSON."""
    gains = {(g["stage"], g["embeddings"], g["corpus"]): g for g in measured["differences"]}
    for stage in STAGES:
        for corpus, name in CORPORA.items():
            for start in STARTS:
                figures = [
                    row[corpus]
                    for row in measured["rows"]
                    if (row["stage"], row["embeddings"]) == (stage, start)
                ]
                gain = gains.get((stage, start, corpus))
                yield (
                    stage,
                    start,
                    name,
                    _each([figure["accuracy_at_1"] for figure in figures]),
                    _percent(mean(figure["accuracy_at_1_new"] for figure in figures)),
                    _gain(gain) if gain else "",
                )


def embedding_caption(measured: Mapping[str, Any]) -> str:
    """What was measured on what, in one line."""
    scored = " and ".join(
        f"{measured['n_scored'][corpus]:,} mentions of {name} dev "
        f"({measured['n_new'][corpus]:,} of them new)"
        for corpus, name in CORPORA.items()
    )
    return (
        f"Lenient, {scored}; {measured['align_steps']} steps of pre-alignment on "
        f"{measured['names']:,} names, {measured['tune_steps']} of fine-tuning on "
        f"{measured['training_mentions']:,} names used in both train splits, {measured['seeds']} "
        f"seeds. Our own are made from {measured['texts']:,} titles and abstracts and know "
        f"{measured['pieces_in_texts']:,} of {measured['pieces']:,} word pieces."
    )


def embedding_table(measured: Mapping[str, Any]) -> Table:
    """For people, in a terminal."""
    caption = f"{embedding_caption(measured)} {NOTE}"
    return table_of(TITLE, COLUMNS, embedding_rows(measured), caption=caption, words=3)


def _each(values: Sequence[float]) -> str:
    each = ", ".join(map(_percent, values))
    return f"{_percent(mean(values))} ({each})" if len(values) > 1 else each


def _gain(row: Mapping[str, Any]) -> str:
    value, low, high = (f"{100 * row[key]:+.1f}" for key in ("difference", "low", "high"))
    return f"{value} [{low}, {high}]"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"
