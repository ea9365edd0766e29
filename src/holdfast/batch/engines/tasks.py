"""What every engine does, and what its workers are asked and answer."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from holdfast.artifacts import why_not_written
from holdfast.batch.inputs import InputSource
from holdfast.batch.plan import MeasuredSource, Shard, measure
from holdfast.batch.state import Finished
from holdfast.batch.work import OnLinked, Worker
from holdfast.errors import HoldfastError, UsageError


@dataclass(frozen=True, slots=True)
class Measure:
    """Read a source once: its digest and, unless they are known, the number of its records."""

    source: InputSource
    records: int | None = None

    @property
    def source_number(self) -> int:
        return self.source.number

    @property
    def about(self) -> str:
        return f"reading {self.source.name}"


@dataclass(frozen=True, slots=True)
class Annotate:
    """Link a shard and write it."""

    shard: Shard

    @property
    def source_number(self) -> int:
        return self.shard.source.number

    @property
    def about(self) -> str:
        return f"linking shard {self.shard.name}"


Task = Measure | Annotate
Answer = MeasuredSource | Finished


@dataclass(frozen=True, slots=True)
class Failed:
    """A task that ended in an error, which no other attempt would mend."""

    message: str
    is_wrong_use: bool = False
    trace: str = ""  # of an error that nobody expected

    def error(self) -> HoldfastError:
        """To be raised where the job is run."""
        kind = UsageError if self.is_wrong_use else HoldfastError
        error = kind(self.message)
        if self.trace:
            error.__cause__ = RuntimeError(self.trace)
        return error


class Engine(Protocol):
    """Runs tasks in workers. Answers come in any order; the first failure is raised."""

    deaths: int  # of workers, so far; for the report
    workers: int

    def run(self, tasks: Sequence[Task], on_linked: Callable[[int], None]) -> Iterator[Answer]:
        """`on_linked` is called with the number of documents linked since its last call."""


def answer(task: Task, worker: Worker, *, strict: bool, on_linked: OnLinked) -> Answer | Failed:
    """Do a task in this process; an error becomes a value that every engine can send."""
    try:
        if isinstance(task, Measure):
            return measure(task.source, strict=strict, records=task.records)
        return worker.annotate(task.shard, on_linked)
    except HoldfastError as error:
        return Failed(str(error), is_wrong_use=isinstance(error, UsageError))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return Failed(f"{task.about}: {place}{why_not_written(error)}; mend it and give --resume")
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return Failed(f"{task.about}: {reason}; --resume goes on", trace=traceback.format_exc())
