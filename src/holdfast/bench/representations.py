"""How large stored sparse vectors are, and how long a query among them takes."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from holdfast.systems.bier.search import SparseIndex
from holdfast.systems.bier.sparse import SparseVectors, blocks
from holdfast.systems.bier.stored import (
    MentionBlock,
    StoredMention,
    read_represented,
    write_represented,
)


def bench_representations(
    *, mentions: int = 100_000, types: int = 8000, kept: int = 32, queries: int = 200, seed: int = 0
) -> dict[str, Any]:
    """Made-up mentions whose types are as unevenly frequent as real ones: megabytes and times."""
    vectors = made_up_vectors(mentions, types=types, kept=kept, seed=seed)
    with TemporaryDirectory(prefix="holdfast-") as folder:
        path = Path(folder) / "vectors.arrow"
        write_represented(
            path,
            (
                MentionBlock(
                    [_place(row) for row in range(part.start, part.stop)], vectors[part], None
                )
                for part in blocks(mentions, 10_000)
            ),
            types=[f"type {number}" for number in range(types)],
            digest="",
            keeps_dense=False,
        )
        size = path.stat().st_size
        stored = read_represented(path)
    started = time.perf_counter()
    index = SparseIndex(stored.sparse)
    built = time.perf_counter() - started
    rng = np.random.default_rng(seed + 1)
    times = list[float]()
    for row in rng.integers(mentions, size=queries).tolist():
        started = time.perf_counter()
        index.nearest(vectors.types[row], vectors.values[row], 10)
        times.append(time.perf_counter() - started)
    return {
        "mentions": mentions,
        "types": types,
        "kept": kept,
        "megabytes": size / 1e6,
        "index_seconds": built,
        "query_ms_p50": 1000 * float(np.percentile(times, 50)),
        "query_ms_p99": 1000 * float(np.percentile(times, 99)),
    }


def made_up_vectors(mentions: int, *, types: int, kept: int, seed: int) -> SparseVectors:
    """Types by a Zipf distribution, distinct in each row; probabilities that fall off fast."""
    rng = np.random.default_rng(seed)
    common = types - kept
    shares = np.cumsum(1 / np.arange(2, common + 2))
    drawn = np.searchsorted(shares / shares[-1], rng.random((mentions, kept)), side="left")
    rows = np.sort(np.minimum(drawn, common - 1), axis=1).astype(np.int32)
    again = np.zeros(rows.shape, dtype=bool)
    again[:, 1:] = rows[:, 1:] == rows[:, :-1]
    rows = np.where(again, np.arange(common, types, dtype=np.int32)[None, :], rows)
    rows = rng.permuted(rows, axis=1)
    values = np.sort(rng.beta(0.4, 0.8, size=(mentions, kept)), axis=1)[:, ::-1]
    return SparseVectors(rows, np.ascontiguousarray(values, dtype=np.float32), types)


def _place(row: int) -> StoredMention:
    return StoredMention(
        f"{10_000_000 + row // 20}", row % 1500, row % 1500 + 12, f"mention {row}", "Gene"
    )
