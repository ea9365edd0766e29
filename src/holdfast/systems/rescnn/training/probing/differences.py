"""What the comparison of token embeddings compares, and the difference between two kinds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from holdfast.evaluate.gold_mentions import LenientCase
from holdfast.evaluate.intervals import Estimate, Ratio, estimate

MINILM: Final = "MiniLM's"
LEARNED: Final = "learned from nothing"
OWN: Final = "our own, from abstracts"
STARTS: Final = (MINILM, LEARNED, OWN)
ALIGNED: Final = "pre-aligned"
TUNED: Final = "fine-tuned"
STAGES: Final = (ALIGNED, TUNED)
CORPORA: Final = {"ncbi-disease": "NCBI", "bc5cdr-disease": "BC5CDR"}


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
