"""Workers and the queue before them.

Each worker is a process with a thread here that feeds it. A worker that dies, or takes longer than
a request may, is replaced; only what it was working on is lost, and answered with an error.
"""

from __future__ import annotations

import json
import logging
import math
import multiprocessing
import os
import threading
import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final

from holdfast.blocks import cores
from holdfast.server.failures import Failure
from holdfast.server.settings import Settings
from holdfast.server.workers.worker import FAILED, run_worker

_LOG: Final = logging.getLogger("holdfast.server")
_BATCH: Final = 4  # tasks that a worker takes at once, if they are short
_SHORT: Final = 5_000  # characters of them all
_START: Final = 600.0  # seconds in which a worker must be ready: it may have to encode names
_PATIENCE: Final = 5  # failed starts after which the service gives up
_POLL: Final = 0.2  # seconds

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class _Work:
    """A task that waits, and who waits for it."""

    task: Mapping[str, Any]
    deadline: float  # of time.monotonic
    size: int  # in characters
    future: Future[Answer] = field(default_factory=Future)


class Pool:
    """Runs tasks in worker processes. `submit` may be called from any thread."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._queue: deque[_Work] = deque()
        self._changed = threading.Condition()
        self.closing = threading.Event()
        self._workers = [_Worker(self, settings) for _ in range(settings.workers or cores())]

    def start(self) -> None:
        for worker in self._workers:
            worker.thread.start()

    def submit(self, task: Mapping[str, Any], *, size: int, seconds: float) -> Future[Answer]:
        """Queue a task of so many characters that must be answered in so many seconds.

        A Failure if the queue is full or the pool is closing.
        """
        work = _Work(task, time.monotonic() + seconds, size)
        with self._changed:
            if self.closing.is_set():
                raise Failure("stopping", "the service is stopping", retry_after=10)
            if len(self._queue) >= self._settings.limits.waiting:
                raise Failure("busy", "too much is waiting already; try again", retry_after=2)
            self._queue.append(work)
            self._changed.notify()
        return work.future

    def take(self) -> list[_Work]:
        """The next tasks, waiting for them; none if the pool is closed."""
        with self._changed:
            while True:
                batch = self._next_batch()
                if batch or self.closing.is_set():
                    return batch
                self._changed.wait()

    def _next_batch(self) -> list[_Work]:
        """Tasks from the head of the queue; those that nobody waits for any more are dropped."""
        batch = list[_Work]()
        share = math.ceil(len(self._queue) / len(self._workers))
        while self._queue and len(batch) < min(_BATCH, share):
            if batch and sum(w.size for w in (*batch, self._queue[0])) > _SHORT:
                break
            work = self._queue.popleft()
            if time.monotonic() > work.deadline:
                _fail([work], "busy", "the text waited too long for a worker", retry_after=5)
            elif work.future.set_running_or_notify_cancel():
                batch.append(work)
        return batch

    @property
    def waiting(self) -> int:
        return len(self._queue)

    @property
    def ready(self) -> int:
        """How many workers can take a task or are at one."""
        return sum(worker.is_ready for worker in self._workers)

    @property
    def size(self) -> int:
        return len(self._workers)

    @property
    def restarts(self) -> int:
        """How many workers were replaced."""
        return sum(worker.restarts for worker in self._workers)

    @property
    def processes(self) -> list[int]:
        """The process ids of the workers that run."""
        return [w.process.pid for w in self._workers if w.process is not None and w.process.pid]

    @property
    def problem(self) -> str:
        """Why workers cannot start; empty if they can."""
        return next((w.problem for w in self._workers if w.problem), "")

    def close(self, *, seconds: float) -> None:
        """Take nothing new, let what is queued be answered for so long, and end the workers."""
        deadline = time.monotonic() + seconds
        with self._changed:
            self.closing.set()
            self._changed.notify_all()
        for worker in self._workers:
            worker.thread.join(max(0.0, deadline - time.monotonic()))
        for worker in self._workers:
            worker.kill()
            worker.thread.join()
        _fail([*self._queue], "stopping", "the service has stopped", retry_after=10)


class _Worker:
    """One process, its pipe, and the thread that feeds it."""

    def __init__(self, pool: Pool, settings: Settings) -> None:
        self._pool = pool
        self._settings = settings
        self.thread = threading.Thread(target=self._run, name="holdfast-worker", daemon=True)
        self.process: Any = None  # of multiprocessing's spawn context
        self._connection: Any = None
        self.is_ready = False
        self.restarts = 0
        self.problem = ""

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()

    def _run(self) -> None:
        failed = 0
        while not self._pool.closing.is_set():
            if not self._start():
                failed += 1
                if failed >= _PATIENCE:
                    self.problem = self.problem or "workers end as soon as they start"
                    _LOG.error("a worker cannot start: %s", self.problem)
                self._pool.closing.wait(min(30.0, 0.5 * 2**failed))
                continue
            failed, self.problem = 0, ""
            self._feed()
            self.is_ready = False
            self._connection.close()
            self.kill()
            if not self._pool.closing.is_set():
                self.restarts += 1
                code = self.process.exitcode
                _LOG.warning("a worker ended with code %s; another one starts", code)

    def _start(self) -> bool:
        """Start the process and wait until it has loaded everything."""
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        # Each worker has a core; libraries that start threads of their own would fight for it.
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
            os.environ.setdefault(name, "1")
        self.process = context.Process(
            target=run_worker, args=(theirs, self._settings), daemon=True
        )
        self.process.start()
        theirs.close()
        said = self._receive(time.monotonic() + _START, unless=self._pool.closing)
        if isinstance(said, dict) and FAILED in said:
            self.problem = str(said[FAILED])
        self.is_ready = isinstance(said, dict) and FAILED not in said
        if not self.is_ready:
            self._connection.close()
            self.kill()
        return self.is_ready

    def _feed(self) -> None:
        """Give the worker tasks until it fails or the pool is closed and empty."""
        while batch := self._pool.take():
            try:
                self._connection.send_bytes(json.dumps([dict(w.task) for w in batch]).encode())
                answers = self._receive(max(work.deadline for work in batch))
            except OSError:
                answers = None
            if answers is None:
                is_late = time.monotonic() > max(work.deadline for work in batch)
                if is_late:
                    _fail(batch, "too_slow", "linking took longer than is allowed")
                else:
                    _fail(batch, "worker_lost", "the worker died; try again")
                return
            for work, answer in zip(batch, answers, strict=True):
                work.future.set_result(answer)

    def _receive(self, deadline: float, *, unless: threading.Event | None = None) -> Any:
        """What the worker sends; None if it dies, the time is over or the event is set."""
        try:
            while time.monotonic() < deadline and not (unless and unless.is_set()):
                if self._connection.poll(_POLL):
                    return json.loads(self._connection.recv_bytes())
        except (EOFError, OSError):
            pass
        return None


def _fail(batch: list[_Work], code: str, message: str, *, retry_after: int = 1) -> None:
    for work in batch:
        if not work.future.done():
            work.future.set_exception(Failure(code, message, retry_after=retry_after))
