"""Links in the ids of another vocabulary: `--map-to`, and `map_to` from Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import holdfast
from command import call
from holdfast import Document, KnowledgeBase, Mention
from holdfast.errors import UsageError
from holdfast.kb import Entry, IdMapper, kb_folder
from holdfast.link.mapped import MapIds
from small_kb import of_entries

TEXT = "A quaggle fever was treated with zibol."
CONCEPTS = (
    Entry("MESH:D1", "Quaggle Fever", types=("Disease",)),
    Entry("MONDO:1", "fever due to quaggles", types=("Disease",), xrefs=("MESH:D1", "UMLS:C1")),
    Entry("MESH:D2", "Zibol", types=("Chemical",)),
    Entry("MESH:D3", "Glim", types=("Disease",), xrefs=("UMLS:C3",)),
)


@pytest.fixture
def kb() -> KnowledgeBase:
    return of_entries(kb_folder("small"), *CONCEPTS, source="MeSH")


def link(*options: str) -> tuple[str, str]:
    done = call("link", TEXT, "--kb", "small", "--model", "names", "--map-to", "umls", *options)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.usefixtures("kb")
@pytest.mark.parametrize("format", ["text", "json", "tsv", "pubtator", "bioc", "brat"])
def test_every_format_has_the_other_vocabulary_ids_and_a_summary_stands_beside(format: str) -> None:
    out, err = link("--format", format)
    assert "C1" in out
    assert "MESH:D1" not in out or format in ("text", "json", "tsv")  # there, as the reason
    assert "1 of 2 links mapped to UMLS; 1 not, as no UMLS id is known for MESH:D2" in err


@pytest.mark.usefixtures("kb")
def test_json_says_how_a_link_was_mapped_and_what_could_not_be() -> None:
    out, _ = link("--json")
    fever, zibol = json.loads(out)["mentions"]
    assert fever["ids"] == ["UMLS:C1"]
    assert fever["candidates"][0]["entity_id"] == "UMLS:C1"
    assert fever["candidates"][0]["evidence"][-1] == {
        "kind": "mapped",
        "detail": "MESH:D1, via MONDO:1",
    }
    assert zibol["ids"] == ["NIL"]
    assert zibol["candidates"][0]["entity_id"] == "MESH:D2"
    assert zibol["candidates"][0]["evidence"][-1] == {
        "kind": "unmapped",
        "detail": "no UMLS id is known for MESH:D2",
    }


@pytest.mark.usefixtures("kb")
def test_a_column_of_strings_is_mapped_too(tmp_path: Path) -> None:
    (tmp_path / "terms.tsv").write_text("term\nQuaggle Fever\n", encoding="utf-8")
    chosen = ("--mentions", tmp_path / "terms.tsv", "--column", "term", "--map-to", "UMLS")
    done = call("link", *chosen, "--kb", "small", "--model", "names")
    assert "UMLS:C1" in done.stdout
    assert "1 of 1 links mapped to UMLS\n" in done.stderr


def test_python_gives_the_same_links(kb: KnowledgeBase) -> None:
    document = holdfast.load(kb, model="names", map_to="UMLS")(TEXT)
    assert [mention.ids for mention in document.mentions] == [("UMLS:C1",), ("NIL",)]


def test_each_id_of_a_composite_is_mapped(kb: KnowledgeBase) -> None:
    step = MapIds(IdMapper(kb, "UMLS"))
    mentions = (
        Mention.at(0, 4, ids=("MESH:D1", "MESH:D3")),
        Mention.at(0, 5, ids=("MESH:D1", "MONDO:1")),
        Mention.at(0, 6, ids=("MESH:D2", "MESH:D3")),
        Mention.at(0, 7),
        Mention.at(0, 8, ids=("NIL",)),
    )
    mapped = step(Document("", "some text of some length", mentions=mentions))
    assert [mention.ids for mention in mapped.mentions] == [
        ("UMLS:C1", "UMLS:C3"),
        ("UMLS:C1",),
        ("UMLS:C3",),
        (),
        ("NIL",),
    ]
    assert step.summary() == (
        "5 of 6 links mapped to UMLS; 1 not, as no UMLS id is known for MESH:D2"
    )


def test_an_unknown_vocabulary_is_refused_before_anything_is_linked(kb: KnowledgeBase) -> None:
    with pytest.raises(UsageError, match="the prefix 'FOO'; there is: MESH, UMLS, MONDO"):
        holdfast.load(kb, model="names", map_to="FOO")
