"""The engine of this machine: spawned processes, one thread each.

They share the pages of the memory-mapped knowledge base and indexes. A process that dies is
replaced, and its task is done again; `holdfast.batch.state.Attempts` ends that.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from holdfast.batch.engines.tasks import Answer, Failed, Task, answer
from holdfast.batch.state import Finished
from holdfast.batch.work import BatchJob, Worker
from holdfast.errors import HoldfastError

ONE_THREAD: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
"""The environment of a worker."""

_BETWEEN_NEWS: Final = 0.5  # seconds
_MOST_DEATHS: Final = 20  # at one task: more than a shard is allowed, for what is not in a shard


class LocalEngine:
    """So many workers, started when there is something for them to do."""

    def __init__(self, job: BatchJob, *, workers: int) -> None:
        self._job = job
        self.workers = workers
        self._processes = list[_Process]()
        self.deaths = 0

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._processes:
            worker.stop()

    def run(self, tasks: Sequence[Task], on_linked: Callable[[int], None]) -> Iterator[Answer]:
        """Answers as they come. The first failure is raised, and no task is begun after it."""
        waiting = _Waiting(tasks)
        died = dict[Task, int]()
        while waiting or any(worker.task for worker in self._processes):
            self._give(waiting)
            busy = [worker for worker in self._processes if worker.task]
            wait([handle for worker in busy for handle in worker.handles])
            for worker in busy:
                if news := worker.news(on_linked):
                    if isinstance(news, Failed):
                        raise news.error()
                    yield news
                elif not worker.is_alive:
                    self._replace_dead(worker, waiting, died)

    def _give(self, waiting: _Waiting) -> None:
        """Tasks to those who have none, and as many workers as there are tasks for."""
        idle = [worker for worker in self._processes if not worker.task]
        while waiting and (idle or len(self._processes) < self.workers):
            if not idle:
                idle = [_Process.start(self._job)]
                self._processes += idle
            idle.pop().give(waiting)

    def _replace_dead(self, worker: _Process, waiting: _Waiting, died: dict[Task, int]) -> None:
        task = worker.task
        assert task is not None
        worker.stop()
        self._processes.remove(worker)
        self.deaths += 1
        died[task] = died.get(task, 0) + 1
        if died[task] > _MOST_DEATHS:
            raise HoldfastError(
                f"{task.about}: the process died {died[task]} times ({worker.ending}); is there "
                "enough memory? --resume goes on with it"
            )
        waiting.put_back(task)


class _Waiting:
    """Tasks by source. Who works at a source goes on there: its file is read in one pass."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = dict[int, deque[Task]]()
        for task in tasks:
            self._tasks.setdefault(task.source_number, deque()).append(task)
        self._taken = set[int]()  # sources that somebody works at

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def take(self, last: int | None) -> Task:
        """The next task of the last source; else of one that nobody began; else of the fullest."""
        number = last if last in self._tasks else None
        if number is None:
            number = next((one for one in self._tasks if one not in self._taken), None)
        if number is None:
            number = max(self._tasks, key=lambda one: len(self._tasks[one]))
        self._taken.add(number)
        task = self._tasks[number].popleft()
        if not self._tasks[number]:
            del self._tasks[number]
        return task

    def put_back(self, task: Task) -> None:
        self._tasks.setdefault(task.source_number, deque()).appendleft(task)


@dataclass(slots=True)
class _Process:
    """A worker seen from the process that gives it tasks."""

    process: Any  # multiprocessing.Process of the spawn context
    connection: Connection
    task: Task | None = None
    _source: int | None = None  # of the last task
    _reported: int = field(default=0)  # documents of this task that were counted

    @classmethod
    def start(cls, job: BatchJob) -> _Process:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(job, theirs), daemon=True)
        # Numeric libraries read the environment when they are imported.
        with _environment(ONE_THREAD), _ignore_interrupts():
            process.start()
        theirs.close()
        return cls(process, ours)

    def give(self, waiting: _Waiting) -> None:
        self.task = waiting.take(self._source)
        self._source, self._reported = self.task.source_number, 0
        with suppress(OSError):  # it died while it was idle: its sentinel tells
            self.connection.send(self.task)

    @property
    def handles(self) -> tuple[Any, ...]:
        return self.connection, self.process.sentinel

    @property
    def is_alive(self) -> bool:
        return bool(self.process.is_alive())

    @property
    def ending(self) -> str:
        code = self.process.exitcode or 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def news(self, on_linked: Callable[[int], None]) -> Answer | Failed | None:
        """What the worker answered; None if it has not yet. Progress is passed on."""
        try:
            while self.connection.poll():
                message = self.connection.recv()
                linked = message
                if isinstance(message, Finished):
                    linked = message.tally.documents
                if isinstance(linked, int):
                    on_linked(linked - self._reported)
                    self._reported = linked
                if not isinstance(message, int):
                    self.task = None
                    return message  # type: ignore[no-any-return]
        except (EOFError, OSError):
            self.process.join()
        if not self.is_alive:
            on_linked(-self._reported)
            self._reported = 0
        return None

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(job: BatchJob, connection: Connection) -> None:
    """A worker: a task in, news of it and the answer out, until there is nobody to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it could not be blocked from the start
    threading.Thread(target=_end_with_parent, daemon=True).start()
    worker = Worker(job)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            task = connection.recv()
            connection.send(
                answer(task, worker, strict=job.strict, on_linked=_now_and_then(connection))
            )


def _end_with_parent() -> None:
    """What nobody asked for any more must not be written."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _now_and_then(connection: Connection) -> Callable[[int], None]:
    """Sends the number of linked documents, not more often than somebody looks."""
    sent = time.monotonic()

    def on_linked(documents: int) -> None:
        nonlocal sent
        now = time.monotonic()
        if now - sent >= _BETWEEN_NEWS:
            sent = now
            connection.send(documents)

    return on_linked


@contextmanager
def _ignore_interrupts() -> Iterator[None]:
    """Processes that are started within the block never see Ctrl-C: who started them ends them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    # The first spawn would start the tracker, which ends with SIGINT unblocked whatever it was.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """The environment of processes that are started within the block."""
    before = {key: os.environ.get(key) for key in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value
