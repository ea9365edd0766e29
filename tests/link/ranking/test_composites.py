"""Mentions that name several things: when they are read in parts, and what is shown of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hand_ranker import hand_ranker
from holdfast.document import Document, Mention
from holdfast.kb import Entry, KnowledgeBase
from holdfast.link.ranking.linker import RankedLinker
from holdfast.link.ranking.ranker import Ranker
from small_kb import of_entries

ENTRIES = (
    Entry("X:1", "left lungal abscess", types=("Disease",)),
    Entry("X:2", "right lungal abscess", types=("Disease",)),
    Entry("X:3", "asthma", synonyms=("wheeze",), types=("Disease",)),
    Entry("X:4", "gastritis", types=("Disease",)),
    Entry("X:5", "asthma with chronic bronchitiz", types=("Disease",)),
    Entry("X:6", "chronic gripe", types=("Disease",)),
    Entry("X:7", "gastric upset", synonyms=("nausea and vomiting",), types=("Disease",)),
    Entry("X:8", "nausea", types=("Disease",)),
    Entry("X:9", "vomiting", types=("Disease",)),
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return of_entries(tmp_path_factory.mktemp("composites") / "kb", *ENTRIES)


def linked(kb: KnowledgeBase, text: str, ranker: Ranker, *, top: int = 5) -> Mention:
    mention = Mention.at(0, len(text), "Disease")
    linker = RankedLinker(kb, ranker=ranker, top=top)
    return linker(Document("1", text, mentions=(mention,))).mentions[0]


LOOKS = hand_ranker(ngram=12.0, none=6.0)


def test_parts_that_name_two_entities_give_both_in_the_order_of_the_text(
    kb: KnowledgeBase,
) -> None:
    assert linked(kb, "gastritis and asthma", LOOKS).ids == ("X:4", "X:3")
    assert linked(kb, "asthma and gastritis", LOOKS).ids == ("X:3", "X:4")


def test_an_entity_that_two_parts_find_shows_its_better_score_and_that_part(
    kb: KnowledgeBase,
) -> None:
    mention = linked(kb, "left and right lung abscess", LOOKS)
    assert mention.ids == ("X:1", "X:2")
    alone = linked(kb, "left lung abscess", LOOKS)
    scores = {c.entity_id: c.score for c in alone.candidates}
    assert scores["X:1"] > scores["X:2"]
    shown = {c.entity_id: c for c in mention.candidates}
    assert shown["X:1"].score == scores["X:1"]
    assert shown["X:1"].evidence[0].detail == "read as “left lung abscess”"
    assert shown["X:2"].evidence[0].detail == "read as “right lung abscess”"
    assert len(shown) == len(mention.candidates)


def test_one_part_that_is_less_sure_than_the_whole_keeps_the_whole(kb: KnowledgeBase) -> None:
    text = "asthma and chronic bronchitiz"
    whole = linked(kb, text, hand_ranker(ngram=12.0, none=9.0))
    parts = [linked(kb, part, hand_ranker(ngram=12.0, none=3.0)) for part in text.split(" and ")]
    assert all(part.is_linked for part in parts)
    assert whole.ids == ("X:5",)
    assert linked(kb, text, hand_ranker(ngram=12.0, none=3.0)).ids == ("X:5",)


def test_a_part_that_is_linked_to_nothing_keeps_the_whole(kb: KnowledgeBase) -> None:
    ranker = hand_ranker(ngram=12.0, none=11.5)
    unsure = linked(kb, "chronic grape", ranker)
    assert unsure.is_nil
    mention = linked(kb, "vomiting and chronic grape", ranker)
    assert mention.is_nil
    assert mention.candidates[0].score < unsure.candidates[0].score
    assert all(e.kind != "part" for c in mention.candidates for e in c.evidence)


def test_parts_that_name_one_entity_are_one_id(kb: KnowledgeBase) -> None:
    mention = linked(kb, "asthma or wheeze", LOOKS)
    assert len(mention.ids) == 1
    assert all(e.kind != "part" for c in mention.candidates for e in c.evidence)


def test_who_lists_the_whole_means_the_whole_though_the_parts_are_surer(
    kb: KnowledgeBase,
) -> None:
    ranker = hand_ranker(preferred=5.0, exact=2.0, none=1.0)
    whole, nausea = linked(kb, "nausea and vomiting", ranker), linked(kb, "nausea", ranker)
    assert whole.ids == ("X:7",)
    assert whole.candidates[0].score < nausea.candidates[0].score
    assert linked(kb, "vomiting and nausea", ranker).ids == ("X:9", "X:8")


@pytest.mark.parametrize(
    ("top", "shown"),
    [
        (2, ["X:1", "X:2"]),
        (3, ["X:1", "X:3", "X:2"]),
        (4, ["X:1", "X:3", "X:2", "X:4"]),
    ],
)
def test_each_parts_answer_is_kept_though_others_score_higher_and_all_are_in_order(
    tmp_path: Path, top: int, shown: list[str]
) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "left lung abscess", types=("Disease",)),
        Entry("X:2", "right lungal abscessus", types=("Disease",)),
        Entry("X:3", "old cyst", synonyms=("left lung abscess",), types=("Disease",)),
        Entry("X:4", "right lunger", types=("Disease",)),
    )
    ranker = hand_ranker(ngram=12.0, exact=6.0, preferred=0.1, length_difference=-8.0, none=8.0)
    mention = linked(kb, "left and right lung abscess", ranker, top=top)
    assert mention.ids == ("X:1", "X:2")
    assert [c.entity_id for c in mention.candidates] == shown
    scores = [c.score for c in mention.candidates]
    assert scores == sorted(scores, reverse=True)


def test_a_short_form_of_a_composite_says_how_it_was_read(tmp_path: Path) -> None:
    kb = of_entries(tmp_path / "kb", *ENTRIES)
    text = "gastritis and asthma (GAA) rose; GAA fell."
    mention = Mention.at(33, 36, "Disease")
    linker = RankedLinker(kb, ranker=LOOKS)
    (found,) = linker(Document("1", text, mentions=(mention,))).mentions
    assert found.ids == ("X:4", "X:3")
    assert [e.kind for e in found.candidates[0].evidence][:2] == ["abbreviation", "part"]
    assert "GAA is defined as “gastritis and asthma”" in found.candidates[0].evidence[0].detail
