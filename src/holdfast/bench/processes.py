"""Measuring in processes of their own, with so many threads, in several rounds.

A process that measures one thing has that thing's memory and nothing else's, and learned nothing
from what was measured before it. It gets a job and gives an answer, both JSON files.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from holdfast.errors import HoldfastError, UsageError

ROUNDS: Final = 5
PATIENCE: Final = 150.0  # seconds that the rounds of one measurement may take together
_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_MORE_THREADS: Final = ("RAYON_NUM_THREADS",)  # of the tokenizers
_STATUS: Final = Path("/proc/self/status")


@dataclass(frozen=True, slots=True)
class Rounds:
    """What several rounds took."""

    seconds: float  # the median
    rounds: int  # fewer than ROUNDS where they take long


def repeat(run: Callable[[], float], *, rounds: int = ROUNDS, patience: float = PATIENCE) -> Rounds:
    """Call `run`, which returns its own seconds, so often; it may prepare itself unmeasured.

    No round begins after `patience` seconds of measured time, but there is always one.
    """
    taken = [run()]
    while len(taken) < rounds and sum(taken) < patience:
        taken.append(run())
    return Rounds(statistics.median(taken), len(taken))


def seconds_of(work: Callable[[], object]) -> float:
    """How long the work takes, once."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


@dataclass(frozen=True, slots=True)
class Memory:
    """This process's memory, in megabytes of 10^6 bytes.

    `private` leaves out the mapped files, whose pages all processes share and the system may drop.
    """

    resident: float
    private: float
    peak: float  # the most that was ever resident


def read_memory() -> Memory:
    """Of this process, now. Where the system tells only the peak, all three are the peak."""
    if not _STATUS.exists():
        unit = 1 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
        return Memory(round(peak, 1), round(peak, 1), round(peak, 1))
    lines = (line.split() for line in _STATUS.read_text(encoding="ascii").splitlines())
    found = {words[0]: words[1] for words in lines if len(words) > 1}
    now, own, most = (int(found[key]) * 1024 / 1e6 for key in ("VmRSS:", "RssAnon:", "VmHWM:"))
    return Memory(round(now, 1), round(own, 1), round(most, 1))


def megabytes_in(folder: Path) -> float:
    """Of all files below a folder, in 10^6 bytes."""
    return round(sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 1e6, 3)


@contextmanager
def confined(threads: int) -> Iterator[None]:
    """This process and those it starts run on so many cores, whatever threads they make."""
    if threads < 1:
        raise UsageError(f"{threads} threads: there must be at least one")
    if not hasattr(os, "sched_setaffinity"):  # not on macOS and Windows
        yield
        return
    cores = os.sched_getaffinity(0)
    if threads > len(cores):
        raise UsageError(f"{threads} threads: this machine has {len(cores)} cores to run on")
    os.sched_setaffinity(0, sorted(cores)[:threads])
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def environment_of(threads: int, **extra: str) -> dict[str, str]:
    """This process's environment, where numeric libraries read how many threads to use."""
    wanted = dict.fromkeys((*_THREADS, *_MORE_THREADS), str(threads))
    return {**os.environ, **wanted, **extra}


def run_job(
    program: Sequence[str | Path],
    job: Mapping[str, Any],
    *,
    scratch: Path,
    threads: int,
    **environment: str,
) -> dict[str, Any]:
    """Run `program JOB ANSWER` to its end, with the job written to a file; return its answer.

    A program that fails, or cannot be started, is a HoldfastError with the last line it printed.
    """
    asked, answered = scratch / "job.json", scratch / "answer.json"
    asked.write_text(json.dumps(job), encoding="utf-8")
    answered.unlink(missing_ok=True)
    try:
        subprocess.run(
            [*program, asked, answered],
            check=True,
            capture_output=True,
            text=True,
            errors="replace",
            env=environment_of(threads, **environment),
        )
        answer: dict[str, Any] = json.loads(answered.read_text(encoding="utf-8"))
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip().splitlines() or [f"exit code {error.returncode}"]
        name = " ".join(map(str, program))
        raise HoldfastError(f"{name}: failed ({said[-1]}); run it by hand to see more") from error
    except OSError as error:
        raise UsageError(f"{program[0]}: cannot be run ({error.strerror})") from error
    return answer


def serve_job(work: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
    """The other side of `run_job`, in the process that measures: the job in, the answer out."""
    asked, answered = map(Path, sys.argv[1:])
    answer = work(json.loads(asked.read_text(encoding="utf-8")))
    answered.write_text(json.dumps(answer), encoding="utf-8")
