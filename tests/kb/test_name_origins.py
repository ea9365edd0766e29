"""Whose name it is that matched: kept in the knowledge base, and told as evidence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import call
from holdfast import artifacts
from holdfast.errors import KnowledgeBaseError
from holdfast.kb import Addition, Entry, KnowledgeBase, Record, Source, build_kb, kb_folder
from holdfast.kb.open.taxa.organisms import with_origins
from small_kb import MESH, MONDO

RECORDS: tuple[Record, ...] = (
    Entry("MESH:D7", "Blue Moon Fever", synonyms=("moon fever",), types=("Disease",)),
    Addition("MESH:D7", synonyms=("lunar pyrexia", "moon fever"), origin="MONDO"),
    Addition("MESH:D7", synonyms=("lunar calor",), origin="Folk"),
    Addition("MESH:D7", synonyms=("blue fever",)),
)


@pytest.fixture(autouse=True)
def _kb() -> None:
    build_kb(kb_folder("small"), name="small", parts=[(MESH, RECORDS)])


@pytest.mark.parametrize("model", ["dictionary", "names"])
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("blue moon fever", "MeSH name “Blue Moon Fever”"),
        ("moon fever", "MeSH synonym “moon fever”"),
        ("lunar pyrexia", "MONDO synonym “lunar pyrexia” (concept of MeSH)"),
        ("lunar calor", "Folk synonym “lunar calor” (concept of MeSH)"),
        ("blue fever", "MeSH synonym “blue fever”"),
    ],
)
def test_the_evidence_of_a_name_says_whose_it_is(text: str, told: str, model: str) -> None:
    done = call("link", f"Seen: {text}.", "--kb", "small", "--model", model, "--json")
    (mention,) = json.loads(done.stdout)["mentions"]
    details = [why["detail"] for why in mention["candidates"][0]["evidence"]]
    assert told in details


def test_a_name_that_looks_alike_says_whose_it_is() -> None:
    done = call("kb", "search", "lunar pyrexa", "--kb", "small", "--json")
    (found,) = json.loads(done.stdout)["found"]
    assert (found["name"], found["name_source"], found["source"]) == (
        "lunar pyrexia",
        "MONDO",
        "MeSH",
    )
    assert "lunar pyrexia (MONDO)" in call("kb", "search", "lunar pyrexa", "--kb", "small").stdout


def _sources_of_names(kb: str) -> list[tuple[str, str]]:
    done = call("kb", "info", kb, "--id", "MESH:D7", "--json")
    return [(item["name"], item["source"]) for item in json.loads(done.stdout)["name_sources"]]


EXPECTED = [
    ("Blue Moon Fever", "MeSH"),
    ("moon fever", "MeSH"),
    ("lunar pyrexia", "MONDO"),
    ("lunar calor", "Folk"),
    ("blue fever", "MeSH"),
]


def test_an_entity_shows_its_names_by_their_source() -> None:
    assert _sources_of_names("small") == EXPECTED
    done = call("kb", "info", "small", "--id", "MESH:D7")
    shown = [line.split() for line in done.stdout.splitlines()]
    assert ["synonyms", "moon", "fever;", "blue", "fever"] in shown
    assert ["synonyms", "of", "MONDO", "lunar", "pyrexia"] in shown


def test_a_part_and_a_union_keep_whose_names_they_are() -> None:
    assert call("kb", "subset", "small", "part", "--type", "disease").returncode == 0
    assert _sources_of_names("part") == EXPECTED
    assert call("kb", "merge", "both", "part", "small").returncode == 0
    assert _sources_of_names("both") == EXPECTED


def test_names_of_a_second_file_are_the_second_files() -> None:
    again = Entry("MESH:D7", "moon disease", synonyms=("moon fever",), types=("Disease",))
    build_kb(kb_folder("two"), name="two", parts=[(MESH, RECORDS[:1]), (MONDO, [again])])
    assert _sources_of_names("two") == [
        ("Blue Moon Fever", "MeSH"),
        ("moon fever", "MeSH"),
        ("moon disease", "MONDO"),
    ]


def test_a_knowledge_base_of_the_older_layout_is_to_be_built_again(tmp_path: Path) -> None:
    folder = tmp_path / "old"
    build_kb(folder, name="old", parts=[(Source("mine"), RECORDS[:1])])
    config = KnowledgeBase(folder).manifest.config
    artifacts.write_manifest(folder, kind="knowledge base", version=1, config=config)
    with pytest.raises(KnowledgeBaseError, match=r"older Holdfast.*build or fetch it again"):
        KnowledgeBase(folder)


def test_names_of_organisms_are_ncbis_or_meshs_or_made_here() -> None:
    entry = Entry("NCBITaxon:7", "Lunaria azurea", synonyms=("moonwort", "Honesties", "L. azurea"))
    found = with_origins(entry, ncbi=["Lunaria azurea", "Moonwort"], mesh=["honesties"])
    assert [(record.synonyms, record.origin) for record in found] == [
        (("moonwort",), ""),
        (("Honesties",), "MeSH"),
        (("L. azurea",), "Holdfast"),
    ]
