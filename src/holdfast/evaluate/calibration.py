"""Whether a score is the probability it claims to be, and whether it orders well."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from holdfast.errors import InvalidValueError

Values = npt.ArrayLike


def expected_calibration_error(probabilities: Values, correct: Values, *, bins: int = 15) -> float:
    """The mean distance between claimed and observed accuracy, over bins of equal width.

    `probabilities` in [0, 1] and `correct` (true or false), *Shape:* (n,). Bins are closed below
    and open above, but for the last, which holds 1. Empty bins count nothing. NaN if n is 0.
    """
    claimed, observed = _pair(probabilities, correct, probabilities_only=True)
    if bins < 1:
        raise InvalidValueError(f"{bins} bins: at least 1 is needed")
    if not len(claimed):
        return float("nan")
    bin_of = np.minimum((claimed * bins).astype(np.int64), bins - 1)
    gaps = np.bincount(bin_of, weights=observed - claimed, minlength=bins)
    return float(np.abs(gaps).sum() / len(claimed))


def brier_score(probabilities: Values, correct: Values) -> float:
    """The mean squared distance between the probability and what happened (0 or 1).

    *Shape:* (n,) both. NaN if n is 0.
    """
    claimed, observed = _pair(probabilities, correct, probabilities_only=True)
    return float(np.mean((claimed - observed) ** 2)) if len(claimed) else float("nan")


def auroc(scores: Values, positive: Values) -> float:
    """The chance that a positive scores above a negative, a tie counting half.

    Scores are any finite numbers, *Shape:* (n,). NaN unless there are both kinds.
    """
    values, labels = _pair(scores, positive, probabilities_only=False)
    n_positive = int(labels.sum())
    n_negative = len(labels) - n_positive
    if not n_positive or not n_negative:
        return float("nan")
    _, place, sizes = np.unique(values, return_inverse=True, return_counts=True)
    middle_ranks = np.cumsum(sizes) - (sizes - 1) / 2
    rank_sum = float(middle_ranks[place][labels == 1].sum())
    return (rank_sum - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)


def _pair(
    scores: Values, labels: Values, *, probabilities_only: bool
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    values = np.asarray(scores, dtype=np.float64)
    truths = np.asarray(labels, dtype=np.float64)
    if values.ndim != 1 or values.shape != truths.shape:
        raise InvalidValueError(
            f"scores {values.shape} and labels {truths.shape} must be one row of equal length"
        )
    if not np.isfinite(values).all():
        raise InvalidValueError("a score is not a finite number")
    if not np.isin(truths, (0.0, 1.0)).all():
        raise InvalidValueError("a label is neither true nor false")
    if probabilities_only and ((values < 0) | (values > 1)).any():
        raise InvalidValueError("a probability is outside [0, 1]")
    return values, truths
