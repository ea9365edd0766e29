"""The service in operation: workers that die, a stop under load, no connection, no text in logs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from command import call
from serving import Answer, Server, serving, wait_until

NAME = "Zebediah Quackenbush"
LONG = {"text": "A heart attack after lithium carbonate; TNF rose. " * 400}


@pytest.fixture(scope="module")
def stoppable(home: Path) -> Iterator[Server]:
    """A service of its own, with two workers, that tests may hurt."""
    with serving("--kb", "small", "--workers", "2", "--offline", home=home) as running:
        yield running


def workers_of(server: Server) -> list[int]:
    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(server.process.pid)],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = (line.split(maxsplit=1) for line in listed.stdout.splitlines())
    return [int(pid) for pid, arguments in lines if "spawn_main" in arguments]


def test_a_worker_that_is_killed_loses_what_it_was_at_and_comes_back(stoppable: Server) -> None:
    before = workers_of(stoppable)
    assert len(before) == 2
    with ThreadPoolExecutor(8) as clients:
        asked = [clients.submit(stoppable.ask, "/v1/annotate", LONG) for _ in range(24)]
        wait_until(lambda: any(answer.done() for answer in asked))
        os.kill(before[0], signal.SIGKILL)
        answers = [answer.result() for answer in asked]
    lost = [answer for answer in answers if answer.status != 200]
    assert len(lost) <= 4, "at most one batch"
    for answer in lost:
        assert (answer.status, answer.code) == (503, "worker_lost")
        assert answer.headers["retry-after"]
    wait_until(lambda: "holdfast_workers_ready 2.0" in stoppable.ask("/metrics").text)
    after = workers_of(stoppable)
    assert len(after) == 2
    assert before[1] in after
    assert before[0] not in after
    assert stoppable.ask("/v1/annotate", {"text": "TNF"}).status == 200


def test_no_text_of_a_request_is_logged_or_counted(stoppable: Server) -> None:
    quoted = NAME.replace(" ", "%20")
    stoppable.ask("/v1/annotate", {"text": f"{NAME} has gout and TNF.", "documents": None})
    stoppable.ask("/v1/annotate", {"documents": [{"id": NAME, "text": NAME}]})
    stoppable.ask(f"/v1/search?q={quoted}")
    stoppable.ask("/v1/search", {"q": NAME})
    stoppable.ask(f"/v1/entities/{quoted}")
    stoppable.ask(f"/{quoted}?{quoted}=1", headers={"User-Agent": NAME, "X-Name": NAME})
    stoppable.ask("/v1/link", {"strings": [NAME]})
    stoppable.ask("/v1/explain", {"text": NAME, "term": NAME.split()[0]})
    stoppable.ask("/v1/jobs", {"text": NAME})
    stoppable.ask("/v1/types", method=NAME.split()[0].upper())
    written = "".join(stoppable.log) + stoppable.ask("/metrics").text
    assert "/v1/entities/{curie:path}" in written
    for part in (*NAME.split(), NAME.split()[0].upper()):
        assert part not in written


def test_a_stop_answers_what_has_begun(stoppable: Server) -> None:
    answers = list[Answer]()
    asking = threading.Thread(target=lambda: answers.append(stoppable.ask("/v1/annotate", LONG)))
    begun = sum("POST /v1/annotate" in line for line in stoppable.log)
    asking.start()
    wait_until(lambda: "holdfast_requests_open 2.0" in stoppable.ask("/metrics").text)
    assert stoppable.stop() == 0
    asking.join()
    assert [answer.status for answer in answers] == [200]
    assert sum("POST /v1/annotate" in line for line in stoppable.log) == begun + 1


def test_offline_refuses_connections_and_names_but_not_what_it_serves() -> None:
    code = (
        "import socket, threading\n"
        "from holdfast.server.security.offline import OfflineError, refuse_connections\n"
        "listener = socket.create_server(('127.0.0.1', 0))\n"
        "refuse_connections()\n"
        "a, b = socket.socketpair()\n"
        "datagrams = socket.socket(type=socket.SOCK_DGRAM)\n"
        "for attempt in (lambda: socket.create_connection(listener.getsockname()),\n"
        "                lambda: socket.create_connection(('192.0.2.1', 80), timeout=1),\n"
        "                lambda: socket.getaddrinfo('example.org', 80),\n"
        "                lambda: datagrams.sendto(b'', ('192.0.2.1', 9))):\n"
        "    try: attempt()\n"
        "    except OfflineError as error: print(error)\n"
        "    else: print('connected')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "--offline: a connection was refused",
        "--offline: a connection was refused",
        "--offline: the look-up of a name was refused",
        "--offline: a connection was refused",
    ]


def test_a_changed_file_of_the_knowledge_base_stops_the_start(home: Path, tmp_path: Path) -> None:
    from small_kb import make_kb

    folder = make_kb(tmp_path / "kb").folder
    file = folder / "names.arrow"
    stamp = file.stat()
    changed = file.read_bytes().replace(b"Heart Attack", b"Heart Attaxx")
    with file.open("r+b") as stream:
        stream.write(changed)
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    done = call("serve", "--kb", str(folder), "--port", "0")
    assert done.returncode == 1
    assert "sha256" in done.stderr
    assert str(home) not in done.stderr


def test_a_port_that_is_taken_is_told_in_one_line(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = call("serve", "--kb", str(home / "kb" / "small"), "--port", port)
    assert done.returncode == 2
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in done.stderr
