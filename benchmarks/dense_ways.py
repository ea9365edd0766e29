"""One way to find nearest vectors, built or searched: a process that dense_index.py starts.

    python benchmarks/dense_ways.py JOB ANSWER

JOB and ANSWER are JSON files. Seconds of the processor are given beside those of the clock: they
hold on a busy machine too.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast.bench.processes import megabytes_in, read_memory

K: Final = 10
THREADS: Final = 2
ALONE: Final = 300  # queries that are asked one by one
BLOCK: Final = 1 << 15
NEIGHBOURS: Final = 16
BREADTH_WHEN_BUILDING: Final = 80

Floats = npt.NDArray[np.float32]
Search = Callable[[Floats], npt.NDArray[np.int64]]  # (queries, width) to rows, (queries, K)


@dataclass(frozen=True, slots=True)
class Stopwatch:
    """Seconds of the clock and of all threads of the processor."""

    clock: float
    processor: float

    @classmethod
    def of(cls, work: Callable[[], object]) -> Stopwatch:
        clock, processor = time.perf_counter(), time.process_time()
        work()
        return cls(time.perf_counter() - clock, time.process_time() - processor)


class Faiss:
    """Int8 vectors in an index of faiss, without anything of ours around it."""

    def __init__(self, kind: str, efforts: Sequence[int]) -> None:
        self.kind = kind
        self.efforts = efforts

    def build(self, vectors: Floats, folder: Path) -> None:
        faiss = import_module("faiss")
        index = faiss.index_factory(vectors.shape[1], self._recipe(len(vectors)), 0)
        blocks = range(0, len(vectors), BLOCK)
        if self.kind == "ivf":
            index.by_residual = False
            index.cp.spherical = True
            step = max(1, len(vectors) // (64 * index.nlist))
            index.train(whole(vectors[::step]))
        if self.kind == "hnsw":
            index.hnsw.efConstruction = BREADTH_WHEN_BUILDING
        for start in blocks:
            index.add(whole(vectors[start : start + BLOCK]))
        faiss.write_index(index, str(folder / "index.faiss"))

    def open(self, folder: Path) -> Any:
        faiss = import_module("faiss")
        return faiss.read_index(str(folder / "index.faiss"), faiss.IO_FLAG_MMAP_IFC)

    def searcher(self, index: Any, effort: int) -> Search:
        if self.kind == "ivf":
            index.nprobe = effort
        if self.kind == "hnsw":
            index.hnsw.efSearch = effort
        return lambda queries: index.search(whole(queries), K)[1]

    def _recipe(self, count: int) -> str:
        ways = {
            "flat": "SQ8_direct_signed",
            "ivf": f"IVF{round(count**0.5)},SQ8_direct_signed",
            "hnsw": f"HNSW{NEIGHBOURS},SQ8_direct_signed",
        }
        return ways[self.kind]


class Usearch:
    """usearch's graph of int8 vectors."""

    efforts = (64, 160, 320)

    def build(self, vectors: Floats, folder: Path) -> None:
        index = import_module("usearch.index").Index(
            ndim=vectors.shape[1],
            metric="cos",
            dtype="i8",
            connectivity=NEIGHBOURS,
            expansion_add=BREADTH_WHEN_BUILDING,
        )
        for start in range(0, len(vectors), BLOCK):
            part = whole(vectors[start : start + BLOCK]).astype(np.int8)
            index.add(np.arange(start, start + len(part)), part, threads=THREADS)
        index.save(str(folder / "index.usearch"))

    def open(self, folder: Path) -> Any:
        return import_module("usearch.index").Index.restore(folder / "index.usearch", view=True)

    def searcher(self, index: Any, effort: int) -> Search:
        index.expansion_search = effort

        def search(queries: Floats) -> npt.NDArray[np.int64]:
            asked = whole(queries).astype(np.int8)
            keys = index.search(asked, K, threads=THREADS).keys
            return np.asarray(keys).astype(np.int64).reshape(len(queries), -1)

        return search


@dataclass(frozen=True)
class Given:
    """Vectors in the place of names: an encoder that only looks them up."""

    vectors: Floats
    digest: str = "given"

    @property
    def width(self) -> int:
        return int(self.vectors.shape[1])

    def encode(self, names: Sequence[Any]) -> Floats:
        return np.asarray(self.vectors[names[0] : names[-1] + 1]) if names else self.vectors[:0]


class Ours:
    """holdfast.names.dense.DenseIndex, with all it does around faiss."""

    efforts = (0,)  # it has its own

    def build(self, vectors: Floats, folder: Path) -> None:
        dense: Any = import_module("holdfast.names.dense").DenseIndex
        dense.build(range(len(vectors)), Given(vectors), threads=THREADS).save(folder / "dense")

    def open(self, folder: Path) -> Any:
        width = int(np.load(folder.parent / "queries.npy", mmap_mode="r").shape[1])
        dense: Any = import_module("holdfast.names.dense").DenseIndex
        return dense.open(folder / "dense", Given(np.zeros((0, width), dtype=np.float32)))

    def searcher(self, index: Any, effort: int) -> Search:  # noqa: ARG002
        return lambda queries: index.search_vectors(queries, K).rows


WAYS: Final[dict[str, Any]] = {
    "faiss flat": Faiss("flat", (0,)),
    "faiss lists": Faiss("ivf", (16, 64, 256)),
    "faiss graph": Faiss("hnsw", (64, 160, 320)),
    "usearch graph": Usearch(),
    "holdfast": Ours(),
}


def whole(vectors: Floats) -> Floats:
    return import_module("holdfast.names.vectors").whole_numbers(vectors)  # type: ignore[no-any-return]


def build(way: Any, folder: Path) -> dict[str, Any]:
    vectors = np.load(folder.parent / "vectors.npy", mmap_mode="r")
    taken = Stopwatch.of(lambda: way.build(vectors, folder))
    way.open(folder)
    return {
        "build_seconds": round(taken.clock, 1),
        "build_processor_seconds": round(taken.processor, 1),
        "disk_megabytes": round(megabytes_in(folder)),
    }


def search(way: Any, folder: Path) -> dict[str, Any]:
    queries = np.load(folder.parent / "queries.npy")
    whole(queries[:1])
    import_module("usearch.index" if isinstance(way, Usearch) else "faiss")
    before = read_memory()
    opened: list[Any] = []
    loading = Stopwatch.of(lambda: opened.append(way.open(folder)))
    after = read_memory()
    searches = []
    for effort in way.efforts:
        ask = way.searcher(opened[0], effort)
        found = ask(queries)
        together = Stopwatch.of(lambda ask=ask: ask(queries))  # type: ignore[misc]
        alone = Stopwatch.of(
            lambda ask=ask: [ask(queries[i : i + 1]) for i in range(ALONE)]  # type: ignore[misc]
        )
        np.save(folder / f"found-{effort}.npy", found)
        searches.append(
            {
                "effort": effort,
                "queries_per_second": round(len(queries) / together.clock),
                "queries_per_processor_second": round(len(queries) / together.processor),
                "milliseconds_alone": round(1000 * alone.clock / ALONE, 2),
                "processor_milliseconds_alone": round(1000 * alone.processor / ALONE, 2),
            }
        )
    return {
        "load_milliseconds": round(1000 * loading.clock, 1),
        "resident_megabytes_when_opened": round(after.resident - before.resident),
        "private_megabytes": round(read_memory().private - before.private),
        "resident_megabytes_when_searched": round(read_memory().resident - before.resident),
        "searches": searches,
    }


def main() -> None:
    job, answer = map(Path, sys.argv[1:3])
    asked = json.loads(job.read_text(encoding="utf-8"))
    way, folder = WAYS[asked["way"]], Path(asked["folder"])
    told = build(way, folder) if asked["step"] == "build" else search(way, folder)
    answer.write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main()
