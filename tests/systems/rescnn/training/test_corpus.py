from __future__ import annotations

import pytest

from holdfast.corpora.named.biosyn import LenientMention, LenientName
from holdfast.document import Document, Mention
from holdfast.systems.rescnn.training.corpus import (
    lenient_groups,
    mention_groups,
    seed_weights,
    with_mentions,
)
from holdfast.systems.rescnn.training.synonyms import Group


def line(name: str, *ids: str) -> LenientName:
    return LenientName(name, frozenset(ids))


def mention(text: str, *ids: str) -> LenientMention:
    return LenientMention("1", tuple(text.split("|")), frozenset(ids))


DICTIONARY = [line("gout", "D1"), line("podagra", "D1", "42"), line("fever", "D2")]


def test_ids_that_share_a_line_are_one_concept() -> None:
    first, second = lenient_groups(DICTIONARY, [mention("gouty attack", "42")])
    assert first == Group(("gout", "podagra"), "", ("D1", "42"), ("gouty attack",))
    assert second == Group(("fever",), "", ("D2",), ())


def test_mentions_of_several_concepts_or_parts_or_of_none_known_are_left_out() -> None:
    mentions = [
        mention("gout with fever", "D1", "D2"),
        mention("gout|fever", "D1"),
        mention("measles", "D9"),
    ]
    assert all(group.mentions == () for group in lenient_groups(DICTIONARY, mentions))


def test_a_mention_counts_once_however_often_it_occurs() -> None:
    first, _ = lenient_groups(DICTIONARY, [mention("gouty", "D1")] * 3)
    assert first.mentions == ("gouty",)


def test_names_from_elsewhere_join_their_concept_once() -> None:
    more = {"D2": ["Fever", "pyrexia"], "D7": ["unheard of"]}
    _, second = lenient_groups(DICTIONARY, [], more_names=more)
    assert second.names == ("fever", "pyrexia")


def test_seeds_come_from_mentions_as_often_as_asked() -> None:
    groups = [
        Group(("a", "b"), ""),
        Group(("c",), "", mentions=("x", "y")),
        Group(("d", "e"), "", mentions=("z",)),
    ]
    assert seed_weights(groups, mentions=0.6) == pytest.approx([0.2, 0.4, 0.4])


TEXT = "Familial Mediterranean fever (FMF): FMF and gout, a gouty fever."
MARKED = Document(
    "1",
    TEXT,
    mentions=(
        Mention.at(30, 33, ids=["D3"]),
        Mention.at(44, 48, ids=["D1"]),
        Mention.at(52, 63, ids=["D1", "D2"]),
        Mention.at(52, 57, ids=["D1"]),
    ),
)


def test_groups_learn_what_documents_call_them_with_abbreviations_written_out() -> None:
    groups = [Group(("gout",), "", ("D1",)), Group(("FMF",), "", ("D3",))]
    gout, fever = with_mentions(groups, [MARKED])
    assert gout.mentions == ("gout", "gouty")
    assert fever.mentions == ("Familial Mediterranean fever",)


def test_wordings_of_one_id_are_a_group_if_there_are_several() -> None:
    assert mention_groups([MARKED], kind="wording") == [
        Group(("gout", "gouty"), "wording", ("D1",))
    ]
