"""How the probability of a gene is shared among its orthologues."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gene_kb import make_gene_kb
from holdfast.document import NIL, Candidate, Document, Evidence, Mention
from holdfast.kb import Entry, KnowledgeBase, Link, Source
from holdfast.link.species_genes import GenesBySpecies, has_species
from small_kb import make_kb

HUMAN, MOUSE, RAT = "NCBIGene:7157", "MGI:98834", "RGD:3889"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return make_gene_kb(tmp_path_factory.mktemp("orthologues") / "kb")


def of(id: str, score: float, name: str = "p53", *, kind: str = "exact") -> Candidate:
    return Candidate(id, name, score, label=name, evidence=(Evidence(kind, "a name"),))


def decided(
    kb: KnowledgeBase, text: str, *candidates: Candidate, ids: tuple[str, ...] = (), top: int = 9
) -> Mention:
    """The mention at the start of the text, that a linker linked to the first candidate."""
    mention = Mention.at(0, 3, "Gene", ids or (candidates[0].entity_id,))
    linked = Document("1", text, mentions=(replace(mention, candidates=candidates),))
    return GenesBySpecies(kb, top=top)(linked).mentions[0]


def total(mention: Mention) -> float:
    return sum(candidate.score for candidate in mention.candidates)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("exact", 0.5 + 0.8 * 0.5), ("used", 0.5 + 0.8 * 0.5), ("ngram", 0.5 + 0.3 * 0.5)],
)
def test_part_of_what_was_none_goes_back_to_the_genes(
    kb: KnowledgeBase, kind: str, expected: float
) -> None:
    mention = decided(kb, "p53 of mice rose.", of(HUMAN, 0.5, kind=kind))
    assert total(mention) == pytest.approx(expected, abs=1e-3)
    assert mention.ids == (MOUSE,)


def test_nothing_goes_back_where_another_candidate_is_the_likeliest(kb: KnowledgeBase) -> None:
    mention = decided(kb, "p53 of mice", of("NCBITaxon:9606", 0.4, "x"), of(HUMAN, 0.3))
    assert total(mention) == pytest.approx(0.7, abs=1e-3)
    assert mention.ids == ("NCBITaxon:9606",)


def test_nothing_goes_back_to_the_parts_of_a_composite(kb: KnowledgeBase) -> None:
    both = (of(HUMAN, 0.6), of("NCBIGene:627", 0.3, "BDNF"))
    mention = decided(kb, "p53/BDNF of rats", *both, ids=(HUMAN, "NCBIGene:627"))
    assert total(mention) < 0.9 + 1e-3
    assert mention.ids == (RAT, "NCBIGene:627")  # the knowledge base has no BDNF of rats


def test_a_species_of_the_text_moves_the_score_and_says_so(kb: KnowledgeBase) -> None:
    mention = decided(kb, "p53 of mice", of(HUMAN, 0.6), of(RAT, 0.2), of(MOUSE, 0.1))
    assert mention.candidates[0].entity_id == MOUSE
    for candidate in mention.candidates:
        assert candidate.evidence[0].kind == "exact"
        assert candidate.evidence[-1].kind == "species"
        share = candidate.evidence[-1].score or 0.0
        assert candidate.score == pytest.approx(share * (0.9 + 0.8 * 0.1), abs=1e-3)


def test_names_that_tie_are_of_one_gene_and_others_are_not(kb: KnowledgeBase) -> None:
    tied = decided(kb, "Twi of rats", of("MGI:7", 0.5, "Twin1"), of("RGD:7", 0.3, "TWIN1"))
    assert tied.ids == ("RGD:7",)
    apart = decided(kb, "Twi of rats", of("MGI:7", 0.5, "Twin1"), of("RGD:7", 0.3, "other"))
    assert apart.ids == ("MGI:7",)
    assert apart.candidates == (of("MGI:7", 0.5, "Twin1"), of("RGD:7", 0.3, "other"))


def test_a_nil_mention_may_become_a_gene_of_the_species(kb: KnowledgeBase) -> None:
    mention = decided(kb, "p53 of mice", of(HUMAN, 0.4), of(MOUSE, 0.05), ids=(NIL,))
    assert mention.ids == (MOUSE,)
    unlikely = decided(kb, "p53 of mice", of(HUMAN, 0.1, kind="ngram"), ids=(NIL,))
    assert unlikely.ids == (NIL,)


@pytest.mark.parametrize("top", [1, 2, 3])
def test_no_more_candidates_than_asked_for_remain(kb: KnowledgeBase, top: int) -> None:
    mention = decided(kb, "p53 of mice", of(HUMAN, 0.6), of(RAT, 0.2), of(MOUSE, 0.1), top=top)
    whole = decided(kb, "p53 of mice", of(HUMAN, 0.6), of(RAT, 0.2), of(MOUSE, 0.1))
    assert mention.candidates == whole.candidates[:top]
    lone = decided(kb, "LO1", of("NCBIGene:1", 0.6, "LONE1"), of("NCBITaxon:9606", 0.1), top=1)
    assert len(lone.candidates) == 1


def test_an_orthologue_is_known_by_the_id_of_another_vocabulary(tmp_path: Path) -> None:
    human = Entry("NCBIGene:1", "ABC1", types=("Gene",), links=(Link("orthologous_to", "MGI:5"),))
    mouse = Entry(
        "NCBIGene:2",
        "Xyz9",
        types=("Gene",),
        xrefs=("MGI:5",),
        links=(Link("in_taxon", "NCBITaxon:10090"),),
    )
    kb = make_kb(tmp_path / "kb", (Source("HGNC"), (human,)), (Source("MGI"), (mouse,)))
    mention = decided(kb, "ABC of mice", of("NCBIGene:1", 0.9, "ABC1"))
    assert mention.ids == ("NCBIGene:2",)
    best = mention.candidates[0]
    assert (best.name, best.label) == ("ABC1", "Xyz9")
    assert [e.kind for e in best.evidence] == ["exact", "orthologue", "species"]


def test_species_matter_where_organisms_are_known_and_genes_are_wanted(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    assert has_species(kb, None)
    assert has_species(kb, ["Gene", "Disease"])
    assert not has_species(kb, ["Disease"])
    assert not has_species(make_kb(tmp_path / "kb"), None)
