"""A worker process: it takes tasks from its pipe, one batch after the other, and answers them.

It ends when the pipe does, so that no worker outlives a service that was killed.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from holdfast.errors import HoldfastError
from holdfast.server.security.offline import refuse_connections
from holdfast.server.settings import Settings

if TYPE_CHECKING:
    from holdfast.server.workers.engine import WorkerEngine
    from holdfast.server.workers.tasks import Task

_LOG: Final = logging.getLogger("holdfast.server")
READY: Final = "ready"
FAILED: Final = "failed"


def run_worker(connection: Connection, settings: Settings) -> None:
    """Load everything, say so, and answer tasks until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group of processes
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if settings.offline:
        refuse_connections()
    # Networks and indexes are loaded here alone: the process that speaks HTTP stays small.
    from holdfast.server.workers.engine import open_engine

    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        try:
            engine = open_engine(settings, threads=1)
        except HoldfastError as error:
            _send(connection, {FAILED: str(error)})
            return
        _send(connection, {READY: os.getpid()})
        while True:
            tasks = json.loads(connection.recv_bytes())
            _send(connection, [_answer(engine, task) for task in tasks])


def _send(connection: Connection, value: Any) -> None:
    connection.send_bytes(json.dumps(value).encode())


def _answer(engine: WorkerEngine, task: Task) -> dict[str, Any]:
    try:
        return engine.run(task)
    except Exception as error:
        _LOG.error("a task failed: %s", where(error))
        return {"failure": {"code": "internal", "message": "the text could not be linked"}}


def where(error: BaseException) -> str:
    """The type of an exception and the lines that it came through, without its message.

    Messages of exceptions may quote what a request holds.
    """
    frames = traceback.extract_tb(error.__traceback__)
    lines = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
    return f"{type(error).__name__} at {lines}"
