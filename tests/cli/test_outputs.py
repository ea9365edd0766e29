"""What `holdfast link` prints: true for NIL, safe for terminals and spreadsheets."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

import holdfast
from command import call, environment, run
from holdfast.corpora import read_documents
from holdfast.kb import Entry
from small_kb import make_kb, of_entries

TEXT = "Heart trouble of the moon; qqqq; heart attack"
MARKED = {
    "id": "1",
    "text": TEXT,
    "mentions": [{"spans": s, "type": "Disease"} for s in ([[0, 25]], [[27, 31]], [[33, 45]])],
}
EVIL = "Evil\x1b]0;owned\x07 \x9b31m\u202e Disease"
CONTROLS = ("\x1b", "\x07", "\x9b", "\u202e")


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    return make_kb(tmp_path / "kb").folder


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    path = tmp_path / "marked.jsonl"
    path.write_text(json.dumps(MARKED), encoding="utf-8")
    return path


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    entry = Entry("MESH:D9", EVIL, synonyms=("plain disease",), types=("Disease",))
    return of_entries(tmp_path / "evil", entry, source="Own\x1b[31m").folder


def table_of(text: str) -> dict[str, list[str]]:
    """Each mention of the printed table with the rest of its rows."""
    rows = text.partition("mention  ")[2].splitlines()[1:]
    found, last = dict[str, list[str]](), ""
    for row in rows:
        last = row[:26].strip() or last
        found.setdefault(last, []).append(" ".join(row[26:].split()))
    return found


def test_a_mention_that_is_nil_has_no_concept_and_no_id(kb: Path, marked: Path) -> None:
    given = json.loads(call("link", "--mentions", marked, "--kb", kb, "--json").stdout)
    first, second, third = given["documents"][0]["mentions"]
    assert first["ids"] == second["ids"] == ["NIL"]
    assert first["candidates"]
    assert third["ids"] == ["MESH:D002"]
    done = run("link", "--mentions", marked, "--kb", kb)
    assert "none of these" in done.stdout
    assert done.stdout.count("MESH:") == 1
    assert table_of(done.stdout)["Heart trouble of the moon"] == ["none of these –"]


def test_explain_marks_the_nearest_concepts_as_not_the_answer(kb: Path, marked: Path) -> None:
    rows = table_of(run("link", "--mentions", marked, "--kb", kb, "--explain").stdout)
    first, *nearest = rows["Heart trouble of the moon"]
    assert first == "none of these –"
    assert nearest
    assert all(row.startswith("nearest, but not it: ") for row in nearest)
    assert rows["heart attack"][0].startswith("Myocardial Infarction MESH:D002")


def test_explain_marks_what_was_not_chosen(kb: Path, tmp_path: Path) -> None:
    path = tmp_path / "marked.jsonl"
    document = {"id": "1", "text": "WAS", "mentions": [{"spans": [[0, 3]], "ids": []}]}
    path.write_text(json.dumps(document), encoding="utf-8")
    plain = run("link", "--mentions", path, "--kb", kb).stdout
    explained = run("link", "--mentions", path, "--kb", kb, "--explain").stdout
    assert "not chosen" not in plain
    assert [id for id in ("MESH:D003", "HGNC:2") if id in explained] == ["MESH:D003", "HGNC:2"]
    assert len([id for id in ("MESH:D003", "HGNC:2") if id in plain]) == 1
    assert explained.count("not chosen: ") == 1


@pytest.mark.parametrize("format", ["tsv", "pubtator", "bioc", "brat", "sssom"])
def test_no_format_names_a_concept_for_nil(kb: Path, marked: Path, format: str) -> None:
    done = call("link", "--mentions", marked, "--kb", kb, "--format", format)
    assert done.returncode == 0
    assert done.stdout.count("MESH:") - done.stdout.count("#  MESH:") == 1
    assert "Heart Diseases" not in done.stdout
    said = {"tsv": "NIL", "brat": "NIL:NIL", "sssom": "sssom:NoTermFound"}.get(format, "-1")
    assert done.stdout.count(said) == 2


def test_the_best_candidate_is_that_of_the_first_id(kb: Path) -> None:
    document = holdfast.load(kb)("A heart attack of TNF V600E.")
    by_text = {document.text_of(mention): mention for mention in document.mentions}
    best = by_text["heart attack"].best
    assert best is not None
    assert best.entity_id == by_text["heart attack"].ids[0]
    candidate = holdfast.Candidate("MESH:D1", "a", 0.5)
    span = (holdfast.Span(0, 1),)
    assert holdfast.Mention(span, ids=(holdfast.NIL,), candidates=(candidate,)).best is None
    assert holdfast.Mention(span, candidates=(candidate,)).best is None
    assert holdfast.Mention(span, ids=("dbSNP:rs1",)).best is None
    other = holdfast.Candidate("MESH:D2", "b", 0.4)
    linked = holdfast.Mention(span, ids=("MESH:D2",), candidates=(candidate, other))
    assert linked.best == other


def test_the_table_says_why(kb: Path) -> None:
    done = call("link", "A heart attack.", "--kb", kb, "--format", "tsv")
    header, row = (line.split("\t") for line in done.stdout.splitlines())
    assert header[5] == "ids"
    assert header[-1] == "why"
    assert row[5] == "MESH:D002"
    assert "Heart Attack" in row[-1]


def test_sssom_has_a_header_and_one_row_for_each_wording(kb: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(MARKED), encoding="utf-8")
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").rename(tmp_path / "in" / f"{name}.jsonl")
    done = call("link", "--mentions", tmp_path / "in", "--kb", kb, "--format", "sssom")
    header = [line for line in done.stdout.splitlines() if line.startswith("#")]
    assert header[0] == '#sssom_version: "1.1"', "a version is a string, no number"
    assert "#curie_map:" in header
    assert "#  MESH: http://id.nlm.nih.gov/mesh/" in header
    assert any(line.startswith("#mapping_set_id: urn:uuid:") for line in header)
    assert any(line.startswith("#license: ") for line in header)
    body = "".join(
        line for line in done.stdout.splitlines(keepends=True) if not line.startswith("#")
    )
    rows = list(csv.DictReader(StringIO(body), delimiter="\t"))
    assert [(row["subject_label"], row["object_id"], row["object_label"]) for row in rows] == [
        ("Heart trouble of the moon", "sssom:NoTermFound", ""),
        ("qqqq", "sssom:NoTermFound", ""),
        ("heart attack", "MESH:D002", "Myocardial Infarction"),
    ]
    assert {row["subject_type"] for row in rows} == {"rdfs literal"}
    assert {row["predicate_id"] for row in rows} == {"skos:exactMatch"}
    assert rows[2]["mapping_justification"] == "semapv:LexicalMatching"
    assert 0 < float(rows[2]["confidence"]) <= 1
    assert rows[0]["confidence"] == ""


def test_a_column_of_strings_is_printed_as_sssom(kb: Path, tmp_path: Path) -> None:
    path = tmp_path / "terms.csv"
    path.write_text("id,diagnosis\n1,heart attack\n2,qqqq\n3,\n4,heart attack\n", encoding="utf-8")
    options = ("--column", "diagnosis", "--kb", kb, "--format", "sssom")
    done = call("link", "--mentions", path, *options)
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines() if not line.startswith("#")]
    assert [(row[0], row[3]) for row in rows[1:]] == [
        ("heart attack", "MESH:D002"),
        ("qqqq", "sssom:NoTermFound"),
    ]


def test_a_namespace_of_sssom_that_ends_in_a_colon_is_quoted(kb: Path) -> None:
    """YAML takes such a colon for the end of a key."""
    done = call("link", "TNF rose.", "--kb", kb, "--format", "sssom")
    assert '#  HGNC: "https://bioregistry.io/HGNC:"' in done.stdout.splitlines()


def test_bioc_annotations_have_ids_of_their_own_and_of_the_concept(kb: Path) -> None:
    done = call("link", "A heart attack after bleeding.", "--kb", kb, "--format", "bioc")
    (document,) = json.loads(done.stdout)["documents"]
    annotations = [a for p in document["passages"] for a in p["annotations"]]
    assert [a["id"] for a in annotations] == ["T1", "T2"]
    assert annotations[0]["infons"] == {"type": "Disease", "identifier": "MESH:D002"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("link", "a plain disease", "--kb", "KB"),
        ("link", "a plain disease", "--kb", "KB", "--explain"),
        ("link", "a plain disease", "--kb", "KB", "--json"),
        ("link", "a plain \x1b[31m \x9b1m disease \u202e", "--kb", "KB"),
        ("kb", "search", "plain disease", "--kb", "KB"),
        ("kb", "info", "KB"),
        ("kb", "info", "KB", "--id", "MESH:D9"),
        ("link", "FOLDER", "--kb", "KB"),
        ("link", "FOLDER", "--kb", "KB", "--from", "brat"),
        ("link", "no\x1b[31m.txt", "--kb", "KB"),
        ("link", "x", "--kb", "no\x1b[31mwhere"),
    ],
)
def test_nothing_that_is_shown_steers_the_terminal(
    evil: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    folder = tmp_path / "in\x1b[31m"
    folder.mkdir()
    (folder / "a\x1b[31m.txt").write_text("a plain\x1b[31m disease", encoding="utf-8")
    (folder / "b\x07.txt").write_text("a plain disease", encoding="utf-8")
    (folder / "c\x07\n.png").write_bytes(b"\0")
    places = {"KB": str(evil), "FOLDER": str(folder)}
    done = call(*(places.get(argument, argument) for argument in arguments))
    shown = done.stdout + done.stderr
    assert shown
    assert not [character for character in CONTROLS if character in shown]


def test_models_show_no_escape_codes(evil: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = evil.parent / "home"
    folder = home / "models" / "mine\x1b[31m"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOLDFAST_HOME", str(home))
    done = call("models")
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
def test_a_table_has_control_characters_in_a_file_and_none_on_a_terminal(evil: Path) -> None:
    arguments = ("link", "a plain disease", "--kb", str(evil), "--format", "tsv")
    assert EVIL in run(*arguments).stdout
    import pty

    parent, child = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "holdfast", *arguments],
        stdout=child,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as process:
        os.close(child)
        shown = b""
        while chunk := read_or_nothing(parent):
            shown += chunk
        assert process.wait() == 0
    os.close(parent)
    assert "plain disease\tDisease\tMESH:D9" in shown.decode()
    assert not [character for character in CONTROLS if character in shown.decode()]


def read_or_nothing(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux's way to say that the other side is closed
        return b""


@pytest.mark.parametrize(
    "words", ["=1+1", "+49 30", "-induced", "@home", "'=x", "''-y", "＝1", "-5", "plain"]
)
def test_no_cell_is_a_formula_and_every_cell_is_read_back(
    kb: Path, tmp_path: Path, words: str
) -> None:
    document = {
        "id": words,
        "text": words,
        "mentions": [{"spans": [[0, len(words)]], "type": words, "ids": [f"{words}:1"]}],
    }
    source, table = tmp_path / "x.jsonl", tmp_path / "x.mentions.tsv"
    source.write_text(json.dumps(document), encoding="utf-8")
    assert call("convert", source, table, "--allow-loss").returncode == 0
    cells = table.read_text(encoding="utf-8").splitlines()[1].split("\t")
    assert not [c for c in cells if c[:1] in tuple("=+-@＝") and c.strip("-") != "5"]
    (again,) = read_documents(table)
    assert (again.id, again.text, again.mentions[0].type) == (words, words, words)
    sssom = call("link", "--mentions", source, "--kb", kb, "--format", "sssom").stdout
    assert not [line for line in sssom.splitlines() if line[:1] in tuple("=+@＝")]


def test_the_version_is_printed() -> None:
    done = call("--version")
    assert (done.returncode, done.stdout) == (0, f"holdfast {holdfast.__version__}\n")


def test_strong_is_the_protocol_where_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(MARKED), encoding="utf-8")
    done = call("score", "--gold", path, "--pred", path, "--json")
    assert (done.returncode, json.loads(done.stdout)["protocol"]) == (0, "strong")
