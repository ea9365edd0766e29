"""A switch between the dense and the sparse answer, learned where both are known.

The paper's oracle knows which of the two is right. The switch goes by how near each found its
neighbour, how far the next label was, and which of the two labels more of the nearest rows of both
have. It is fitted on development queries alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.systems.bier.logistic import Floats, Logistic, fit_logistic
from holdfast.systems.bier.nearest import Nearest

Bools = npt.NDArray[np.bool_]
_FEWEST = 10  # cases of each kind to learn from


@dataclass(frozen=True, slots=True, eq=False)
class DenseSwitch:
    """Takes the dense answer where the classifier says so; `usual` if it could not be fitted."""

    model: Logistic | None
    usual: bool  # whether the dense answer is the better one in general

    def takes_dense(self, dense: Nearest, sparse: Nearest) -> Bools:
        """*Shape:* (queries,)"""
        if self.model is None:
            return np.full(len(dense.row), self.usual)
        found: Bools = self.model.probabilities(_features(dense, sparse))[:, 1] > 0.5
        return found


def fit_switch(
    dense: Nearest, sparse: Nearest, dense_right: Bools, sparse_right: Bools
) -> DenseSwitch:
    """Learn from the queries where just one of the two is right.

    It is used only if, cross-validated on them, it is right more often than the better of the two.
    """
    usual = bool(dense_right.sum() >= sparse_right.sum())
    places = np.flatnonzero(dense_right != sparse_right)
    wants_dense = dense_right[places].astype(np.int64)
    if min(wants_dense.sum(), len(places) - wants_dense.sum()) < _FEWEST:
        return DenseSwitch(None, usual)
    features = _features(dense, sparse)[places]
    folds = np.arange(len(places)) % 5
    right = 0
    for fold in range(5):
        held = folds == fold
        model = fit_logistic(features[~held], wants_dense[~held], count=2, decay=1e-2)
        guessed = model.probabilities(features[held])[:, 1] > 0.5
        right += int((guessed == wants_dense[held].astype(bool)).sum())
    if right <= int((wants_dense == int(usual)).sum()):
        return DenseSwitch(None, usual)
    return DenseSwitch(fit_logistic(features, wants_dense, count=2, decay=1e-2), usual)


def _features(dense: Nearest, sparse: Nearest) -> Floats:
    """What both say of their own certainty and of the other's answer.

    *Shape:* (queries, features)
    """
    columns = [dense.score, dense.margin, sparse.score, sparse.margin]
    ratio = sparse.margin / np.maximum(np.abs(sparse.score), 1e-6)
    relative = dense.margin / np.maximum(np.abs(dense.score), 1e-6)
    says = dense.labels[:, 0], sparse.labels[:, 0]
    votes = [of_form.votes_for(label) for of_form in (dense, sparse) for label in says]
    return np.stack([*columns, ratio, relative, *votes], axis=1).astype(np.float32)
