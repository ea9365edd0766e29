"""`holdfast convert`."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from holdfast.cli.convert import convert
from holdfast.corpora import read_documents
from holdfast.errors import FormatError, LossError

SAMPLE = "1|t|Lithium\n1|a|is bad\n1\t0\t7\tLithium\tChemical\tD008094\n1\t8\t9\tzz\tChemical\tD1\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.pubtator"
    path.write_text(SAMPLE, encoding="utf-8")
    return path


def run(*arguments: object) -> Result:
    app = typer.Typer()
    app.command()(convert)
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_it_says_what_was_written_and_skipped_on_standard_error(source: Path) -> None:
    target = source.with_name("out.jsonl")
    result = run(source, target, "--lenient")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "1 documents, 1 mentions, 0 relations written" in result.stderr
    assert "skipped in the input: mention (1)" in result.stderr
    assert "line 4" in result.stderr
    (document,) = read_documents(target)
    assert document.mentions[0].ids == ("MESH:D008094",)


def test_without_lenient_the_broken_mention_stops_it_and_nothing_is_written(source: Path) -> None:
    target = source.with_name("out.jsonl")
    result = run(source, target)
    assert isinstance(result.exception, FormatError)
    assert not target.exists()


def test_losses_need_to_be_allowed_and_are_announced(source: Path) -> None:
    target = source.with_name("out")
    result = run(source, target, "--lenient", "--to", "brat")
    assert isinstance(result.exception, LossError)
    assert not target.exists()
    result = run(source, target, "--lenient", "--to", "brat", "--allow-loss")
    assert result.exit_code == 0
    assert "lost: passages (1)" in result.stderr
    assert "1 documents, 1 mentions, 0 relations written" in result.stderr
    assert (target / "1.ann").read_text(encoding="utf-8").startswith("T1\tChemical 0 7\tLithium")


def test_formats_may_be_named(source: Path) -> None:
    plain = source.rename(source.with_name("in.dat"))
    target = source.with_name("out.dat")
    result = run(plain, target, "--lenient", "--from", "pubtator", "--to", "bioc-xml")
    assert result.exit_code == 0
    assert [d.id for d in read_documents(target, format="bioc-xml")] == ["1"]
