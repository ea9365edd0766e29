"""The synthetic knowledge base, the stages that are resumed, and what recall counts."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from holdfast import types
from holdfast.bench.umls_scale.kept_vectors import KeptVectors, encode_shards, read_shards
from holdfast.bench.umls_scale.measure import ScalePlan, bench_umls_scale, queries_of
from holdfast.bench.umls_scale.recall import exact_scores, recall_at_10
from holdfast.bench.umls_scale.synthetic import SHARES, KbShape, synthetic_entries
from holdfast.document import Document, Mention
from holdfast.errors import InvalidValueError, UsageError
from holdfast.kb.records import Entry
from holdfast.kb.store import KnowledgeBase
from holdfast.names.dense import DenseIndex
from holdfast.names.index import NameMatches
from holdfast.names.vectors import quantised, restored
from small_kb import of_entries
from trigram_encoder import Listening, Trigrams

NAMES = [
    f"{a} {b}" for a in ("acute", "renal", "heart", "nasal") for b in ("attack", "cyst", "flu")
]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    diseases = [
        Entry(f"D:{i}", name, synonyms=(f"{name} of man",), types=(types.DISEASE,))
        for i, name in enumerate(NAMES)
    ]
    species = [Entry(f"S:{i}", f"Mus novus{i}", types=(types.SPECIES,)) for i in range(5)]
    return of_entries(tmp_path_factory.mktemp("base") / "base", *diseases, *species)


def test_concepts_have_the_shares_of_their_types_and_names_the_wanted_number(
    base: KnowledgeBase,
) -> None:
    entries = list(synthetic_entries(base, KbShape(2000, 5000)))
    shares = Counter(entry.types[0] for entry in entries)
    there = SHARES[types.DISEASE] + SHARES[types.SPECIES]
    assert shares[types.DISEASE] == round(2000 * SHARES[types.DISEASE] / there)
    assert abs(len(entries) - 2000) <= 1
    assert len({entry.id for entry in entries}) == len(entries)
    names = sum(1 + len(entry.synonyms) for entry in entries)
    assert names == pytest.approx(5000, rel=0.05)
    for entry in entries:
        listed = [entry.name, *entry.synonyms]
        assert len(set(listed)) == len(listed)


def test_the_first_copies_are_the_concepts_themselves_and_later_ones_are_qualified(
    base: KnowledgeBase,
) -> None:
    made = [e.name for e in synthetic_entries(base, KbShape(400, 700)) if types.DISEASE in e.types]
    assert sorted(made[: len(NAMES)]) == sorted(NAMES)
    words = {word for name in NAMES for word in name.split()}
    for name in made[len(NAMES) :]:
        assert name not in NAMES
        assert {word.strip(",") for word in name.split()} <= words
        assert len(name.split()) == 3


def test_synonyms_are_left_out_where_fewer_names_are_wanted(base: KnowledgeBase) -> None:
    entries = list(synthetic_entries(base, KbShape(1000, 1100)))
    assert sum(1 + len(e.synonyms) for e in entries) == pytest.approx(1100, rel=0.05)


def test_the_same_seed_makes_the_same_concepts(base: KnowledgeBase) -> None:
    shape = KbShape(300, 800)
    first = list(synthetic_entries(base, shape))
    assert first == list(synthetic_entries(base, shape))
    assert first != list(synthetic_entries(base, shape, seed=14))


def test_a_base_of_other_types_and_a_scale_of_nothing_are_refused(tmp_path: Path) -> None:
    other = of_entries(tmp_path / "kb", Entry("X:1", "assay one", types=("assay",)))
    with pytest.raises(UsageError, match="has no concepts of the types Species"):
        next(synthetic_entries(other, KbShape(10, 20)))
    with pytest.raises(UsageError, match="a scale of 0: it must be above 0"):
        KbShape.at(0)
    assert KbShape.at(0.01) == KbShape(34_000, 90_000)


def test_encoding_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    encoder = Listening()
    assert encode_shards(NAMES, encoder, tmp_path, size=5) == 3
    whole = np.concatenate(list(read_shards(tmp_path)))
    assert np.array_equal(whole, quantised(encoder.encode(NAMES)))
    (tmp_path / "00001.npy").unlink()
    encoder.asked.clear()
    assert encode_shards(NAMES, encoder, tmp_path, size=5) == 1
    assert encoder.asked == NAMES[5:10]
    assert np.array_equal(whole, np.concatenate(list(read_shards(tmp_path))))


def test_an_index_of_kept_vectors_equals_that_of_its_encoder(tmp_path: Path) -> None:
    encoder = Trigrams()
    encode_shards(NAMES, encoder, tmp_path, size=5)
    kept = DenseIndex.build(NAMES, KeptVectors(encoder, tmp_path))
    query = encoder.encode(["renal cysts"])
    found, wanted = (
        index.search_vectors(query, 4) for index in (kept, DenseIndex.build(NAMES, encoder))
    )
    assert np.array_equal(found.rows, wanted.rows)
    assert np.array_equal(found.scores, wanted.scores)
    with pytest.raises(InvalidValueError, match="fewer vectors are kept than there are names"):
        DenseIndex.build([*NAMES, "one more"], KeptVectors(encoder, tmp_path))


def test_restored_vectors_are_quantised_to_the_same() -> None:
    every = np.arange(-127, 128, dtype=np.int8).reshape(1, -1)
    assert np.array_equal(quantised(restored(every)), every)


def test_exact_scores_are_those_of_comparing_all_and_recall_counts_what_is_missing() -> None:
    encoder = Trigrams()
    vectors = quantised(encoder.encode(NAMES))
    queries = encoder.encode(["heart attacks", "acute flu"])
    exact = exact_scores(queries, [vectors[:5], vectors[5:]])
    found = DenseIndex.build(NAMES, encoder).search_vectors(queries, 10)
    counted = exact[:, -1] > 0
    assert np.allclose(found.scores[counted], exact[counted], atol=1e-6)
    full = NameMatches(np.zeros((2, 10), dtype=np.int64), exact)
    if counted.any():
        assert recall_at_10(full, exact) == 1.0
        half = exact.copy()
        half[:, 5:] = 0
        assert recall_at_10(NameMatches(full.rows, half), exact) == 0.5
    assert recall_at_10(full, np.zeros_like(exact)) == 0.0


def test_every_stage_is_done_once_and_the_figures_stand_beside_the_bars(
    tmp_path: Path, base: KnowledgeBase
) -> None:
    text = "Heart attack, renal cyst and aspirin."
    mentions = (
        Mention.at(0, 12, type="Disease"),
        Mention.at(14, 24, type="Disease"),
        Mention.at(29, 36, type="Chemical"),
    )
    documents = [Document("1", text, mentions=mentions)]
    assert queries_of(documents) == {
        "diseases": ["Heart attack", "renal cyst"],
        "others": ["aspirin"],
    }
    plan = ScalePlan(base, documents, 0.0001, tmp_path, threads=1, starts=1)
    first = bench_umls_scale(replace(plan, until="encode"), progress=lambda *_: None)["stages"]
    assert list(first) == ["kb", "encode"]
    stages = list[str]()
    measured = bench_umls_scale(plan, progress=lambda stage, _: stages.append(stage))
    assert stages == ["kb", "encode", "index", "exact", "recall", "linking"]
    assert measured["entities"] == 340
    assert measured["stages"]["encode"] == first["encode"]
    assert measured["names"] == measured["indexed_names"] == pytest.approx(900, rel=0.1)
    bars = {row["bar"]: row["met"] for row in measured["bars"]}
    assert bars["recall at 10"]  # so few vectors are compared one by one
    assert set(bars) == {"open, seconds", "resident memory, MB", "recall at 10", "mentions/s"}
    (folder,) = tmp_path.iterdir()
    (folder / "recall.json").unlink()
    kept = json.loads((folder / "kb.json").read_text(encoding="utf-8"))
    again = bench_umls_scale(plan, progress=lambda *_: None)
    assert again["stages"]["kb"] == kept == measured["stages"]["kb"]
    assert (
        again["stages"]["recall"]["searches"][0]["recall_at_10"]
        == (measured["stages"]["recall"]["searches"][0]["recall_at_10"])
    )
