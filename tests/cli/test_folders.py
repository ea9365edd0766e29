"""Folders, several files and standard input, through `holdfast link` and `convert`."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from command import call, run
from holdfast.corpora import read_documents
from small_kb import make_kb

PUBTATOR = "{0}|t|Heart attack\n{0}|a|then bleeding\n{0}\t0\t5\tHeart\tAnatomy\tX\n\n"
XML = "<?xml version='1.0'?>\n<!DOCTYPE {0} SYSTEM 'x.dtd'>\n<!-- made by hand -->\n{1}\n"
BIOC_XML = XML.format(
    "collection",
    "<collection><source/><date/><key/><document><id>5</id><passage><offset>0</offset>"
    "<text>heart attack</text></passage></document></collection>",
)
MEDLINE = XML.format(
    "PubmedArticleSet",
    "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>6</PMID><Article>"
    "<ArticleTitle>Heart attack</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
    "</PubmedArticleSet>",
)
IOB = "-DOCSTART-\tiob\tO\n\nHeart\tB-Disease\nattack\tI-Disease\n"
TABLE = "document_id\tstart\tend\tmention\n9\t0\t8\tBleeding\n"


def bioc(*ids: int) -> str:
    passage = {"offset": 0, "infons": {}, "text": "TNF rose", "annotations": []}
    documents = [{"id": str(id), "infons": {}, "passages": [passage]} for id in ids]
    return json.dumps({"source": "", "documents": documents})


FILES: dict[str, str | bytes] = {  # 40 documents
    **{f"note {number:02}.txt": "A heart attack." for number in range(15)},
    "a.pubtator": PUBTATOR.format(101) + PUBTATOR.format(102),
    "in a text.txt": PUBTATOR.format(111) + PUBTATOR.format(112) + PUBTATOR.format(113),
    "no_extension": PUBTATOR.format(121),
    "zipped.pubtator.gz": gzip.compress(PUBTATOR.format(131).encode()),
    "b.bioc.json": bioc(201, 202, 203),
    "b.json": bioc(211, 212),
    "sub/c.xml": BIOC_XML,
    "sub/d.xml": MEDLINE,
    "sub/e.xml.gz": gzip.compress(MEDLINE.replace("<PMID>6", "<PMID>7").encode()),
    "f.jsonl": '{"id": "301", "text": "bleeding"}\n{"id": "302", "text": "bleeding"}\n',
    "f.json": '{"documents": [\n{"id": "311", "text": "bleeding"}\n]}\n',
    "g.tsv": IOB,
    "h.tsv": TABLE,
    "sub/note 00.txt": "Another heart attack.",
    "sub/deep er/note.md": "A heart attack in a deep folder.",
    "zipped.txt.gz": gzip.compress(b"A heart attack, zipped."),
    "brat/p.txt": "Heart attack",
    "brat/p.ann": "T1\tDisease 0 12\tHeart attack\n",
    "brat/alone.txt": "A heart attack without annotations.",
}
LEFT_OUT: dict[str, str | bytes] = {
    ".DS_Store": b"\0\1",
    ".git/config": "text",
    "scan.png": b"\x89PNG\r\n\x1a\n\0",
    "paper.pdf": b"%PDF-1.7 no other sign of being binary",
    "terms.csv": "id,name\n1,heart\n",
    "terms.tsv": "id\tname\n1\theart\n",
    "settings.json": '{"a": 1}',
    "article.xml": "<article/>",
    "README.md": "About this folder.",
    "brat/annotation.conf": "[entities]",
    "empty.txt": b"",
    "empty.txt.gz": gzip.compress(b""),
}


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    return make_kb(tmp_path / "kb").folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path / "in", FILES | LEFT_OUT)


def filled(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def ids(done: CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return [document["id"] for document in json.loads(done.stdout)["documents"]]


def test_every_file_is_read_by_its_own_format_in_a_stable_order(kb: Path, folder: Path) -> None:
    done = call("link", folder, "--kb", kb, "--json")
    found = ids(done)
    assert len(found) == 40
    assert found == [
        *("101", "102", "201", "202", "203", "211", "212", "brat/alone", "brat/p", "311"),
        *("301", "302", "iob", "9", "111", "112", "113", "121"),
        *(f"note {number:02}" for number in range(15)),
        *("5", "6", "sub/deep er/note.md", "7", "sub/note 00", "131", "zipped"),
    ]
    linked = json.loads(done.stdout)["documents"]
    assert all(document["mentions"] for document in linked)


def test_what_was_read_and_left_out_stands_at_the_end(kb: Path, folder: Path) -> None:
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    done = call("link", folder, "--kb", kb, "--json")
    assert len(ids(done)) == 40
    assert done.stderr.splitlines() == [
        "read 40 documents from 33 files: text 19, pubtator 7, bioc-json 5, jsonl 2, medline 2, "
        "brat 1, json 1, iob 1, mentions 1, bioc-xml 1",
        "left out 13 files:",
        "  hidden: .DS_Store, .git/",
        "  of a kind that holds no documents: README.md, article.xml, brat/annotation.conf, "
        "settings.json",
        "  empty: empty.txt, empty.txt.gz",
        "  folders that are read already, by another way: loop/",
        "  not text: paper.pdf, scan.png",
        "  tables (--mentions links a column of strings): terms.csv, terms.tsv",
    ]


def test_a_long_list_is_shortened_with_a_count(kb: Path, tmp_path: Path) -> None:
    files = {f"{number:02}.png": b"\0" for number in range(25)}
    folder = filled(tmp_path / "in", {"a.txt": "heart attack", **files})
    done = call("link", folder, "--kb", kb, "--json")
    assert "09.png and 15 more" in done.stderr
    assert "10.png" not in done.stderr


@pytest.mark.parametrize("format", ["pubtator", "bioc-json", "text", "brat", "medline", "jsonl"])
def test_a_named_format_reads_the_files_of_that_format(kb: Path, folder: Path, format: str) -> None:
    done = call("link", folder, "--kb", kb, "--json", "--from", format)
    wanted = {
        "pubtator": ["101", "102", "111", "112", "113", "121", "131"],
        "bioc-json": ["201", "202", "203", "211", "212"],
        "brat": ["brat/p"],
        "medline": ["6", "7"],
        "jsonl": ["301", "302"],
    }
    found = ids(done)
    if format == "text":
        assert {"note 00", "sub/note 00", "brat/p", "zipped", "brat/alone"} <= {*found}
        assert not {"101", "111", "301"} & {*found}
    else:
        assert found == wanted[format]
    assert "of another format than --from: " in done.stderr


def test_a_folder_of_pubtator_alone_is_read(kb: Path, tmp_path: Path) -> None:
    folder = filled(tmp_path / "in", {"x.pubtator": PUBTATOR.format(1), "y": PUBTATOR.format(2)})
    assert ids(call("link", folder, "--kb", kb, "--json")) == ["1", "2"]


BROKEN: dict[str, str | bytes] = {
    "latin.txt": b"caf\xe9",
    "utf16.txt": "heart attack".encode("utf-16"),
    "half.bioc.json": '{"documents": [',
    "half.txt.gz": gzip.compress(b"heart attack " * 50)[:30],
    "lonely.ann": "T1\tDisease 0 5\tHeart\n",
    "bad.pubtator": "no title\n",
    "log.jsonl": '{"level": "info"}\n',
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_of_a_folder_stops_with_its_name(kb: Path, tmp_path: Path, name: str) -> None:
    folder = filled(tmp_path / "in", {"a.txt": "heart attack", name: BROKEN[name]})
    done = call("link", folder, "--kb", kb, "--json")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"in/{name}" in done.stderr


def test_lenient_leaves_out_broken_files_names_and_counts_them(kb: Path, tmp_path: Path) -> None:
    folder = filled(tmp_path / "in", {"a.txt": "heart attack", **BROKEN})
    (folder / "dangling.txt").symlink_to(folder / "nothing.txt")
    (folder / "itself.txt").symlink_to(folder / "itself.txt")
    done = call("link", folder, "--kb", kb, "--json", "--lenient")
    assert ids(done) == ["a"]
    names = ", ".join(sorted([*BROKEN, "dangling.txt", "itself.txt"]))
    assert f"  broken: {names}\n" in done.stderr
    assert "left out 9 files" in done.stderr
    assert "latin.txt" not in done.stdout


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_a_file_that_may_not_be_read_is_named(kb: Path, tmp_path: Path) -> None:
    folder = filled(tmp_path / "in", {"a.txt": "heart attack", "b.txt": "bleeding"})
    (folder / "b.txt").chmod(0)
    stopped = call("link", folder, "--kb", kb, "--json")
    assert (stopped.returncode, "b.txt: Permission denied" in stopped.stderr) == (1, True)
    done = call("link", folder, "--kb", kb, "--json", "--lenient")
    assert ids(done) == ["a"]
    assert "broken: b.txt" in done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_a_folder_does_not_block(kb: Path, tmp_path: Path) -> None:
    folder = filled(tmp_path / "in", {"a.txt": "heart attack"})
    os.mkfifo(folder / "b.txt")
    done = call("link", folder, "--kb", kb, "--json")
    assert ids(done) == ["a"]
    assert "not text: b.txt" in done.stderr


def test_texts_have_unique_ids_and_others_that_repeat_are_told(kb: Path, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.txt": "heart attack",
        "a.txt.gz": gzip.compress(b"heart attack"),
        "b/a.txt": "heart attack",
        "x.pubtator": PUBTATOR.format(7),
        "y.pubtator": PUBTATOR.format(7),
    }
    done = call("link", filled(tmp_path / "in", files), "--kb", kb, "--json")
    assert ids(done) == ["a", "a.txt.gz", "b/a", "7", "7"]
    assert "document ids that repeat: 7\n" in done.stderr


def test_a_name_that_is_not_utf8_is_shown_and_read(kb: Path, tmp_path: Path) -> None:
    folder = filled(tmp_path / "in", {"a.txt": "heart attack"})
    odd = os.fsencode(folder) + b"/caf\xe9.txt"
    try:
        with open(odd, "wb") as stream:  # noqa: PTH123
            stream.write(b"bleeding")
    except OSError:
        pytest.skip("this file system has only names in UTF-8")
    assert ids(call("link", folder, "--kb", kb, "--json")) == ["a", "caf\ufffd"]


def test_files_folders_and_texts_may_be_mixed(kb: Path, tmp_path: Path) -> None:
    folder = filled(tmp_path / "in", {"b.txt": "bleeding", "c.pubtator": PUBTATOR.format(3)})
    alone = filled(tmp_path, {"a b.txt": "heart attack"}) / "a b.txt"
    done = call("link", alone, folder, "TNF rose", "--kb", kb, "--json")
    assert ids(done) == ["a b", "b", "3", ""]
    assert "read 3 documents from 3 files: text 2, pubtator 1" in done.stderr


def test_a_broken_file_among_several_is_left_out_where_lenient(kb: Path, tmp_path: Path) -> None:
    filled(tmp_path, {"a.txt": "heart attack", "b.bioc.json": '{"documents": ['})
    files = (tmp_path / "b.bioc.json", tmp_path / "a.txt")
    assert call("link", *files, "--kb", kb, "--json").returncode == 1
    done = call("link", *files, "--kb", kb, "--json", "--lenient")
    assert ids(done) == ["a"]
    assert "broken: " in done.stderr
    assert "b.bioc.json" in done.stderr


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"id,name\n", "--mentions"),
        ("a.pdf", b"%PDF-1.4", "extract its text first"),
        ("a.bin", b"\0\0", "extract its text first"),
    ],
)
def test_a_single_file_without_documents_says_what_to_do(
    kb: Path, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    done = call("link", tmp_path / name, "--kb", kb)
    assert done.returncode in (1, 2)
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert name in done.stderr
    assert message in done.stderr


def test_a_folder_is_converted_like_it_is_linked(folder: Path, tmp_path: Path) -> None:
    done = call("convert", folder, tmp_path / "out.jsonl")
    assert done.returncode == 0
    assert "read 40 documents from 33 files" in done.stderr
    assert "paper.pdf" in done.stderr
    documents = list(read_documents(tmp_path / "out.jsonl"))
    assert len(documents) == 40
    assert sum(len(document.mentions) for document in documents) == 10  # PubTator, brat, IOB, table


def test_marked_mentions_of_a_folder_are_linked(kb: Path, tmp_path: Path) -> None:
    folder = filled(
        tmp_path / "in",
        {"a.txt": "Heart attack", "a.ann": "T1\tDisease 0 12\tHeart attack\n", "b.tsv": IOB},
    )
    done = call("link", "--mentions", folder, "--kb", kb, "--format", "tsv")
    rows = [line.split("\t") for line in done.stdout.splitlines()[1:]]
    assert [(row[0], row[5]) for row in rows] == [("a", "MESH:D002"), ("iob", "MESH:D002")]


@pytest.mark.parametrize("options", [("--from", "pubtator"), ()])
@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_may_be_of_any_format(
    kb: Path, options: tuple[str, ...], packed: bool
) -> None:
    content = (PUBTATOR.format(1) + PUBTATOR.format(2)).encode()
    raw = gzip.compress(content) if packed else content
    assert ids(run("link", "-", *options, "--kb", kb, "--json", input=raw)) == ["1", "2"]


@pytest.mark.parametrize("content", ["heart attack", PUBTATOR.format(1)])
def test_a_byte_order_mark_shifts_no_offset(kb: Path, tmp_path: Path, content: str) -> None:
    (tmp_path / "a.txt").write_text("\ufeff" + content, encoding="utf-8")
    by_file = json.loads(call("link", tmp_path / "a.txt", "--kb", kb, "--json").stdout)
    by_stdin = json.loads(run("link", "-", "--kb", kb, "--json", input="\ufeff" + content).stdout)
    by_argument = json.loads(call("link", "\ufeffheart attack", "--kb", kb, "--json").stdout)
    for said in (by_file, by_stdin, by_argument):
        (first, *_) = said.get("documents", [said])
        assert not first["text"].startswith("\ufeff")
        assert first["mentions"][0]["spans"] == [[0, 12]]


def test_what_is_wrong_with_standard_input_is_said_of_it(kb: Path, tmp_path: Path) -> None:
    bad = "1|t|Heart attack\n1|a|x\n1\t0\t5\tLiver\tAnatomy\tX\n"
    done = run("link", "-", "--from", "pubtator", "--kb", kb, "--json", input=bad)
    assert done.returncode == 1
    assert done.stderr.startswith("holdfast: standard input, line 3: ")
    done = run("link", "-", "--from", "pubtator", "--kb", kb, "--json", "--lenient", input=bad)
    assert ids(done) == ["1"]
    assert "  standard input, line 3: " in done.stderr
    twice = run("link", "-", "-", "--kb", kb)
    assert (twice.returncode, "only once" in twice.stderr) == (2, True)
    converted = run("convert", "-", tmp_path / "x.jsonl", input=PUBTATOR.format(1))
    assert converted.returncode == 0
    assert [d.id for d in read_documents(tmp_path / "x.jsonl")] == ["1"]


def test_the_answer_in_json_can_be_linked_and_scored_again(kb: Path, tmp_path: Path) -> None:
    folder = filled(tmp_path / "in", {"a.txt": "heart attack", "b.txt": "bleeding"})
    first = call("link", folder, "--kb", kb, "--json").stdout
    (tmp_path / "linked.json").write_text(first, encoding="utf-8")
    again = call("link", "--mentions", tmp_path / "linked.json", "--kb", kb, "--json")
    assert again.stdout == first
    scored = call(
        "score", "--gold", tmp_path / "linked.json", "--pred", tmp_path / "linked.json", "--json"
    )
    assert (json.loads(scored.stdout)["protocol"], json.loads(scored.stdout)["f1"]) == ("strong", 1)
