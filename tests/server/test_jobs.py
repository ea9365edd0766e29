"""Jobs: large inputs that only their token can see, forgotten an hour after they end."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.document import Document
from holdfast.server.failures import Failure
from holdfast.server.jobs import Job, Jobs
from holdfast.server.service import Service
from holdfast.server.settings import Limits, Settings
from holdfast.server.workers.tasks import PipelineChoice
from serving import Server, wait_until

DOCUMENTS = [{"id": str(i), "text": f"Heart attack {i} and TNF."} for i in range(30)]


def done(server: Server, place: str) -> Any:
    wait_until(lambda: server.ask(place).json["status"] in ("done", "failed"))
    return server.ask(place).json


def test_a_job_gives_what_annotate_gives(server: Server) -> None:
    created = server.ask("/v1/jobs", {"documents": DOCUMENTS})
    assert created.status == 202
    place = created.headers["location"]
    assert done(server, place)["done"] == len(DOCUMENTS)
    result = server.ask(f"{place}/result")
    assert result.json == server.ask("/v1/annotate", {"documents": DOCUMENTS}).json
    assert place.rpartition("/")[2] in [job["id"] for job in server.ask("/v1/jobs").json["jobs"]]
    assert server.ask(place, method="DELETE").status == 204
    assert server.ask(place).code == "unknown_job"


def test_a_job_may_be_a_file_in_any_format(server: Server) -> None:
    lines = "".join(json.dumps(document) + "\n" for document in DOCUMENTS).encode()
    created = server.ask("/v1/jobs/file?from=jsonl&format=tsv&only=gene", lines)
    place = created.headers["location"]
    assert done(server, place)["status"] == "done"
    result = server.ask(f"{place}/result")
    assert result.headers["content-type"].startswith("text/tab-separated-values")
    assert result.text.count("HGNC:1") == len(DOCUMENTS)
    assert "MESH:D002" not in result.text
    told = server.ask(f"{place}/result?format=jsonl").text.splitlines()
    assert [json.loads(line)["id"] for line in told] == [d["id"] for d in DOCUMENTS]
    xml = server.ask(f"{place}/result", headers={"Accept": "application/xml"})
    assert xml.text.startswith("<?xml")


def test_a_job_that_cannot_be_linked_says_why(server: Server) -> None:
    place = server.ask("/v1/jobs", {"text": "x", "only": ["Quux"]}).headers["location"]
    job = done(server, place)
    assert (job["status"], job["error"]["code"]) == ("failed", "invalid_option")
    assert server.ask(f"{place}/result").json == {"documents": []}


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def job_of(owner: str, text: str = "x") -> Job:
    return Job(owner, "annotate", [Document("", text)], PipelineChoice("small", "default"), "json")


def test_a_job_is_seen_by_its_token_alone_and_forgotten_an_hour_after_it_ends(
    home: Path,
) -> None:
    clock = _Clock()

    async def run() -> None:
        jobs = Jobs(Service(Settings(kbs=(str(home / "kb" / "small"),))), clock=clock)
        mine = jobs.add(job_of("a"))
        assert jobs.of("a") == [mine]
        assert jobs.of("b") == []
        for forbidden in (jobs.get, jobs.delete):
            with pytest.raises(Failure, match="unknown_job"):
                forbidden(mine.id, "b")
        clock.now = 100_000.0
        assert jobs.get(mine.id, "a") is mine, "it has not ended yet"
        mine.ended = clock.now
        clock.now += 3599
        assert jobs.get(mine.id, "a") is mine
        clock.now += 1
        with pytest.raises(Failure, match="unknown_job"):
            jobs.get(mine.id, "a")

    asyncio.run(run())


def test_a_token_may_have_only_so_many_jobs() -> None:
    async def run() -> None:
        jobs = Jobs(Service(Settings(limits=Limits(jobs=2))))
        jobs.add(job_of("a"))
        jobs.add(job_of("a"))
        with pytest.raises(Failure, match="too_many_jobs"):
            jobs.add(job_of("a"))
        jobs.add(job_of("b"))

    asyncio.run(run())
