"""How well an encoder alone does by the `lenient` protocol: for choosing, on development data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from holdfast.corpora.named.biosyn import LenientMention, LenientName
from holdfast.encoders.names import plain
from holdfast.evaluate.gold_mentions import LenientCase, score_lenient
from holdfast.systems.rescnn.training.train import Encode

_RANKED: Final = 5
_BLOCK: Final = 1024  # mentions compared with the whole dictionary at once


def lenient_cases(
    encode: Encode, mentions: Sequence[LenientMention], dictionary: Sequence[LenientName]
) -> list[LenientCase]:
    """Every part of every mention with its nearest dictionary entries by cosine."""
    parts = sorted({part for mention in mentions for part in mention.parts})
    names = encode([plain(entry.name) for entry in dictionary])
    queries = encode([plain(part) for part in parts])
    rankings: dict[str, tuple[frozenset[str], ...]] = {}
    for start in range(0, len(parts), _BLOCK):
        similarity = queries[start : start + _BLOCK] @ names.T
        for part, row in zip(parts[start : start + _BLOCK], similarity, strict=True):
            top = (
                np.argpartition(-row, _RANKED)[:_RANKED] if len(row) > _RANKED else range(len(row))
            )
            best = sorted(top, key=lambda i: (-row[i], i))
            rankings[part] = tuple(dictionary[i].ids for i in best)
    return [
        LenientCase(
            mention.ids, tuple(rankings[part] for part in mention.parts), mention.document_id
        )
        for mention in mentions
    ]


def lenient_accuracy(
    encode: Encode, mentions: Sequence[LenientMention], dictionary: Sequence[LenientName]
) -> float:
    """Accuracy at 1, in [0, 1]."""
    return score_lenient(lenient_cases(encode, mentions, dictionary), resamples=1)["accuracy_at_1"]
