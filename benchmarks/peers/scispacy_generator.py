"""scispaCy's candidate generator over given names and mentions. `holdfast bench names` and
recipes run it.

    PYTHON benchmarks/peers/scispacy_generator.py JOB ANSWER

PYTHON is that of an environment with scispacy 0.6.2; nothing of Holdfast is needed. JOB is JSON:
`names` (a file of JSON lines, an entity each: concept_id, canonical_name, aliases), `cache` (a
folder that keeps the index), `mentions` (a list of strings per document), `breadths` (nmslib's
efSearch; 200 is what scispaCy sets when it loads an index, 20 what nmslib has by itself), `top`
(names that are looked up), `rounds`.

ANSWER says how long the index took to build (also when it was found in the cache) and to load,
memory, and for each breadth mentions a second, once a document at a time and once all at once, and
the ranking of every mention: (id, the best similarity of its names), best first.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from scipy import sparse

INDEX: Final = "hnsw.bin"
ALIASES: Final = "aliases.json"
VECTORS: Final = "vectors.npz"
VECTORIZER: Final = "vectorizer.json"
BUILT: Final = "built.json"  # written last: a folder without it is not whole
WARM_UP: Final = 200  # mentions

Mentions = list[list[str]]
Ranking = list[tuple[str, float]]


def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    generation: Any = importlib.import_module("scispacy.candidate_generation")
    # Its guard is about float16 files, which are not written here.
    generation.scipy_supports_sparse_float16 = lambda: True
    linking = importlib.import_module("scispacy.linking_utils")
    cache = Path(job["cache"])
    if not (cache / BUILT).exists():
        build(generation, linking.KnowledgeBase(job["names"]), cache)
    began = time.perf_counter()
    generator = load(generation, linking.KnowledgeBase(job["names"]), cache)
    loaded = time.perf_counter() - began
    settings = [measure(generator, breadth, job) for breadth in job["breadths"]]
    answer = {
        "version": version("scispacy"),
        "names": len(generator.ann_concept_aliases_list),
        "build_seconds": json.loads((cache / BUILT).read_text())["seconds"],
        "load_seconds": round(loaded, 3),
        "disk_megabytes": round(sum(p.stat().st_size for p in cache.iterdir()) / 1e6, 1),
        **memory(),
        "settings": settings,
    }
    Path(sys.argv[2]).write_text(json.dumps(answer), encoding="utf-8")


class Quicker:
    """nmslib, whose indexes are built with other parameters than scispaCy's.

    scispaCy asks for an efConstruction of 2,000 and 60 threads, "set to the maximum recommended
    value", for an index that is built once for everybody.
    """

    def __init__(self, nmslib: Any, **parameters: int) -> None:
        self._nmslib, self._parameters = nmslib, parameters

    def __getattr__(self, name: str) -> Any:
        return getattr(self._nmslib, name)

    def init(self, *arguments: Any, **options: Any) -> Any:
        return _QuickerIndex(self._nmslib.init(*arguments, **options), self._parameters)


class _QuickerIndex:
    def __init__(self, index: Any, parameters: dict[str, int]) -> None:
        self._index, self._parameters = index, parameters

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def createIndex(self, asked: dict[str, int], **options: Any) -> None:  # noqa: N802
        self._index.createIndex({**asked, **self._parameters}, **options)


def build(generation: Any, kb: Any, cache: Path, *, construction: int | None = None) -> None:
    """Build the index as scispaCy does, and keep it with the time it took.

    `construction`: nmslib's efConstruction, if it is not to be scispaCy's own.
    """
    cache.mkdir(parents=True, exist_ok=True)
    if construction is not None:
        threads = len(os.sched_getaffinity(0))
        generation.nmslib = Quicker(
            generation.nmslib, efConstruction=construction, indexThreadQty=threads
        )
    began = time.perf_counter()
    with contextlib.redirect_stdout(sys.stderr):
        aliases, vectorizer, ann = generation.create_tfidf_ann_index(None, kb)
    seconds = time.perf_counter() - began
    ann.saveIndex(str(cache / INDEX))
    sparse.save_npz(cache / VECTORS, vectorizer.transform(aliases))
    vocabulary = {gram: int(place) for gram, place in vectorizer.vocabulary_.items()}
    kept = {"vocabulary": vocabulary, "idf": vectorizer.idf_.tolist()}
    (cache / VECTORIZER).write_text(json.dumps(kept), encoding="utf-8")
    (cache / ALIASES).write_text(json.dumps(aliases), encoding="utf-8")
    (cache / BUILT).write_text(json.dumps({"seconds": round(seconds, 1)}), encoding="utf-8")


def load(generation: Any, kb: Any, cache: Path) -> Any:
    """The generator over a kept index, its vectors and its vectoriser, as scispaCy loads its own.

    scispaCy keeps the vectoriser as a pickle; here what it learned is kept as JSON.
    """
    kept = json.loads((cache / VECTORIZER).read_text(encoding="utf-8"))
    vectorizer = generation.TfidfVectorizer(
        analyzer="char_wb",
        ngram_range=(3, 3),
        min_df=10,
        dtype=generation.numpy.float32,
        vocabulary=kept["vocabulary"],
    )
    vectorizer.idf_ = generation.numpy.array(kept["idf"], dtype=generation.numpy.float32)
    aliases = json.loads((cache / ALIASES).read_text(encoding="utf-8"))
    nmslib = generation.nmslib
    ann = nmslib.init(
        method="hnsw", space="cosinesimil_sparse", data_type=nmslib.DataType.SPARSE_VECTOR
    )
    ann.addDataPointBatch(sparse.load_npz(cache / VECTORS))
    ann.loadIndex(str(cache / INDEX))
    return generation.CandidateGenerator(
        ann_index=ann, tfidf_vectorizer=vectorizer, ann_concept_aliases_list=aliases, kb=kb
    )


def measure(generator: Any, breadth: int, job: dict[str, Any]) -> dict[str, Any]:
    """Speed and rankings at one efSearch."""
    generator.ann_index.setQueryTimeParams({"efSearch": breadth})
    mentions: Mentions = job["mentions"]
    top, rounds = int(job["top"]), int(job["rounds"])
    together = [mention for document in mentions for mention in document]

    def one_document_at_a_time() -> None:
        for document in mentions:
            generator(document, top)

    generator(together[:WARM_UP], top)
    return {
        "breadth": breadth,
        "by_document": round(len(together) / median(one_document_at_a_time, rounds), 1),
        "at_once": round(len(together) / median(lambda: generator(together, top), rounds), 1),
        "rounds": rounds,
        "rankings": [rank(found) for found in generator(together, top)],
    }


def median(work: Callable[[], object], rounds: int) -> float:
    def seconds() -> Iterator[float]:
        for _ in range(rounds):
            began = time.perf_counter()
            work()
            yield time.perf_counter() - began

    return statistics.median(seconds())


def rank(candidates: Any) -> Ranking:
    """By the similarity of an entity's best name, as scispaCy's linker orders them."""
    scored = [(c.concept_id, float(max(c.similarities))) for c in candidates]
    return sorted(scored, key=lambda pair: -pair[1])


def memory() -> dict[str, float]:
    """In 10^6 bytes. Linux only: elsewhere there is none."""
    status = Path("/proc/self/status")
    if not status.exists():
        return {}
    text = status.read_text(encoding="ascii")
    return {
        name: round(int(re.findall(rf"{key}:\s+(\d+)", text)[0]) * 1024 / 1e6, 1)
        for name, key in (("resident_megabytes", "VmRSS"), ("peak_megabytes", "VmHWM"))
    }


if __name__ == "__main__":
    main()
