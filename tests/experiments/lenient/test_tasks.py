"""What the lenient protocol searches in, and how far any search can get."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.corpora.named.biosyn import LenientMention, LenientName
from holdfast.evaluate.gold_mentions import score_lenient
from holdfast.experiments.lenient.tasks import (
    Ceiling,
    LenientTask,
    ceiling,
    lenient_form,
    rank_task,
)
from holdfast.names.exact import VerbatimIndex


def name(text: str, *ids: str) -> LenientName:
    return LenientName(text, frozenset(ids))


def mention(text: str, *ids: str) -> LenientMention:
    return LenientMention("", tuple(text.split("|")), frozenset(ids))


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Can't SLEEP!!", "can t sleep"),
        ("  zombie_like\tstate ", "zombie like state"),
        ("Sjögren", "sjögren"),
        (":-(", ":-("),
    ],
)
def test_the_form_has_no_case_and_no_punctuation_unless_there_is_nothing_else(
    text: str, form: str
) -> None:
    assert lenient_form(text) == form


def test_training_mentions_are_names_and_what_was_seen_most_comes_first() -> None:
    task = LenientTask(
        dictionary=(name("fatigue", "A"), name("rage", "B")),
        training=(mention("tired", "B"), mention("tired", "A"), mention("tired", "A")),
        mentions=(),
    )
    assert task.names() == (
        name("tired", "A"),
        name("tired", "B"),
        name("fatigue", "A"),
        name("rage", "B"),
    )


def test_a_name_that_is_in_both_stands_once() -> None:
    task = LenientTask((name("fatigue", "A"),), (mention("fatigue", "A"),), ())
    assert task.names() == (name("fatigue", "A"),)


def test_each_part_of_a_training_composite_is_a_name_of_all_its_ids() -> None:
    task = LenientTask((), (mention("lips|gums", "A", "B"),), ())
    assert task.names() == (name("lips", "A", "B"), name("gums", "A", "B"))


def test_mentions_are_ranked_among_the_names_of_their_task() -> None:
    task = LenientTask(
        dictionary=(name("fatigue", "A"), name("tired", "B")),
        training=(mention("tired", "A"), mention("tired", "A")),
        mentions=(mention("tired", "A"), mention("tired", "B"), mention("zonked", "A")),
    )
    report = score_lenient(rank_task(task, VerbatimIndex.build))
    assert report["accuracy_at_1"] == pytest.approx(1 / 3)
    assert report["accuracy_at_5"] == pytest.approx(2 / 3)


def test_the_ceiling_counts_mentions_whose_ids_have_a_name() -> None:
    task = LenientTask(
        dictionary=(name("fatigue", "A"),),
        training=(mention("angry", "B"),),
        mentions=(mention("x", "A"), mention("x", "B"), mention("x", "C"), mention("x", "C", "B")),
    )
    assert ceiling([task]) == Ceiling(dictionary=1 / 4, training=2 / 4, either=3 / 4)
    other = LenientTask((), (), (mention("x", "A"),) * 4)
    assert ceiling([task, other]).either == 3 / 8
    assert ceiling([]) == Ceiling(0, 0, 0)


ids = st.sets(st.sampled_from("ABC"), min_size=1, max_size=2).map(frozenset)
texts = st.sampled_from(["tired", "angry", "ill", "sad"])
names = st.lists(st.builds(LenientName, texts, ids), max_size=5).map(tuple)
mentions = st.lists(
    st.builds(LenientMention, st.just(""), texts.map(lambda text: (text,)), ids), max_size=6
).map(tuple)


@settings(deadline=None)
@given(st.builds(LenientTask, names, mentions, mentions))
def test_no_search_is_right_more_often_than_the_ceiling(task: LenientTask) -> None:
    report = score_lenient(rank_task(task, VerbatimIndex.build), resamples=0)
    assert report["accuracy_at_1"] <= report["accuracy_at_5"] <= ceiling([task]).either
