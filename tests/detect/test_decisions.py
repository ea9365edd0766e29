"""How the trained detector weighs what the tagger says against what the vocabulary lists."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from holdfast.detect.tagger import Tagger
from holdfast.detect.trained import TrainedDetector
from holdfast.document import Document
from holdfast.kb import Entry, KnowledgeBase, Source
from scripted_tagger import scripted
from small_kb import make_kb

MESH = (
    Entry("MESH:D1", "quaggle fever", types=("Disease",)),
    Entry("MESH:D2", "zibol", types=("Chemical",)),
    Entry("MESH:D3", "lungle", synonyms=("wheezle of",), types=("Disease",)),
    Entry("MESH:D4", "zimble", types=("Chemical",)),
    Entry("MESH:D5", "Quaggle Disease, Type 2", synonyms=("Q2DM",), types=("Disease",)),
)
GENES = (
    Entry("HGNC:1", "adipole", types=("Gene",)),
    Entry("HGNC:2", "BRAF", types=("Gene",)),
    Entry("HGNC:3", "zimble", types=("Gene",)),
    Entry("HGNC:4", "KRAS", synonyms=("KRAS G12D",), types=("Gene",)),
)
ANATOMY = (
    Entry("UBERON:1", "adipole tissue", types=("Anatomy",)),
    Entry("UBERON:2", "lungle", types=("Anatomy",)),
    Entry("UBERON:3", "brimble", types=("Anatomy",)),
)
HPO = (Entry("HP:1", "quaggle gait", types=("Phenotype",)),)
GO = (
    Entry("GO:1", "quaggle fission", types=("Process",)),
    Entry("GO:2", "vexase activity", synonyms=("VEXR",), types=("Process",)),
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return make_kb(
        tmp_path_factory.mktemp("decisions") / "kb",
        (Source("UBERON"), ANATOMY),
        (Source("MeSH"), MESH),
        (Source("HGNC"), GENES),
        (Source("Human Phenotype Ontology"), HPO),
        (Source("Gene Ontology"), GO),
    )


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    entries = (Entry("X:1", "quaggle fever", types=("Disease",)),)
    folder = tmp_path_factory.mktemp("decisions") / "own"
    return make_kb(folder, (Source("own", is_own=True), entries))


def found(
    kb: KnowledgeBase,
    tagger: Tagger,
    text: str,
    *,
    only: Sequence[str] | None = None,
    nested: bool = False,
) -> list[tuple[str, str]]:
    detector = TrainedDetector(kb, only=only, nested=nested, tagger=tagger)
    document = detector(Document("1", text))
    assert list(detector.pipe([Document("1", text), Document("1", text)])) == [document] * 2
    return [(document.text_of(mention), mention.type) for mention in document.mentions]


FEVER = "A quaggle fever rose."


@pytest.mark.parametrize(
    ("first", "second", "is_kept"),
    [(0.85, 0.85, True), (0.95, 0.95, False), (0.85, 0.97, False), (0.80, 0.97, True)],
)
def test_the_tagger_denies_a_listed_name_whose_words_are_outside_on_average(
    kb: KnowledgeBase, first: float, second: float, is_kept: bool
) -> None:
    tagger = scripted(quaggle=("O", first), fever=("O", second))
    assert found(kb, tagger, FEVER) == ([("quaggle fever", "Disease")] if is_kept else [])


def test_the_tagger_denies_no_name_of_ones_own(own: KnowledgeBase) -> None:
    assert found(own, scripted(), FEVER) == [("quaggle fever", "Disease")]


def test_the_tagger_denies_nothing_of_a_type_that_it_was_not_taught(kb: KnowledgeBase) -> None:
    assert found(kb, scripted(), "a brimble rose") == [("brimble", "Anatomy")]
    assert found(kb, scripted(), "a quaggle gait") == [("quaggle gait", "Phenotype")]


TISSUE = "An adipole tissue rose."


@pytest.mark.parametrize(("likelihood", "is_found"), [(0.2, True), (0.05, False)])
def test_a_part_of_a_longer_name_counts_where_the_tagger_takes_it_for_likely(
    kb: KnowledgeBase, likelihood: float, is_found: bool
) -> None:
    share = 8 * likelihood / 2  # eight tags share what outside leaves, two of them are the gene's
    tagger = scripted(adipole=("O", 1 - share))
    expected = [("adipole", "Gene")] if is_found else []
    assert found(kb, tagger, TISSUE, only=["Gene"]) == expected
    assert found(kb, tagger, "An adipole rose.", only=["Gene"]) == [("adipole", "Gene")]


def test_nested_mentions_keep_the_part_and_the_whole(kb: KnowledgeBase) -> None:
    tagger = scripted(adipole=("O", 0.8))
    whole, part = ("adipole tissue", "Anatomy"), ("adipole", "Gene")
    assert found(kb, tagger, TISSUE) == [whole]
    assert found(kb, tagger, TISSUE, nested=True) == [whole, part]


def test_what_is_chiefly_something_else_is_not_taken_for_a_taught_type(kb: KnowledgeBase) -> None:
    tagger = scripted(zimble=("O", 0.5), lungle=("O", 0.5))
    text = "the zimble, the lungle"
    assert found(kb, tagger, text) == [("zimble", "Chemical"), ("lungle", "Disease")]
    assert found(kb, tagger, text, only=["Gene"]) == []
    assert found(kb, tagger, text, only=["Chemical"]) == [("zimble", "Chemical")]
    assert found(kb, tagger, text, only=["Anatomy"]) == [("lungle", "Anatomy")]  # not taught


def test_a_tagged_disease_may_be_a_phenotype(kb: KnowledgeBase) -> None:
    gait = scripted(quaggle=("B-Disease", 0.9), gait=("I-Disease", 0.9))
    assert found(kb, gait, "a quaggle gait") == [("quaggle gait", "Phenotype")]
    fever = scripted(quaggle=("B-Disease", 0.9), fever=("I-Disease", 0.9))
    assert found(kb, fever, FEVER) == [("quaggle fever", "Disease")]


@pytest.mark.parametrize(
    ("words", "tag", "type"),
    [
        ("Q2DM", "Chemical", "Disease"),  # no chemical is called so
        ("zibol", "Gene", "Chemical"),
        ("quaggle fission", "Gene", "Process"),
        ("zimble", "Gene", "Gene"),  # both are
        ("BRAF", "Disease", "Disease"),  # a symbol may be anything
        ("VEXR", "Gene", "Gene"),
    ],
)
def test_a_listed_name_has_its_own_type_unless_it_is_a_symbol_or_listed_otherwise_too(
    kb: KnowledgeBase, words: str, tag: str, type: str
) -> None:
    first, *rest = words.split()
    tags = {first: (f"B-{tag}", 0.95)} | dict.fromkeys(rest, (f"I-{tag}", 0.95))
    assert found(kb, scripted(**tags), f"The {words} rose.") == [(words, type)]


def test_what_is_tagged_of_other_types_than_wanted_is_left_out(kb: KnowledgeBase) -> None:
    tagger = scripted(snark=("B-Disease", 0.9), boojum=("B-Gene", 0.9))
    text = "a snark and a boojum"
    assert found(kb, tagger, text) == [("snark", "Disease"), ("boojum", "Gene")]
    assert found(kb, tagger, text, only=["Gene"]) == [("boojum", "Gene")]
    assert found(kb, tagger, text, only=["Anatomy"]) == []


def test_a_tagged_mention_loses_a_dangling_word_unless_it_is_listed_with_it(
    kb: KnowledgeBase,
) -> None:
    tagger = scripted(pain=("B-Disease", 0.9), wheezle=("B-Disease", 0.9), of=("I-Disease", 0.9))
    text = "pain of kings, wheezle of kings"
    assert found(kb, tagger, text) == [("pain", "Disease"), ("wheezle of", "Disease")]


def test_repeats_of_a_sure_mention_are_mentions(kb: KnowledgeBase) -> None:
    once = scripted(Snark=("B-Disease", 0.95))
    assert [words for words, _ in found(kb, once, "Snark; Snark")] == ["Snark", "Snark"]


def test_variants_are_written_by_a_rule_where_there_are_genes(
    kb: KnowledgeBase, own: KnowledgeBase
) -> None:
    text = "The BRAF V600E and BRAFV600E were seen."
    gene = scripted(BRAF=("B-Gene", 0.9))
    assert found(kb, gene, text) == [
        ("BRAF", "Gene"),
        ("V600E", "Variant"),
        ("BRAF", "Gene"),
        ("V600E", "Variant"),
    ]
    assert found(own, gene, text) == []
    assert found(kb, gene, text, only=["Variant"]) == [("V600E", "Variant")] * 2
    assert found(kb, gene, text, only=["Gene"]) == [("BRAF", "Gene")]


def test_a_variant_is_no_part_of_a_gene_though_a_vocabulary_lists_both_as_one(
    kb: KnowledgeBase,
) -> None:
    tagger = scripted(KRAS=("B-Gene", 0.9))
    assert found(kb, tagger, "The KRAS G12D was seen.") == [
        ("KRAS", "Gene"),
        ("G12D", "Variant"),
    ]
    assert found(kb, tagger, "The KRAS G12D was seen.", only=["Gene"])[0][1] == "Gene"


def test_what_a_surface_chiefly_names_is_known_whatever_is_wanted(kb: KnowledgeBase) -> None:
    detector = TrainedDetector(kb, only=["Gene"], tagger=scripted())
    assert detector.chief_type("zimble") == "Chemical"
    assert detector.chief_type("unheard of") is None


def test_names_in_a_text_that_the_tagger_denies_are_still_considered(kb: KnowledgeBase) -> None:
    detector = TrainedDetector(kb, tagger=scripted())
    considered = detector.consider(FEVER)
    (name,) = considered.listed
    assert detector.denies(name, considered)
    assert detector.hides(name, considered) is None
    assert considered.tagged == []
    tissue = TrainedDetector(kb, only=["Gene"], tagger=scripted()).consider(TISSUE)
    (part,) = tissue.listed
    hidden = TrainedDetector(kb, only=["Gene"], tagger=scripted()).hides(part, tissue)
    assert hidden is not None
    assert TISSUE[hidden.start : hidden.end] == "adipole tissue"
