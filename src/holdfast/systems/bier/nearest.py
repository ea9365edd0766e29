"""The nearest labelled mention of each query, by dense or sparse vectors: classification, k = 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from holdfast.errors import InvalidValueError
from holdfast.systems.bier.sparse import Floats, SparseVectors, blocks

Metric = Literal["l2", "dot", "cosine"]
METRICS: Final[tuple[Metric, ...]] = ("l2", "dot")

VOTERS: Final = 10
"""So many nearest rows say how sure a label is."""

_QUERIES: Final = 256  # scored together
_STORED: Final = 2048  # rows that are unpacked together

Vectors = Floats | SparseVectors
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """Of each query: the nearest row, its score, and that of the nearest row of another label."""

    row: Codes  # (queries,)
    score: Floats  # (queries,)
    other: Floats  # (queries,)
    labels: Codes  # of the nearest rows, the nearest first; (queries, VOTERS), or fewer

    @property
    def margin(self) -> Floats:
        """How much nearer the nearest is than any row of another label."""
        return self.score - self.other

    def votes_for(self, labels: Codes) -> Floats:
        """The share of the nearest rows with a label; one is given for each query.

        *Shape:* (queries,)
        """
        found: Floats = (self.labels == labels[:, None]).mean(axis=1).astype(np.float32)
        return found


def nearest(queries: Vectors, stored: Vectors, labels: Codes, *, metric: Metric) -> Nearest:
    """The nearest stored row of each query; of equal ones, the first. *Shape:* labels (stored,)"""
    if len(stored) == 0 or len(labels) != len(stored):
        raise InvalidValueError(f"{len(labels):,} labels for {len(stored):,} stored vectors")
    rows, scores, others, near = list[Codes](), list[Floats](), list[Floats](), list[Codes]()
    for block in score_blocks(queries, stored, metric=metric):
        best = block.argmax(axis=1)
        top = np.take_along_axis(block, best[:, None], axis=1)[:, 0]
        rest = np.where(labels[None, :] == labels[best][:, None], -np.inf, block)
        highest = rest.max(axis=1)
        rows.append(best)
        scores.append(top)
        others.append(np.where(np.isfinite(highest), highest, top - 1.0).astype(np.float32))
        voters = _best_rows(block, VOTERS)
        voters[:, 0] = best  # among more equal rows than there are voters
        near.append(labels[voters])
    return Nearest(
        np.concatenate(rows), np.concatenate(scores), np.concatenate(others), np.concatenate(near)
    )


def _best_rows(block: Floats, count: int) -> Codes:
    """The places of the highest scores of each row, of equal ones the first. *Shape:* (rows, …)"""
    count = min(count, block.shape[1])
    some = np.sort(np.argpartition(-block, count - 1, axis=1)[:, :count], axis=1)
    order = np.argsort(-np.take_along_axis(block, some, axis=1), axis=1, kind="stable")
    return np.take_along_axis(some, order, axis=1)


def score_blocks(queries: Vectors, stored: Vectors, *, metric: Metric) -> Iterator[Floats]:
    """Scores of some queries with all stored rows; the nearer, the higher.

    For L2 the score is minus the squared distance. *Shape:* (some queries, stored)
    """
    squares = _squares(stored)
    for part in blocks(len(queries), _QUERIES):
        own = _dense(queries, part)
        products = np.concatenate(
            [own @ _dense(stored, other).T for other in blocks(len(stored), _STORED)], axis=1
        )
        if metric == "dot":
            yield products
        elif metric == "l2":
            yield 2 * products - squares[None, :] - np.square(own).sum(axis=1)[:, None]
        else:
            lengths = np.sqrt(np.square(own).sum(axis=1))[:, None] * np.sqrt(squares)[None, :]
            yield products / np.maximum(lengths, 1e-12)


def _dense(vectors: Vectors, part: slice) -> Floats:
    return vectors[part].dense() if isinstance(vectors, SparseVectors) else vectors[part]


def _squares(vectors: Vectors) -> Floats:
    if isinstance(vectors, SparseVectors):
        return vectors.squares()
    return np.asarray(np.square(vectors).sum(axis=1), dtype=np.float32)


def encode_labels(labels: Sequence[str]) -> tuple[Codes, list[str]]:
    """Labels as numbers, and the label of each number in alphabetical order."""
    names = sorted(set(labels))
    number = {name: place for place, name in enumerate(names)}
    return np.array([number[label] for label in labels], dtype=np.int64), names


def some_per_class(labels: Sequence[str], count: int, *, seed: int) -> list[int]:
    """The places of `count` examples of each label, drawn at random, always the same."""
    rng = np.random.default_rng(seed)
    places = dict[str, list[int]]()
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    chosen = list[int]()
    for label in sorted(places):
        own = places[label]
        drawn = rng.choice(len(own), size=min(count, len(own)), replace=False)
        chosen.extend(own[at] for at in drawn.tolist())
    return sorted(chosen)
