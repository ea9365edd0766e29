"""`holdfast kb`, as it is called."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from command import call
from holdfast import artifacts
from holdfast.kb import Entry, kb_folder, open_kb
from small_kb import make_kb, of_entries

TABLE = "id\tname\tsynonyms\ttype\nX:1\tquaggle fever\tquaggles|QF\tdisease\nX:2\tzibol\t\tdrug\n"


@pytest.fixture
def small() -> str:
    make_kb(kb_folder("small"))
    return "small"


def error_of(done: CompletedProcess[str]) -> str:
    """The one line that says what went wrong; progress may stand before it."""
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("holdfast: ")]
    assert done.stderr.endswith(error + "\n")
    return error


def test_a_table_of_ones_own_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "terms.tsv").write_text(TABLE, encoding="utf-8")
    done = call("kb", "build", "mine", "--table", tmp_path / "terms.tsv")
    assert done.returncode == 0
    assert "2 entities, 4 names" in done.stdout
    linked = json.loads(call("link", "Quaggles after zibol", "--kb", "mine", "--json").stdout)
    assert [mention["ids"] for mention in linked["mentions"]] == [["X:1"], ["X:2"]]


def test_a_knowledge_base_may_be_built_in_any_folder(tmp_path: Path) -> None:
    (tmp_path / "terms.tsv").write_text(TABLE, encoding="utf-8")
    out = tmp_path / "out"
    assert call("kb", "build", "x", "--table", tmp_path / "terms.tsv", "--out", out).returncode == 0
    assert open_kb(out).name == "x"
    assert json.loads(call("kb", "info", out, "--json").stdout)["entities"] == 2


def test_info_is_one_json_object_with_licences(small: str) -> None:
    done = call("kb", "info", small, "--json")
    data = json.loads(done.stdout)
    assert done.stderr == ""
    assert (data["name"], data["entities"]) == ("small", 10)
    assert [source["licence"] for source in data["sources"]] == [
        "NLM terms",
        "CC0 1.0",
        "CC BY 4.0",
    ]
    listed = json.loads(call("kb", "info", "--json").stdout)
    assert [base["name"] for base in listed["knowledge_bases"]] == ["small"]
    assert "CC0 1.0" in call("kb", "info", small).stdout


def test_without_any_knowledge_base_info_says_what_to_do() -> None:
    done = call("kb", "info")
    assert done.returncode == 0
    assert "holdfast kb get open" in done.stdout


def test_one_entity_is_shown_by_id_or_cross_reference(small: str) -> None:
    data = json.loads(call("kb", "info", small, "--id", "MESH:D002", "--json").stdout)
    assert data["label"] == "Myocardial Infarction"
    assert data["xrefs"] == ["MONDO:0002"]
    assert data["links"] == [["is_a", "MESH:D001"]]
    assert "Death of heart muscle" in call("kb", "info", small, "--id", "MESH:D002").stdout


def test_search_is_one_json_object(small: str) -> None:
    data = json.loads(call("kb", "search", "hart attack", "--kb", small, "--json").stdout)
    assert data["found"][0]["id"] == "MESH:D002"
    assert "Nothing is called that" in call("kb", "search", "qqqq", "--kb", small).stdout


def test_subset_and_merge_make_new_ones(small: str, tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("HGNC:1\n", encoding="utf-8")
    assert call("kb", "subset", small, "genes", "--type", "gene").returncode == 0
    assert call("kb", "subset", small, "one", "--ids", tmp_path / "ids.txt").returncode == 0
    assert call("kb", "subset", small, "heart", "--ancestor", "MESH:D001").returncode == 0
    assert call("kb", "merge", "both", "genes", "heart").returncode == 0
    sizes = [len(open_kb(name)) for name in ("genes", "one", "heart", "both")]
    assert sizes == [2, 1, 2, 4]


def test_a_failed_subset_leaves_nothing(small: str) -> None:
    done = call("kb", "subset", small, "none", "--type", "gene", "--source", "MeSH")
    assert done.returncode == 1
    assert not kb_folder("none").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("kb", "info", "nowhere"), 1, "no knowledge base 'nowhere'; there is: small"),
        (("kb", "info", "small", "--id", "X:9"), 1, "'X:9' is not in the knowledge base 'small'"),
        (("kb", "search", "x", "--kb", "nowhere"), 1, "no knowledge base 'nowhere'"),
        (("kb", "subset", "small", "n", "--type", "colour"), 2, "no type 'colour'"),
        (("kb", "subset", "small", "n", "--source", "SNOMED"), 2, "no source 'SNOMED'"),
        (("kb", "subset", "small", "n", "--ids", "IDS"), 1, "'X:9' is not in"),
        (("kb", "subset", "small", "n", "--ids", "gone.txt"), 1, "gone.txt"),
        (("kb", "subset", "small", "n", "--ancestor", "X:9"), 1, "'X:9' is not in"),
        (("kb", "merge", "n", "small", "nowhere"), 1, "no knowledge base 'nowhere'"),
        (("kb", "get", "snomed"), 2, "no open knowledge base is called 'snomed'"),
        (("kb", "build", "n"), 2, "nothing to build from"),
        (("kb", "build", "a/b", "--table", "IDS"), 2, "'a/b' cannot name a knowledge base"),
        (("kb", "build", "n", "--table", "gone.tsv"), 2, "gone.tsv: there is no such file"),
        (("kb", "build", "n", "--table", "EMPTY"), 1, "empty.tsv: the file is empty"),
        (("kb", "build", "n", "--obo", "LATIN1"), 1, "latin1.obo, line 2"),
        (("kb", "build", "n", "--obo", "HALF"), 1, "half.obo, line"),
        (("kb", "build", "n", "--obo", "HALF", "--id-column", "x"), 2, "--id-column means nothing"),
    ],
)
def test_what_cannot_be_done_is_one_line_that_names_the_place(
    small: str, tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    contents = {
        "IDS": ("ids.txt", b"HGNC:1\nX:9\n"),
        "EMPTY": ("empty.tsv", b""),
        "LATIN1": ("latin1.obo", b"format-version: 1.4\nname: caf\xe9\n"),
        "HALF": ("half.obo", b'format-version: 1.4\n\n[Term]\nid: X:1\nname: a\ndef: "cut he'),
    }
    places = {}
    for key, (name, content) in contents.items():
        (tmp_path / name).write_bytes(content)
        places[key] = str(tmp_path / name)
    done = call(*(places.get(argument, argument) for argument in arguments))
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert message in error_of(done)
    assert small == "small"
    assert not kb_folder("n").exists()


def test_a_damaged_knowledge_base_is_one_line_that_names_the_file(small: str) -> None:
    path = kb_folder(small) / "names.arrow"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    done = call("link", "heart attack", "--kb", small)
    assert done.returncode == 1
    assert "names.arrow: damaged" in error_of(done)


def break_kb(name: str) -> None:
    path = kb_folder(name) / "names.arrow"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_a_damaged_knowledge_base_hides_none_of_the_others(small: str) -> None:
    make_kb(kb_folder("broken"), name="broken")
    break_kb("broken")
    (kb_folder("empty")).mkdir()
    listed = call("kb", "info")
    assert listed.returncode == 0
    assert "small  10 entities" in listed.stdout
    assert "broken" not in listed.stdout
    assert "broken cannot be opened: " in listed.stderr
    assert "names.arrow: damaged" in listed.stderr
    assert "empty cannot be opened: " in listed.stderr
    data = json.loads(call("kb", "info", "--json").stdout)
    assert [kb["name"] for kb in data["knowledge_bases"]] == ["small"]
    assert [kb["name"] for kb in data["damaged"]] == ["broken", "empty"]
    assert "names.arrow: damaged" in data["damaged"][0]["problem"]
    assert call("kb", "info", small).returncode == 0
    assert call("link", "heart attack", "--kb", small).returncode == 0


@pytest.mark.parametrize("command", ["build", "subset", "merge"])
def test_an_existing_knowledge_base_is_replaced_only_by_force(
    small: str, tmp_path: Path, command: str
) -> None:
    (tmp_path / "terms.tsv").write_text(TABLE, encoding="utf-8")
    arguments: tuple[str | Path, ...] = {
        "build": ("build", "mine", "--table", tmp_path / "terms.tsv"),
        "subset": ("subset", small, "mine", "--type", "gene"),
        "merge": ("merge", "mine", small),
    }[command]
    of_entries(kb_folder("mine"), Entry("OLD:1", "old thing"))
    refused = call("kb", *arguments)
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert "there is already a knowledge base at " in error_of(refused)
    assert "--force" in error_of(refused)
    assert "OLD:1" in open_kb("mine")
    assert call("kb", *arguments, "--force").returncode == 0
    assert "OLD:1" not in open_kb("mine")


def test_a_damaged_one_is_replaced_by_force_too(tmp_path: Path) -> None:
    (tmp_path / "terms.tsv").write_text(TABLE, encoding="utf-8")
    build = ("kb", "build", "mine", "--table", tmp_path / "terms.tsv")
    assert call(*build).returncode == 0
    break_kb("mine")
    assert call(*build).returncode == 2
    assert call(*build, "--force").returncode == 0
    assert len(open_kb("mine")) == 2


def test_what_is_no_knowledge_base_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "terms.tsv").write_text(TABLE, encoding="utf-8")
    diary = tmp_path / "documents" / "diary.txt"
    diary.parent.mkdir()
    diary.write_text("dear diary", encoding="utf-8")
    build = ("kb", "build", "x", "--table", tmp_path / "terms.tsv", "--out", diary.parent)
    for force in ((), ("--force",)):
        done = call(*build, *force)
        assert done.returncode == 2
        assert "holds something else than a knowledge base" in error_of(done)
    assert diary.read_text(encoding="utf-8") == "dear diary"


def test_remove_deletes_a_knowledge_base_and_its_vectors_and_nothing_else(small: str) -> None:
    for name in ("small-2", "broken"):
        make_kb(kb_folder(name), name=name)
        assert call("link", "heart attack", "--kb", name).returncode == 0
    assert call("link", "heart attack", "--kb", small).returncode == 0
    break_kb("broken")
    done = call("kb", "remove", small, "broken")
    assert done.returncode == 0
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == [
        "small is removed",
        "broken is removed",
    ]
    assert not kb_folder(small).exists()
    dense = (path.name for path in (artifacts.home() / "dense").iterdir())
    assert {name[:-17] for name in dense if not name.startswith("names-")} == {"small-2"}
    assert call("link", "heart attack", "--kb", "small-2").returncode == 0
    gone = call("kb", "remove", small)
    assert gone.returncode == 1
    assert error_of(gone) == "holdfast: no knowledge base 'small'; there is: small-2"
