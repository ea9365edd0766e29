"""`holdfast bench growth`, as it is called, on a small data folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import call
from holdfast.kb import kb_folder
from small_kb import make_kb

NCBI = (
    "1|t|Heart attack.\n1|a|Some bleeding followed.\n"
    "1\t0\t12\tHeart attack\tSpecificDisease\tD000001\n"
    "1\t19\t27\tbleeding\tDiseaseClass\tD000002\n\n"
)
BC5CDR = "2|t|Lithium.\n2|a|It helped.\n2\t0\t7\tLithium\tChemical\tD008094\n\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for corpus, text in {"ncbi_disease": NCBI, "bc5cdr": BC5CDR}.items():
        path = tmp_path / "data" / "corpora" / corpus / "test.pubtator.txt"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "data"


def test_a_point_per_size_is_measured_and_stored(data: Path, tmp_path: Path) -> None:
    make_kb(kb_folder("open"), name="open")
    results = tmp_path / "results"
    options = ("--data", data, "--kb", "open", "--threads", "1", "--sizes", "30,3")
    done = call("bench", "growth", *options, "--results", results, "--json")
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert measured == json.loads((results / "bench-growth.json").read_text("utf-8"))
    assert list(measured) == ["benchmark", "kb", "threads", "points", "commit", "machine"]
    assert (measured["benchmark"], measured["kb"], measured["threads"]) == ("growth", "open", 1)
    assert [point["kb_names"] for point in measured["points"]] == [3, 30]
    for point in measured["points"]:
        assert (point["documents"], point["mentions"]) == (1, 2)  # chemicals are left out
        assert point["build_seconds"] > 0
        assert point["mentions_per_second"] > 0
    assert [path.name for path in results.iterdir()] == ["bench-growth.json"]
    assert "`make results`" in done.stderr
    assert str(tmp_path) not in json.dumps(measured)


def test_without_json_the_table_is_printed(data: Path) -> None:
    make_kb(kb_folder("open"), name="open")
    options = ("--data", data, "--kb", "open", "--threads", "1", "--sizes", "8")
    done = call("bench", "growth", *options)
    assert done.returncode == 0, done.stderr
    header, row = done.stdout.splitlines()
    assert (header.split()[0], row.split()[0]) == ("names", "8")


def test_what_cannot_be_measured_is_refused_in_one_line(data: Path) -> None:
    make_kb(kb_folder("open"), name="open")
    usual = ("bench", "growth", "--data", data, "--kb", "open")
    wrong: dict[str, tuple[str | Path, ...]] = {
        "'many'": (*usual, "--sizes", "many"),
        "whole numbers": (*usual, "--sizes", ""),
        "9999 threads": (*usual, "--threads", "9999"),
    }
    for said, arguments in wrong.items():
        done = call(*arguments)
        last = done.stderr.strip().splitlines()[-1]
        assert done.returncode == 2, said
        assert said in last
        assert done.stdout == ""
