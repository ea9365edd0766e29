"""Compares index libraries on real name vectors: recall, speed, memory, size on disk and installed.

    python benchmarks/dense_index.py MODEL [--kb mesh] [--names 800000] [--threads 2]

Each library runs in a process of its own, so that one's memory is not counted as another's.
Queries are names of the knowledge base with one letter left out. Writes
results/bench-dense-index.json.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import files, version
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast.kb import open_kb
from holdfast.names.encoder import NameEncoder

RESULT: Final = Path(__file__).parents[1] / "results" / "bench-dense-index.json"
QUERIES: Final = 2000
K: Final = 10
SCALE: Final = 127 / 0.5  # of int8; components of unit vectors are hardly ever beyond a half

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Row:
    """One library with one setting."""

    index: str
    setting: str
    recall_at_10: float  # of the exact ten nearest
    queries_per_second: float  # 2,000 in one call
    milliseconds_alone: float  # one query in one call, median
    build_seconds: float
    disk_megabytes: float
    resident_megabytes: float  # growth of the process by opening and searching
    memory_mapped: bool
    installed_megabytes: float


@dataclass(frozen=True, slots=True)
class Opened:
    """An index ready to answer, and the knob to answer more carefully."""

    search: Callable[[Floats], Rows]
    settings: list[tuple[str, Callable[[], None]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("model", type=Path)
    parser.add_argument("--kb", default="mesh")
    parser.add_argument("--names", type=int, default=800_000)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _encode(options.model, options.kb, options.names, options.threads, folder)
        rows = []
        for name in BUILDERS:
            print(name, file=sys.stderr)
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                rows += pool.apply(measure, (name, folder, options.threads))
    result = {"kb": options.kb, "names": options.names, "threads": options.threads}
    RESULT.parent.mkdir(exist_ok=True)
    text = json.dumps({**result, "rows": [asdict(row) for row in rows]}, indent=2)
    RESULT.write_text(text + "\n", encoding="utf-8")
    print(text)


def measure(name: str, folder: Path, threads: int) -> list[Row]:
    """Build, open again from disk, and search with every setting."""
    vectors: Floats = np.load(folder / "vectors.npy", mmap_mode="r")
    queries: Floats = np.load(folder / "queries.npy")
    nearest: Rows = np.load(folder / "nearest.npy")
    build, open_index, package = BUILDERS[name]
    path = folder / name
    started = time.monotonic()
    build(vectors, path, threads)
    seconds = time.monotonic() - started
    before = _resident()
    opened = open_index(path, threads)
    rows = []
    for setting, apply in opened.settings:
        apply()
        found = opened.search(queries)
        hits = [len(set(a) & set(b)) for a, b in zip(found.tolist(), nearest.tolist(), strict=True)]
        with _timed() as together:
            opened.search(queries)
        alone = []
        for query in queries[:200]:
            with _timed() as one:
                opened.search(query[None])
            alone.append(one[0])
        rows.append(
            Row(
                index=name,
                setting=setting,
                recall_at_10=round(sum(hits) / (K * len(queries)), 4),
                queries_per_second=round(len(queries) / together[0]),
                milliseconds_alone=round(1000 * float(np.median(alone)), 3),
                build_seconds=round(seconds, 1),
                disk_megabytes=round(path.stat().st_size / 1e6, 1),
                resident_megabytes=round((_resident() - before) / 1e6, 1),
                memory_mapped=name.startswith("usearch"),
                installed_megabytes=_installed(package),
            )
        )
    return rows


def _build_usearch(vectors: Floats, path: Path, threads: int) -> None:
    from usearch.index import Index

    index = Index(ndim=vectors.shape[1], metric="cos", dtype="i8", connectivity=16)
    for start in range(0, len(vectors), 1 << 16):
        part = np.rint(np.clip(vectors[start : start + (1 << 16)] * SCALE, -127, 127))
        keys = np.arange(start, start + len(part), dtype=np.uint64)
        index.add(keys, part.astype(np.int8), threads=threads)
    index.save(str(path))


def _open_usearch(path: Path, threads: int) -> Opened:
    from usearch.index import Index

    index = Index.restore(str(path), view=True)

    def search(queries: Floats) -> Rows:
        scaled = np.rint(np.clip(queries * SCALE, -127, 127)).astype(np.int8)
        keys: Any = index.search(scaled, K, threads=threads).keys
        return np.asarray(keys, dtype=np.int64).reshape(len(queries), K)

    def setting(breadth: int) -> Callable[[], None]:
        def apply() -> None:
            index.expansion_search = breadth

        return apply

    return Opened(search, [(f"expansion {n}", setting(n)) for n in (64, 128, 256)])


def _build_faiss_ivf(vectors: Floats, path: Path, threads: int) -> None:
    import faiss

    faiss.omp_set_num_threads(threads)
    cells = int(4 * np.sqrt(len(vectors)))
    index = faiss.index_factory(vectors.shape[1], f"IVF{cells},SQ8", faiss.METRIC_INNER_PRODUCT)
    sample = np.random.default_rng(0).choice(
        len(vectors), min(len(vectors), 40 * cells), replace=False
    )
    index.train(np.ascontiguousarray(vectors[np.sort(sample)]))
    for start in range(0, len(vectors), 1 << 16):
        index.add(np.ascontiguousarray(vectors[start : start + (1 << 16)]))
    faiss.write_index(index, str(path))


def _build_faiss_hnsw(vectors: Floats, path: Path, threads: int) -> None:
    import faiss

    faiss.omp_set_num_threads(threads)
    index = faiss.index_factory(vectors.shape[1], "HNSW16,SQ8", faiss.METRIC_INNER_PRODUCT)
    index.train(np.ascontiguousarray(vectors[:100_000]))
    for start in range(0, len(vectors), 1 << 16):
        index.add(np.ascontiguousarray(vectors[start : start + (1 << 16)]))
    faiss.write_index(index, str(path))


def _open_faiss(path: Path, threads: int, knob: str, values: tuple[int, ...]) -> Opened:
    import faiss

    faiss.omp_set_num_threads(threads)
    index = faiss.read_index(str(path))

    def search(queries: Floats) -> Rows:
        rows: Rows = index.search(queries, K)[1]
        return rows

    def setting(value: int) -> Callable[[], None]:
        return lambda: faiss.ParameterSpace().set_index_parameter(index, knob, value)

    return Opened(search, [(f"{knob} {value}", setting(value)) for value in values])


def _open_faiss_ivf(path: Path, threads: int) -> Opened:
    return _open_faiss(path, threads, "nprobe", (8, 16, 32, 64))


def _open_faiss_hnsw(path: Path, threads: int) -> Opened:
    return _open_faiss(path, threads, "efSearch", (64, 128, 256))


Builder = Callable[[Floats, Path, int], None]
Opener = Callable[[Path, int], Opened]
BUILDERS: Final[dict[str, tuple[Builder, Opener, str]]] = {
    "usearch-hnsw-i8": (_build_usearch, _open_usearch, "usearch"),
    "faiss-ivf-sq8": (_build_faiss_ivf, _open_faiss_ivf, "faiss-cpu"),
    "faiss-hnsw-sq8": (_build_faiss_hnsw, _open_faiss_hnsw, "faiss-cpu"),
}


def _encode(model: Path, kb: str, count: int, threads: int, folder: Path) -> None:
    """Vectors of names, of queries, and the exact ten nearest names of each query."""
    rng = np.random.default_rng(0)
    names = list(open_kb(kb).all_names())
    chosen = np.sort(rng.choice(len(names), min(count, len(names)), replace=False))
    names = [names[i] for i in chosen]
    encoder = NameEncoder.open(model, threads=threads)
    vectors = encoder.encode(names)
    queries = []
    for i in rng.choice(len(names), QUERIES, replace=False):
        at = int(rng.integers(len(names[i])))
        queries.append(names[i][:at] + names[i][at + 1 :])
    asked = encoder.encode(queries)
    nearest = np.empty((len(asked), K), dtype=np.int64)
    for start in range(0, len(asked), 100):
        similarity = asked[start : start + 100] @ vectors.T
        nearest[start : start + 100] = np.argpartition(-similarity, K, axis=1)[:, :K]
    np.save(folder / "vectors.npy", vectors)
    np.save(folder / "queries.npy", asked)
    np.save(folder / "nearest.npy", nearest)


@contextmanager
def _timed() -> Iterator[list[float]]:
    taken = [0.0]
    started = time.perf_counter()
    yield taken
    taken[0] = time.perf_counter() - started


def _resident() -> float:
    statm = Path("/proc/self/statm")
    if statm.exists():
        return float(int(statm.read_text().split()[1]) * resource.getpagesize())
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _installed(package: str) -> float:
    """Megabytes of the package's own files."""
    print(package, version(package), file=sys.stderr)
    sizes = [path.locate() for path in files(package) or []]
    return round(sum(Path(str(p)).stat().st_size for p in sizes if Path(str(p)).exists()) / 1e6, 1)


if __name__ == "__main__":
    main()
