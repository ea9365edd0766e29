"""The service as its clients meet it: a process that is started, asked over HTTP, and stopped."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from command import environment

_SECONDS = 120  # after which a service that does not start has failed
_LISTENING = re.compile(r"listening on https?://\S*:(\d+)$")


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]  # by lower case
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """Of an error, whose shape is checked."""
        (error,) = self.json.values()
        assert set(error) == {"code", "message", "details"}, error
        return str(error["code"])


@dataclass
class Server:
    """A running `holdfast serve`."""

    process: subprocess.Popen[str]
    port: int
    log: list[str] = field(default_factory=list)

    def ask(
        self,
        path: str,
        body: object = None,
        *,
        method: str | None = None,
        headers: Mapping[str, str] | None = None,
        token: str | None = None,
    ) -> Answer:
        """Ask; a body that is no bytes is sent as JSON."""
        sent = dict(headers or {})
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_SECONDS)
        try:
            chosen = method or ("GET" if body is None else "POST")
            connection.request(chosen, path, body, sent)
            answer = connection.getresponse()
            found = {name.casefold(): value for name, value in answer.getheaders()}
            return Answer(answer.status, found, answer.read())
        finally:
            connection.close()

    def is_ready(self, token: str | None = None) -> bool:
        assert self.process.poll() is None, "".join(self.log)
        return self.ask("/readyz", token=token).status == 200

    def stop(self) -> int:
        """Tell it to stop, as a system does, and wait."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(_SECONDS)


@contextmanager
def serving(*arguments: str | Path, home: Path, token: str | None = None) -> Iterator[Server]:
    """A service that is ready. `token` is what readiness is asked with, where it needs one."""
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", "serve", "--port", "0", *map(str, arguments)],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(HOLDFAST_HOME=str(home)),
    )
    server = Server(process, 0)
    listening = threading.Event()

    def read() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            server.log.append(line)
            if found := _LISTENING.search(line.rstrip()):
                server.port = int(found[1])
                listening.set()
        listening.set()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        assert listening.wait(_SECONDS)
        assert server.port, "".join(server.log)
        wait_until(lambda: server.is_ready(token))
        yield server
    finally:
        process.terminate()
        process.wait(_SECONDS)
        reader.join(_SECONDS)
        assert process.stderr is not None
        process.stderr.close()


def wait_until(is_so: Any) -> None:
    """Ask again and again until it is so."""
    deadline = time.monotonic() + _SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "it took too long"
        threading.Event().wait(0.05)


async def ask_app(
    app: Any,
    path: str,
    body: bytes | list[bytes] = b"",
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Ask an application in this process, whose workers need not run. A list is sent in chunks."""
    place, _, query = path.partition("?")
    sent = {"host": "linker.test", **{k.casefold(): v for k, v in (headers or {}).items()}}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": place,
        "raw_path": place.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(k.encode(), v.encode()) for k, v in sent.items()],
        "client": ("192.0.2.7", 4711),
        "server": ("linker.test", 80),
    }
    chunks = [body] if isinstance(body, bytes) else list(body)
    answered: list[Any] = []

    async def receive() -> Any:
        if not chunks:
            await asyncio.Event().wait()
        chunk = chunks.pop(0)
        return {"type": "http.request", "body": chunk, "more_body": bool(chunks)}

    async def send(message: Any) -> None:
        answered.append(message)

    await app(scope, receive, send)
    start, *rest = answered
    found = {k.decode().casefold(): v.decode() for k, v in start["headers"]}
    return Answer(start["status"], found, b"".join(part.get("body", b"") for part in rest))
