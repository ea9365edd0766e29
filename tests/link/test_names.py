"""The linker by names alone."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.document import NIL, Document, Mention
from holdfast.kb import Entry, KnowledgeBase, Source
from holdfast.link.names import NameLinker
from small_kb import make_kb, of_entries


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return make_kb(tmp_path_factory.mktemp("link") / "kb")


@pytest.fixture(scope="module")
def linker(kb: KnowledgeBase) -> NameLinker:
    return NameLinker(kb)


def link(linker: NameLinker, surface: str, type: str = "", text: str | None = None) -> Mention:
    """The linked mention of the first place where the surface stands in the text."""
    whole = surface if text is None else text
    start = whole.index(surface)
    mention = Mention.at(start, start + len(surface), type)
    return linker(Document("1", whole, mentions=(mention,))).mentions[0]


def test_the_preferred_vocabulary_comes_first(linker: NameLinker) -> None:
    mention = link(linker, "heart attack")
    assert [c.entity_id for c in mention.candidates] == ["MESH:D002", "MONDO:0002"]
    assert mention.ids == ("MESH:D002",)
    assert mention.candidates[0].label == "Myocardial Infarction"
    assert mention.candidates[0].name == "Heart Attack"


def test_a_preferred_name_scores_above_a_synonym(linker: NameLinker) -> None:
    preferred = link(linker, "lithium carbonate").candidates[0]
    synonym = link(linker, "bleeding").candidates[0]
    assert preferred.score == 1.0 > synonym.score
    assert "synonym" not in preferred.evidence[0].detail
    assert "synonym" in synonym.evidence[0].detail
    assert "MeSH" in preferred.evidence[0].detail


def test_a_name_that_only_looks_alike_says_so(linker: NameLinker) -> None:
    mention = link(linker, "myocardial infarctoin")
    best = mention.candidates[0]
    assert best.entity_id == "MESH:D002"
    assert best.evidence[0].kind == "ngram"
    assert best.evidence[0].score is not None
    assert 0.7 <= best.evidence[0].score < 1.0
    assert best.score < best.evidence[0].score


@pytest.mark.parametrize("surface", ["zzqx", "→", "completely different thing"])
def test_nothing_alike_is_nil(linker: NameLinker, surface: str) -> None:
    mention = link(linker, surface)
    assert mention.ids == (NIL,)
    assert all((c.evidence[-1].score or 1.0) < 0.7 for c in mention.candidates)


def test_what_came_nearest_is_listed_though_it_is_not_the_answer(linker: NameLinker) -> None:
    mention = link(linker, "infarction of something else")
    assert mention.ids == (NIL,)
    assert mention.candidates[0].entity_id == "MESH:D002"


def test_the_type_of_the_mention_restricts_what_it_may_be(linker: NameLinker) -> None:
    assert link(linker, "WAS", "Disease").ids == ("MESH:D003",)
    assert link(linker, "WAS", "Gene").ids == ("HGNC:2",)
    assert link(linker, "WAS", "GeneOrGeneProduct").ids == ("HGNC:2",)
    assert link(linker, "WAS", "an unknown type").ids == ("MESH:D003",)
    assert link(linker, "lithium carbonate", "Species").ids == (NIL,)


def test_the_chosen_types_restrict_every_mention(kb: KnowledgeBase) -> None:
    genes = NameLinker(kb, only=("Gene",))
    assert link(genes, "WAS").ids == ("HGNC:2",)
    assert link(genes, "heart attack").ids == (NIL,)


def test_an_entity_without_a_type_may_be_of_any(tmp_path: Path) -> None:
    kb = of_entries(tmp_path / "kb", Entry("X:1", "blue moon disease"))
    assert link(NameLinker(kb), "blue moon disease", "Disease").ids == ("X:1",)
    diseases = NameLinker(kb, only=("Disease",))
    assert link(diseases, "blue moon disease", "Disease").ids == ("X:1",)
    assert link(diseases, "blue moon disease", "Gene").ids == (NIL,)
    assert link(diseases, "blue moon disease").ids == (NIL,)
    procedures = of_entries(tmp_path / "2", Entry("X:1", "blue moon rite", types=("procedure",)))
    assert link(NameLinker(procedures), "blue moon rite", "Disease").ids == (NIL,)
    assert link(NameLinker(procedures), "blue moon rite").ids == ("X:1",)


def test_a_defined_abbreviation_is_linked_by_its_long_form_and_says_so(linker: NameLinker) -> None:
    text = "Wiskott-Aldrich protein (WAP) is high; WAP"
    mention = link(linker, "WAP", "Gene", text)
    assert mention.ids == ("HGNC:2",)
    assert [e.kind for e in mention.candidates[0].evidence] == ["abbreviation", "exact"]
    assert "Wiskott-Aldrich protein" in mention.candidates[0].evidence[0].detail


def test_an_abbreviation_whose_long_form_is_unknown_is_looked_up_itself(linker: NameLinker) -> None:
    mention = link(linker, "TNF", "Gene", "The total number of fish (TNF) rose")
    assert all(e.kind != "abbreviation" for c in mention.candidates for e in c.evidence)


def test_no_more_candidates_than_asked_for(kb: KnowledgeBase) -> None:
    assert len(link(NameLinker(kb, top=1), "heart attack").candidates) == 1
    few, many = NameLinker(kb, top=1), NameLinker(kb, top=5)
    assert link(many, "heart attack").candidates[:1] == link(few, "heart attack").candidates


def test_rivals_within_one_vocabulary_lower_the_score(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "kb",
        *(Entry(f"X:{i}", f"thing {i}", synonyms=("quux",)) for i in range(4)),
        Entry("X:9", "solo", synonyms=("single",)),
    )
    linker = NameLinker(kb)
    shared, alone = link(linker, "quux"), link(linker, "single")
    assert len(shared.candidates) == 4
    assert shared.candidates[0].score < alone.candidates[0].score


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "heart",
                "attack",
                "attac",
                "myocardial",
                "infarction",
                "infarct",
                "WAS",
                "was",
                "TNF",
                "tumor",
                "necrosis",
                "factor",
                "Wiskott",
                "Aldrich",
                "syndrome",
                "-",
                ",",
                "'",
                "é",
            ]
        ),
        min_size=1,
        max_size=5,
    ).map(" ".join),
    st.sampled_from(["", "Disease", "Gene", "Chemical", "odd"]),
)
def test_scores_lie_between_0_and_1_and_fall_strictly(
    linker: NameLinker, surface: str, type: str
) -> None:
    mention = link(linker, surface, type)
    scores = [candidate.score for candidate in mention.candidates]
    assert all(0.0 < score <= 1.0 for score in scores)
    assert all(first > second for first, second in pairwise(scores))
    assert len({c.entity_id for c in mention.candidates}) == len(scores) <= 5
    assert mention.ids in ((NIL,), (mention.candidates[0].entity_id,) if scores else (NIL,))
    assert all(candidate.evidence for candidate in mention.candidates)
    cosines = [c.evidence[-1].score for c in mention.candidates if c.evidence[-1].kind == "ngram"]
    assert all(cosine is not None and cosine >= 0.29 for cosine in cosines[:1])


def test_linking_again_or_in_another_order_changes_nothing(linker: NameLinker) -> None:
    text = "heart attack, TNF, WAS and lithium carbonate"
    mentions = [Mention.at(0, 12), Mention.at(14, 17), Mention.at(19, 22)]
    once = linker(Document("1", text, mentions=tuple(mentions)))
    assert linker(once) == once
    backwards = linker(Document("1", text, mentions=tuple(reversed(mentions))))
    assert tuple(reversed(backwards.mentions)) == once.mentions


def test_a_mention_is_linked_from_the_asked_likeness_on(kb: KnowledgeBase) -> None:
    surface = "myocardial infarctoin"
    best = link(NameLinker(kb), surface).candidates[0]
    cosine = best.evidence[0].score
    assert cosine is not None
    assert best.score == pytest.approx(0.9 * cosine, abs=1e-3)
    assert link(NameLinker(kb, likeness=cosine - 0.001), surface).ids == ("MESH:D002",)
    assert link(NameLinker(kb, likeness=cosine + 0.001), surface).ids == (NIL,)


def test_an_exact_name_is_linked_however_low_it_scores(tmp_path: Path) -> None:
    rivals = (Entry(f"X:{i}", f"thing {i}", synonyms=("quux",)) for i in range(9))
    mention = link(NameLinker(of_entries(tmp_path / "kb", *rivals), likeness=1.0), "quux")
    assert mention.candidates[0].score < 0.5
    assert mention.ids == ("X:0",)


def test_later_vocabularies_and_synonyms_score_as_much_less_as_they_should(
    linker: NameLinker,
) -> None:
    mesh, mondo = link(linker, "heart attack").candidates
    assert mesh.score == pytest.approx(0.95)
    assert mondo.score == pytest.approx(0.95 * 0.9)
    first, second = link(linker, "myocardial infarction").candidates
    assert first.score == 1.0
    assert second.score == pytest.approx(0.9)
    assert second.evidence[0].detail.startswith("MONDO name")


def test_within_a_vocabulary_preferred_names_come_first_then_what_others_refer_to(
    tmp_path: Path,
) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "thing one", synonyms=("quux",)),
        Entry("X:2", "thing two", synonyms=("quux",), xrefs=("A:1", "A:2")),
        Entry("X:3", "quux"),
        Entry("X:4", "thing four", synonyms=("quux",), xrefs=("A:3",)),
    )
    mention = link(NameLinker(kb), "quux")
    assert [c.entity_id for c in mention.candidates] == ["X:3", "X:2", "X:4", "X:1"]
    assert mention.candidates[0].score == pytest.approx(1.0 / 4**0.5)
    assert mention.candidates[1].score == pytest.approx(0.95 / 4**0.5)
    assert mention.candidates[2].score == pytest.approx(0.99 * 0.95 / 4**0.5, abs=1e-4)


def test_case_tells_symbols_apart_where_it_can(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "Was", types=("Gene",)),
        Entry("X:2", "WAS", types=("Gene",)),
    )
    assert [c.entity_id for c in link(NameLinker(kb), "WAS").candidates] == ["X:2"]


def test_names_that_look_alike_are_ordered_by_likeness_once_for_each_entity(
    tmp_path: Path,
) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "blue moon rite"),
        Entry("X:2", "blue moon disease", synonyms=("blue moon diseases of old",)),
    )
    mention = link(NameLinker(kb), "blue moon diseaze")
    assert [c.entity_id for c in mention.candidates] == ["X:2", "X:1"]
    assert mention.candidates[0].name == "blue moon disease"
    cosines = [c.evidence[0].score for c in mention.candidates]
    assert [c.score for c in mention.candidates] == pytest.approx(
        [0.9 * (cosine or 0) for cosine in cosines], abs=1e-3
    )


def test_alike_names_of_several_vocabularies_come_in_their_order_and_no_more_than_asked(
    tmp_path: Path,
) -> None:
    names = ("blue moon disease", "blue moon diseaze", "blue moon diseasse")
    kb = make_kb(
        tmp_path / "kb",
        (Source("MONDO"), [Entry("MONDO:1", names[0], types=("Disease",))]),
        (Source("Disease Ontology"), [Entry("DOID:1", names[0], types=("Disease",))]),
        (Source("MeSH"), [Entry(f"MESH:D{i}", n, types=("Disease",)) for i, n in enumerate(names)]),
    )
    query = "blue moon disoase"
    everything = link(NameLinker(kb, top=9), query).candidates
    assert [c.entity_id for c in everything][:3] == ["MESH:D0", "MONDO:1", "DOID:1"]
    assert len(everything) == 5
    assert link(NameLinker(kb, top=2), query).candidates == everything[:2]
    exact = link(NameLinker(kb), names[0]).candidates
    assert [c.score for c in exact] == pytest.approx([1.0, 0.9, 0.81], abs=1e-4)
