"""The ranked linker: really fitted, on documents written here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from holdfast import artifacts
from holdfast.document import Document, Mention
from holdfast.errors import ArtifactError
from holdfast.kb import Entry, KnowledgeBase
from holdfast.link.ranking.candidates import CandidateFinder
from holdfast.link.ranking.features import FEATURES, FeatureMaker, Matrix, Texts
from holdfast.link.ranking.found import Found
from holdfast.link.ranking.linker import RankedLinker
from holdfast.link.ranking.queries import Query
from holdfast.link.ranking.ranker import KIND, VERSION, Ranker
from holdfast.link.ranking.used_names import UsedNames, collect_used_names
from holdfast.link.training.ranker import (
    Examples,
    FitConfig,
    collect_examples,
    fit_calibrated,
    fit_ranker,
    read_documents,
)
from holdfast.types import mask_of
from small_kb import of_entries

# Two entities share the name "cold": only what the corpus uses tells which is meant.
ENTRIES = (
    Entry("X:1", "common cold", synonyms=("cold", "acute coryza"), types=("Disease",)),
    Entry("X:2", "cold temperature", synonyms=("cold",), types=("Disease",)),
    Entry("X:3", "chronic bronchitis", types=("Disease",)),
    Entry("X:4", "chronic bronchiolitis", types=("Disease",)),
    Entry("X:5", "asthma", synonyms=("bronchial asthma",), types=("Disease",)),
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return of_entries(tmp_path_factory.mktemp("ranked") / "kb", *ENTRIES)


def document(number: int, marked: Sequence[tuple[str, str]]) -> Document:
    """A document whose text is the marked strings, in order."""
    text, mentions = "", []
    for surface, id in marked:
        mentions.append(Mention.at(len(text), len(text) + len(surface), ids=[id]))
        text += f"{surface}; "
    return Document(str(number), text, mentions=tuple(mentions))


CORPUS = [
    document(i, [("cold", "X:2"), ("chronic bronchitis", "X:3"), ("bronchial asthma", "X:5")])
    for i in range(12)
] + [document(i, [("acute coryza", "X:1"), ("coryzal fever", "X:1")]) for i in range(12, 24)]


def find(finder: CandidateFinder, *queries: str, but: str = "") -> list[Found]:
    return finder.find(queries, wanted=[mask_of(None)] * len(queries), but=but)


def examples_of(kb: KnowledgeBase, used: UsedNames) -> Examples:
    finder = CandidateFinder(kb, used=used)
    return collect_examples(read_documents(CORPUS), finder, FeatureMaker(finder))


def column(matrix: Matrix, feature: str) -> list[float]:
    values: list[float] = matrix[:, FEATURES.index(feature)].tolist()
    return values


@pytest.fixture(scope="module")
def used(kb: KnowledgeBase) -> UsedNames:
    return collect_used_names(CORPUS, kb)


@pytest.fixture(scope="module")
def ranker(kb: KnowledgeBase, used: UsedNames) -> Ranker:
    examples = examples_of(kb, used)
    settings = FitConfig(epochs=60, members=2, units=4, dropped_gold=0)
    return fit_ranker(examples, settings)


def linked(linker: RankedLinker, *surfaces: str) -> list[Mention]:
    blank = document(99, [(surface, "X:1") for surface in surfaces])
    return list(linker(blank.with_mentions(replace(m, ids=()) for m in blank.mentions)).mentions)


def test_what_the_corpus_uses_decides_between_homonyms(
    kb: KnowledgeBase, used: UsedNames, ranker: Ranker
) -> None:
    (mention,) = linked(RankedLinker(kb, ranker=ranker, used=used), "cold")
    assert [c.entity_id for c in mention.candidates[:2]] == ["X:2", "X:1"]
    assert mention.ids == ("X:2",)


def test_a_name_known_only_from_the_corpus_is_found_and_says_so(
    kb: KnowledgeBase, used: UsedNames, ranker: Ranker
) -> None:
    (mention,) = linked(RankedLinker(kb, ranker=ranker, used=used), "coryzal fever")
    assert mention.ids == ("X:1",)
    assert mention.candidates[0].evidence[-1].kind == "used"


def test_nothing_alike_is_none_of_these(kb: KnowledgeBase, used: UsedNames, ranker: Ranker) -> None:
    (mention,) = linked(RankedLinker(kb, ranker=ranker, used=used), "zzzz qqqq")
    assert mention.is_nil


def test_scores_are_probabilities_in_falling_order(
    kb: KnowledgeBase, used: UsedNames, ranker: Ranker
) -> None:
    for mention in linked(RankedLinker(kb, ranker=ranker, used=used), "cold", "bronchitis", "asma"):
        scores = [c.score for c in mention.candidates]
        assert scores == sorted(scores, reverse=True)
        assert 0.0 <= sum(scores) <= 1.0 + 1e-3


def test_no_document_remembers_itself(kb: KnowledgeBase) -> None:
    alone = [document(1, [("whistling lung", "X:5")])]
    finder = CandidateFinder(kb, used=collect_used_names(alone, kb))
    (remembered,) = find(finder, "whistling lung")
    (forgotten,) = find(finder, "whistling lung", but="1")
    asthma = kb.row_of("X:5")
    assert asthma in remembered.entity[remembered.is_exact]
    assert asthma not in forgotten.entity
    (matrix,) = FeatureMaker(finder).of_queries(["whistling lung"], [remembered], but="1")
    for feature in ("entity_uses", "name_uses", "share_of_uses"):
        assert not any(column(matrix, feature))


def test_another_mention_of_the_document_speaks_for_an_entity(kb: KnowledgeBase) -> None:
    finder = CandidateFinder(kb)
    maker = FeatureMaker(finder)
    texts = ["asthma", "asthmas of the bronchi"]
    found = find(finder, *texts)
    bare = maker.of_queries(texts, found)
    queries = [Query(text) for text in texts]
    matrices = maker.add_documents(bare, queries, found, Texts([""], [2]))
    row = found[1].entity.tolist().index(kb.row_of("X:5"))
    assert column(matrices[1], "elsewhere")[row] == pytest.approx(1.0)
    assert column(matrices[0], "elsewhere")[0] == 0.0
    assert not any(column(bare[1], "elsewhere"))
    apart = maker.add_documents(bare, queries, found, Texts(["", ""], [1, 1]))
    assert not any(column(apart[1], "elsewhere"))


def test_words_of_the_document_speak_for_an_entity_of_that_name(kb: KnowledgeBase) -> None:
    finder = CandidateFinder(kb)
    maker = FeatureMaker(finder)
    (found,) = find(finder, "cold")
    (bare,) = maker.of_queries(["cold"], [found])
    query = Query("cold", near="at a low temperature")
    texts = Texts(["cold, at a low temperature"], [1])
    (matrix,) = maker.add_documents([bare], [query], [found], texts)
    common, temperature = (found.entity.tolist().index(kb.row_of(f"X:{i}")) for i in (1, 2))
    for feature in ("label_in_document", "label_nearby"):
        assert column(matrix, feature)[temperature] > column(matrix, feature)[common]


def test_a_temperature_changes_no_ranking(
    kb: KnowledgeBase, used: UsedNames, ranker: Ranker
) -> None:
    examples = examples_of(kb, used)
    warmed = replace(ranker, temperature=3.0)
    for features, is_there in zip(examples.features, examples.is_there, strict=True):
        (before,) = ranker.probabilities([features[is_there]])
        (after,) = warmed.probabilities([features[is_there]])
        assert (
            np.argsort(before, kind="stable").tolist() == np.argsort(after, kind="stable").tolist()
        )


def test_a_ranker_that_is_often_wrong_is_less_sure_of_itself(
    kb: KnowledgeBase, used: UsedNames
) -> None:
    examples = examples_of(kb, used)
    chance = np.random.default_rng(0).random(examples.is_gold.shape) * examples.is_there
    confused = replace(examples, is_gold=chance == chance.max(axis=1, keepdims=True))
    settings = FitConfig(epochs=20, members=1, units=4, dropped_gold=0)
    right, wrong = fit_calibrated(examples, settings), fit_calibrated(confused, settings)
    assert wrong.temperature > right.temperature


def write_model(folder: Path, ranker: Ranker, used: UsedNames) -> None:
    folder.mkdir()
    ranker.save(folder)
    used.save(folder)
    artifacts.write_manifest(
        folder, kind=KIND, version=VERSION, config={"encoder": "", "without": []}
    )


def test_a_saved_linker_links_as_before(
    kb: KnowledgeBase, used: UsedNames, ranker: Ranker, tmp_path: Path
) -> None:
    write_model(tmp_path / "model", ranker, used)
    opened = RankedLinker.open(tmp_path / "model", kb)
    before = RankedLinker(kb, ranker=ranker, used=used)
    surfaces = ("cold", "coryza", "bronchiolitis", "coryzal fever")
    assert linked(opened, *surfaces) == linked(before, *surfaces)


def test_a_damaged_model_is_refused(
    used: UsedNames, kb: KnowledgeBase, ranker: Ranker, tmp_path: Path
) -> None:
    write_model(tmp_path / "model", ranker, used)
    (tmp_path / "model" / "ranker.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"ranker\.json"):
        RankedLinker.open(tmp_path / "model", kb)


def test_a_batch_equals_its_mentions_one_by_one(kb: KnowledgeBase) -> None:
    queries = ["cold", "asthma", "", "chronic bronchitis", "cold"]
    together = find(CandidateFinder(kb), *queries)
    for query, found in zip(queries, together, strict=True):
        (alone,) = find(CandidateFinder(kb), query)
        assert found.entity.tolist() == alone.entity.tolist()
        assert found.name == alone.name
        assert found.ngram.tolist() == pytest.approx(alone.ngram.tolist(), abs=1e-6)


def test_documents_together_are_linked_as_one_by_one(
    kb: KnowledgeBase, used: UsedNames, ranker: Ranker
) -> None:
    surfaces = ["cold", "asthmas of the bronchi", "zzzz qqqq", "cold and asthma", "asthma"]
    documents = [
        document(n, [(surface, "X:1") for surface in surfaces[: n % 6]]) for n in range(150)
    ]
    linker = RankedLinker(kb, ranker=ranker, used=used)
    alone = RankedLinker(kb, ranker=ranker, used=used)
    assert list(linker.pipe(documents)) == [alone(document) for document in documents]


def test_only_entities_of_the_wanted_types_are_candidates(kb: KnowledgeBase) -> None:
    (found,) = CandidateFinder(kb).find(["asthma"], wanted=[mask_of(["Gene"])])
    assert not len(found)


@pytest.mark.parametrize("text", ["", " ", "🙂", "ربو", "a" * 10_000, "\x00", "β"])
def test_any_string_has_an_answer(kb: KnowledgeBase, ranker: Ranker, text: str) -> None:
    whole = (Mention.at(0, len(text)),) if text else ()
    linked = RankedLinker(kb, ranker=ranker)(Document("1", text, mentions=whole))
    assert [m.spans for m in linked.mentions] == [m.spans for m in whole]
    assert all(m.ids for m in linked.mentions)
    assert all(0 <= c.score <= 1 for m in linked.mentions for c in m.candidates)


COMPOSITE = "bronchial asthma and chronic bronchitis"


def test_a_mention_of_two_things_gets_both_ids(kb: KnowledgeBase, ranker: Ranker) -> None:
    (mention,) = linked(RankedLinker(kb, ranker=ranker), COMPOSITE)
    assert mention.ids == ("X:5", "X:3")
    assert {c.entity_id for c in mention.candidates[:2]} == {"X:3", "X:5"}
    assert {e.kind for c in mention.candidates[:2] for e in c.evidence} == {"part", "exact"}


def test_a_linker_without_composites_gives_one_id(kb: KnowledgeBase, ranker: Ranker) -> None:
    (mention,) = linked(RankedLinker(kb, ranker=ranker, without=["composites"]), COMPOSITE)
    assert len(mention.ids) == 1


def test_in_a_vocabulary_that_training_never_used_equal_names_are_linked(
    tmp_path: Path, used: UsedNames, ranker: Ranker
) -> None:
    entries = (Entry("Y:1", "chronic bronchitis"), Entry("Y:2", "asthma of the young"))
    linker = RankedLinker(
        of_entries(tmp_path / "kb", *entries), ranker=_doubting(ranker), used=used
    )
    known, unknown = linked(linker, "chronic bronchitis", "asthmas of young people")
    assert known.ids == ("Y:1",)
    assert unknown.is_nil


def _doubting(ranker: Ranker) -> Ranker:
    """The same, sure that no candidate is ever right."""
    return replace(ranker, bias=-100.0)
