"""`holdfast bench peers` from the outside: what is stored, printed, and said of tools that fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import call
from small_kb import make_kb

CORPUS = """\
1|t|Heart attack and bleeding.
1|a|Nothing else.
1	0	12	Heart attack	Disease	D009203

"""


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path / "home"))
    corpus = tmp_path / "data" / "corpora" / "bc5cdr"
    corpus.mkdir(parents=True)
    (corpus / "dev.pubtator.txt").write_text(CORPUS, encoding="utf-8")
    make_kb(tmp_path / "kb")
    data, kb = str(tmp_path / "data"), str(tmp_path / "kb")
    return ["bench", "peers", "--data", data, "--kb", kb, "--sets", "bc5cdr dev", "--threads", "1"]


def test_a_tool_without_an_environment_is_a_row_that_says_so(
    tmp_path: Path, options: list[str]
) -> None:
    results = tmp_path / "results"
    more = ["--results", str(results), "--documents", "1"]
    done = call(*options, *more)
    assert done.returncode == 0, done.stderr
    stored = json.loads((results / "bench-peers.json").read_text(encoding="utf-8"))
    assert {"holdfast", "gilda", "medcat"} <= {row["tool"] for row in stored["rows"]}
    for row in stored["rows"]:
        assert "no environment; make it with" in row["failed"]
        assert f"{row['label']} failed: {row['failed']}" in done.stdout
        assert row["commit"]
    assert stored["sets"][0]["mentions"] == 1
    assert "machine" in stored


def test_a_tool_that_nobody_knows_is_wrong_use(options: list[str]) -> None:
    done = call(*options, "--tools", "metamap")
    assert done.returncode == 2
    assert "no tool is called 'metamap'; there is: holdfast" in done.stderr
