"""The stages of the benchmark at the scale of UMLS, each in a process of its own.

A process has the home folder of the benchmark (`HOLDFAST_HOME`), so that nothing gets into the
user's.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from holdfast.bench.processes import megabytes_in, read_memory, repeat, seconds_of, serve_job
from holdfast.bench.umls_scale.kept_vectors import KeptVectors, encode_shards, read_shards
from holdfast.bench.umls_scale.recall import K, exact_scores, recall_at_10
from holdfast.bench.umls_scale.synthetic import KbShape, synthetic_entries
from holdfast.encoders.names import NameEncoder, open_name_encoder
from holdfast.files import write_durably
from holdfast.kb.build import Source, build_kb
from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking.dense_names import (
    dense_folder,
    dense_index_of,
    names_at,
    paraphrased_rows,
)
from holdfast.models import find_model
from holdfast.names.dense import DenseIndex
from holdfast.names.vectors import breadth_of

PROGRAM: Final = (sys.executable, "-m", "holdfast.bench.umls_scale.stages")
KB: Final = Path("home") / "kb" / "umls-scale"
VECTORS: Final = "vectors"
EXACT: Final = "exact"
_BREADTHS: Final = (80, 160, 320, 640)
_ROUNDS: Final = 3

Job = Mapping[str, Any]  # base, folder, concepts, names, queries


def build_base(job: Job) -> dict[str, Any]:
    """The knowledge base, with its exact and n-gram indexes."""
    folder = Path(job["folder"]) / KB
    base = KnowledgeBase(Path(job["base"]))
    entries = synthetic_entries(base, KbShape(job["concepts"], job["names"]))
    summary = build_kb(folder, name="umls-scale", parts=[(Source("synthetic"), entries)])
    return {
        "entities": summary.entities,
        "names": summary.names,
        "megabytes": megabytes_in(folder),
    }


def encode(job: Job) -> dict[str, Any]:
    """The vectors of the names that are indexed, in shards. Those that are there are kept.

    `seconds` are those of all processes that encoded, up to the last shard of each.
    """
    kb = _kb(job)
    rows = paraphrased_rows(kb)
    folder = Path(job["folder"]) / VECTORS
    taken = folder.with_suffix(".seconds")
    before = float(taken.read_text(encoding="ascii")) if taken.exists() else 0.0
    began = time.perf_counter()

    def show(done: int) -> None:
        write_durably(taken, str(before + time.perf_counter() - began).encode("ascii"))
        print(f"{done:,} of {len(rows):,} names encoded", file=sys.stderr)

    shards = encode_shards(names_at(kb, rows), _encoder(), folder, progress=show)
    return {
        "indexed_names": len(rows),
        "shards_written": shards,
        "megabytes": megabytes_in(folder),
        "seconds": round(before + time.perf_counter() - began, 1),
    }


def index(job: Job) -> dict[str, Any]:
    """The dense index, where the linker looks for it."""
    kb, encoder = _kb(job), _encoder()
    dense_index_of(kb, KeptVectors(encoder, Path(job["folder"]) / VECTORS))
    return {"megabytes": megabytes_in(dense_folder(kb, encoder))}


def compare_all(job: Job) -> dict[str, Any]:
    """The cosines of the names nearest to each query, of each set of queries."""
    folder = Path(job["folder"])
    (folder / EXACT).mkdir(exist_ok=True)
    every = [query for queries in job["queries"].values() for query in queries]
    best = exact_scores(_encoder().encode(every), read_shards(folder / VECTORS))
    ends = np.cumsum([len(queries) for queries in job["queries"].values()])
    for name, own in zip(job["queries"], np.split(best, ends[:-1]), strict=True):
        np.save(folder / EXACT / f"{name}.npy", own)
    return {"queries": {name: len(queries) for name, queries in job["queries"].items()}}


def recall(job: Job) -> dict[str, Any]:
    """Recall and speed of searches, by breadth; the one that the linker takes is marked."""
    kb, encoder = _kb(job), _encoder()
    folder = dense_folder(kb, encoder)
    encoded = {name: encoder.encode(queries) for name, queries in job["queries"].items()}
    exact = {name: np.load(Path(job["folder"]) / EXACT / f"{name}.npy") for name in encoded}
    vectors = len(np.load(folder / "lengths.npy", mmap_mode="r"))
    usual = breadth_of(vectors)
    rows = []
    for breadth in sorted({*_BREADTHS, usual}):
        searched = DenseIndex.open(
            folder, encoder, names_digest=kb.manifest.digest, breadth=breadth
        )
        found = {name: searched.search_vectors(queries, K) for name, queries in encoded.items()}
        first = next(iter(encoded.values()))
        search = partial(searched.search_vectors, first, K)
        taken = repeat(partial(seconds_of, search), rounds=_ROUNDS)
        rows.append(
            {
                "breadth": breadth,
                "is_usual": breadth == usual,
                "recall_at_10": {name: recall_at_10(found[name], exact[name]) for name in found},
                "queries_per_second": round(len(first) / taken.seconds, 1),
            }
        )
    return {"vectors": vectors, "searches": rows}


STAGES: Final[Mapping[str, Callable[[Job], dict[str, Any]]]] = {
    "kb": build_base,
    "encode": encode,
    "index": index,
    "exact": compare_all,
    "recall": recall,
}


def _kb(job: Job) -> KnowledgeBase:
    return KnowledgeBase(Path(job["folder"]) / KB)


def _encoder() -> NameEncoder:
    return open_name_encoder(find_model("encoder"))


def _run(job: dict[str, Any]) -> dict[str, Any]:
    """One stage, with its seconds and the most memory that was resident."""
    answer: dict[str, Any] = {}
    seconds = seconds_of(lambda: answer.update(STAGES[job["stage"]](job)))
    return {"seconds": round(seconds, 1), "peak_megabytes": read_memory().peak, **answer}


if __name__ == "__main__":
    serve_job(_run)
