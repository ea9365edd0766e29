"""Each feature of a candidate, by its name: a ranker's weights belong to these columns."""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from holdfast.document import Document, Mention
from holdfast.kb import Entry, KnowledgeBase, Source
from holdfast.link.ranking.candidates import CandidateFinder
from holdfast.link.ranking.features import FEATURES, FeatureMaker, Matrix, Texts
from holdfast.link.ranking.found import Found
from holdfast.link.ranking.queries import Query
from holdfast.link.ranking.used_names import collect_used_names
from holdfast.names.dense import DenseIndex
from holdfast.types import mask_of
from small_kb import make_kb

ANY = mask_of(None)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    mesh = (
        Entry(
            "MESH:D1",
            "Renal Failure",
            synonyms=("Kidney Failure", "failing kidney"),
            types=("Disease",),
            xrefs=("OMIM:1", "MONDO:9"),
        ),
        Entry("MESH:C7", "kidney failure agent", types=("Chemical",)),
        Entry("MESH:D2", "heart failure type 2", types=("Disease",)),
        Entry("MESH:D3", "heart failure type 1", types=("Disease",)),
    )
    omim = (Entry("OMIM:5", "kidney failure", types=("Disease",)),)
    return make_kb(
        tmp_path_factory.mktemp("features") / "kb", (Source("MeSH"), mesh), (Source("OMIM"), omim)
    )


def find(finder: CandidateFinder, *queries: str) -> list[Found]:
    return finder.find(queries, wanted=[ANY] * len(queries))


def row_of(kb: KnowledgeBase, found: Found, id: str) -> int:
    rows: list[int] = found.entity.tolist()
    return rows.index(kb.row_of(id) or 0)


def features(kb: KnowledgeBase, query: str, id: str) -> dict[str, float]:
    finder = CandidateFinder(kb)
    (found,) = find(finder, query)
    (matrix,) = FeatureMaker(finder).of_queries([query], [found])
    return named(matrix, row_of(kb, found, id))


def named(matrix: Matrix, row: int) -> dict[str, float]:
    return dict(zip(FEATURES, matrix[row].tolist(), strict=True))


def test_an_exact_synonym_is_described_by_every_feature(kb: KnowledgeBase) -> None:
    assert features(kb, "kidney failure", "MESH:D1") == pytest.approx(
        {
            **dict.fromkeys(FEATURES, 0.0),
            "bias": 1,
            "exact": 1,
            "exact_in_kb": 1,
            "verbatim": 1,
            "share_of_exact": 0.5,
            "ngram": 1,
            "ngram_cubed": 1,
            "ngram_in_kb": 1,
            "dense_missing": 1,
            "xrefs": log1p(2),
            "names": log1p(3),
            "query_covered": 1,
            "name_covered": 1,
            "same_last_word": 1,
            "same_first_word": 1,
        }
    )


def test_a_preferred_name_of_a_later_vocabulary_says_so(kb: KnowledgeBase) -> None:
    omim = features(kb, "Kidney failures", "OMIM:5")
    assert (omim["preferred"], omim["is_omim"], omim["later_vocabulary"]) == (1, 1, 1)
    assert (omim["verbatim"], omim["xrefs"]) == (0, 0)
    assert omim["names"] == pytest.approx(log1p(1))
    mesh = features(kb, "Kidney failures", "MESH:D1")
    assert (mesh["preferred"], mesh["is_omim"], mesh["later_vocabulary"]) == (0, 0, 0)


def test_a_name_that_looks_alike_is_compared_with_the_best_of_its_query(
    kb: KnowledgeBase,
) -> None:
    finder = CandidateFinder(kb)
    queries = ["kidney failur agents x", "heart failure type 3"]
    found = find(finder, *queries)
    for candidates, matrix in zip(
        found, FeatureMaker(finder).of_queries(queries, found), strict=True
    ):
        cosines = candidates.ngram
        assert len(cosines) > 1
        for row, cosine in enumerate(cosines.tolist()):
            of_row = named(matrix, row)
            assert of_row["ngram"] == pytest.approx(cosine)
            assert of_row["ngram_cubed"] == pytest.approx(cosine**3, abs=1e-6)
            assert of_row["ngram_behind_best"] == pytest.approx(cosines.max() - cosine, abs=1e-6)
            assert of_row["exact"] == of_row["share_of_exact"] == 0


def test_words_are_compared_by_coverage_ends_length_and_numbers(kb: KnowledgeBase) -> None:
    agent = features(kb, "kidney failure agents of rats", "MESH:C7")
    assert agent["query_covered"] == pytest.approx(3 / 5)
    assert agent["name_covered"] == 1
    assert (agent["same_first_word"], agent["same_last_word"]) == (1, 0)
    assert (agent["name_longer"], agent["name_shorter"]) == (0, 1)
    assert agent["length_difference"] == pytest.approx(2 / 5)
    assert agent["is_supplementary"] == 1
    second = features(kb, "failure type 2", "MESH:D2")
    assert (second["same_first_word"], second["same_last_word"]) == (0, 1)
    assert (second["name_longer"], second["name_shorter"]) == (1, 0)
    assert second["name_covered"] == pytest.approx(3 / 4)
    assert second["other_number"] == 0
    assert features(kb, "failure type 2", "MESH:D3")["other_number"] == 1
    assert features(kb, "kidney failure agent x12", "MESH:C7")["other_number"] == 1
    assert features(kb, "kidney failure agent x123", "MESH:C7")["other_number"] == 0


def test_uses_in_a_corpus_are_counted_by_entity_and_by_name(kb: KnowledgeBase) -> None:
    corpus = [
        Document(str(n), "kidney failure", mentions=(Mention.at(0, 14, ids=[id]),))
        for n, id in enumerate(["OMIM:5", "OMIM:5", "OMIM:5", "MESH:D1"])
    ] + [Document("9", "dead kidneys", mentions=(Mention.at(0, 12, ids=["MESH:D1"]),))]
    finder = CandidateFinder(kb, used=collect_used_names(corpus, kb))
    maker = FeatureMaker(finder)
    queries = ["kidney failure", "dead kidneys"]
    found = find(finder, *queries)
    both, dead = maker.of_queries(queries, found)
    omim, mesh = (named(both, row_of(kb, found[0], id)) for id in ("OMIM:5", "MESH:D1"))
    assert omim["entity_uses"] == pytest.approx(log1p(3))
    assert omim["name_uses"] == pytest.approx(log1p(3))
    assert omim["share_of_uses"] == pytest.approx(3 / 4)
    assert mesh["entity_uses"] == pytest.approx(log1p(2))
    assert mesh["name_uses"] == pytest.approx(log1p(1))
    assert mesh["share_of_uses"] == pytest.approx(1 / 4)
    assert (omim["entity_used"], mesh["entity_used"], omim["used_name"]) == (1, 1, 0)
    only = named(dead, row_of(kb, found[1], "MESH:D1"))
    assert (only["used_name"], only["exact"], only["exact_in_kb"]) == (1, 1, 0)
    (without,) = maker.of_queries(queries[:1], found[:1], but="0")
    row = named(without, row_of(kb, found[0], "OMIM:5"))
    assert row["name_uses"] == pytest.approx(log1p(2))
    assert row["share_of_uses"] == pytest.approx(2 / 3)


def with_document(
    kb: KnowledgeBase, queries: Sequence[Query], text: str, **options: bool
) -> tuple[list[Found], list[Matrix]]:
    finder = CandidateFinder(kb)
    maker = FeatureMaker(finder, **options)
    texts = [query.text for query in queries]
    found = find(finder, *texts)
    bare = maker.of_queries(texts, found)
    return found, maker.add_documents(bare, queries, found, Texts([text], [len(queries)]))


def test_words_of_the_document_and_words_nearby_are_two_features(kb: KnowledgeBase) -> None:
    query = Query("kidney failure", near="of the renal kind")
    (found,), (matrix,) = with_document(kb, [query], "renal things; failure of the kidney")
    mesh, omim = (named(matrix, row_of(kb, found, id)) for id in ("MESH:D1", "OMIM:5"))
    assert (mesh["label_in_document"], mesh["label_nearby"]) == (1.0, 0.5)
    assert (omim["label_in_document"], omim["label_nearby"]) == (1.0, 0.0)


def test_exact_matches_elsewhere_are_shared_between_homonyms_and_count_up_to_three(
    kb: KnowledgeBase,
) -> None:
    queries = [Query("kidney failure")] * 2 + [Query("kidney failur agent")]
    found, matrices = with_document(kb, queries, "")
    first = named(matrices[0], row_of(kb, found[0], "OMIM:5"))
    assert first["elsewhere"] == pytest.approx(0.5)
    assert first["elsewhere_and_inexact"] == 0
    alike = named(matrices[2], row_of(kb, found[2], "OMIM:5"))
    assert alike["elsewhere"] == pytest.approx(1.0)
    assert alike["elsewhere_and_inexact"] == 1
    _, many = with_document(kb, [Query("renal failure")] * 9, "")
    assert named(many[0], 0)["elsewhere"] == 3.0


def test_without_memory_or_context_the_document_says_nothing(kb: KnowledgeBase) -> None:
    queries = [Query("kidney failure", near="renal")] * 3
    _, forgetful = with_document(kb, queries, "renal", memory=False)
    _, blind = with_document(kb, queries, "renal", context=False)
    assert named(forgetful[0], 0)["elsewhere"] == 0
    assert named(forgetful[0], 0)["label_nearby"] > 0
    assert named(blind[0], 0)["elsewhere"] > 0
    assert named(blind[0], 0)["label_nearby"] == named(blind[0], 0)["label_in_document"] == 0


def test_many_queries_are_described_as_each_alone(kb: KnowledgeBase) -> None:
    finder = CandidateFinder(kb)
    maker = FeatureMaker(finder)
    queries = ["kidney failure", "zzqx", "heart failure type 3", "", "Renal failures", "zzqx"]
    found = find(finder, *queries)
    together = maker.of_queries(queries, found)
    for query, candidates, matrix in zip(queries, found, together, strict=True):
        (alone,) = maker.of_queries([query], [candidates])
        assert np.array_equal(alone, matrix)


class Vowels:
    """Encodes a name by its vowels."""

    width = 5
    digest = "vowels"

    def encode(self, names: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = np.array([[name.lower().count(vowel) for vowel in "aeiou"] for name in names])
        lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        unit: npt.NDArray[np.float32] = (rows / lengths).astype(np.float32)
        return unit


def test_cosines_of_vectors_are_described_as_those_of_letters_are(kb: KnowledgeBase) -> None:
    finder = CandidateFinder(kb, dense=DenseIndex.build(kb.all_names(), Vowels()))
    (found,) = find(finder, "kidney failur agents")
    (matrix,) = FeatureMaker(finder).of_queries(["kidney failur agents"], [found])
    cosines = found.dense
    assert len(set(cosines.tolist())) > 1
    for row, cosine in enumerate(cosines.tolist()):
        of_row = named(matrix, row)
        assert of_row["dense"] == of_row["dense_in_kb"] == pytest.approx(cosine)
        assert of_row["dense_cubed"] == pytest.approx(cosine**3, abs=1e-6)
        assert of_row["dense_behind_best"] == pytest.approx(cosines.max() - cosine, abs=1e-6)
        assert of_row["dense_missing"] == (cosine == 0)
        assert of_row["both"] == pytest.approx(cosine * found.ngram[row], abs=1e-6)


def test_a_query_without_words_shares_none(kb: KnowledgeBase) -> None:
    finder = CandidateFinder(kb)
    (found,) = find(finder, "kidney failure")
    for query in ("", "--"):
        (matrix,) = FeatureMaker(finder).of_queries([query], [found])
        of_row = named(matrix, 0)
        assert of_row["query_covered"] == of_row["same_last_word"] == of_row["name_longer"] == 0


def test_a_document_without_candidates_has_no_features(tmp_path: Path) -> None:
    kb = make_kb(tmp_path / "kb")
    found, matrices = with_document(kb, [Query("zzqx")], "zzqx")
    assert [len(candidates) for candidates in found] == [0]
    assert [matrix.shape for matrix in matrices] == [(0, len(FEATURES))]
