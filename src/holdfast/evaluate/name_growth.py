"""How the linker grows with the number of names: 10,000 to 10 million, many of them synthetic."""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from holdfast import types
from holdfast.evaluate.linking_speed import LinkingJob, LinkingSpeed, measure_linking, open_linker
from holdfast.evaluate.processes import megabytes_in, read_memory, run_job, seconds_of, serve_job
from holdfast.kb.build import Progress, Source, build_kb
from holdfast.kb.records import Entry
from holdfast.kb.store import KnowledgeBase

SIZES: Final = (10_000, 100_000, 1_000_000, 10_000_000)
PROGRAM: Final = (sys.executable, "-m", "holdfast.evaluate.name_growth")
NAMES_EACH: Final = 4  # names of an entity
_DISEASES: Final = 10  # one entity in so many is a disease, the others are chemicals, as in MeSH
_SEED: Final = 13


@dataclass(frozen=True, slots=True)
class Growth:
    """The linker over a knowledge base of one size."""

    build_seconds: float  # the knowledge base and all indexes, once
    build_peak_megabytes: float
    speed: LinkingSpeed


def measure_growth(
    real: Sequence[str],
    documents: Path,
    *,
    sizes: Sequence[int],
    model: Path | None,
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
            job = LinkingJob(home / "kb" / "growth", documents, model=model, threads=threads)
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
        open_linker(KnowledgeBase(job.kb), model=job.model, threads=job.threads)

    seconds = seconds_of(build)
    return {"build_seconds": round(seconds, 3), "build_peak_megabytes": read_memory().peak}


if __name__ == "__main__":
    serve_job(_build)
