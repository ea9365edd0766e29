"""Genes of the species that the document speaks of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast
from gene_kb import make_gene_kb
from holdfast.document import NIL, Candidate, Document, Evidence, Mention
from holdfast.kb import KnowledgeBase
from holdfast.link.species_genes import GenesBySpecies, has_species
from holdfast.pipeline import Pipeline
from small_kb import make_kb

HUMAN_P53, MOUSE_P53, RAT_P53 = "NCBIGene:7157", "MGI:98834", "RGD:3889"
EXACT = (Evidence("exact", "a name"),)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return make_gene_kb(tmp_path_factory.mktemp("genes") / "kb")


def of(id: str, score: float, name: str = "p53") -> Candidate:
    return Candidate(id, name, score, label=name, evidence=EXACT)


def decide(
    kb: KnowledgeBase, text: str, *candidates: Candidate, ids: tuple[str, ...] = (), top: int = 5
) -> Mention:
    """The mention at the start of the text, after a linker that answers with these candidates."""
    chosen = ids or ((candidates[0].entity_id,) if candidates else (NIL,))

    linked = replace(Mention.at(0, 3, "Gene"), candidates=candidates, ids=chosen)
    return GenesBySpecies(kb, top=top)(Document("1", text, mentions=(linked,))).mentions[0]


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("p53 rose.", HUMAN_P53),
        ("p53 of patients rose.", HUMAN_P53),
        ("p53 of mice rose.", MOUSE_P53),
        ("p53 of rats rose.", RAT_P53),
        ("Trp53 of mice rose.", MOUSE_P53),
        ("Tumor protein p53 in murine cells.", MOUSE_P53),
        ("The p53 of Rattus norvegicus.", RAT_P53),
        ("Twin1 of rats.", "RGD:7"),
        ("Twin1 of mice.", "MGI:7"),
    ],
)
def test_the_default_pipeline_links_genes_of_the_document_s_species(
    kb: KnowledgeBase, text: str, id: str
) -> None:
    genes = [m for m in holdfast.load(kb)(text).mentions if m.type == "Gene"]
    assert [mention.ids for mention in genes] == [(id,)]
    assert genes[0].candidates[0].evidence[-1].kind == "species"


def test_marked_mentions_without_a_type_are_linked_so_too(kb: KnowledgeBase) -> None:
    marked = Document("1", "p53 of mice", mentions=(Mention.at(0, 3),))
    for top in (5, 1):  # one that is kept was chosen among several
        (mention,) = holdfast.load(kb, marked=True, top=top)(marked).mentions
        assert mention.ids == (MOUSE_P53,)
        assert len(mention.candidates) <= top


def test_one_candidate_is_enough_to_find_its_orthologues(kb: KnowledgeBase) -> None:
    mention = decide(kb, "p53 of mice", of(HUMAN_P53, 0.9))
    assert mention.ids == (MOUSE_P53,)
    assert [e.kind for e in mention.candidates[0].evidence] == ["exact", "orthologue", "species"]
    assert mention.candidates[0].evidence[-1].detail == "mouse, from “mice” in the sentence"


def test_a_gene_of_one_species_is_left_as_it_is(kb: KnowledgeBase) -> None:
    lone = of("NCBIGene:1", 0.6, "LONE1")
    assert decide(kb, "LO1 of mice", lone).candidates == (lone,)


def test_other_candidates_keep_their_scores_and_may_stay_first(kb: KnowledgeBase) -> None:
    mention = decide(kb, "p53 rose.", of("NCBITaxon:9606", 0.6, "x"), of(HUMAN_P53, 0.3))
    assert mention.ids == ("NCBITaxon:9606",)
    assert mention.candidates[0] == of("NCBITaxon:9606", 0.6, "x")
    assert sum(c.score for c in mention.candidates[1:]) == pytest.approx(0.3, abs=1e-3)


def test_genes_of_a_species_without_a_vocabulary_are_none_of_these(kb: KnowledgeBase) -> None:
    mention = decide(kb, "p53 of zebrafish", of(HUMAN_P53, 0.8), of(MOUSE_P53, 0.1))
    assert mention.ids == (NIL,)
    assert mention.candidates[0].score < 0.1


def test_each_part_of_a_composite_is_decided(kb: KnowledgeBase) -> None:
    both = (of(HUMAN_P53, 0.9), of("NCBIGene:627", 0.8, "BDNF"))
    mention = decide(kb, "p53/BDNF of mice", *both, ids=(HUMAN_P53, "NCBIGene:627"))
    assert mention.ids == (MOUSE_P53, "MGI:88145")


def test_a_mention_without_candidates_stays_so(kb: KnowledgeBase) -> None:
    mention = decide(kb, "p53 of mice")
    assert (mention.candidates, mention.ids) == ((), (NIL,))


def test_only_so_many_candidates_remain(kb: KnowledgeBase) -> None:
    mention = decide(kb, "p53 of mice", of(HUMAN_P53, 0.5), of(RAT_P53, 0.4), top=1)
    assert [c.entity_id for c in mention.candidates] == [MOUSE_P53]


scores = st.lists(st.floats(0, 1), min_size=4, max_size=4).map(
    lambda raw: [round(value / (sum(raw) + 0.01), 4) for value in raw]
)


@given(scores, st.sampled_from(["mice", "rats", "patients", "zebrafish", "cells"]))
def test_scores_stay_probabilities_in_falling_order(
    kb: KnowledgeBase, shares: list[float], species: str
) -> None:
    ids = (HUMAN_P53, MOUSE_P53, RAT_P53, "NCBITaxon:9606")
    given = sorted(map(of, ids, shares), key=lambda c: -c.score)
    mention = decide(kb, f"p53 of {species}", *given)
    after = [c.score for c in mention.candidates]
    assert after == sorted(after, reverse=True)
    assert sum(after) <= 1.001
    assert {c.entity_id for c in mention.candidates} == set(ids)
    assert mention.ids in ((mention.candidates[0].entity_id,), (NIL,))


def test_many_documents_are_linked_as_one_by_one(kb: KnowledgeBase) -> None:
    pipeline = holdfast.load(kb)
    texts = ["p53 of mice", "", "p53 of patients", "BDNF of rats"]
    assert list(pipeline.pipe(texts)) == [pipeline(text) for text in texts]


def test_where_species_cannot_matter_the_linker_is_alone(kb: KnowledgeBase, tmp_path: Path) -> None:
    def looks_at_species(pipeline: Pipeline) -> bool:
        return any(isinstance(step, GenesBySpecies) for step in pipeline.functions())

    plain = make_kb(tmp_path / "kb")
    assert has_species(kb, None)
    assert looks_at_species(holdfast.load(kb, model="names"))
    for base, only in ((plain, None), (kb, ("Disease",))):
        assert not has_species(base, only)
        assert not looks_at_species(holdfast.load(base, model="names", only=only))
