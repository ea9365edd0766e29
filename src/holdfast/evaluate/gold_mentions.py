"""Gold mentions: which entity? `lenient`, `strict` and `ranked`, for any model's rankings.

A case is one mention: its gold ids and what a system ranked. Intervals draw documents where every
case names its own, else mentions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from holdfast.document import NIL
from holdfast.errors import InvalidValueError
from holdfast.evaluate.intervals import RESAMPLES, SEED, Figure, Ratio, Row
from holdfast.evaluate.report import Report, build_report

_NO_ENTITY: Final = frozenset({NIL, "-1", "-"})


@dataclass(frozen=True, slots=True)
class LenientCase:
    """A mention whose parts were each looked up in a dictionary.

    `rankings` has one entry per part: one for most mentions, several for a composite. Each is the
    part's dictionary entries, best first, as their sets of ids (`A|B` is two ids). Entries count
    as they come: two names of one entity are two entries.
    """

    gold: frozenset[str]
    rankings: tuple[tuple[frozenset[str], ...], ...]
    document: str = ""

    def __post_init__(self) -> None:
        if not self.rankings:
            raise InvalidValueError("a mention has at least one part to rank")


@dataclass(frozen=True, slots=True)
class StrictCase:
    """A mention and one ranking of ids with their scores, best first."""

    gold: frozenset[str]
    ranking: tuple[tuple[str, float], ...]
    document: str = ""

    def __post_init__(self) -> None:
        scores = [score for _, score in self.ranking]
        if any(math.isnan(score) for score in scores):
            raise InvalidValueError("a score in a ranking is not a number")
        if scores != sorted(scores, reverse=True):
            raise InvalidValueError(f"a ranking is not sorted by falling score: {scores[:5]}")


@dataclass(frozen=True, slots=True)
class RankedCase:
    """A mention and its candidates' ids, best first; a repeated id counts where it stands first."""

    gold: frozenset[str]
    ranking: tuple[str, ...]
    document: str = ""


def score_lenient(
    cases: Iterable[LenientCase], *, resamples: int = RESAMPLES, seed: int = SEED
) -> Report:
    """Accuracy at 1 and at 5: every part has an entry that shares an id with the whole gold set.

    The ids of a composite's gold do not follow its parts, so each part is held against all of
    them. Mentions without gold ids are left out.
    """
    scored, left_out = _with_gold(cases)
    rows = [
        {"mentions": 1, "right_at_1": _lenient(case, 1), "right_at_5": _lenient(case, 5)}
        for case in scored
    ]
    figures = _accuracies()
    return _report(
        "lenient",
        scored,
        rows,
        figures,
        left_out=left_out,
        counts={},
        resamples=resamples,
        seed=seed,
    )


def score_strict(
    cases: Iterable[StrictCase],
    *,
    entities: Container[str],
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Report:
    """Recall at 1 (`accuracy_at_1`) and at 5 of the ids in a knowledge base with these `entities`.

    The place of a gold id is the number of different ids that score at least as high: a tie for
    the first place is wrong at 1, whoever stands first. Mentions whose gold is NIL are left out;
    those with no gold id in the knowledge base are wrong whatever was ranked, and the figures
    `…_in_kb` leave them out too.
    """
    scored, left_out = _with_gold(cases)
    rows = [_strict_row(case, entities) for case in scored]
    n_in_kb = int(sum(row["in_kb"] for row in rows))
    counts = {
        "n_in_kb": n_in_kb,
        "n_out_of_kb": len(rows) - n_in_kb,
        "n_ties": int(sum(row["ties"] for row in rows)),
    }
    figures = _accuracies() | {
        "accuracy_at_1_in_kb": Ratio("right_at_1", "in_kb"),
        "accuracy_at_5_in_kb": Ratio("right_at_5", "in_kb"),
    }
    return _report(
        "strict",
        scored,
        rows,
        figures,
        left_out=left_out,
        counts=counts,
        resamples=resamples,
        seed=seed,
    )


def _strict_row(case: StrictCase, entities: Container[str]) -> dict[str, float]:
    """The counts of one mention."""
    place = _strict_place(case)
    in_kb = any(entity in entities for entity in case.gold)
    return {
        "mentions": 1.0,
        "in_kb": float(in_kb),
        "ties": float(_is_tied(case)),
        "right_at_1": float(in_kb and place <= 1),
        "right_at_5": float(in_kb and place <= 5),
    }


_RANKED: Final = {
    "accuracy_at_1": Ratio("right_at_1", "mentions"),
    "map": Ratio("average_precision", "mentions"),
    "recall_at_10": Ratio("within_10", "mentions"),
    "accuracy_at_1_normalised": Ratio("right_at_1", "found"),
    "map_normalised": Ratio("average_precision", "found"),
}
_RANKED_IN_KB: Final = {
    "accuracy_at_1_in_kb": Ratio("right_at_1", "in_kb"),
    "map_in_kb": Ratio("average_precision", "in_kb"),
    "recall_at_10_in_kb": Ratio("within_10", "in_kb"),
}


def score_ranked(
    cases: Iterable[RankedCase],
    *,
    entities: Container[str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Report:
    """P@1 (`accuracy_at_1`), mean average precision (`map`) and recall at 10.

    Average precision is over all gold ids of the mention; one that is not ranked adds 0. Recall
    at 10 asks for any of them. `…_normalised` figures are over the mentions with a gold id among
    the candidates; `…_in_kb`, over those with one in a knowledge base with these `entities`.
    Mentions whose gold is NIL are left out.
    """
    scored, left_out = _with_gold(cases)
    rows = [_ranked_row(case, entities) for case in scored]
    figures = dict(_RANKED)
    counts = {"n_normalised": int(sum(row["found"] for row in rows))}
    if entities is not None:
        figures |= _RANKED_IN_KB
        counts["n_in_kb"] = int(sum(row["in_kb"] for row in rows))
    return _report(
        "ranked",
        scored,
        rows,
        figures,
        left_out=left_out,
        counts=counts,
        resamples=resamples,
        seed=seed,
    )


def _ranked_row(case: RankedCase, entities: Container[str] | None) -> dict[str, float]:
    """The counts of one mention."""
    places = _ranked_places(case)
    precisions = ((number + 1) / place for number, place in enumerate(places))
    return {
        "mentions": 1.0,
        "found": float(bool(places)),
        "in_kb": float(entities is not None and any(id in entities for id in case.gold)),
        "right_at_1": float(places[:1] == [1]),
        "within_10": float(bool(places) and places[0] <= 10),
        "average_precision": sum(precisions) / len(case.gold),
    }


def _lenient(case: LenientCase, k: int) -> float:
    return float(all(any(ids & case.gold for ids in ranking[:k]) for ranking in case.rankings))


def _strict_place(case: StrictCase) -> float:
    """Of the best gold id, counting from 1; infinite if none is ranked."""
    best = next((score for entity, score in case.ranking if entity in case.gold), None)
    if best is None:
        return math.inf
    return len({entity for entity, score in case.ranking if score >= best})


def _is_tied(case: StrictCase) -> bool:
    return len({entity for entity, score in case.ranking if score == case.ranking[0][1]}) > 1


def _ranked_places(case: RankedCase) -> list[int]:
    """Of the gold ids that are ranked, ascending from 1."""
    distinct = dict.fromkeys(case.ranking)
    return [place for place, entity in enumerate(distinct, 1) if entity in case.gold]


class _Case(Protocol):
    @property
    def gold(self) -> frozenset[str]: ...
    @property
    def document(self) -> str: ...


_C = TypeVar("_C", bound=_Case)


def _with_gold(cases: Iterable[_C]) -> tuple[list[_C], Counter[str]]:
    left_out = Counter[str](nil=0)
    scored = []
    for case in cases:
        if case.gold <= _NO_ENTITY:
            left_out["nil"] += 1
        else:
            scored.append(case)
    return scored, left_out


def _accuracies() -> dict[str, Figure]:
    return {
        "accuracy_at_1": Ratio("right_at_1", "mentions"),
        "accuracy_at_5": Ratio("right_at_5", "mentions"),
    }


def _report(
    protocol: str,
    cases: Sequence[_Case],
    rows: Sequence[Row],
    figures: Mapping[str, Figure],
    *,
    left_out: Mapping[str, int],
    counts: Mapping[str, int],
    resamples: int,
    seed: int,
) -> Report:
    by_document = _sum_by_document(cases, rows)
    known = bool(by_document) and "" not in by_document
    return build_report(
        protocol,
        list(by_document.values()) if known else rows,
        figures,
        counts={
            "n_scored": len(rows),
            **({"n_documents": len(by_document)} if known else {}),
            **counts,
        },
        left_out=left_out,
        unit="document" if known else "mention",
        resamples=resamples,
        seed=seed,
    )


def _sum_by_document(cases: Sequence[_Case], rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    sums: dict[str, dict[str, float]] = {}
    for case, row in zip(cases, rows, strict=True):
        document = sums.setdefault(case.document, dict.fromkeys(row, 0.0))
        for name, count in row.items():
            document[name] += count
    return sums
