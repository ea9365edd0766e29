"""The engine of a Ray cluster: Ray Data hands tasks to a pool of actors, one core each.

Ray distributes and restarts; what is done is known from the job's own files. An actor that dies is
restarted by Ray, elsewhere if need be, and its tasks are done again, but for the shards that are
done. If Ray gives up all the same, what is missing is handed out anew.
"""

from __future__ import annotations

import logging
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from holdfast.batch.engines.local import ONE_THREAD
from holdfast.batch.engines.tasks import Annotate, Answer, Failed, Measure, Task, answer
from holdfast.batch.places import open_place
from holdfast.batch.state import Finished, finished_shard
from holdfast.batch.work import BatchJob, Worker
from holdfast.errors import HoldfastError

_ROUNDS: Final = 3  # without an answer, after which Ray is not asked again
_BLOCKS_PER_WORKER: Final = 8  # at least, so that no actor waits for another at the end
_LARGEST_BLOCK: Final = 16  # tasks: consecutive shards of a file are read in one pass


class RayEngine:
    """Tasks in the actors of a cluster; Ray is started on this machine if there is no address."""

    def __init__(self, job: BatchJob, *, workers: int | None, address: str | None) -> None:
        import ray

        self._ray: Any = ray
        self._job = job
        self._wanted = workers
        self._address = address
        self._has_started = False
        self.deaths = 0
        self.workers = workers or 1

    def __enter__(self) -> RayEngine:
        if not self._ray.is_initialized():
            self._start()
        self.workers = self._wanted or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        return self

    def __exit__(self, *_: object) -> None:
        if self._has_started:
            self._ray.shutdown()

    def run(self, tasks: Sequence[Task], on_linked: Callable[[int], None]) -> Iterator[Answer]:
        """Answers as they come. The first failure is raised."""
        left = {_name(task): task for task in tasks}
        idle = 0
        while left:
            before, failure = len(left), None
            try:
                for found in self._round(list(left.values())):
                    if isinstance(found, Failed):
                        raise found.error()
                    if left.pop(_name(found), None) is None:
                        continue
                    if isinstance(found, Finished):
                        on_linked(found.tally.documents)
                    yield found
            except self._ray.exceptions.RayError as error:
                self.deaths += 1
                failure = error
            idle = idle + 1 if len(left) == before else 0
            if idle == _ROUNDS:
                reason = " ".join(str(failure or "it gave no answers").split())[:200]
                raise HoldfastError(
                    f"Ray failed {_ROUNDS} times without doing anything ({reason}); mend it "
                    "and give --resume"
                ) from failure

    def _round(self, tasks: Sequence[Task]) -> Iterator[Answer | Failed]:
        """Hand the tasks out once."""
        size = min(_LARGEST_BLOCK, max(1, len(tasks) // (_BLOCKS_PER_WORKER * self.workers)))
        rows = [{"task": pickle.dumps(task)} for task in tasks]
        blocks = -(-len(rows) // size)
        data = self._ray.data.from_items(rows, override_num_blocks=blocks)
        if all(isinstance(task, Measure) for task in tasks):  # nothing to load, so no actors
            answered = data.map_batches(
                _answered, fn_args=(pickle.dumps(self._job),), batch_size=1, num_cpus=1
            )
        else:
            answered = self._by_actors(data, blocks)
        for row in answered.iter_rows():
            found: Answer | Failed = pickle.loads(row["answer"])
            yield found

    def _by_actors(self, data: Any, blocks: int) -> Any:
        """The dataset of answers, made by a pool of actors."""
        return data.map_batches(
            _Actor,
            fn_constructor_args=(pickle.dumps(self._job),),
            batch_size=1,
            # A pool of a fixed size would wait for a machine that is gone for good.
            compute=self._ray.data.ActorPoolStrategy(
                min_size=1,
                max_size=min(self.workers, blocks),
                initial_size=min(self.workers, blocks),
                max_tasks_in_flight_per_actor=1,
            ),
            num_cpus=1,
            # An actor that died with its machine is made anew wherever there is room.
            max_restarts=-1,
            max_task_retries=-1,
            runtime_env={"env_vars": ONE_THREAD},
        )

    def _start(self) -> None:
        """Quietly: the progress of the job is told by the job. A busy machine may start slowly."""
        os.environ.setdefault("RAY_DATA_DISABLE_PROGRESS_BARS", "1")
        os.environ.setdefault("RAY_raylet_start_wait_time_s", "300")
        try:
            self._ray.init(
                address=self._address,
                num_cpus=None if self._address else self._wanted,
                include_dashboard=None if self._address else False,
                log_to_driver=False,
                logging_level=logging.ERROR,
                runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}}
                if self._address is None
                else None,
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            reason = " ".join(str(error).split())[:200]
            where = self._address or "this machine"
            raise HoldfastError(f"Ray cannot be reached or started at {where}: {reason}") from error
        self._has_started = True
        data: Any = self._ray.data
        data.DataContext.get_current().enable_progress_bars = False


def _answered(batch: dict[str, Any], job: bytes) -> dict[str, list[bytes]]:
    """The answers to tasks that need no pipeline."""
    return _Actor(job)(batch)


class _Actor:
    """A worker in a process of Ray's. Its networks are opened in it, by the first shard."""

    def __init__(self, job: bytes) -> None:
        self._job: BatchJob = pickle.loads(job)
        self._worker = Worker(self._job)
        self._place = open_place(self._job.out)

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[bytes]]:
        # The columns are views that cannot be written to: what is made of them is new.
        answers = [self._answer(pickle.loads(bytes(task))) for task in batch["task"]]
        return {"answer": [pickle.dumps(found) for found in answers]}

    def _answer(self, task: Task) -> Answer | Failed:
        """What is done is not done again after a death. No error leaves the actor: Ray would not
        try again, and end the job without saying which shard it was."""
        if isinstance(task, Annotate):
            done = finished_shard(self._place, task.shard)
            if done is not None:
                return done
        return answer(task, self._worker, strict=self._job.strict, on_linked=_ignored)


def _ignored(_documents: int) -> None:
    """Ray has no way back but the answer."""


def _name(item: Task | Answer) -> str:
    """The same for a task and for its answer."""
    if isinstance(item, Finished):
        return item.name
    return item.shard.name if isinstance(item, Annotate) else f"source {item.source.number}"
