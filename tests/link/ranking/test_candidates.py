"""Which entities a query finds, in which order, and what is said of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.document import Document, Mention
from holdfast.kb import Entry, KnowledgeBase, Source
from holdfast.link.ranking.candidates import MOST, CandidateFinder
from holdfast.link.ranking.found import NO_CANDIDATES, Found, Names
from holdfast.link.ranking.used_names import UsedNames, collect_used_names
from holdfast.names.dense import DenseIndex
from holdfast.types import mask_of
from small_kb import make_kb, of_entries

ANY = mask_of(None)
ENTRIES = (
    Entry("X:1", "fen ague", synonyms=("marsh ague", "bog ague"), types=("Disease",)),
    Entry("X:2", "bog ague", types=("Disease",)),
    Entry("X:3", "fen agues of rats", types=("Phenotype",)),
    Entry("X:4", "bog agent", types=("Chemical",)),
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return of_entries(tmp_path_factory.mktemp("candidates") / "kb", *ENTRIES)


def find(finder: CandidateFinder, query: str, *, wanted: int = ANY, but: str = "") -> Found:
    (found,) = finder.find([query], wanted=[wanted], but=but)
    return found


def ids(kb: KnowledgeBase, found: Found) -> list[str]:
    return [kb.id_at(row) for row in found.entity.tolist()]


def used(kb: KnowledgeBase, *uses: tuple[str, str]) -> UsedNames:
    """Each use of a name for an entity, in a document of its own: "0", "1", …"""
    documents = [
        Document(str(n), name, mentions=(Mention.at(0, len(name), ids=[id]),))
        for n, (name, id) in enumerate(uses)
    ]
    return collect_used_names(documents, kb)


def test_where_names_are_equal_no_others_are_looked_for(kb: KnowledgeBase) -> None:
    found = find(CandidateFinder(kb), "Bog agues")
    assert ids(kb, found) == ["X:1", "X:2"]
    assert found.is_exact.tolist() == found.is_exact_in_kb.tolist() == [True, True]
    assert found.is_preferred.tolist() == [False, True]
    assert found.is_verbatim.tolist() == [False, False]
    assert found.name == ("bog ague", "bog ague")
    assert find(CandidateFinder(kb), "BOG AGUE").is_verbatim.tolist() == [True, True]


def test_names_that_look_alike_are_found_best_first_each_entity_once(kb: KnowledgeBase) -> None:
    found = find(CandidateFinder(kb), "fen agua")
    assert ids(kb, found)[0] == "X:1"
    assert found.name[0] == "fen ague"
    assert len(set(ids(kb, found))) == len(found)
    assert found.ngram.tolist() == sorted(found.ngram.tolist(), reverse=True)
    assert not found.is_exact.any()
    assert found.ngram_in_kb.tolist() == found.ngram.tolist()


def test_only_entities_of_the_wanted_types_are_candidates_of_each_query(kb: KnowledgeBase) -> None:
    finder = CandidateFinder(kb)
    chemical, disease = mask_of(["Chemical"]), mask_of(["Disease"])
    found = finder.find(["bog ague"] * 3, wanted=[chemical, disease, mask_of(["Gene"])])
    assert [ids(kb, candidates) for candidates in found] == [["X:4"], ["X:1", "X:2"], []]
    assert not found[0].is_exact.any()


def test_no_more_candidates_than_twenty_the_best_of_them(tmp_path: Path) -> None:
    entries = (Entry(f"X:{n:02}", f"thing {n}", synonyms=("quux",)) for n in range(MOST + 5))
    kb = of_entries(tmp_path / "kb", *entries, Entry("X:99", "other", synonyms=("fnord",)))
    finder = CandidateFinder(kb)
    first, second = finder.find(["quux", "fnord"], wanted=[ANY, ANY])
    assert ids(kb, first) == [f"X:{n:02}" for n in range(MOST)]
    assert ids(kb, second) == ["X:99"]


def test_a_used_name_is_found_with_its_entity_and_says_so(kb: KnowledgeBase) -> None:
    finder = CandidateFinder(kb, used=used(kb, ("shaking fit", "X:2"), ("bog ague", "X:4")))
    found = find(finder, "Shaking fit")
    assert ids(kb, found) == ["X:2"]
    assert (found.name, found.is_used.tolist()) == (("shaking fit",), [True])
    assert (found.is_exact.tolist(), found.is_exact_in_kb.tolist()) == ([True], [False])
    assert found.ngram_in_kb.tolist() == found.dense_in_kb.tolist() == [0.0]
    both = find(finder, "bog ague")
    assert ids(kb, both) == ["X:1", "X:2", "X:4"]
    assert both.is_used.tolist() == [False, False, True]


def test_a_used_name_is_never_the_preferred_one(kb: KnowledgeBase) -> None:
    found = find(CandidateFinder(kb, used=used(kb, ("shiver", "X:1"))), "shiver")
    assert ids(kb, found) == ["X:1"]
    assert found.is_preferred.tolist() == [False]


def test_of_equal_names_the_vocabularys_is_shown(kb: KnowledgeBase) -> None:
    finder = CandidateFinder(kb, used=used(kb, ("BOG AGUE", "X:2")))
    found = find(finder, "bog ague")
    assert found.name == ("bog ague", "bog ague")
    assert not found.is_used.any()


def test_uses_of_one_document_do_not_count_for_itself(kb: KnowledgeBase) -> None:
    finder = CandidateFinder(kb, used=used(kb, ("shaking fit", "X:2"), ("shaking fit", "X:4")))
    assert ids(kb, find(finder, "shaking fit")) == ["X:2", "X:4"]
    assert ids(kb, find(finder, "shaking fit", but="0")) == ["X:4"]
    assert "X:4" not in ids(kb, find(finder, "shaking fit", but="1"))
    assert ids(kb, find(finder, "shaking fit", but="7")) == ["X:2", "X:4"]


def test_uses_for_what_the_knowledge_base_lacks_find_nothing(kb: KnowledgeBase) -> None:
    names = UsedNames(("shaking fit",), ("Y:9",), (frozenset("1"),))
    assert "Y:9" not in ids(kb, find(CandidateFinder(kb, used=names), "shaking fit"))
    assert len(find(CandidateFinder(kb, used=UsedNames((), (), ())), "fen ague")) == 1


class Vowels:
    """Encodes a name by its vowels."""

    width = 5
    digest = "vowels"

    def encode(self, names: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = np.array([[name.lower().count(vowel) for vowel in "aeiou"] for name in names])
        lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        unit: npt.NDArray[np.float32] = (rows / lengths).astype(np.float32)
        return unit


def test_both_cosines_are_given_of_every_name_that_either_finds(kb: KnowledgeBase) -> None:
    dense = DenseIndex.build(kb.all_names(), Vowels())
    names = used(kb, ("shaking fit", "X:4"))
    finder = CandidateFinder(kb, used=names, dense=dense)
    found = find(finder, "eague agus")
    query = Vowels().encode(["eague agus"])[0]
    for row, name in enumerate(found.name):
        if not found.is_used[row]:
            cosine = Vowels().encode([name])[0] @ query
            assert found.dense[row] >= cosine - 0.02
    assert ids(kb, found)[0] in ("X:1", "X:3")
    without = CandidateFinder(kb, dense=dense, ngrams=False)
    assert not find(without, "eague agus").ngram.any()
    exact = find(finder, "bog ague")
    assert exact.dense.tolist() == exact.ngram.tolist() == [1.0, 1.0]
    assert not find(CandidateFinder(kb), "bog ague").dense.any()


def test_a_used_name_is_found_by_its_meaning_too(kb: KnowledgeBase) -> None:
    dense = DenseIndex.build(kb.all_names(), Vowels())
    finder = CandidateFinder(kb, used=used(kb, ("shaking fit", "X:4")), dense=dense)
    found = find(finder, "zakizi")
    row = ids(kb, found).index("X:4")
    assert (found.name[row], found.is_used[row]) == ("shaking fit", True)
    assert found.dense[row] == pytest.approx(1.0, abs=0.01)
    assert found.dense_in_kb[row] < 0.9


QUERIES = st.lists(
    st.sampled_from(["bog ague", "fen agua", "zzqx", "", "shaking fit", "bog agent", "agues"]),
    max_size=6,
)


@given(QUERIES, st.booleans())
def test_many_queries_find_what_each_finds_alone(
    kb: KnowledgeBase, queries: list[str], typed: bool
) -> None:
    finder = CandidateFinder(kb, used=used(kb, ("shaking fit", "X:2"), ("agues", "X:4")))
    wanted = [mask_of(["Disease"]) if typed and n % 2 else ANY for n in range(len(queries))]
    found = finder.find(queries, wanted=wanted)
    assert len(found) == len(queries)
    for query, mask, candidates in zip(queries, wanted, found, strict=True):
        alone = find(finder, query, wanted=mask)
        for column in Found.__slots__:
            assert list(getattr(candidates, column)) == list(getattr(alone, column))


def test_candidates_joined_and_cut_again_are_the_same(kb: KnowledgeBase) -> None:
    finder = CandidateFinder(kb)
    parts = [find(finder, "bog ague"), NO_CANDIDATES, find(finder, "fen agua")]
    joined = Found.joined(parts)
    assert len(joined) == sum(map(len, parts))
    last = joined.part(len(parts[0]), len(joined))
    assert last.name == parts[2].name
    assert last.ngram.tolist() == parts[2].ngram.tolist()
    assert last.ngram.base is None  # a copy, which does not keep the others in memory
    assert len(Found.joined([])) == 0


@given(st.lists(st.integers(0, 5), max_size=9).map(sorted), st.sets(st.integers(0, 5)))
def test_names_of_some_queries_are_numbered_anew(queries: list[int], chosen: set[int]) -> None:
    rows = np.arange(len(queries), dtype=np.int64)
    zeros = np.zeros(len(queries), dtype=np.float32)
    names = Names(np.array(queries, dtype=np.int64), rows, zeros > 0, zeros, zeros)
    kept = sorted(chosen)
    found = names.of_queries(kept)
    expected = [(kept.index(query), row) for row, query in enumerate(queries) if query in chosen]
    assert list(zip(found.query.tolist(), found.row.tolist(), strict=True)) == expected


def test_a_genus_used_for_a_species_is_no_use_where_the_vocabulary_has_it(tmp_path: Path) -> None:
    species = (
        Entry("NCBITaxon:1", "Vexia", types=("Species",)),
        Entry("NCBITaxon:2", "Vexia parva", synonyms=("little vex",), types=("Species",)),
    )
    other = (Entry("X:1", "vex fever", types=("Disease",)),)
    kb = make_kb(tmp_path / "kb", (Source("NCBI Taxonomy"), species), (Source("own"), other))
    uses = (
        ("Vexia", "NCBITaxon:2"),
        ("Vexia", "X:1"),
        ("vex", "NCBITaxon:2"),
        ("little vex", "NCBITaxon:1"),
        ("vex fever", "NCBITaxon:1"),
    )
    finder = CandidateFinder(kb, used=used(kb, *uses))
    assert ids(kb, find(finder, "Vexia")) == ["NCBITaxon:1", "X:1"]
    assert ids(kb, find(finder, "vex")) == ["NCBITaxon:2"]
    assert ids(kb, find(finder, "little vex")) == ["NCBITaxon:1", "NCBITaxon:2"]
    assert ids(kb, find(finder, "vex fever")) == ["NCBITaxon:1", "X:1"]
