"""`holdfast bench names`, as it is called, on a small data folder."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from command import call
from holdfast import artifacts
from holdfast.kb import kb_folder
from small_kb import make_kb

MEDIC = "D000001||Myocardial Infarction|Heart Attack\nD000002|100300||Haemorrhage|Bleeding\n"
NCBI = (
    "1|t|Heart attack.\n1|a|Some bleeding followed.\n"
    "1\t0\t12\tHeart attack\tSpecificDisease\tD000001\n"
    "1\t19\t27\tbleeding\tDiseaseClass\tOMIM:100300\n\n"
)
BC5CDR = (
    "2|t|Lithium.\n2|a|It caused bleeding.\n2\t0\t7\tLithium\tChemical\tD008094\n"
    "2\t19\t27\tbleeding\tDisease\tD000002\n\n" + NCBI
)
ANSWERS_NOTHING = (
    "import json, sys\n"
    "job = json.load(open(sys.argv[2]))\n"
    "mentions = [m for d in job['mentions'] for m in d]\n"
    "names = [json.loads(line) for line in open(job['names'])]\n"
    "assert [n['aliases'] for n in names] == [['Heart Attack'], ['Bleeding']], names\n"
    "assert mentions == ['Heart attack', 'bleeding', 'bleeding'], mentions\n"
    "setting = {'breadth': 20, 'by_document': 5.0, 'at_once': 4.0, 'rounds': 5,\n"
    "           'rankings': [[] for _ in mentions]}\n"
    "json.dump({'version': '0', 'names': 4, 'build_seconds': 1.0, 'load_seconds': 1.0,\n"
    "           'disk_megabytes': 1.0, 'settings': [setting]}, open(sys.argv[3], 'w'))\n"
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    files = {
        "corpora/ncbi_disease/test.pubtator.txt": NCBI,
        "corpora/bc5cdr/test.pubtator.txt": BC5CDR,
        "kb/medic/medic_2012.txt": MEDIC,
    }
    for name, text in files.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "data"


@pytest.fixture
def peer(tmp_path: Path) -> Path:
    """Stands for a Python that has scispaCy: it looks at the job, and finds nothing."""
    script = tmp_path / "peer.py"
    script.write_text(ANSWERS_NOTHING, encoding="utf-8")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return python


def test_a_short_run_measures_all_parts_and_stores_them(
    data: Path, peer: Path, tmp_path: Path
) -> None:
    make_kb(kb_folder("open"), name="open")
    results = tmp_path / "results"
    arguments = ("--data", data, "--kb", "open", "--threads", "1")
    done = call("bench", "names", *arguments, "--scispacy", peer, "--results", results, "--json")
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    stored = json.loads((results / "bench-names.json").read_text("utf-8"))
    assert stored == measured
    assert list(measured)[:3] == ["benchmark", "threads", "ratios"]
    linking = measured["linking"]
    # The document that both corpora have is linked once, and chemicals are left out.
    assert (linking["ours"]["documents"], linking["ours"]["mentions"]) == (2, 3)
    assert linking["ours"]["kb_names"] == 4
    assert {c: s["accuracy_at_1"] for c, s in linking["ours"]["strict"].items()} == {
        "ncbi-disease": 1.0,
        "bc5cdr": 1.0,
    }
    (setting,) = linking["scispacy"]["settings"]
    assert setting["mentions_per_second"] == 5.0
    assert setting["strict"]["bc5cdr"]["accuracy_at_1"] == 0.0
    assert [own["kb"] for own in measured["own"]] == ["open"]
    assert [path.name for path in results.iterdir()] == ["bench-names.json"]
    assert str(tmp_path) not in json.dumps(measured)


def test_without_peers_our_own_figures_are_printed(data: Path) -> None:
    make_kb(kb_folder("open"), name="open")
    done = call("bench", "names", "--data", data, "--kb", "open", "--threads", "1")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^the whole linker: [\d,]+ mentions/s; ncbi-disease 1.0", done.stdout, re.M)
    assert re.search(r"^open +\d", done.stdout, re.M)
    assert "scispaCy" not in done.stdout
    assert not (artifacts.home() / "peers").exists()


def test_what_cannot_be_measured_is_refused_in_one_line(data: Path, tmp_path: Path) -> None:
    make_kb(kb_folder("open"), name="open")
    usual = ("bench", "names", "--data", data, "--kb", "open", "--threads", "1")
    wrong: dict[str, tuple[str | Path, ...]] = {
        "--model": (*usual, "--bert", tmp_path / "bert.onnx"),
        "9999 threads": (*usual, "--threads", "9999"),
        "nowhere/python": (*usual, "--scispacy", tmp_path / "nowhere/python"),
        "'nothing'": ("bench", "nothing", "--data", data),
    }
    for said, arguments in wrong.items():
        done = call(*arguments)
        last = done.stderr.strip().splitlines()[-1]
        assert done.returncode == 2, said
        assert said in last
        assert done.stdout == ""
