"""SSSOM tables of `holdfast link`, read by the package of those who wrote the standard."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import run
from small_kb import make_kb

STRINGS = (
    "heart attack",
    "hart atack",
    "qqqq",
    "TNF\tα",
    "=1+1",
    "bleeding and TNF",
    "Heart Attack",
)


def test_the_package_of_the_standard_reads_and_validates_what_is_printed(tmp_path: Path) -> None:
    parsers = pytest.importorskip("sssom.parsers", reason="the package sssom is not installed")
    validators = pytest.importorskip("sssom.validators")
    make_kb(tmp_path / "kb")
    strings = tmp_path / "strings.csv"
    strings.write_text("term\n" + "".join(f'"{string}"\n' for string in STRINGS), "utf-8")
    done = run("link", "--mentions", strings, "--kb", tmp_path / "kb", "--format", "sssom")
    assert done.returncode == 0, done.stderr
    path = tmp_path / "out.sssom.tsv"
    path.write_text(done.stdout, encoding="utf-8")
    table = parsers.parse_sssom_table(str(path))
    validators.validate(table)
    rows = table.df.set_index("subject_label")["object_id"].to_dict()
    assert rows["heart attack"] == "MESH:D002"
    assert rows["qqqq"] == "sssom:NoTermFound"
    assert len(table.df) == len([line for line in done.stdout.splitlines() if line[0] != "#"]) - 1
