"""Logistic regression in numpy: the switch, frozen classifiers and EntEval's baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
_STEPS: Final = 300
_RATE: Final = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Logistic:
    """A linear classifier over features that are centred and scaled as in training."""

    mean: Floats  # (features,)
    scale: Floats  # (features,)
    weights: Floats  # (features, classes)
    bias: Floats  # (classes,)

    def probabilities(self, features: Floats) -> Floats:
        """*Shape:* (rows, features) to (rows, classes)"""
        logits = ((features - self.mean) / self.scale) @ self.weights + self.bias
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float32)


def fit_logistic(
    features: Floats,
    classes: npt.NDArray[np.int64],
    *,
    count: int,
    decay: float = 1e-3,
    steps: int = _STEPS,
) -> Logistic:
    """Fit by full-batch Adam from zeros, so that the outcome depends on the data alone.

    `count` classes; `decay` of the squared weights. *Shape:* features (rows, features)
    """
    mean = features.mean(axis=0)
    scale = np.maximum(features.std(axis=0), 1e-6)
    scaled = ((features - mean) / scale).astype(np.float32)
    targets = np.eye(count, dtype=np.float32)[classes]
    parameters = np.zeros((features.shape[1] + 1, count), dtype=np.float32)
    first, second = np.zeros_like(parameters), np.zeros_like(parameters)
    for step in range(1, steps + 1):
        logits = scaled @ parameters[:-1] + parameters[-1]
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        error = (powers / powers.sum(axis=1, keepdims=True) - targets) / len(features)
        gradient = np.concatenate([scaled.T @ error, error.sum(axis=0, keepdims=True)])
        gradient[:-1] += decay * parameters[:-1]
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * np.square(gradient)
        rate = _RATE * min(1.0, 2 * (1 - step / (steps + 1)))
        corrected = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        parameters -= rate * corrected
    return Logistic(mean, scale, parameters[:-1], parameters[-1])
