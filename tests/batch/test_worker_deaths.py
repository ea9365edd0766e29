"""Documents that cannot be linked, and workers that die: what they cost, and what they do not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import deadly_steps
from batch_jobs import call_inline, documents, write_jsonl
from command import environment
from holdfast.corpora import read_documents
from holdfast.document import Document
from small_kb import make_kb


def annotate(
    folder: Path, listed: list[Document], *extra: str, code: int = 0
) -> tuple[dict[str, object], list[Document], list[dict[str, object]]]:
    """The report, the documents of the output and the quarantine of a job.

    In processes of its own, unless it is to fail: then no worker dies.
    """
    make_kb(folder / "kb")
    model = deadly_steps.make_model(folder / "models")
    source = write_jsonl(folder / "docs.jsonl", listed)
    words: list[str | Path] = ["annotate", source, "--out", folder / "out", "--model", model]
    words += ["--kb", folder / "kb"]
    words += ["--format", "jsonl", "--json", "--workers", "1", "--shard-size", "5", *extra]
    if code == 1:
        failed = call_inline(*words)
        assert failed.returncode == code, failed.stderr
        return {"error": failed.stderr.splitlines()[-1]}, [], []
    done = subprocess.run(
        [sys.executable, deadly_steps.__file__, *map(str, words)],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == code, done.stderr
    shards = sorted((folder / "out/shards").iterdir())
    quarantine = (folder / "out/quarantine.jsonl").read_text("utf-8").splitlines()
    return (
        json.loads(done.stdout),
        [d for shard in shards if shard.stat().st_size for d in read_documents(shard)],
        [json.loads(line) for line in quarantine],
    )


def test_a_worker_that_dies_by_chance_costs_time_only(tmp_path: Path) -> None:
    listed = [*documents(4, "d"), Document("stumble", "Workers stumble at heart attack.")]
    report, found, quarantined = annotate(tmp_path, listed)
    assert [d.id for d in found] == [d.id for d in listed]
    assert quarantined == []
    assert report["timing"]["worker_deaths"] == 1  # type: ignore[index]


def test_what_raises_or_kills_each_time_goes_to_the_quarantine_alone(tmp_path: Path) -> None:
    fine = documents(7, "d")
    poison = Document("p", "A poison and a heart attack.")
    deadly = Document("k", "A deadly heart attack.")
    listed = [*fine[:2], deadly, *fine[2:5], poison, *fine[5:]]
    report, found, quarantined = annotate(tmp_path, listed, code=3)
    assert [d.id for d in found] == [d.id for d in fine]
    assert all(d.mentions for d in found if "heart attack" in d.text)
    assert [(q["id"], q["record"]) for q in quarantined] == [("k", 3), ("p", 7)]
    assert "died" in str(quarantined[0]["reason"])
    assert quarantined[1]["reason"] == "ValueError: poison was found"
    assert quarantined[1]["text"] == poison.text
    assert report["timing"]["worker_deaths"] == 4  # type: ignore[index]
    assert not list((tmp_path / "out/.state").glob("*.attempts"))


def test_a_shard_that_fails_whole_is_no_fault_of_its_documents(tmp_path: Path) -> None:
    listed = [Document(str(i), "poison everywhere") for i in range(25)]
    report, _, _ = annotate(tmp_path, listed, "--shard-size", "25", code=1)
    assert "poison was found" in str(report["error"])


def test_a_last_shard_of_few_bad_documents_does_not_stop_the_job(tmp_path: Path) -> None:
    listed = [Document(str(i), "poison everywhere") for i in range(2)]
    _, found, quarantined = annotate(tmp_path, listed, code=3)
    assert not found
    assert len(quarantined) == 2


def test_strict_stops_at_a_document_that_cannot_be_linked(tmp_path: Path) -> None:
    listed = [*documents(2, "d"), Document("p", "poison")]
    report, _, _ = annotate(tmp_path, listed, "--strict", code=1)
    assert "poison was found" in str(report["error"])
