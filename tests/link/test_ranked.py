"""The ranked linker: really fitted, on documents written here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from holdfast import artifacts, types
from holdfast.document import Document, Mention
from holdfast.errors import ArtifactError
from holdfast.kb import Entry, KnowledgeBase
from holdfast.link.candidates import CandidateFinder
from holdfast.link.features import FEATURES, features_of_document, shortlist
from holdfast.link.ranked import RankedLinker
from holdfast.link.ranker import KIND, VERSION, Ranker
from holdfast.link.used_names import UsedNames, collect_used_names
from holdfast.training.ranker import Settings, collect_examples, fit_ranker, fit_temperature
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


def finder(kb: KnowledgeBase, used: UsedNames | None) -> CandidateFinder:
    return CandidateFinder(kb, wanted=types.mask_of(None), used=used)


@pytest.fixture(scope="module")
def used(kb: KnowledgeBase) -> UsedNames:
    return collect_used_names(CORPUS, kb)


@pytest.fixture(scope="module")
def ranker(kb: KnowledgeBase, used: UsedNames) -> Ranker:
    examples = collect_examples(CORPUS, finder(kb, used), own_uses=False)
    return fit_ranker(examples, Settings(epochs=60, members=2, units=4))


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
    finds = finder(kb, collect_used_names(alone, kb))
    (remembered,) = finds.find(["whistling lung"])
    (forgotten,) = finds.find(["whistling lung"], but="1")
    asthma = kb.row_of("X:5")
    assert asthma in [f.entity for f in remembered if f.is_exact]
    assert asthma not in [f.entity for f in forgotten]
    matrix = features_of_document(["whistling lung"], [shortlist(remembered)], finds, but="1")[0]
    uses = [FEATURES.index(name) for name in ("entity_uses", "name_uses", "share_of_uses")]
    assert not matrix[:, uses].any()


def test_another_mention_of_the_document_speaks_for_an_entity(kb: KnowledgeBase) -> None:
    finds = finder(kb, None)
    queries = ["asthma", "asthmas of the bronchi"]
    found = [shortlist(candidates) for candidates in finds.find(queries)]
    matrices = features_of_document(queries, found, finds)
    row = [f.entity for f in found[1]].index(kb.row_of("X:5") or 0)
    assert matrices[1][row, FEATURES.index("elsewhere")] == pytest.approx(1.0)
    assert matrices[0][0, FEATURES.index("elsewhere")] == 0.0


def test_a_temperature_changes_no_ranking(
    kb: KnowledgeBase, used: UsedNames, ranker: Ranker
) -> None:
    examples = collect_examples(CORPUS, finder(kb, used), own_uses=True)
    warmed = fit_temperature(ranker, examples)
    for features, is_there in zip(examples.features, examples.is_there, strict=True):
        before = ranker.probabilities(features[is_there])
        after = warmed.probabilities(features[is_there])
        assert (
            np.argsort(before, kind="stable").tolist() == np.argsort(after, kind="stable").tolist()
        )


def write_model(folder: Path, ranker: Ranker, used: UsedNames) -> None:
    folder.mkdir()
    ranker.save(folder)
    used.save(folder)
    artifacts.write_manifest(folder, kind=KIND, version=VERSION, config={})


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
    finds = finder(kb, None)
    queries = ["cold", "asthma", "", "chronic bronchitis"]
    assert finds.find(queries) == [finds.find([query])[0] for query in queries]
