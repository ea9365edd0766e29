"""Builds a knowledge base of millions of synthetic names, to see that memory stays bounded.

    python benchmarks/kb_scale.py 5000000 results/bench-kb-scale.json

Names are three or four syllables in a row, so that they share trigrams as real ones do.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from holdfast.bench.processes import read_memory
from holdfast.experiments.results import circumstances, write_result
from holdfast.kb import Entry, KnowledgeBase, Source, build_kb

NAMES_EACH = 4
SYLLABLES = [a + b + c for a in "bcdfglmnprstvz" for b in "aeiou" for c in ("", "n", "r", "s", "x")]


def entries(names: int) -> Iterator[Entry]:
    random = np.random.default_rng(13)
    for number in range(names // NAMES_EACH):
        picks = random.integers(0, len(SYLLABLES), size=(NAMES_EACH, 7))
        lengths = random.integers(4, 8, size=NAMES_EACH)
        written = [
            "".join(SYLLABLES[i] for i in pick[:3]) + " " + "".join(SYLLABLES[i] for i in pick[3:n])
            for pick, n in zip(picks, lengths, strict=True)
        ]
        yield Entry(f"X:{number}", written[0], synonyms=tuple(written[1:]), types=("Disease",))


def main() -> None:
    names, output = int(sys.argv[1]), Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="holdfast-scale-") as scratch:
        folder = Path(scratch) / "kb"
        began = time.perf_counter()
        summary = build_kb(folder, name="scale", parts=[(Source("synthetic"), entries(names))])
        built = time.perf_counter() - began
        peak = read_memory().peak
        KnowledgeBase(folder)
        began = time.perf_counter()
        KnowledgeBase(folder)
        opened = time.perf_counter() - began
        size = sum(path.stat().st_size for path in folder.iterdir())
    measured = {
        "benchmark": "kb-scale",
        "names": summary.names,
        "entities": summary.entities,
        "build_seconds": round(built, 1),
        "peak_megabytes": round(peak),
        "open_milliseconds": round(1000 * opened, 1),
        "disk_megabytes": round(size / 1e6),
        **circumstances(),
    }
    write_result(measured, output.parent, output.stem)
    print(measured)


if __name__ == "__main__":
    main()
