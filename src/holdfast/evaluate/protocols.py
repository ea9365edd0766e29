"""The end-to-end protocols by name: where, and which entity?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.evaluate.align import align
from holdfast.evaluate.concepts import score_bc5cdr, score_document
from holdfast.evaluate.equality import Equality, Equivalents
from holdfast.evaluate.intervals import RESAMPLES, SEED
from holdfast.evaluate.kebiolm.relations import score_relations
from holdfast.evaluate.partial import score_partial
from holdfast.evaluate.report import Report, build_report
from holdfast.evaluate.strong import score_mention, score_strong, score_typed
from holdfast.evaluate.tally import Scorer
from holdfast.evaluate.tokens import score_per_token

PROTOCOLS: Final[Mapping[str, Scorer]] = MappingProxyType(
    {
        "strong": score_strong,
        "partial": score_partial,
        "mention": score_mention,
        "typed": score_typed,
        "document": score_document,
        "bc5cdr": score_bc5cdr,
        "per-token": score_per_token,
        "relations": score_relations,
    }
)


def score_documents(
    gold: Iterable[Document],
    predicted: Iterable[Document],
    *,
    protocol: str,
    equivalents: Equivalents | None = None,
    only: Iterable[str] = (),
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Report:
    """Score predicted documents against gold ones of the same ids, in any order.

    `equivalents` maps an id to those that mean the same, which then count as equal. `only` keeps
    the mentions of these types, on both sides. Raises as `align` does; UsageError for a protocol
    that is not in PROTOCOLS.
    """
    if protocol not in PROTOCOLS:
        raise UsageError(f"protocol {protocol!r} is not one of {', '.join(PROTOCOLS)}")
    pairs = align(gold, predicted, only=only, compare_texts=protocol != "document")
    tally = PROTOCOLS[protocol](pairs, Equality(equivalents))
    counts = {
        "n_scored": tally.n_scored,
        "n_gold": round(sum(row["gold"] for row in tally.rows)),
        "n_predicted": round(sum(row["predicted"] for row in tally.rows)),
        "n_documents": len(pairs),
        "n_documents_missing": sum(pair.is_missing for pair in pairs),
        **tally.counts,
    }
    return build_report(
        protocol,
        tally.rows,
        tally.figures,
        counts=counts,
        left_out=tally.left_out,
        resamples=resamples,
        seed=seed,
    )
