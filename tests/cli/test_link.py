"""`holdfast link`, as it is called."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from command import call, environment, run
from holdfast.corpora import read_documents
from small_kb import make_kb

TEXT = "Heart attack (HA) after lithium carbonate; HA, TNF-α and “β” rose 😀."
PUBTATOR = (
    "7|t|Heart attack\n7|a|after lithium carbonate\n7\t0\t5\tHeart\tAnatomy\tX\n\n"
    "8|t|TNF\n8|a|rose\n"
)


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    return make_kb(tmp_path / "kb").folder


def test_python_and_the_command_line_give_the_same(kb: Path) -> None:
    done = run("link", TEXT, "--kb", kb, "--json")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    assert json.loads(done.stdout) == holdfast.load(kb)(TEXT).to_json()
    chosen = run("link", TEXT, "--kb", kb, "--json", "--only", "chemical", "--top", "1")
    assert json.loads(chosen.stdout) == holdfast.load(kb, only=["chemical"], top=1)(TEXT).to_json()


def test_with_and_without_a_process_of_its_own_is_the_same(kb: Path) -> None:
    arguments = ("link", TEXT, "--kb", kb, "--json")
    ours, theirs = call(*arguments), run(*arguments)
    assert (ours.stdout, ours.stderr) == (theirs.stdout, theirs.stderr)
    assert ours.returncode == theirs.returncode == 0


def test_standard_input_a_file_and_an_argument_link_alike(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    by_argument = json.loads(run("link", TEXT, "--kb", kb, "--json").stdout)
    by_stdin = json.loads(run("link", "-", "--kb", kb, "--json", input=TEXT).stdout)
    by_file = json.loads(call("link", tmp_path / "a.txt", "--kb", kb, "--json").stdout)
    assert by_stdin == by_argument
    assert by_file["mentions"] == by_argument["mentions"]


def test_text_that_is_not_utf8_on_standard_input_is_one_line(kb: Path) -> None:
    done = run("link", "-", "--kb", kb, input=b"caf\xe9")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "standard input, line 1: byte 0xe9 is not UTF-8" in done.stderr


def test_several_files_are_one_object_with_a_list_of_documents(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("heart attack", encoding="utf-8")
    (tmp_path / "b.pubtator").write_text(PUBTATOR, encoding="utf-8")
    done = call("link", tmp_path / "a.txt", tmp_path / "b.pubtator", "--kb", kb, "--json")
    documents = json.loads(done.stdout)["documents"]
    assert [document["id"] for document in documents] == ["a", "7", "8"]
    assert [len(document["mentions"]) for document in documents] == [1, 2, 1]


def test_marks_that_a_file_already_has_are_not_kept(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "b.pubtator").write_text(PUBTATOR, encoding="utf-8")
    done = call("link", tmp_path / "b.pubtator", "--kb", kb, "--json")
    mentions = json.loads(done.stdout)["documents"][0]["mentions"]
    assert [mention["text"] for mention in mentions] == ["Heart attack", "lithium carbonate"]


@pytest.mark.parametrize(
    ("format", "reader", "suffix"),
    [
        ("pubtator", "pubtator", ".pubtator"),
        ("bioc", "bioc-json", ".bioc.json"),
        ("tsv", "mentions", ".mentions.tsv"),
    ],
)
def test_what_is_printed_can_be_read_again(
    kb: Path, tmp_path: Path, format: str, reader: str, suffix: str
) -> None:
    (tmp_path / "b.pubtator").write_text(PUBTATOR, encoding="utf-8")
    done = call("link", tmp_path / "b.pubtator", "--kb", kb, "--format", format)
    assert done.returncode == 0
    (tmp_path / f"out{suffix}").write_text(done.stdout, encoding="utf-8", newline="")
    documents = list(read_documents(tmp_path / f"out{suffix}", format=reader))
    linked = [(d.id, d.text_of(m), m.ids) for d in documents for m in d.mentions]
    assert linked == [
        ("7", "Heart attack", ("MESH:D002",)),
        ("7", "lithium carbonate", ("MESH:C001",)),
        ("8", "TNF", ("HGNC:1",)),
    ]


def test_brat_lines_fit_the_text_beside_them(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    done = call("link", tmp_path / "a.txt", "--kb", kb, "--format", "brat")
    (tmp_path / "a.ann").write_text(done.stdout, encoding="utf-8")
    (document,) = read_documents(tmp_path / "a.ann")
    expected = holdfast.load(kb)(TEXT)
    assert [m.spans for m in document.mentions] == [m.spans for m in expected.mentions]


def test_people_get_the_text_and_a_table_with_reasons(kb: Path) -> None:
    done = call("link", "A heart attack. Another heart attack.", "--kb", kb)
    assert "A heart attack. Another heart attack." in done.stdout
    assert "MESH:D002" in done.stdout
    assert "×2" in done.stdout
    assert "synonym" in done.stdout


def test_a_text_without_mentions_says_so(kb: Path) -> None:
    assert "No mention" in call("link", "nothing here", "--kb", kb).stdout
    assert json.loads(call("link", "", "--kb", kb, "--json").stdout) == {"id": "", "text": ""}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("link", "x", "--kb", "nowhere"), 1, "no knowledge base 'nowhere'"),
        (("link", "x", "--kb", "KB", "--only", "colour"), 2, "no type is called 'colour'"),
        (("link", "x", "--kb", "KB", "--format", "pdf"), 2, "no output format is called 'pdf'"),
        (("link", "missing.txt", "--kb", "KB"), 2, "missing.txt: there is no such file"),
        (("link", "notez/", "--kb", "KB"), 2, "notez/: there is no such file or folder"),
        (("link", "/nowhere/notes", "--kb", "KB"), 2, "no such file or folder"),
        (("link", "./notes", "--kb", "KB"), 2, "no such file or folder"),
        (("link", "FOLDER/notes", "--kb", "KB"), 2, "no such file or folder"),
        (("link", "notes.docx", "--kb", "KB"), 2, "no such file or folder"),
        (("link", "Patient notes 2021.txt", "--kb", "KB"), 2, "no such file or folder"),
        (("link", "*.ann", "--kb", "KB"), 2, "no such file or folder"),
        (("link", "x.pubtatr", "--kb", "KB"), 2, "no such file or folder"),
        (("link", "x", "--kb", "KB", "--column", "1"), 2, "--column and --header are of a table"),
        (("link", "x", "--kb", "KB", "--json", "--format", "tsv"), 2, "name one of them"),
        (("link", "FILE", "--kb", "KB", "--from", "docx"), 2, "unknown format 'docx'"),
        (("link", "x", "--kb", "KB", "--top", "0"), 2, "--top"),
        (("link", "x", "--nonsense"), 2, "--nonsense"),
        (("link",), 2, "name a text, files or -"),
        (("nonsense",), 2, "nonsense"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_a_code(
    kb: Path, tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    (tmp_path / "file.txt").write_text("x", encoding="utf-8")
    places = {"KB": str(kb), "FILE": str(tmp_path / "file.txt")}
    asked = (places.get(one, one).replace("FOLDER", str(tmp_path)) for one in arguments)
    done = call(*asked)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("holdfast: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


@pytest.mark.parametrize(
    "text",
    ["HER2/neu", "p.V600E", "E.coli", "and/or", "TNF.", "c.35delG", "IL-1/IL-6", "5*10"],
)
def test_words_that_look_a_little_like_a_path_are_texts(kb: Path, text: str) -> None:
    done = call("link", text, "--kb", kb, "--json")
    assert (done.returncode, json.loads(done.stdout)["text"]) == (0, text)


def test_lenient_leaves_out_an_empty_file_among_others(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    (tmp_path / "fine.txt").write_text("A heart attack.", encoding="utf-8")
    asked = ("link", tmp_path / "empty.txt", tmp_path / "fine.txt", "--kb", kb, "--json")
    assert call(*asked).returncode == 1
    done = call(*asked, "--lenient")
    assert done.returncode == 0
    assert "heart attack" in done.stdout
    assert "empty.txt" in done.stderr


def test_debug_shows_the_traceback(kb: Path) -> None:
    done = run("link", "x", "--kb", "nowhere", "--debug")
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "KnowledgeBaseError" in done.stderr
    after_dashes = run("link", "--kb", kb, "--json", "--", "--debug")
    assert json.loads(after_dashes.stdout)["text"] == "--debug"


def test_help_names_every_command() -> None:
    done = run("--help")
    assert done.returncode == 0
    for command in ("link", "kb", "convert", "score", "evaluate", "reproduce"):
        assert command in done.stdout


def test_a_reader_who_has_had_enough_is_no_error(kb: Path, tmp_path: Path) -> None:
    many = tmp_path / "many.jsonl"
    many.write_text('{"id": "1", "text": "heart attack"}\n' * 20_000, encoding="utf-8")
    command = [sys.executable, "-m", "holdfast", "link", str(many), "--json", "--kb", str(kb)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1
