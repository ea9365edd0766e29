"""Text, a linker and a hierarchy become types and triples."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest

from command import run
from holdfast import artifacts
from holdfast.document import Candidate, Document, Evidence
from holdfast.errors import KnowledgeBaseError, UsageError
from holdfast.kb import Entry, open_kb
from holdfast.pipeline import Pipeline
from holdfast.systems.bier.categories import Ancestors, ConceptCategories, NameHeads, open_sources
from holdfast.systems.bier.training.annotate import (
    FoundConcept,
    annotate,
    found_concepts,
    read_annotated,
)
from holdfast.systems.bier.training.build import Filter, read_statistics, types_folder
from holdfast.systems.bier.training.command import BuildRequest, build_types
from holdfast.systems.bier.type_list import TypeList
from small_kb import of_entries
from systems.bier.toys import documents, make_world, write_texts


def built(texts: Path, **options: object) -> Path:
    request = BuildRequest(
        "toy",
        texts=(texts,),
        kb="world",
        model="dictionary",
        filter=Filter(least_count=2),
        **options,  # type: ignore[arg-type]
    )
    return build_types(request, report=lambda _line: None)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    make_world()
    return write_texts(tmp_path / "texts.jsonl", 30)


def triples_of(folder: Path) -> list[tuple[str, tuple[str, ...]]]:
    """Mentions with the names of their types."""
    names = TypeList.read(folder).names
    found = []
    for path in sorted(folder.glob("triples-*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            record = json.loads(line)
            for start, end, types in record["triples"]:
                found.append((record["text"][start:end], tuple(names[t] for t in types)))
    return found


def test_a_mention_has_its_concept_what_is_above_it_and_its_equivalents_types(texts: Path) -> None:
    folder = built(texts)
    found = dict(triples_of(folder))
    assert set(found["sarcoma"]) == {"sarcoma", "Neoplasms", "Disease"}
    assert "brain disorder" in found["glioma"], "MONDO means the same and knows more"
    assert len(triples_of(folder)) == 90


def test_equal_names_of_two_vocabularies_are_one_type(texts: Path) -> None:
    types = TypeList.read(built(texts))
    assert "neoplasm" not in types.names
    (neoplasms,) = (t for t in types.types if t.name == "Neoplasms")
    assert {"MESH:D1", "MONDO:0"} <= set(neoplasms.keys)
    (diseases,) = (t for t in types.types if t.name == "Disease")
    assert set(diseases.keys) == {"MESH:D0", "type:disease"}


def test_types_are_limited_by_frequency_removed_and_merged(texts: Path, tmp_path: Path) -> None:
    remove, merge = tmp_path / "remove.txt", tmp_path / "merge.tsv"
    remove.write_text("organ\n", encoding="utf-8")
    merge.write_text("Drugs\tChemicals\n", encoding="utf-8")
    types = TypeList.read(built(texts, remove=remove, merge=merge))
    assert "Organs" not in types.names
    joined = [t for t in types.types if {"MESH:C0", "MESH:C1"} & set(t.keys)]
    assert len(joined) == 1
    assert all(t.count >= 2 for t in types.types)
    few = BuildRequest(
        "few",
        texts=(texts,),
        kb="world",
        model="dictionary",
        filter=Filter(least_count=2, most_share=0.2),
    )
    rare = TypeList.read(build_types(few, report=lambda _line: None))
    assert "Neoplasms" not in rare.names
    assert max(t.count for t in rare.types) <= 18


def test_a_stopped_run_goes_on_and_another_text_is_refused(texts: Path, tmp_path: Path) -> None:
    folder = built(texts)
    shard = folder.with_name("toy-annotated") / "00000.jsonl.gz"
    before = shard.stat().st_mtime_ns
    again = built(texts, sources=("types",))
    assert shard.stat().st_mtime_ns == before, "what is annotated is not annotated again"
    assert set(TypeList.read(again).names) == {"Disease", "Chemical", "Anatomy"}
    other = write_texts(tmp_path / "texts.jsonl", 31)
    with pytest.raises(UsageError, match=r"was begun with another text; remove it"):
        built(other)


def test_a_share_of_the_text_is_spread_evenly_and_a_larger_one_adds_to_it(tmp_path: Path) -> None:
    linked = list[str]()

    def link(document: Document) -> Document:
        linked.append(document.id)
        return document

    def shared(share: float) -> list[int]:
        linked.clear()
        annotate(
            (Document(str(number), "Glioma.") for number in range(400)),
            Pipeline([link]),
            tmp_path / "shards",
            evaluated=None,
            size=4,
            settings={},
            report=lambda _line: None,
            share=share,
        )
        return [int(document.id) for document in read_annotated(tmp_path / "shards", share=share)]

    small = shared(0.3)
    assert linked == list(map(str, small))
    assert [sum(n // 100 == part for n in small) for part in range(4)] == pytest.approx(
        [30] * 4, abs=8
    )
    large = shared(0.6)
    assert set(small) < set(large)
    assert set(map(int, linked)) == set(large) - set(small), "what is there is not made again"
    assert shared(0.3) == small, "a smaller share does not read the others"
    assert linked == []


def test_a_gene_of_several_organisms_is_one_concept() -> None:
    by_species = Evidence("species", "the document speaks of it")
    human = Candidate("HGNC:1", "p53", 0.5, evidence=(by_species,))
    mouse = Candidate("MGI:1", "p53", 0.45, evidence=(by_species,))
    other = Candidate("MESH:D1", "p53", 0.03)
    assert list(found_concepts([human, mouse, other])) == [
        FoundConcept("HGNC:1", 0.95),
        FoundConcept("MESH:D1", 0.03),
    ]
    assert list(found_concepts([other])) == [FoundConcept("MESH:D1", 0.03)]


def test_the_filter_keeps_concepts_near_the_best() -> None:
    found = [FoundConcept("a", 0.9), FoundConcept("b", 0.885), FoundConcept("c", 0.87)]
    assert Filter().concepts(found) == ["a", "b"]
    assert Filter().concepts([FoundConcept("a", 0.79)]) == []
    assert Filter().concepts([]) == []


def test_what_was_counted_is_told(texts: Path) -> None:
    statistics = read_statistics(built(texts))
    assert statistics["documents"] == 30
    assert statistics["mentions"] == statistics["mentions_that_pass"] == statistics["triples"] == 90
    assert statistics["several_concepts"] == 0
    gliomas = sum("glioma" in d.text for d in documents(30))
    assert statistics["with_equivalents"] == gliomas > 0
    assert sum(statistics["types_per_triple"].values()) == 90


def test_the_sample_can_be_judged_and_the_report_says_how_many_are_right(
    texts: Path, tmp_path: Path
) -> None:
    folder = built(texts)
    with (folder / "sample.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert len(rows) == 90
    for number, row in enumerate(rows[:10]):
        row["judgement"] = "right" if number < 8 else "partly" if number < 9 else "wrong"
    judged = tmp_path / "judged.tsv"
    with judged.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)
    out = tmp_path / "report.html"
    results = tmp_path / "results"
    done = run("types", "report", "toy", "--out", out, "--judged", judged, "--results", results)
    assert done.returncode == 0, done.stderr
    page = out.read_text(encoding="utf-8")
    assert "8 of 10 judged triples are right (80 %); of 1 the concept is right" in page
    stored = json.loads((results / "types-toy.json").read_text(encoding="utf-8"))
    assert stored["judged"] == {"right": 8, "partly": 1, "wrong": 1}
    assert stored["triples"] == 90
    assert "Neoplasms" in page
    assert "<svg" in page
    assert "http" not in page.replace('lang="en"', ""), "nothing is loaded from elsewhere"


def test_a_judgement_that_is_no_known_word_is_refused(texts: Path, tmp_path: Path) -> None:
    folder = built(texts)
    header, *lines = (folder / "sample.tsv").read_text(encoding="utf-8").splitlines()
    lines[1] += "rihgt"
    judged = tmp_path / "judged.tsv"
    judged.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    done = run("types", "report", "toy", "--out", tmp_path / "report.html", "--judged", judged)
    assert done.returncode == 1
    assert "line 3" in done.stderr
    assert "'rihgt' is no judgement; it is one of: right, partly, wrong" in done.stderr
    assert not (tmp_path / "report.html").exists()


def test_documents_of_corpora_are_left_out(texts: Path, tmp_path: Path) -> None:
    first = documents(30)[0]
    corpus = tmp_path / "data/corpora/bc5cdr/test.pubtator.txt"
    corpus.parent.mkdir(parents=True)
    corpus.write_text(f"1234|t|{first.text}\n1234|a|x\n", encoding="utf-8")
    folder = built(texts, data=tmp_path / "data")
    copies = sum(d.text == first.text for d in documents(30))
    statistics = read_statistics(folder)
    assert statistics["removed_documents"] >= copies
    assert statistics["documents"] == 30 - statistics["removed_documents"]


def test_a_table_of_pages_and_categories_is_a_source(texts: Path, tmp_path: Path) -> None:
    table = tmp_path / "pages.tsv"
    table.write_text(
        "MESH:D10\tBrain tumors\nMESH:D10\tRare cancers\nMESH:C11\tMood stabilizers\n",
        encoding="utf-8",
    )
    types = TypeList.read(built(texts, sources=(f"table:{table}",)))
    assert set(types.names) == {"Brain tumors", "Rare cancers", "Mood stabilizers"}
    assert TypeList.read(types_folder("toy")) == types
    table.write_text("MESH:D10 Brain tumors\n", encoding="utf-8")
    done = run(
        *("types", "build", "x", "--text", texts, "--kb", "world", "--model", "dictionary"),
        *("--source", f"table:{table}"),
    )
    assert done.returncode == 1
    assert done.stderr.strip().endswith("line 1: a line must be an id, a tab and a category")


def test_a_base_without_hierarchy_and_a_text_without_mentions_are_said(tmp_path: Path) -> None:
    flat = of_entries(tmp_path / "flat", Entry("X:1", "glioma", types=("Disease",)))
    with pytest.raises(KnowledgeBaseError, match="has no hierarchy"):
        Ancestors(flat)
    make_world()
    bare = tmp_path / "bare.jsonl"
    bare.write_text('{"id": "1", "text": "Nothing at all."}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="no mention was found in the text"):
        built(bare)
    with pytest.raises(UsageError, match=r"no source of categories is called 'dreams'; there is"):
        open_sources(["dreams"], flat)


def test_genes_are_what_their_names_end_in(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "genes",
        Entry("G:1", "MAPK1", ("mitogen-activated protein kinase 1",), types=("Gene",)),
        Entry("G:2", "kinase disease 1", types=("Disease",)),
    )
    assert {c.name for c in NameHeads(kb).categories_of("G:1")} == {"kinase"}
    assert NameHeads(kb).categories_of("G:2") == frozenset()


def test_an_equivalent_counts_only_if_it_is_the_only_one_of_its_vocabulary() -> None:
    make_world()
    kb = open_kb("world")
    categories = ConceptCategories(kb, open_sources(["ancestors"], kb))
    assert categories.equivalents("MESH:D10") == ("MESH:D10", "MONDO:1")
    assert categories.equivalents("MESH:D11") == ("MESH:D11",)
    assert categories.of("MESH:D99") == frozenset()


def test_a_built_type_system_is_a_checked_folder(texts: Path) -> None:
    folder = built(texts)
    manifest = artifacts.read_manifest(folder, kind="type system", version=1)
    artifacts.verify(folder, manifest)
    assert manifest.config["sources"] == ["ancestors", "types", "heads"]
