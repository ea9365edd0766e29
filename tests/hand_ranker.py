"""A ranker whose weights are set by hand, so that tests know each score."""

from __future__ import annotations

import numpy as np

from holdfast.link.ranking.features import FEATURES
from holdfast.link.ranking.ranker import Ranker


def hand_ranker(*, none: float = 0.0, **weights: float) -> Ranker:
    """Scores a candidate by the sum of weight times feature, less `none`."""
    linear = np.zeros(len(FEATURES))
    for feature, weight in weights.items():
        linear[FEATURES.index(feature)] = weight
    return Ranker(
        mean=np.zeros(len(FEATURES)),
        scale=np.ones(len(FEATURES)),
        linear=linear,
        hidden=np.zeros((len(FEATURES), 1)),
        hidden_bias=np.zeros(1),
        output=np.zeros(1),
        bias=-none,
    )
