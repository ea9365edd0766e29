"""Names that equal the mention against "none of these", and concepts of several vocabularies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import holdfast
from holdfast.document import Document, Mention
from holdfast.kb import Entry, KnowledgeBase, Source
from holdfast.link.ranking.features import FEATURES
from holdfast.link.ranking.linker import RankedLinker
from holdfast.link.ranking.ranker import Ranker
from holdfast.link.ranking.used_names import UsedNames
from small_kb import HGNC, MESH, MONDO, make_kb, of_entries

UBERON = Source("UBERON")

# What training documents link to: diseases of MeSH and genes of HGNC.
DISEASES = tuple(Entry(f"MESH:D{i:03}", f"known disease {i}", types=("Disease",)) for i in range(9))
GENES = tuple(Entry(f"HGNC:{i}", f"TGH{i}", types=("Gene",)) for i in range(9))
TAUGHT = UsedNames(
    names=tuple(f"used name {i}" for i in range(18)),
    entity_ids=tuple(entry.id for entry in (*DISEASES, *GENES)),
    documents=(frozenset({"1"}),) * 18,
)


def doubting(score: float) -> Ranker:
    """Gives every candidate the same score, where "none of these" has 0."""
    width = len(FEATURES)
    return Ranker(
        mean=np.zeros(width),
        scale=np.ones(width),
        linear=np.zeros(width),
        hidden=np.zeros((width, 1)),
        hidden_bias=np.zeros(1),
        output=np.zeros(1),
        bias=score,
    )


def linked(
    kb: KnowledgeBase,
    surface: str,
    type: str = "",
    *,
    score: float = -2.0,
    used: UsedNames = TAUGHT,
) -> Mention:
    linker = RankedLinker(kb, ranker=doubting(score), used=used)
    document = Document("1", surface, mentions=(Mention.at(0, len(surface), type),))
    return linker(document).mentions[0]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    diseases = (
        *DISEASES,
        Entry("MESH:D900", "Lumen fever", synonyms=("harbour ague",), types=("Disease",)),
        Entry("MESH:A900", "Kelp gland", types=("Anatomy",)),
    )
    genes = (*GENES, Entry("HGNC:90", "ITCHY", types=("Gene",)))
    anatomy = (
        Entry("UBERON:1", "sponge bladder", synonyms=("Brine",), types=("Anatomy",)),
        Entry("UBERON:2", "holdfast disc", types=("Anatomy",)),
        Entry("UBERON:3", "disc of the frond", synonyms=("holdfast disc",), types=("Anatomy",)),
    )
    own = (Entry("OWN:1", "tidal ague", types=("Disease",)), Entry("OWN:2", "spray count"))
    folder = tmp_path_factory.mktemp("trust") / "kb"
    parts = ((MESH, diseases), (HGNC, genes), (UBERON, anatomy), (Source("ours"), own))
    return make_kb(folder, *parts)


@pytest.mark.parametrize(
    ("surface", "type", "id"),
    [
        ("sponge bladders", "Anatomy", "UBERON:1"),  # a type that was never linked to
        ("sponge bladder", "", "UBERON:1"),
        ("Kelp Gland", "Anatomy", "MESH:A900"),  # another type of a vocabulary that was
        ("tidal ague", "Disease", "OWN:1"),  # another vocabulary of a type that was
        ("spray count", "", "OWN:2"),  # no type at all
    ],
)
def test_an_equal_name_is_linked_where_training_knows_no_better(
    kb: KnowledgeBase, surface: str, type: str, id: str
) -> None:
    mention = linked(kb, surface, type)
    assert mention.ids == (id,)
    assert 0.85 <= mention.candidates[0].score < 1.0


def test_what_only_looks_alike_is_left_to_the_ranker(kb: KnowledgeBase) -> None:
    mention = linked(kb, "sponges of the bladder", "Anatomy")
    assert mention.candidates
    assert mention.is_nil


def test_entities_that_share_a_name_share_its_score(kb: KnowledgeBase) -> None:
    mention = linked(kb, "holdfast disc", "Anatomy")
    first, second = mention.candidates
    assert {first.entity_id, second.entity_id} == {"UBERON:2", "UBERON:3"}
    assert first.score == pytest.approx(second.score)
    assert first.score + second.score == pytest.approx(0.9, abs=0.01)


def test_training_may_doubt_the_names_of_what_it_knows(kb: KnowledgeBase) -> None:
    assert linked(kb, "harbour ague", "Disease").is_nil
    assert linked(kb, "Itchy", "Gene").is_nil


def test_training_doubts_a_preferred_name_less(kb: KnowledgeBase) -> None:
    # The ranker alone gives either 0.45.
    assert linked(kb, "lumen fevers", "Disease", score=-0.2).ids == ("MESH:D900",)
    assert linked(kb, "harbour ague", "Disease", score=-0.2).is_nil
    assert linked(kb, "itchy", "Gene", score=-0.2).is_nil
    assert linked(kb, "ITCHY", "Gene", score=-0.2).ids == ("HGNC:90",)


def test_a_synonym_is_doubted_less_where_an_unknown_vocabulary_prefers_it(tmp_path: Path) -> None:
    fever = Entry("MESH:D900", "Lumen fever", synonyms=("harbour ague",), types=("Disease",))
    known = ((MESH, (*DISEASES, fever)), (HGNC, GENES))
    sign = Entry("HP:1", "Harbour ague", types=("Phenotype",))
    other = Entry("HP:1", "Frond fever", synonyms=("harbour ague",), types=("Phenotype",))
    hpo = Source("Human Phenotype Ontology")
    seconded = make_kb(tmp_path / "a", *known, (hpo, [sign]))
    unseconded = make_kb(tmp_path / "b", *known, (hpo, [other]))
    assert linked(seconded, "harbour ague", "Disease", score=-0.7).ids == ("MESH:D900",)
    assert linked(unseconded, "harbour ague", "Disease", score=-0.7).is_nil
    assert linked(seconded, "harbour ague", "Disease", score=-2.0).is_nil


def test_a_name_that_only_an_equivalent_has_is_doubted_less(tmp_path: Path) -> None:
    """Training links to MeSH's entity instead, so it never saw this name be right."""
    fever = Entry("MESH:D900", "Lumen fever", types=("Disease",))
    known = ((MESH, (*DISEASES, fever)), (HGNC, GENES))
    names = ("LUMF",)
    equal = Entry("MONDO:1", "fever of lumen", names, ("Disease",), xrefs=("MESH:D900",))
    other = Entry("MONDO:1", "fever of lumen", names, ("Disease",))
    # MONDO has a share in what training links to.
    used = (*DISEASES[1:], Entry("MONDO:2", "frond fever", types=("Disease",)), *GENES)
    taught = replace(TAUGHT, entity_ids=tuple(entry.id for entry in used))
    for entry, ids in ((equal, ("MONDO:1",)), (other, ("NIL",))):
        kb = make_kb(tmp_path / ids[0], *known, (MONDO, [entry, used[8]]))
        assert linked(kb, "LUMF", "Disease", score=-0.7, used=taught).ids == ids


def test_a_name_that_is_not_meant_is_not_taken_at_its_word(tmp_path: Path) -> None:
    cells = Entry("CVCL:1", "SaLt", types=("CellLine",))
    ion = Entry("CHEBI:1", "salinate(1-)", types=("Chemical",))
    kb = make_kb(tmp_path / "kb", (Source("cells"), (cells, ion)), (MESH, DISEASES))
    assert linked(kb, "SaLt", "CellLine").ids == ("CVCL:1",)
    assert linked(kb, "salt", "CellLine").is_nil
    assert linked(kb, "salinate(1-)", "Chemical").ids == ("CHEBI:1",)
    assert linked(kb, "salinate 1", "Chemical").is_nil


def disease(id: str, *xrefs: str) -> Entry:
    return Entry(id, f"the disease {id}", synonyms=("wave pox",), types=("Disease",), xrefs=xrefs)


def base(folder: Path, mesh: Sequence[Entry], *others: tuple[Source, Entry]) -> KnowledgeBase:
    """What training documents link to, and diseases of MeSH and of other vocabularies."""
    parts = ((source, (entry,)) for source, entry in others)
    return make_kb(folder, (MESH, (*DISEASES, *mesh)), *parts)


def test_concepts_that_refer_to_each_other_count_together(tmp_path: Path) -> None:
    kb = base(
        tmp_path / "kb",
        [disease("MESH:D901", "DOID:1")],
        (MONDO, disease("MONDO:1", "MESH:D901")),
        (Source("Disease Ontology"), disease("DOID:1")),
    )
    mention = linked(kb, "wave pox", "Disease", score=-0.5)
    (candidate,) = mention.candidates
    assert mention.ids == (candidate.entity_id,) == ("MESH:D901",)  # the preferred vocabulary
    assert candidate.score > 0.6
    assert candidate.evidence[-1].kind == "equivalent"
    assert candidate.evidence[-1].detail == "the same as DOID:1, MONDO:1"


def test_concepts_that_refer_to_nothing_share_the_score(tmp_path: Path) -> None:
    kb = base(tmp_path / "kb", [disease("MESH:D901")], (MONDO, disease("MONDO:1")))
    assert len(linked(kb, "wave pox", "Disease", score=-0.5).candidates) == 2


def test_two_entities_of_one_vocabulary_are_never_one_concept(tmp_path: Path) -> None:
    both = [disease("MESH:D901"), disease("MESH:D902")]
    kb = base(tmp_path / "kb", both, (MONDO, disease("MONDO:1", "MESH:D901", "MESH:D902")))
    mention = linked(kb, "wave pox", "Disease")
    assert {c.entity_id for c in mention.candidates} == {"MESH:D901", "MESH:D902"}


def test_the_entity_that_training_links_to_speaks_for_its_equivalents(tmp_path: Path) -> None:
    known = Entry(TAUGHT.entity_ids[0], "wave pox", types=("Disease",))
    other = disease("UBERON:9", known.id)
    kb = make_kb(tmp_path / "kb", (Source("corpus"), (known,)), (UBERON, (other,)))
    (candidate,) = linked(kb, "wave pox", score=0.5).candidates
    assert candidate.entity_id == known.id


def test_what_training_links_to_is_known_under_another_id_of_its_vocabulary(tmp_path: Path) -> None:
    genes = [
        Entry(f"NCBIGene:{i}", f"TGM{i}", types=("Gene",), xrefs=(f"MGI:{i}",)) for i in range(9)
    ]
    referring = Entry("OWN:1", "a borrowed gene", types=("Gene",), xrefs=("MGI:1",))
    kb = make_kb(tmp_path / "kb", (Source("ours"), (referring,)), (Source("MGI"), genes))
    used = UsedNames(
        names=tuple(f"salty {i}" for i in range(9)),
        entity_ids=tuple(f"MGI:{i}" for i in range(9)),
        documents=(frozenset({"7"}),) * 9,
    )
    linker = RankedLinker(kb, ranker=doubting(-2.0), used=used)
    text = "salty 1, TGM1"
    remembered, doubted = linker(
        Document("1", text, mentions=(Mention.at(0, 7), Mention.at(9, 13)))
    ).mentions
    assert remembered.candidates[0].entity_id == "NCBIGene:1"
    assert remembered.candidates[0].evidence[0].kind == "used"
    assert doubted.candidates[0].entity_id == "NCBIGene:1"
    assert doubted.is_nil


def test_the_default_model_is_sure_of_names_in_a_vocabulary_of_ones_own(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("OWN:1", "frond index", types=("Assay",)),
        Entry("OWN:2", "stipe score", types=("Assay",)),
        Entry("OWN:3", "stipe scoring", synonyms=("stipe score",), types=("Assay",)),
    )
    link = holdfast.load(kb, marked=True)
    text = "frond index, stipe score"
    marked = Document("1", text, mentions=(Mention.at(0, 11), Mention.at(13, 24)))
    sure, shared = link(marked).mentions
    assert sure.ids == ("OWN:1",)
    assert sure.candidates[0].score >= 0.85
    assert {c.entity_id for c in shared.candidates} == {"OWN:2", "OWN:3"}
    assert sum(c.score for c in shared.candidates) == pytest.approx(0.9, abs=0.1)
