"""How the linker grows with the number of names: what `holdfast bench growth` measures.

Knowledge bases are made for it, most names of the large ones are synthetic. Nothing is asserted.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from holdfast import types
from holdfast.bench.gold_documents import load_gold, write_bare
from holdfast.bench.linking_speed import LinkingJob, LinkingSpeed, measure_linking, open_linker
from holdfast.bench.processes import (
    confined,
    megabytes_in,
    read_memory,
    run_job,
    seconds_of,
    serve_job,
)
from holdfast.errors import UsageError
from holdfast.kb.build import Source, build_kb
from holdfast.kb.records import Entry
from holdfast.kb.store import KnowledgeBase
from holdfast.progress import Progress

PROGRAM: Final = (sys.executable, "-m", "holdfast.bench.growth")
NAMES_EACH: Final = 4  # names of an entity
_DISEASES: Final = 10  # one entity in so many is a disease, the others are chemicals, as in MeSH
_SEED: Final = 13


@dataclass(frozen=True, slots=True)
class GrowthPlan:
    """What to measure."""

    data: Path  # holds the corpora whose mentions are linked
    kb: KnowledgeBase  # whose names come first; others are made from them
    sizes: Sequence[int]  # numbers of names, ascending
    threads: int = 2


@dataclass(frozen=True, slots=True)
class Growth:
    """The linker over a knowledge base of one size."""

    build_seconds: float  # the knowledge base and all indexes, once
    build_peak_megabytes: float
    speed: LinkingSpeed

    def to_json(self) -> dict[str, Any]:
        """Flat: what building took, then the figures of linking."""
        built = {
            "build_seconds": self.build_seconds,
            "build_peak_megabytes": self.build_peak_megabytes,
        }
        return built | asdict(self.speed)


def bench_growth(plan: GrowthPlan, *, progress: Progress) -> dict[str, Any]:
    """A point per size, as results/bench-growth.json holds them."""
    real = [name for name in plan.kb.all_names() if name.strip()]
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder, confined(plan.threads):
        documents = Path(folder) / "documents.jsonl"
        write_bare((item.document for item in load_gold(plan.data)), documents)
        points = measure_growth(
            real, documents, sizes=plan.sizes, threads=plan.threads, progress=progress
        )
        return {
            "benchmark": "growth",
            "kb": plan.kb.name,
            "threads": plan.threads,
            "points": [point.to_json() for point in points],
        }


def parse_sizes(text: str) -> tuple[int, ...]:
    """Numbers joined by commas, "10000,1000000"; ascending, each once."""
    try:
        sizes = sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise UsageError(f"{text!r}: sizes are whole numbers joined by commas") from None
    if sizes[0] < 1:
        raise UsageError(f"{sizes[0]} names: a size must be at least 1")
    return tuple(sizes)


def measure_growth(
    real: Sequence[str],
    documents: Path,
    *,
    sizes: Sequence[int],
    threads: int,
    progress: Progress,
) -> Iterator[Growth]:
    """A point per size, of names made from the `real` ones. Everything that is built is removed.

    `documents`: as in LinkingJob.
    """
    for done, size in enumerate(sizes):
        progress(f"{size:,} names", done / len(sizes))
        with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
            scratch = Path(folder)
            home = scratch / "home"  # a linker may keep its indexes there
            names = scratch / "names.txt"
            _write_names(synthetic_names(real, size, seed=_SEED), names)
            job = LinkingJob(home / "kb" / "growth", documents, threads=threads)
            asked = job.to_json() | {"names": str(names)}
            built = run_job(
                PROGRAM, asked, scratch=scratch, threads=threads, HOLDFAST_HOME=str(home)
            )
            linked = measure_linking(job, scratch=scratch, HOLDFAST_HOME=str(home))
            yield Growth(**built, speed=replace(linked.speed, disk_megabytes=megabytes_in(home)))


def synthetic_names(real: Sequence[str], size: int, *, seed: int) -> Iterator[str]:
    """Exactly so many names: real ones in random order, then variants of them.

    A variant has a word of another name in place of one of its own, or besides, and now and then
    a wrong letter, so that it shares most of its words and trigrams with real names. White space
    is one space; `real` must hold a name, and no blank one.
    """
    draw = random.Random(seed)
    order = draw.sample(range(len(real)), len(real))
    yield from (" ".join(real[i].split()) for i in order[:size])
    if size > len(real):
        words = [word for i in order for word in real[i].split()]
        for _ in range(size - len(real)):
            yield _variant(real[order[int(draw.random() * len(order))]], words, draw)


def _variant(name: str, words: Sequence[str], draw: random.Random) -> str:
    parts = name.split()
    place = int(draw.random() * len(parts))
    other = words[int(draw.random() * len(words))]
    if draw.random() < 0.5 and len(parts) > 1:
        parts[place] = other
    else:
        parts.insert(place, other)
    if draw.random() < 0.2:
        parts[-1] = _mistyped(parts[-1], draw)
    return " ".join(parts)


def _mistyped(word: str, draw: random.Random) -> str:
    """One letter doubled."""
    place = int(draw.random() * len(word))
    return word[:place] + word[place] + word[place:]


def _write_names(names: Iterable[str], path: Path) -> None:
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{name}\n" for name in names)


def _read_entries(path: Path) -> Iterator[Entry]:
    """Each few lines are the names of an entity."""
    with path.open(encoding="utf-8", newline="\n") as stream:
        number = 0
        while names := [line.removesuffix("\n") for line in islice(stream, NAMES_EACH)]:
            type = types.CHEMICAL if number % _DISEASES else types.DISEASE
            yield Entry(f"X:{number}", names[0], synonyms=tuple(names[1:]), types=(type,))
            number += 1


def _build(data: dict[str, Any]) -> dict[str, Any]:
    """In the process that builds: a LinkingJob, with the file of `names`."""
    job = LinkingJob.from_json(data)

    def build() -> None:
        parts = [(Source("synthetic"), _read_entries(Path(data["names"])))]
        build_kb(job.kb, name="growth", parts=parts)
        # What a linker needs besides is made when it is opened for the first time.
        open_linker(KnowledgeBase(job.kb))

    seconds = seconds_of(build)
    return {"build_seconds": round(seconds, 3), "build_peak_megabytes": read_memory().peak}


if __name__ == "__main__":
    serve_job(_build)
