"""Names of organisms against what training documents used them for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import holdfast
from holdfast import Document, KnowledgeBase, Mention
from holdfast.kb import Entry
from holdfast.link.ranking import dense_names
from holdfast.link.ranking.features import FEATURES
from holdfast.link.ranking.linker import RankedLinker
from holdfast.link.ranking.ranker import Ranker
from holdfast.link.ranking.used_names import UsedNames
from small_kb import of_entries

FLIES = (
    Entry("NCBITaxon:10", "Fluvia", types=("Species",)),
    Entry("NCBITaxon:12", "Fluvia rubra", synonyms=("red fluvia",), types=("Species",)),
    Entry("NCBITaxon:13", "Baculum magnum", synonyms=("B. magnum",), types=("Species",)),
)
USED = UsedNames(
    names=("Fluvia", "fluvias of the sea"),
    entity_ids=("NCBITaxon:12", "NCBITaxon:12"),
    documents=(frozenset({"other"}),) * 2,
)


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return of_entries(tmp_path / "kb", *FLIES, source="NCBI Taxonomy")


def linked(kb: KnowledgeBase, surface: str, *, uses_count: float = 0.0) -> Mention:
    """By a ranker that doubts every candidate, and likes what the corpus used a name for."""
    linear = np.zeros(len(FEATURES))
    linear[FEATURES.index("name_uses")] = uses_count
    ranker = Ranker(
        mean=np.zeros(len(FEATURES)),
        scale=np.ones(len(FEATURES)),
        linear=linear,
        hidden=np.zeros((len(FEATURES), 1)),
        hidden_bias=np.zeros(1),
        output=np.zeros(1),
        bias=-2.0,
    )
    document = Document("1", surface, mentions=(Mention.at(0, len(surface), "Species"),))
    return RankedLinker(kb, ranker=ranker, used=USED)(document).mentions[0]


def test_a_scientific_name_means_its_taxon_whatever_a_corpus_used_it_for(
    kb: KnowledgeBase,
) -> None:
    assert linked(kb, "Fluvia", uses_count=9.0).ids == ("NCBITaxon:10",)
    assert linked(kb, "fluvias of the sea", uses_count=9.0).ids == ("NCBITaxon:12",)


@pytest.mark.parametrize("surface", ["red fluvia", "B. magnum", "Baculum magnum"])
def test_a_listed_name_of_an_organism_does_not_lose_to_none(
    kb: KnowledgeBase, surface: str
) -> None:
    assert linked(kb, surface).is_linked


def test_a_large_vocabulary_of_organisms_alone_needs_no_vectors(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense_names, "_ALL", 1)
    document = holdfast.load(kb)("We grew Baculum magnum in a dish.")
    assert [mention.ids for mention in document.mentions] == [("NCBITaxon:13",)]
