"""Compares ways to find the nearest vectors of names: recall, speed, memory, size.

    python benchmarks/dense_index.py MODEL DATA CACHE results/dense-index.json [SIZE …]

MODEL is the folder of a name encoder, DATA the folder of the corpora, CACHE a folder where encoded
names are kept. The names are those of MEDIC (size `medic`), and the first so many of the knowledge
base `mesh`; the queries are the distinct mentions of BC5CDR's development set. Every way is built
in one process and searched in another (dense_ways.py), so that each has its memory to itself.

The results are written after every size, with the machine's load: under a high one, believe the
seconds of the processor and not those of the clock.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import files, version
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast import artifacts
from holdfast.bench.processes import run_job
from holdfast.experiments.results import circumstances, write_result

K: Final = 10
THREADS: Final = 2
QUERIES: Final = 1000
SIZES: Final = ("medic", "300000")
BLOCK: Final = 1 << 15
WAYS: Final = ("faiss flat", "faiss lists", "faiss graph", "usearch graph", "holdfast")

PACKAGES: Final = ("faiss-cpu", "usearch")

Floats = npt.NDArray[np.float32]


def recall(found: npt.NDArray[np.int64], scores: Floats, queries: Floats, vectors: Floats) -> Any:
    """How many of the K nearest, and of the nearest, were found; equals count as found."""
    hits = hits_first = 0
    for rows, best, query in zip(found, scores, queries, strict=True):
        got = np.asarray(vectors[rows[rows >= 0]]) @ query
        hits += int((got >= best[-1] - 1e-6).sum())
        hits_first += bool(len(got) and got[0] >= best[0] - 1e-6)
    return {
        "recall_at_10": round(hits / (K * len(queries)), 4),
        "recall_at_1": round(hits_first / len(queries), 4),
    }


def exact_scores(queries: Floats, vectors: Floats) -> Floats:
    """The K highest cosines of each query, highest first, of unrounded vectors."""
    best = np.zeros((len(queries), 0), dtype=np.float32)
    for start in range(0, len(vectors), BLOCK):
        both = np.hstack([best, queries @ np.asarray(vectors[start : start + BLOCK]).T])
        best = np.partition(both, -K, axis=1)[:, -K:]
    return -np.sort(-best, axis=1)


def encoded(names: Iterable[str], model: Path, kept: Path) -> Floats:
    """The names' vectors, from the cache if they are there."""
    if not kept.exists():
        encoder = import_module("holdfast.encoders.names").NameEncoder.open(model)
        np.save(kept, encoder.encode(list(names)))
    vectors: Floats = np.load(kept, mmap_mode="r")
    return vectors


def medic_names(data: Path) -> Iterable[str]:
    for record in import_module("holdfast.kb.readers").read_medic_2012(
        data / "kb/medic/medic_2012.txt"
    ):
        yield from (record.name, *record.synonyms)


def mention_strings(data: Path) -> list[str]:
    read: Any = import_module("holdfast.corpora").read_documents
    documents = read(data / "corpora/bc5cdr/dev.pubtator.txt")
    texts = (d.text[m.start : m.end] for d in documents for m in d.mentions)
    return list(dict.fromkeys(texts))[:QUERIES]


def compare(vectors: Floats, queries: Floats, scratch: Path) -> list[dict[str, Any]]:
    """Every way at one size."""
    np.save(scratch / "vectors.npy", vectors)
    np.save(scratch / "queries.npy", queries)
    scores = exact_scores(queries, vectors)
    measured = []
    for name in WAYS:
        folder = scratch / name.replace(" ", "-")
        folder.mkdir()
        told: dict[str, Any] = {}
        for step in ("build", "search"):
            job = {"way": name, "folder": str(folder), "step": step}
            program = (sys.executable, Path(__file__).with_name("dense_ways.py"))
            told |= run_job(program, job, scratch=scratch, threads=THREADS)
        for one in told["searches"]:
            found = np.load(folder / f"found-{one['effort']}.npy")
            one |= recall(found, scores, queries, vectors)
        measured.append({"way": name, "names": len(vectors), **told})
        print(json.dumps(measured[-1]), file=sys.stderr)
    return measured


def install_megabytes(package: str) -> float:
    paths = [Path(str(path.locate())) for path in files(package) or ()]
    return round(sum(path.stat().st_size for path in paths if path.exists()) / 1e6, 1)


def main() -> None:
    model, data, cache, output = map(Path, sys.argv[1:5])
    cache.mkdir(parents=True, exist_ok=True)
    queries = encoded(mention_strings(data), model, cache / "queries.npy")
    mesh = import_module("holdfast.kb").open_kb("mesh")
    digests = {"model_digest": digest_of(model), "kb_digest": mesh.manifest.digest}
    measured: list[dict[str, Any]] = []
    for size in sys.argv[5:] or SIZES:
        if size == "medic":
            vectors = encoded(medic_names(data), model, cache / "medic.npy")
        else:
            vectors = encoded(mesh.all_names(), model, cache / "mesh.npy")[: int(size)]
        with tempfile.TemporaryDirectory(prefix="holdfast-dense-", dir=cache) as scratch:
            measured += compare(vectors, np.asarray(queries), Path(scratch))
        write(measured, digests, output)


def digest_of(model: Path) -> str:
    encoder = import_module("holdfast.encoders.names")
    return artifacts.read_manifest(model, kind=encoder.KIND, version=encoder.VERSION).digest


def write(measured: list[dict[str, Any]], digests: dict[str, str], output: Path) -> None:
    """Store everything measured so far; `make results` makes the page of it."""
    result = {
        "benchmark": "dense-index",
        "queries": QUERIES,
        "threads": THREADS,
        "load_average": round(os.getloadavg()[1], 1),
        "installs": {
            p: {"version": version(p), "megabytes": install_megabytes(p)} for p in PACKAGES
        },
        "measured": measured,
        **digests,
        **circumstances(),
    }
    write_result(result, output.parent, output.stem)


if __name__ == "__main__":
    main()
