"""Embeddings of word pieces from plain text, without a pretrained encoder.

Pieces that stand near the same pieces mean similar things. How much more often than by chance two
pieces stand together (positive pointwise mutual information) makes a large symmetric matrix; its
strongest directions, found by random projection, are the embeddings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from holdfast.encoders.names import UNKNOWN, plain
from holdfast.errors import InvalidValueError

Rows = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

_TEXTS: Final = 4000  # counted together
_BLOCK: Final = 1024  # rows of the matrix that are written out at once
_OUTSIDE: Final = -1  # stands between texts, so that no pair spans two


@dataclass(frozen=True, slots=True)
class OwnEmbeddingsConfig:
    width: int = 384
    window: int = 4  # pieces to each side that stand "near"
    # Counts of pieces are raised to this before chance is computed: else rare pieces, of which
    # little is known, would have the largest values.
    smoothing: float = 0.75
    rounds: int = 3  # of multiplying by the matrix; more separate the directions better
    spare: int = 16  # directions that are followed beyond the width, then dropped
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """How often two pieces stand near each other, each unordered pair once, in order."""

    pieces: int
    first: Integers  # first <= second
    second: Integers
    count: Integers


def own_embeddings(tokenizer: Tokenizer, texts: Iterable[str], config: OwnEmbeddingsConfig) -> Rows:
    """Unit rows, a zero row for a piece that the texts never use. *Shape:* (pieces, width).

    The same texts give the same rows on the same machine with as many threads.
    """
    if not 0 < config.width <= tokenizer.get_vocab_size():
        raise InvalidValueError(
            f"a width of {config.width} for {tokenizer.get_vocab_size()} pieces; it must be "
            "positive and no larger than their number"
        )
    counts = count_pairs(tokenizer, texts, window=config.window)
    rows = _Matrix(counts, information(counts, smoothing=config.smoothing)).reduced(config)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def count_pairs(tokenizer: Tokenizer, texts: Iterable[str], *, window: int) -> PairCounts:
    """Pairs of known pieces of one text, at most `window` places apart; texts are made plain."""
    if window < 1:
        raise InvalidValueError(f"a window of {window} pieces; it must be at least 1")
    pieces = tokenizer.get_vocab_size()
    keys, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    stream = iter(texts)
    while some := list(islice(stream, _TEXTS)):
        row = _row(tokenizer, some, window)
        found = np.concatenate(list(_pairs(row, window, pieces)))
        new, times = np.unique(found, return_counts=True)
        keys, counts = _merged(np.concatenate([keys, new]), np.concatenate([counts, times]))
    return PairCounts(pieces, keys // pieces, keys % pieces, counts)


def information(counts: PairCounts, *, smoothing: float) -> Rows:
    """Positive pointwise mutual information of each pair. *Shape:* (pairs,)."""
    # A pair is two neighbourhoods, its first piece's and its second's, also where both are equal.
    single = np.bincount(counts.first, counts.count, counts.pieces)
    single += np.bincount(counts.second, counts.count, counts.pieces)
    chance = single**smoothing
    chance /= max(chance.sum(), 1.0)
    ways = np.where(counts.first == counts.second, 1.0, 2.0)
    together = counts.count / max(counts.count.sum(), 1) / ways
    gain = np.log(together / (chance[counts.first] * chance[counts.second]))
    positive: Rows = np.maximum(gain, 0.0).astype(np.float32)
    return positive


class _Matrix:
    """A symmetric matrix of pairs; both halves are kept, by row."""

    def __init__(self, counts: PairCounts, values: Rows) -> None:
        kept = values > 0
        apart = kept & (counts.first != counts.second)
        rows = np.concatenate([counts.first[kept], counts.second[apart]])
        order = np.argsort(rows, kind="stable")
        self._size = counts.pieces
        self._rows = rows[order]
        self._columns = np.concatenate([counts.second[kept], counts.first[apart]])[order]
        self._values = np.concatenate([values[kept], values[apart]])[order]

    def reduced(self, config: OwnEmbeddingsConfig) -> Rows:
        """The strongest directions, each scaled by the root of its strength, strongest first."""
        rng = np.random.default_rng(config.seed)
        followed = min(self._size, config.width + config.spare)
        basis = rng.standard_normal((self._size, followed), dtype=np.float32)
        for _ in range(config.rounds):
            basis = np.linalg.qr(self._times(basis))[0]
        strengths, turn = np.linalg.eigh(basis.T @ self._times(basis))
        best = np.argsort(-np.abs(strengths), kind="stable")[: config.width]
        directions = basis @ turn[:, best] * np.sqrt(np.abs(strengths[best]))
        # A row without values is zero but for rounding, which must not be taken for a direction.
        rows = np.zeros((self._size, config.width), dtype=np.float32)
        used = np.unique(self._rows)
        rows[used] = directions[used]
        return rows

    def _times(self, basis: Rows) -> Rows:
        product = np.zeros_like(basis)
        for start in range(0, self._size, _BLOCK):
            low, high = np.searchsorted(self._rows, [start, start + _BLOCK])
            block = np.zeros((min(_BLOCK, self._size - start), self._size), dtype=np.float32)
            block[self._rows[low:high] - start, self._columns[low:high]] = self._values[low:high]
            product[start : start + _BLOCK] = block @ basis
        return product


def _row(tokenizer: Tokenizer, texts: Iterable[str], window: int) -> Integers:
    """The known pieces of all texts in one row, with a gap after each text."""
    unknown = tokenizer.token_to_id(UNKNOWN)
    row = list[int]()
    plain_texts = [plain(text) for text in texts]
    for encoding in tokenizer.encode_batch(plain_texts, add_special_tokens=False):
        row.extend(id for id in encoding.ids if id != unknown)
        row.extend([_OUTSIDE] * window)
    return np.array(row, dtype=np.int64)


def _pairs(row: Integers, window: int, pieces: int) -> Iterator[Integers]:
    """One number per pair, for each distance."""
    for distance in range(1, window + 1):
        left, right = row[:-distance], row[distance:]
        inside = (left != _OUTSIDE) & (right != _OUTSIDE)
        left, right = left[inside], right[inside]
        yield np.minimum(left, right) * pieces + np.maximum(left, right)


def _merged(keys: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """Each key once, in order, with the sum of its counts."""
    if not len(keys):
        return keys, counts
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[starts], np.add.reduceat(counts, starts)
