"""`holdfast score` from files to JSON and tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from evaluate.strategies import document
from holdfast.cli.score import score
from holdfast.document import Document, Mention
from holdfast.errors import HoldfastError, InputError, UsageError
from holdfast.evaluate import PROTOCOLS
from holdfast.kb import Entry, Source, build_kb

M = Mention.at
TEXT = "breast cancer and pain"
GOLD = [
    document("1", M(0, 13, "Disease", ["MESH:D1"]), M(18, 22, "Disease", ["MESH:D2"]), text=TEXT),
    document("2", M(18, 22, "Disease", ["MESH:D2"]), text=TEXT),
]
PREDICTED = [document("1", M(0, 13, "Disease", ["MESH:D1"]), M(18, 22, ids=["X:3"]), text=TEXT)]

app = typer.Typer()
app.command()(score)


def write(path: Path, documents: list[Document]) -> Path:
    path.write_text("".join(json.dumps(d.to_json()) + "\n" for d in documents), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    gold = write(tmp_path / "gold.jsonl", GOLD)
    predicted = write(tmp_path / "predicted.jsonl", PREDICTED)
    return ["--gold", str(gold), "--pred", str(predicted)]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_json_is_one_object_with_the_counted_figures(files: list[str]) -> None:
    data = json.loads(run(*files, "--protocol", "strong", "--json"))
    assert data["protocol"] == "strong"
    assert data["precision"] == pytest.approx(1 / 2)
    assert data["recall"] == pytest.approx(1 / 3)
    assert data["f1"] == pytest.approx(2 / 5)
    assert data["f1_low"] <= data["f1"] <= data["f1_high"]
    assert (data["n_gold"], data["n_predicted"], data["n_documents"]) == (3, 2, 2)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_prints_json_and_a_table(files: list[str], protocol: str) -> None:
    assert json.loads(run(*files, "--protocol", protocol, "--json"))["protocol"] == protocol
    assert "95 % interval" in run(*files, "--protocol", protocol)


def test_only_scores_the_types_that_are_named(files: list[str]) -> None:
    data = json.loads(run(*files, "--protocol", "mention", "--only", "disease, gene", "--json"))
    assert (data["n_predicted"], data["types"]) == (1, "disease,gene")


def test_errors_lists_the_first_mistakes(files: list[str]) -> None:
    data = json.loads(run(*files, "--protocol", "strong", "--json", "--errors", "1"))
    assert [e["kind"] for e in data["errors"]] == ["wrong id"]
    table = run(*files, "--protocol", "strong", "--errors", "9")
    assert "X:3" in table
    assert "missed" in table


def test_a_knowledge_base_makes_its_cross_references_equal(
    files: list[str], tmp_path: Path
) -> None:
    entry = Entry("X:3", "pain", synonyms=("ache",), xrefs=("MESH:D2",))
    build_kb(tmp_path / "kb", name="mine", parts=[(Source("X"), [entry])])
    base = str(tmp_path / "kb")
    data = json.loads(run(*files, "--protocol", "strong", "--kb", base, "--json"))
    assert data["precision"] == 1
    assert (data["kb"], data["kb_entities"], data["kb_names"]) == ("mine", 1, 2)
    assert len(data["kb_digest"]) == 64


def test_swapped_files_are_named_as_the_mistake_they_are(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", GOLD[:1])
    predicted = write(tmp_path / "predicted.jsonl", GOLD)
    with pytest.raises(InputError, match="predicted document '2' is not in the gold"):
        run("--gold", str(gold), "--pred", str(predicted), "--protocol", "strong")


def test_an_unknown_protocol_is_wrong_use(files: list[str]) -> None:
    with pytest.raises(UsageError, match="'weak' is not one of"):
        run(*files, "--protocol", "weak")


def test_a_file_that_is_not_what_it_says_is_an_error_of_one_line(
    files: list[str], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"id": "1"}\n', encoding="utf-8")
    with pytest.raises(HoldfastError) as caught:
        run(*files[:2], "--pred", str(broken), "--protocol", "strong")
    assert "broken.jsonl" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_lenient_skips_what_is_broken_and_says_so(files: list[str], tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    lines = [json.dumps(d.to_json()) for d in PREDICTED]
    broken.write_text("\n".join(["not JSON", *lines]) + "\n", encoding="utf-8")
    arguments = [*files[:2], "--pred", str(broken), "--protocol", "strong", "--lenient", "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exception is None
    data = json.loads(result.stdout)
    assert (data["n_predicted"], data["n_pred_skipped"], data["n_gold_skipped"]) == (2, 1, 0)
    assert "skipped" in result.stderr
