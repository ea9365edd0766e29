"""The engine of Ray: the same output as that of processes, also when a node is killed.

These need the extra `scale`, and take a minute: `make test-scale` runs them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import deadly_steps
from batch_jobs import MODEL, documents, output, write_jsonl
from command import call, environment, run
from holdfast.document import Document
from small_kb import make_kb

SCRIPT = Path(__file__).parents[1] / "ray_cluster_job.py"

if find_spec("ray") is None:
    pytest.skip("needs the extra `scale`: make test-scale", allow_module_level=True)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with `kb` and `docs.jsonl`."""
    make_kb(tmp_path / "kb")
    awaited = Document("await", "Workers await the end of a heart attack.")
    write_jsonl(tmp_path / "docs.jsonl", [*documents(6, "d"), awaited, *documents(33, "e")])
    return tmp_path


def test_ray_gives_the_output_of_processes_and_resumes(place: Path) -> None:
    words: list[str | Path] = ["annotate", place / "docs.jsonl", "--kb", place / "kb", *MODEL]
    words += ["--shard-size", "7", "--workers", "2"]
    assert call(*words, "--out", place / "local").returncode == 0
    done = run(*words, "--out", place / "ray", "--engine", "ray", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["timing"]["engine"] == "ray"
    assert output(place / "ray") == output(place / "local")


def test_a_killed_node_costs_time_only(place: Path) -> None:
    model = deadly_steps.make_model(place / "models")
    os.mkfifo(place / "models/deadly-step/where")
    script = [sys.executable, str(SCRIPT), str(place)]
    done = subprocess.run(script, capture_output=True, text=True, env=environment(), check=False)
    assert done.returncode == 0, done.stderr
    assert "killed" in done.stdout
    words = [sys.executable, deadly_steps.__file__, "annotate", place / "docs.jsonl"]
    words += ["--kb", place / "kb", "--model", model, "--format", "jsonl", "--shard-size", "4"]
    local = [*map(str, words), "--out", str(place / "local"), "--workers", "1"]
    alone = subprocess.run(local, capture_output=True, text=True, env=environment(), check=False)
    assert alone.returncode == 0, alone.stderr
    assert output(place / "out") == output(place / "local")
    report = json.loads((place / "out/report.json").read_text("utf-8"))
    assert (report["documents"], report["quarantined"]) == (40, 0)
