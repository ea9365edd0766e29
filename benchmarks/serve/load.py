"""The service under load: throughput beside the library's own, times, memory, a killed worker.

    python benchmarks/serve/load.py --kb open --clients 32 --seconds 600 --results results

Texts come from `--texts FILE`, in any format that Holdfast reads; without it, an invented abstract
is varied. The library and the service are measured one after the other on the same texts. Run it
on an idle machine: the clients share its cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

from holdfast.corpora import read_documents
from holdfast.experiments.results import circumstances, write_result
from running import Service, running

SAMPLE = Path(__file__).parents[2] / "docs" / "sample_abstract.txt"
_WARM_UP = 5.0  # seconds
_PATIENCE = 300.0  # seconds in which a killed worker must be back
_ANNOUNCED = ("429", "503")  # statuses that say, with Retry-After, when to come again

_LIBRARY = """
import json, sys, time
import holdfast
texts, seconds = json.loads(sys.stdin.readline()), float(sys.argv[2])
pipeline = holdfast.load(sys.argv[1])
def endless():
    while time.perf_counter() < end:
        yield from texts
end = time.perf_counter() + min(5.0, seconds); list(pipeline.pipe(endless()))
start = time.perf_counter(); end = start + seconds
count = sum(1 for _ in pipeline.pipe(endless()))
print(count / (time.perf_counter() - start))
"""


@dataclass
class Load:
    """What the clients saw."""

    seconds: list[float] = field(default_factory=list)  # of answers with 200
    statuses: Counter[str] = field(default_factory=Counter)
    unannounced: int = 0  # errors other than 429 and 503 with Retry-After

    def summary(self, duration: float) -> dict[str, Any]:
        cuts = statistics.quantiles(self.seconds, n=100) if len(self.seconds) > 1 else [0.0] * 99
        return {
            "documents_per_second": round(len(self.seconds) / duration, 2),
            "p50_ms": round(1000 * cuts[49], 1),
            "p99_ms": round(1000 * cuts[98], 1),
            "answers": dict(self.statuses),
            "unannounced_errors": self.unannounced,
        }


async def client(port: int, texts: Any, end: float, load: Load) -> None:
    """One client: a connection that is kept, a request after the other.

    A connection that the service breaks off is an error, and another one is made.
    """
    while time.perf_counter() < end:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                while time.perf_counter() < end:
                    await _ask(reader, writer, port, next(texts), load)
            finally:
                writer.close()
        except (OSError, asyncio.IncompleteReadError):
            load.statuses["connection lost"] += 1
            load.unannounced += 1
            await asyncio.sleep(0.1)


async def _ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, text: str, load: Load
) -> None:
    """Annotate one text; whoever is told to come again later does."""
    body = json.dumps({"text": text}).encode()
    head = (
        f"POST /v1/annotate HTTP/1.1\r\nHost: localhost:{port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    start = time.perf_counter()
    writer.write(head.encode() + body)
    await writer.drain()
    status, headers, answer = await _answer(reader)
    if status == "200":
        load.seconds.append(time.perf_counter() - start)
        load.statuses[status] += 1
        return
    load.statuses[f"{status} {json.loads(answer)['error']['code']}"] += 1
    wait = headers.get("retry-after")
    if status in _ANNOUNCED and wait is not None:
        await asyncio.sleep(float(wait))
    else:
        load.unannounced += 1


async def _answer(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes]:
    """The status, the headers by lower case, and the body."""
    first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").splitlines()
    lines = (line.partition(":") for line in rest)
    headers = {name.casefold(): value.strip() for name, _, value in lines}
    body = await reader.readexactly(int(headers["content-length"]))
    return first.split()[1], headers, body


async def press(
    service: Service, texts: list[str], *, clients: int, seconds: float, also: Any = None
) -> Load:
    """So many clients for so long; `also` runs beside them."""
    load, end = Load(), time.perf_counter() + seconds
    turns = cycle(texts)
    work = [client(service.port, turns, end, load) for _ in range(clients)]
    await asyncio.gather(*work, *([also(end)] if also else []))
    return load


def measure(service: Service, texts: list[str], *, clients: int, seconds: float) -> dict[str, Any]:
    """Throughput, times and memory."""
    asyncio.run(press(service, texts, clients=clients, seconds=min(_WARM_UP, seconds)))
    memory = list[float]()

    async def watch(end: float) -> None:
        while time.perf_counter() < end:
            memory.append(await asyncio.to_thread(service.megabytes))
            await asyncio.sleep(max(0.5, seconds / 60))

    load = asyncio.run(press(service, texts, clients=clients, seconds=seconds, also=watch))
    half = len(memory) // 2
    return {
        **load.summary(seconds),
        "megabytes": [round(value) for value in memory],
        "megabytes_second_half_over_first": round(
            statistics.mean(memory[half:]) / statistics.mean(memory[: half or 1]), 4
        ),
    }


def kill(service: Service, texts: list[str], *, clients: int, seconds: float) -> dict[str, Any]:
    """Kill a worker under load; say what was lost, and how long it took to come back.

    `seconds_until_back` is None if it did not come back.
    """
    back: list[float] = []

    async def murder(_end: float) -> None:
        await asyncio.sleep(seconds / 4)
        before = service.metric("holdfast_worker_restarts")
        os.kill(service.workers()[0], signal.SIGKILL)
        start = time.perf_counter()
        while time.perf_counter() - start < _PATIENCE:
            if await asyncio.to_thread(_is_back, service, before):
                back.append(time.perf_counter() - start)
                return
            await asyncio.sleep(0.2)

    load = asyncio.run(press(service, texts, clients=clients, seconds=seconds, also=murder))
    return {
        "answers": dict(load.statuses),
        "unannounced_errors": load.unannounced,
        "lost_requests": load.statuses["503 worker_lost"],
        "seconds_until_back": round(back[0], 2) if back else None,
    }


def _is_back(service: Service, restarts: float) -> bool:
    """Whether a worker was replaced since, and all are ready."""
    if service.metric("holdfast_worker_restarts") == restarts:
        return False
    return service.metric("holdfast_workers_ready") == service.metric("holdfast_workers")


def library(kb: str, texts: list[str], seconds: float) -> float:
    """Documents a second of `Pipeline.pipe` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _LIBRARY, kb, str(seconds)],
        input=json.dumps(texts) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def read_texts(path: Path | None) -> list[str]:
    if path is not None:
        return [document.text for document in read_documents(path) if document.text]
    sample = SAMPLE.read_text("utf-8")
    return [f"Patient {i}. {sample}" for i in range(200)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kb", default="open")
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--results", type=Path)
    arguments = parser.parse_args()
    texts, seconds = read_texts(arguments.texts), arguments.seconds
    alone = library(arguments.kb, texts, min(60.0, seconds))
    with running("--kb", arguments.kb, "--workers", str(arguments.workers)) as service:
        served = measure(service, texts, clients=arguments.clients, seconds=seconds)
        killed = kill(service, texts, clients=arguments.clients, seconds=min(60.0, 2 * seconds))
        log = service.log.read_text("utf-8")
    result = {
        "benchmark": "serve",
        "kb": arguments.kb,
        "clients": arguments.clients,
        "seconds": seconds,
        "library_documents_per_second": round(alone, 2),
        "service": served,
        "service_over_library": round(served["documents_per_second"] / alone, 3),
        "killed_worker": killed,
        "texts_in_log": sum(text[:60] in log for text in texts),
        **circumstances(),
    }
    if arguments.results is not None:
        write_result(result, arguments.results, "bench-serve")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
