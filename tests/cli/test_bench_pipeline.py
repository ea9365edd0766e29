"""`holdfast bench pipeline`, as it is called, on a small data folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import call
from holdfast import Document, artifacts
from holdfast.bench.pipelines import PipelineTask, measure_growth
from holdfast.kb import kb_folder
from small_kb import make_kb

BC5CDR = (
    "2|t|Aspirin.\n2|a|It caused a heart attack.\n2\t0\t7\tAspirin\tChemical\tD001241\n"
    "2\t21\t33\theart attack\tDisease\tD009203\n\n"
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "corpora" / "bc5cdr" / "test.pubtator.txt"
    path.parent.mkdir(parents=True)
    path.write_text(BC5CDR, encoding="utf-8")
    return tmp_path / "data"


def test_models_are_measured_side_by_side_and_stored(data: Path, tmp_path: Path) -> None:
    kb = make_kb(kb_folder("open"), name="open")
    results = tmp_path / "results"
    options = ("--data", data, "--kb", "open", "--threads", "1", "--models", "names, dictionary")
    done = call("bench", "pipeline", *options, "--results", results, "--json")
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert measured == json.loads((results / "bench-pipeline.json").read_text("utf-8"))
    assert [row["model"] for row in measured["rows"]] == ["names", "dictionary"]
    for row in measured["rows"]:
        assert (row["kb_names"], row["documents"]) == (kb.names, 1)
        assert row["documents_per_second"] > 0
        assert row["p50_milliseconds"] <= row["p99_milliseconds"]
        assert row["private_megabytes"] <= row["resident_megabytes"]
    assert measured["growth"] == []  # it has fewer names than any size that is tried


def test_without_json_a_row_per_model_is_printed(data: Path) -> None:
    make_kb(kb_folder("open"), name="open")
    options = ("--data", data, "--kb", "open", "--threads", "1", "--models", "names")
    done = call("bench", "pipeline", *options)
    assert done.returncode == 0, done.stderr
    header, row, start = done.stdout.splitlines()
    assert (header.split()[0], row.split()[0]) == ("model", "names")
    assert len(row.split()) == 8
    assert "a fresh process answers in" in start


def test_an_unknown_model_is_refused_in_one_line(data: Path) -> None:
    make_kb(kb_folder("open"), name="open")
    done = call("bench", "pipeline", "--data", data, "--kb", "open", "--models", "nothing")
    assert done.returncode == 2
    assert "no model is called 'nothing'" in done.stderr.strip().splitlines()[-1]
    assert done.stdout == ""


def test_smaller_parts_of_the_vocabulary_leave_nothing_in_the_home_folder() -> None:
    kb = make_kb(kb_folder("open"), name="open")
    task = PipelineTask([Document("1", "A heart attack.")], None, 1)
    speed = measure_growth(kb, task, model="names", sizes=(5, 9999), progress=lambda _w, _d: None)
    (point,) = speed
    assert 5 <= point.kb_names < kb.names
    assert not (artifacts.home() / "dense").exists()
