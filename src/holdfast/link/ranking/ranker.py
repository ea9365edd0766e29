"""The learned ranking of candidates: a small network on features, with "none of these" as a choice.

    probability of candidate i = exp(s_i) / (1 + Σ exp(s_j))

The 1 is the candidate "none of these", whose score is fixed at 0. Scores are a linear function of
the features plus one hidden layer; the whole model is a few hundred numbers in a JSON file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast.errors import ArtifactError
from holdfast.link.ranking.features import FEATURES

KIND: Final = "name ranker"
VERSION: Final = 3
PARTS: Final = ("ngram", "dense", "abbreviations", "memory", "context", "composites")
"""What a ranked linker can do without, to see what each part gives."""
FILE: Final = "ranker.json"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Ranker:
    """Scores candidates. Features are first centred and scaled as in training."""

    mean: Floats  # (features,)
    scale: Floats  # (features,)
    linear: Floats  # (features,)
    hidden: Floats  # (features, units)
    hidden_bias: Floats  # (units,)
    output: Floats  # (units,)
    bias: float
    temperature: float = 1.0  # fitted on development data, so that scores are probabilities

    def logits(self, features: npt.NDArray[np.float32]) -> Floats:
        """A score per candidate; "none of these" has 0. *Shape:* (…, features) to (…)"""
        scaled = (features - self.mean) / self.scale
        units = np.maximum(scaled @ self.hidden + self.hidden_bias, 0.0)
        scores: Floats = scaled @ self.linear + units @ self.output + self.bias
        return np.asarray(scores / self.temperature)

    def probabilities(self, features: Sequence[npt.NDArray[np.float32]]) -> list[list[float]]:
        """Per candidate of each query; what is missing to 1 is the probability of none.

        *Shape:* (candidates, features) of each query.
        """
        if not features:
            return []
        logits = self.logits(np.concatenate(features))
        ends = accumulate(map(len, features), initial=0)
        return [_shares(logits[start:end]) for start, end in pairwise(ends)]

    def save(self, folder: Path) -> None:
        values = {
            "features": list(FEATURES),
            "mean": self.mean.tolist(),
            "scale": self.scale.tolist(),
            "linear": self.linear.tolist(),
            "hidden": self.hidden.tolist(),
            "hidden_bias": self.hidden_bias.tolist(),
            "output": self.output.tolist(),
            "bias": self.bias,
            "temperature": self.temperature,
        }
        (folder / FILE).write_text(json.dumps(values) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> Ranker:
        """The ranker of a model folder whose files were verified."""
        data: dict[str, Any] = json.loads((folder / FILE).read_text(encoding="utf-8"))
        if data.pop("features") != list(FEATURES):
            raise ArtifactError(f"{folder}: was trained on other features; train it again")
        bias, temperature = float(data.pop("bias")), float(data.pop("temperature"))
        arrays = {name: np.array(values) for name, values in data.items()}
        return cls(**arrays, bias=bias, temperature=temperature)


def _shares(logits: Floats) -> list[float]:
    """Of the probability that the candidates and "none of these" share."""
    highest = max(0.0, float(logits.max(initial=0.0)))
    weights = np.exp(logits - highest)
    shares: list[float] = (weights / (np.exp(-highest) + weights.sum())).tolist()
    return shares
