"""Names that look alike."""

from __future__ import annotations

import math
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from holdfast.names import grams
from holdfast.names.grams import clean
from holdfast.names.ngram import NgramIndex

SYLLABLES = ("car", "di", "o", "my", "path", "y", "neur", "al", "gi", "a", "hep", "at", "itis", "β")


def random_names(count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [
        " ".join(
            "".join(chance.choices(SYLLABLES, k=chance.randint(1, 4)))
            for _ in range(chance.randint(1, 3))
        )
        for _ in range(count)
    ]


def grams_of(name: str) -> Counter[bytes]:
    text = clean(name)
    return Counter(text[i : i + n] for n in (1, 2, 3) for i in range(len(text) - n + 1))


def cosines(names: list[str], query: str) -> list[float]:
    """TF-IDF cosine of the query with every name, as a textbook has it."""
    documents = [grams_of(name) for name in names]
    frequency = Counter(gram for document in documents for gram in document)
    idf = {gram: math.log((1 + len(names)) / (1 + n)) + 1 for gram, n in frequency.items()}

    def vector(grams: Counter[bytes]) -> dict[bytes, float]:
        return {gram: count * idf[gram] for gram, count in grams.items() if gram in idf}

    def length(weights: dict[bytes, float]) -> float:
        return math.sqrt(sum(weight**2 for weight in weights.values()))

    asked = vector(grams_of(query))
    result = []
    for document in documents:
        weights = vector(document)
        dot = sum(weight * weights.get(gram, 0.0) for gram, weight in asked.items())
        lengths = length(asked) * length(weights)
        result.append(dot / lengths if lengths else 0.0)
    return result


@pytest.fixture(scope="module")
def names() -> list[str]:
    return random_names(250, seed=1)


@pytest.fixture(scope="module")
def index(names: list[str]) -> NgramIndex:
    return NgramIndex.build(names)


def test_every_name_finds_itself_first(names: list[str], index: NgramIndex) -> None:
    found = index.search(names, 1)
    for name, row, score in zip(names, found.rows[:, 0], found.scores[:, 0], strict=True):
        assert clean(names[row]) == clean(name)
        assert score == pytest.approx(1.0, abs=1e-5)


def test_the_ranking_is_that_of_tfidf_cosines(names: list[str], index: NgramIndex) -> None:
    queries = [*random_names(30, seed=2), *names[:10]]
    found = index.search(queries, 10)
    for query, rows, scores in zip(queries, found.rows, found.scores, strict=True):
        exact = cosines(names, query)
        for row, score in zip(rows.tolist(), scores.tolist(), strict=True):
            if row >= 0:
                assert score == pytest.approx(exact[row], abs=1e-5)
        # Names without a common trigram are not considered; all others must be in order.
        trigrams = {gram for gram in grams_of(query) if len(gram) == 3}
        considered = [
            cosine
            for name, cosine in zip(names, exact, strict=True)
            if trigrams & grams_of(name).keys()
        ]
        best = sorted(considered, reverse=True)[:10]
        assert [score for score in scores.tolist() if score > 0] == pytest.approx(best, abs=1e-5)


def test_scores_fall_and_ties_come_in_row_order() -> None:
    index = NgramIndex.build(["liver disease", "x", "Liver-Disease", "liver diseases", "liver"])
    found = index.search(["liver disease"], 4)
    assert found.rows[0].tolist() == [0, 2, 3, 4]
    assert found.scores[0, 0] == found.scores[0, 1] > found.scores[0, 2] > found.scores[0, 3]


def test_a_batch_equals_its_queries_one_by_one(names: list[str], index: NgramIndex) -> None:
    queries = [*random_names(20, seed=3), "", "zzz", *names[:5]]
    batch = index.search(queries, 7)
    for i, query in enumerate(queries):
        one = index.search([query], 7)
        np.testing.assert_array_equal(one.rows[0], batch.rows[i])
        np.testing.assert_array_equal(one.scores[0], batch.scores[i])


def test_more_answers_begin_with_the_fewer(names: list[str], index: NgramIndex) -> None:
    few, many = index.search(names[:20], 3), index.search(names[:20], 30)
    np.testing.assert_array_equal(few.rows, many.rows[:, :3])


def test_names_above_a_cosine_are_found_when_none_below_it_is_asked_for(
    names: list[str], index: NgramIndex
) -> None:
    queries = [*random_names(30, seed=4), *names[:10]]
    for least in (0.5, 0.7, 0.9):
        everything, enough = index.search(queries, 20), index.search(queries, 20, least=least)
        wanted = everything.scores >= least
        np.testing.assert_array_equal(enough.rows[wanted], everything.rows[wanted])
        np.testing.assert_array_equal(enough.scores[wanted], everything.scores[wanted])


def test_threads_may_search_at_once(names: list[str], index: NgramIndex) -> None:
    expected = index.search(names[:60], 5).rows
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda name: index.search([name], 5).rows[0], names[:60]))
    np.testing.assert_array_equal(np.stack(found), expected)


def test_a_query_with_thousands_of_grams_is_compared_in_full() -> None:
    chance = random.Random(5)
    long = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz0123456789 ", k=4_000))
    index = NgramIndex.build(["aspirin", long, long[:2_000]])
    found = index.search([long], 2)
    assert found.rows[0].tolist() == [1, 2]
    assert found.scores[0, 0] == pytest.approx(1.0, abs=1e-5)
    assert found.scores[0, 1] == pytest.approx(
        cosines(["aspirin", long, long[:2_000]], long)[2], abs=1e-4
    )


@pytest.mark.parametrize("query", ["", "   ", "—", "qqq", "😀"])
def test_a_query_that_shares_nothing_finds_nothing(index: NgramIndex, query: str) -> None:
    found = index.search([query], 2)
    assert found.rows.tolist() == [[-1, -1]]
    assert found.scores.tolist() == [[0.0, 0.0]]


def test_other_scripts_and_accents_are_compared_by_their_folded_form() -> None:
    index = NgramIndex.build(["TGF-β", "糖尿病", "Sjögren", "диабет"])
    found = index.search(["tgf beta", "糖尿", "SJOGREN", "диабета", "Sjøgren"], 1)
    assert found.rows[:, 0].tolist() == [0, 1, 2, 3, 2]


def test_saved_and_opened_it_answers_the_same(
    names: list[str], index: NgramIndex, tmp_path: Path
) -> None:
    index.save(tmp_path)
    opened = NgramIndex.open(tmp_path)
    ours, theirs = index.search(names[:30], 5), opened.search(names[:30], 5)
    np.testing.assert_array_equal(ours.rows, theirs.rows)
    np.testing.assert_array_equal(ours.scores, theirs.scores)


@pytest.mark.parametrize("names", [[], [""], ["—", "+"], ["a"]])
def test_names_without_trigrams_make_an_index_that_works(names: list[str]) -> None:
    index = NgramIndex.build(names)
    assert index.search(["abc", ""], 1).rows.tolist() == [[-1], [-1]]


def test_one_long_name_among_short_ones_does_no_harm() -> None:
    index = NgramIndex.build(["aspirin", "methyl" * 5000, "aspirine"])
    found = index.search(["aspirin", "methylmethyl"], 1)
    assert found.rows[:, 0].tolist() == [0, 1]
    assert (found.scores <= 1).all()


def test_the_cosines_of_given_rows_are_those_of_a_textbook(
    names: list[str], index: NgramIndex
) -> None:
    rows = np.array([249, 3, 0, 77, 3])
    for query in (*random_names(10, seed=6), names[3], "qqq", ""):
        exact = cosines(names, query)
        assert index.similarity(query, rows).tolist() == pytest.approx(
            [exact[row] for row in rows], abs=1e-5
        )


def test_given_rows_without_letters_have_a_cosine_of_zero() -> None:
    index = NgramIndex.build(["—", "liver", "+", "lever"])
    scores = index.similarity("liver", np.array([0, 1, 2, 3]))
    assert scores[[0, 2]].tolist() == [0, 0]
    assert scores[1] == pytest.approx(1, abs=1e-5)
    assert 0 < scores[3] < 1
    rows, again = index.alike("liver", 1, also=np.array([2, 0]))
    assert rows.tolist() == [0, 1, 2]
    assert again.tolist() == scores[:3].tolist()


@pytest.mark.parametrize("k", [0, 1, 4])
def test_alike_is_the_search_and_the_given_rows_each_once_in_row_order(
    names: list[str], index: NgramIndex, k: int
) -> None:
    also = np.array([200, 5, 200, 7])
    for query in (*random_names(5, seed=7), names[5]):
        best = [row for row in index.search([query], k).rows[0].tolist() if row >= 0]
        rows, scores = index.alike(query, k, also=also)
        assert rows.tolist() == sorted({*also.tolist(), *best})
        np.testing.assert_array_equal(scores, index.similarity(query, rows))


def test_an_answer_does_not_depend_on_the_queries_before_it(names: list[str]) -> None:
    queries = random_names(25, seed=8)

    def search(index: NgramIndex, query: str) -> list[int]:
        rows: list[int] = index.search([query], 5, compared=6).rows[0].tolist()
        return rows

    used = NgramIndex.build(names)
    for query in queries:
        search(used, query)
    for query in queries:
        assert search(used, query) == search(NgramIndex.build(names), query)


def test_of_many_names_those_that_share_most_are_compared(names: list[str]) -> None:
    index = NgramIndex.build([*names, "cardiomyopathy of the heart"])
    found = index.search(["cardiomyopathy of the heart"], 3, compared=1)
    assert found.rows[0].tolist() == [len(names), -1, -1]
    assert len({*index.search([names[0]], 9, compared=4).rows[0].tolist()} - {-1}) == 4


def test_few_postings_still_find_the_name_with_the_rarest_trigram(names: list[str]) -> None:
    index = NgramIndex.build([*names, "cardio zyx"])
    found = index.search(["cardio zyx"], 1, postings=1)
    assert found.rows[0].tolist() == [len(names)]


@pytest.mark.parametrize("chunk", [1, 7, 249, 250])
def test_an_index_built_in_chunks_is_the_same(
    chunk: int, names: list[str], index: NgramIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grams, "_CHUNK", chunk)
    told: list[float] = []
    again = NgramIndex.build(names, progress=told.append)
    for array in ("text", "offsets", "grams", "idf", "starts", "postings", "norms"):
        np.testing.assert_array_equal(getattr(again, array), getattr(index, array))
    assert told == sorted(told)
    assert 0 < told[0] <= 1 / 2
    assert told[-1] == 1


def test_postings_ascend_and_only_trigrams_have_them(names: list[str], index: NgramIndex) -> None:
    for place, gram in enumerate(index.grams.tolist()):
        listed = index.postings[int(index.starts[place]) : int(index.starts[place + 1])].tolist()
        written = int(gram & 0xFFFFFF).to_bytes(3, "little")[: gram >> 24]
        holders = [row for row, name in enumerate(names) if written in clean(name)]
        assert listed == (holders if len(written) == 3 else [])


def test_half_a_character_is_indexed_and_searched_as_any_other_sign() -> None:
    index = NgramIndex.build(["liver\ud800disease", "\udfff", "aspirin"])
    assert index.search(["liver disease", "liver\udc00disease"], 1).rows.ravel().tolist() == [0, 0]
    assert index.search(["\ud800"], 1).scores.tolist()[0][0] <= 1


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [("TGF-β (1)", b" tgf beta 1 "), ("  a_b  ", b" a b "), ("—", b""), ("", b"")],
)
def test_cleaned_names_are_folded_words_between_single_spaces(name: str, cleaned: bytes) -> None:
    assert clean(name) == cleaned


def test_a_gram_repeated_hundreds_of_times_counts_no_more_than_255() -> None:
    text = grams_of("a" * 300)
    assert text[b"a"] == 300
    index = NgramIndex.build(["a" * 300, "b"])
    assert index.search(["a" * 300], 1).rows.tolist() == [[0]]
