"""Listed names against shorter mentions inside them, as a pipeline decides."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import holdfast
from command import call
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.kb import Entry, KnowledgeBase, Source
from holdfast.kinds import KINDS
from holdfast.step import MENTIONS, Roles, roles
from small_kb import make_kb

PATHWAY = "activin receptor signaling pathway"
TEXT = f"The {PATHWAY} was studied in a fibroblast of lung with focal lupus nephritis."


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return make_kb(
        tmp_path_factory.mktemp("listed") / "kb",
        (
            Source("MeSH"),
            (
                Entry("MESH:D1", "Lupus Nephritis", types=("Disease",)),
                Entry("MESH:C1", "1-(4-nitrophenyl)piperazine", types=("Chemical",)),
                Entry("MESH:D4", "2,4,6-trinitrotoluene", types=("Chemical",)),
                Entry("MESH:D5", "4-nitrophenyl", synonyms=("piperazine",), types=("Chemical",)),
                Entry("MESH:D6", "N,N'-dimethyl-[1,2'-bi]urea(1+)", types=("Chemical",)),
                Entry("MESH:C2", "time course", types=("Chemical",)),
                Entry("MESH:D7", "Cells, Dendritic", types=("CellType",)),
            ),
        ),
        (Source("HGNC"), (Entry("HGNC:1", "activin receptor", types=("Gene",)),)),
        (
            Source("MGI"),
            (Entry("MGI:1", "Zzz9", synonyms=("life cycle", "high grade"), types=("Gene",)),),
        ),
        (
            Source("Gene Ontology"),
            (
                Entry("GO:1", PATHWAY, types=("Process",)),
                Entry("GO:2", "vex binding", synonyms=("vex chaperone",), types=("Process",)),
            ),
        ),
        (Source("Cell Ontology"), (Entry("CL:1", "fibroblast of lung", types=("CellType",)),)),
        (
            Source("UBERON"),
            (
                Entry("UBERON:1", "lung", types=("Anatomy",)),
                Entry("UBERON:2", "dendritic", types=("Anatomy",)),
            ),
        ),
        (
            Source("Human Phenotype Ontology"),
            (
                Entry("HP:1", "Focal lupus nephritis", types=("Phenotype",)),
                Entry("HP:2", "Large head", types=("Phenotype",)),
                Entry("HP:3", "Short", types=("Phenotype",)),
                Entry("HP:4", "Type 2", types=("Phenotype",)),
            ),
        ),
    )


def found(document: Document) -> list[tuple[str, str]]:
    return [(document.text_of(mention), mention.type) for mention in document.mentions]


def test_a_listed_name_is_not_cut_by_a_shorter_mention_of_another_type(kb: KnowledgeBase) -> None:
    expected = [
        (PATHWAY, "Process"),
        ("fibroblast of lung", "CellType"),
        ("focal lupus nephritis", "Phenotype"),
    ]
    for model in ("default", "dictionary"):
        assert found(holdfast.load(kb, model=model)(TEXT)) == expected


def test_nested_mentions_are_kept_on_demand_and_linked(kb: KnowledgeBase) -> None:
    document = holdfast.load(kb, nested=True)(TEXT)
    assert found(document) == [
        (PATHWAY, "Process"),
        ("activin receptor", "Gene"),
        ("fibroblast of lung", "CellType"),
        ("lung", "Anatomy"),
        ("focal lupus nephritis", "Phenotype"),
        ("lupus nephritis", "Disease"),
    ]
    linked = {document.text_of(m): m.ids for m in document.mentions}
    assert linked["activin receptor"] == ("HGNC:1",)
    assert linked[PATHWAY] == ("GO:1",)
    assert linked["lupus nephritis"] == ("MESH:D1",)


@pytest.mark.parametrize("format", ["text", "tsv", "pubtator", "bioc", "brat", "json"])
def test_every_format_prints_nested_mentions(kb: KnowledgeBase, format: str) -> None:
    done = call("link", TEXT, "--kb", kb.folder, "--nested", "--format", format)
    assert done.returncode == 0, done.stderr
    for id in ("GO:1", "HGNC:1", "MESH:D1", "HP:1"):
        assert id in done.stdout or format == "brat"
    for words in (PATHWAY, "activin receptor", "lupus nephritis"):
        assert words in done.stdout


def test_every_linker_copes_with_nested_mentions(kb: KnowledgeBase) -> None:
    for linker in ("name-linker", "linker", "bm25-linker"):
        document = holdfast.load(kb, nested=True, model=["detector", linker])(TEXT)
        assert ("HGNC:1",) in {mention.ids for mention in document.mentions}


def test_wanted_types_are_chosen_before_names_compete(kb: KnowledgeBase) -> None:
    assert found(holdfast.load(kb, only=["gene"])(TEXT)) == [("activin receptor", "Gene")]
    assert found(holdfast.load(kb, only=["anatomy"])(TEXT)) == [("lung", "Anatomy")]


@pytest.mark.parametrize(
    "name",
    ["1-(4-nitrophenyl)piperazine", "2,4,6-trinitrotoluene", "N,N'-dimethyl-[1,2'-bi]urea(1+)"],
)
@pytest.mark.parametrize("frame", ["We report on {} in this study.", "{}", "({}), twice"])
def test_chemical_names_are_found_whole(kb: KnowledgeBase, name: str, frame: str) -> None:
    text = frame.format(name)
    for model in ("default", "dictionary"):
        mentions = holdfast.load(kb, model=model)(text).mentions
        found = [text[m.start : m.end] for m in mentions]
        assert found == [name]


def test_common_words_count_in_pairs_but_not_for_genes_nor_rare_chemicals(
    kb: KnowledgeBase,
) -> None:
    text = "A large head at short notice, a high grade, a life cycle, type 2 and a time course."
    assert found(holdfast.load(kb)(text)) == [("large head", "Phenotype")]


def test_words_in_the_order_of_an_index_are_no_name(kb: KnowledgeBase) -> None:
    link = holdfast.load(kb, model="dictionary")
    assert found(link("The dendritic cell was alive.")) == [("dendritic cell", "CellType")]
    assert found(link("Each cell dendritic in shape was alive.")) == []
    assert found(link("It is dendritic.")) == [("dendritic", "Anatomy")]


def test_a_function_is_not_found_by_the_name_of_the_protein_that_has_it(
    kb: KnowledgeBase,
) -> None:
    link = holdfast.load(kb, model="dictionary")
    assert found(link("A vex chaperone with vex binding.")) == [("vex binding", "Process")]


def test_a_long_form_and_its_short_form_are_two_mentions(tmp_path: Path) -> None:
    entry = Entry(
        "X:1", "quaggle renal fever", synonyms=("quaggle renal fever (QRF)",), types=("Disease",)
    )
    kb = make_kb(tmp_path / "kb", (Source("MeSH"), (entry,)))
    document = holdfast.load(kb, model="dictionary")("A quaggle renal fever (QRF) rose.")
    assert [words for words, _ in found(document)] == ["quaggle renal fever", "QRF"]


def test_a_detector_that_cannot_nest_says_so(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Flat(type(KINDS["dictionary detector"])):  # type: ignore[misc]
        def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
            return roles(adds=[MENTIONS])

    monkeypatch.setitem(KINDS, "dictionary detector", Flat())
    parts = ["dictionary-detector", "name-linker"]
    assert holdfast.load(kb, model=parts)(TEXT).mentions
    with pytest.raises(
        UsageError,
        match="the dictionary detector 'dictionary-detector' finds no mentions inside others",
    ):
        holdfast.load(kb, model=parts, nested=True)


def test_json_of_nested_mentions_can_be_read_again(kb: KnowledgeBase) -> None:
    done = call("link", TEXT, "--kb", kb.folder, "--nested", "--json")
    document = Document.from_json(json.loads(done.stdout))
    assert found(document)[:2] == [(PATHWAY, "Process"), ("activin receptor", "Gene")]
