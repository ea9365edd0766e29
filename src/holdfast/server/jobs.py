"""Jobs: inputs that are too large to wait for, linked one job after the other.

A job lives in memory alone: nothing of it is written to a disk, and a service that stops forgets
its jobs. It can be seen by the token that brought it and by no other.
"""

from __future__ import annotations

import asyncio
import secrets
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from holdfast.document import Document
from holdfast.server.failures import Failure
from holdfast.server.service import Service
from holdfast.server.workers.tasks import PipelineChoice, TaskPiece, pieces

_AGAIN: Final = frozenset({"busy", "worker_lost", "starting"})  # failures that pass
_TRIES: Final = 5
_ALL: Final = 1_000_000_000  # bytes of documents and results of all jobs

WAITING, RUNNING, DONE, FAILED = "waiting", "running", "done", "failed"


@dataclass(slots=True)
class Job:
    """One input on its way. Times are those of the jobs' clock."""

    owner: str
    operation: str
    documents: Sequence[Document]
    choice: PipelineChoice
    format: str
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    status: str = WAITING
    failure: Failure | None = None
    ended: float | None = None
    total: int = 0
    results: list[bytes] = field(default_factory=list)  # each document's JSON, compressed

    def __post_init__(self) -> None:
        self.total = len(self.documents)

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""
        return sum(len(d.text) for d in self.documents) + sum(map(len, self.results))

    def linked(self) -> Iterator[str]:
        """The JSON of the documents that are done, in order."""
        return (zlib.decompress(result).decode() for result in self.results)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "status": self.status,
            "documents": self.total,
            "done": len(self.results),
            "format": self.format,
            "error": None if self.failure is None else self.failure.to_json()["error"],
        }


class Jobs:
    """The jobs of a service. All methods run in its event loop."""

    def __init__(self, service: Service, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._service = service
        self._clock = clock
        self._jobs: dict[str, Job] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._turn = asyncio.Lock()

    def add(self, job: Job) -> Job:
        """Queue a job; a Failure if its owner has too many, or all together are too large."""
        own = self.of(job.owner)
        if len(own) >= self._service.limits.jobs:
            message = f"a token may have {self._service.limits.jobs} jobs; delete one"
            raise Failure("too_many_jobs", message, retry_after=60)
        if sum(other.size for other in self._jobs.values()) + job.size > _ALL:
            raise Failure("too_many_jobs", "there are too many jobs; try later", retry_after=60)
        self._jobs[job.id] = job
        self._tasks[job.id] = asyncio.create_task(self._run(job))
        return job

    def of(self, owner: str) -> list[Job]:
        """The jobs of a token, oldest first; those that ended long ago are forgotten now."""
        self.forget_old()
        return [job for job in self._jobs.values() if job.owner == owner]

    def get(self, id: str, owner: str) -> Job:
        """A job of this token; a Failure if there is none, or it is another's."""
        job = next((job for job in self.of(owner) if job.id == id), None)
        if job is None:
            raise Failure("unknown_job", "this token has no such job")
        return job

    def delete(self, id: str, owner: str) -> None:
        """Stop a job and forget it."""
        self._forget(self.get(id, owner))

    def forget_old(self) -> None:
        limit = self._clock() - self._service.limits.kept
        for job in [*self._jobs.values()]:
            if job.ended is not None and job.ended <= limit:
                self._forget(job)

    def _forget(self, job: Job) -> None:
        del self._jobs[job.id]
        self._tasks.pop(job.id).cancel()

    async def sweep(self) -> None:
        """Forget old jobs for as long as the service runs, whether or not anybody asks."""
        while True:
            await asyncio.sleep(min(60.0, self._service.limits.kept))
            self.forget_old()

    async def _run(self, job: Job) -> None:
        async with self._turn:
            job.status = RUNNING
            try:
                for piece in pieces(job.operation, job.documents, job.choice):
                    for document in (await self._answer(piece))["documents"]:
                        job.results.append(zlib.compress(document.encode(), 1))
                job.status = DONE
            except Failure as failure:
                job.status, job.failure = FAILED, failure
            finally:
                job.documents, job.ended = (), self._clock()

    async def _answer(self, piece: TaskPiece) -> dict[str, Any]:
        """The answer to a piece of a job; what fails for want of a worker is tried again."""
        for wait in range(_TRIES):
            try:
                (answer,) = [answer async for answer in self._service.run_all([piece])]
            except Failure as failure:
                if failure.code not in _AGAIN:
                    raise
                await asyncio.sleep(2.0**wait)
            else:
                return answer
        raise Failure("worker_lost", "no worker could link this piece of the job")
