"""The service answers what the command line and Python answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import holdfast
from command import call
from holdfast.document import Document, Mention
from serving import Server

TEXT = "A heart attack (HA) after lithium carbonate; TNF rose. HA was followed by bleedings."
OTHER = "Blue moon disease and interleukin-2 (IL-2): “IL-2” – naïve 😀 TNF."
FORMATS = {
    "json": "json",
    "tsv": "tsv",
    "pubtator": "pubtator",
    "bioc": "bioc-json",
    "brat": "brat",
}


@pytest.fixture(autouse=True)
def _home_of_the_service(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_HOME", str(home))


def linked(*arguments: str | Path) -> str:
    done = call("link", "--kb", "small", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_text_has_the_same_json_everywhere(server: Server, home: Path) -> None:
    answer = server.ask("/v1/annotate", {"text": TEXT})
    assert answer.status == 200
    assert len(answer.json["mentions"]) > 3
    assert answer.text == linked(TEXT, "--json").rstrip("\n")
    pipeline = holdfast.load(home / "kb" / "small")
    assert answer.json == pipeline(TEXT).to_json()


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({"only": ["disease"]}, ["--only", "disease"]),
        ({"top": 2, "min_score": 0.95}, ["--top", "2", "--min-score", "0.95"]),
        ({"nested": True}, ["--nested"]),
        ({"map_to": "MONDO"}, ["--map-to", "MONDO"]),
        ({"model": "default", "kb": "small"}, []),
    ],
)
def test_an_option_means_what_it_means_on_the_command_line(
    server: Server, options: dict[str, Any], arguments: list[str]
) -> None:
    answer = server.ask("/v1/annotate", {"text": TEXT, **options})
    assert answer.json == json.loads(linked(TEXT, "--json", *arguments))


def test_several_documents_have_the_same_json(server: Server, tmp_path: Path) -> None:
    documents = [{"id": str(i), "text": text} for i, text in enumerate((TEXT, OTHER, "", TEXT))]
    path = tmp_path / "some.jsonl"
    path.write_text("".join(json.dumps(d) + "\n" for d in documents), encoding="utf-8")
    answer = server.ask("/v1/annotate", {"documents": documents})
    assert answer.json == json.loads(linked(path, "--json"))
    lines = server.ask("/v1/annotate?format=jsonl", {"documents": documents}).text.splitlines()
    assert [json.loads(line) for line in lines] == answer.json["documents"]


@pytest.mark.parametrize("format", FORMATS)
def test_a_format_is_written_as_the_command_line_writes_it(server: Server, format: str) -> None:
    answer = server.ask(f"/v1/annotate?format={FORMATS[format]}", {"text": OTHER})
    assert answer.status == 200
    assert answer.text.rstrip("\n") == linked(OTHER, "--format", format).rstrip("\n")


def test_a_file_is_read_as_the_command_line_reads_it(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "one.pubtator"
    path.write_text(
        "7|t|Heart attack.\n7|a|TNF rose.\n7\t0\t12\tHeart attack\tDisease\tMESH:D1\n",
        encoding="utf-8",
    )
    answer = server.ask("/v1/annotate/file?from=pubtator", path.read_bytes())
    assert answer.json == json.loads(linked(path, "--json"))
    marked = server.ask("/v1/annotate/file?from=pubtator&marked=true", path.read_bytes())
    assert marked.json == json.loads(linked("--mentions", path, "--json"))


def test_given_spans_are_linked_as_python_links_them(server: Server, home: Path) -> None:
    start = TEXT.index("TNF")
    mention = {"spans": [[start, start + 3]], "type": "Gene"}
    answer = server.ask(
        "/v1/link", {"documents": [{"id": "1", "text": TEXT, "mentions": [mention]}]}
    )
    document = Document("1", TEXT, mentions=(Mention.at(start, start + 3, "Gene"),))
    pipeline = holdfast.load(home / "kb" / "small", marked=True)
    assert answer.json == {"documents": [pipeline(document).to_json()]}


def test_strings_are_linked_as_a_table_is(server: Server, tmp_path: Path) -> None:
    strings = ["Heart attack", "hart attack", "n/a", "TNF", "  tnf-alpha ", "zzz"]
    path = tmp_path / "strings.txt"
    path.write_text("\n".join(strings) + "\n", encoding="utf-8")
    table = json.loads(linked("--mentions", path, "--json", "--format", "json"))
    rows = server.ask("/v1/link", {"strings": strings}).json["rows"]
    assert rows == [{k: v for k, v in row.items() if k != "fields"} for row in table["rows"]]
    assert rows[1]["nearest"]["entity_id"] == "MESH:D002"


def test_a_search_finds_what_the_command_line_finds(server: Server) -> None:
    done = call("kb", "search", "myocardal infarcton", "--kb", "small", "--json")
    by_post = server.ask("/v1/search", {"q": "myocardal infarcton"})
    by_get = server.ask("/v1/search?q=myocardal%20infarcton")
    assert by_post.json == by_get.json == json.loads(done.stdout)
