"""What a format has no place for is an error, or counted; never gone without a word."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.corpora.losses import Holds, Losses
from holdfast.document import (
    Argument,
    Candidate,
    Document,
    Mention,
    Passage,
    Relation,
    Span,
    TypeScore,
)
from holdfast.errors import LossError
from strategies import documents

EVERYTHING = Holds(**{field.name: True for field in fields(Holds)})
FULL = Document(
    "7",
    "a b c d",
    passages=(Passage("title", 0, 3),),
    mentions=(
        Mention(
            (Span(0, 1),),
            type="Disease",
            ids=("X:1",),
            id="m1",
            parts=("p",),
            status="negated",
            candidates=(Candidate("X:1", "a", 0.5), Candidate("X:2", "a", 0.25)),
            types=(TypeScore("neoplasm", 0.9),),
        ),
        Mention((Span(2, 3), Span(6, 7)), id="m2"),
        Mention.at(4, 5, id="m3"),
    ),
    relations=(
        Relation("r", (Argument("X:1"), Argument("X:2")), id="R1", note="n", score=0.5),
        Relation("s", (Argument(mention_id="m1", role="x"), Argument(mention_id="m2"))),
        Relation("t", (Argument(mention_id="m1"),) * 3),
    ),
    metadata=(("year", "1999"),),
)


def fitted(document: Document, **missing: bool) -> tuple[Document, Losses]:
    losses = Losses("some", allow=True)
    return losses.fit(document, replace(EVERYTHING, **missing)), losses


def test_what_a_format_holds_is_not_touched() -> None:
    document, losses = fitted(FULL)
    assert document is FULL
    assert not losses.report.lost
    assert not losses.report.notes


def test_what_is_noted_several_times_adds_up() -> None:
    losses = Losses("some", allow=True)
    for _ in range(3):
        losses.fit(FULL, replace(EVERYTHING, candidates=False))
    losses.note("nothing", 0)
    assert losses.report.notes == {"candidates": 6}
    for _ in range(2):
        losses.lose("x", FULL, how="bends")
    assert losses.report.lost == {"x": 2}
    with pytest.raises(LossError, match=r"^some cannot hold x: document 7; --allow-loss bends it$"):
        Losses("some", allow=False).lose("x", FULL, how="bends")


LOST = {
    "metadata": ({"metadata": 1}, "document 7, 'year'"),
    "passages": ({"passages": 1}, "document 7, 'title' at 0-3"),
    "mentions": ({"mentions": 3}, "document 7, mention 0-1"),
    "interrupted": ({"discontinuous mentions": 1}, "document 7, mention 2-7"),
    "overlapping": ({"overlapping or unordered mentions": 1}, "document 7, mention 4-5"),
    "ids": ({"entity ids": 1}, "document 7, mention 0-1"),
    "parts": ({"the parts of a composite": 1}, "document 7, mention 0-1"),
    "status": ({"a mention's status": 1}, "document 7, mention 0-1"),
    "relations": ({"relations": 3}, "document 7, relation 'r'"),
    "entity_arguments": (
        {"relations between entities (only between mentions)": 1},
        "document 7, relation 'r'",
    ),
    "mention_arguments": (
        {"relations between mentions (only between entities)": 2},
        "document 7, relation 's'",
    ),
    "many_arguments": ({"relations of more than two arguments": 1}, "document 7, relation 't'"),
    "roles": ({"the roles of a relation's arguments": 1}, "document 7, 's'"),
    "relation_notes": ({"a relation's note": 1}, "document 7, 'n'"),
}
NOTED = {
    "candidates": {"candidates": 2},
    "types": {"fine-grained types": 1},
    "mention_ids": {"mention ids that no relation names": 1},  # the relations name the others
    "relation_ids": {"relation ids": 1},
    "relation_scores": {"scores and evidence of relations": 1},
}
AFTERWARDS = {"mentions": 2, "interrupted": 1, "overlapping": 0}  # relations whose mention is gone


def test_everything_that_a_format_may_lack_is_tried() -> None:
    assert {*LOST, *NOTED} == {field.name for field in fields(Holds)}


@pytest.mark.parametrize("part", LOST)
def test_a_loss_is_counted_with_its_place_or_an_error(part: str) -> None:
    lost, place = LOST[part]
    document, losses = fitted(FULL, **{part: False})
    assert losses.report.lost == lost
    assert place in losses.report.reasons[0]
    gone = AFTERWARDS.get(part, 0)
    assert losses.report.notes == ({"relations of dropped mentions": gone} if gone else {})
    again, nothing = fitted(document, **{part: False})
    assert again == document
    assert not nothing.report.lost
    strict = Losses("some", allow=False)
    with pytest.raises(LossError, match=r"^some cannot hold .*; --allow-loss drops it$") as caught:
        strict.fit(FULL, replace(EVERYTHING, **{part: False}))
    assert place in str(caught.value)


@pytest.mark.parametrize("part", NOTED)
def test_what_says_nothing_by_itself_is_only_noted(part: str) -> None:
    strict = Losses("some", allow=False)
    document = strict.fit(FULL, replace(EVERYTHING, **{part: False}))
    assert strict.report.notes == NOTED[part]
    assert not strict.report.lost
    assert document != FULL
    assert strict.fit(document, replace(EVERYTHING, **{part: False})) == document


def test_the_rest_of_a_document_stays_as_it_is() -> None:
    assert fitted(FULL, metadata=False)[0] == replace(FULL, metadata=())
    assert fitted(FULL, passages=False)[0] == replace(FULL, passages=())
    first, second, third = FULL.mentions
    without = {
        "ids": replace(first, ids=()),
        "parts": replace(first, parts=()),
        "status": replace(first, status=None),
        "candidates": replace(first, candidates=()),
    }
    for part, changed in without.items():
        document = fitted(FULL, **{part: False})[0]
        assert document == FULL.with_mentions((changed, second, third))
    assert fitted(FULL, interrupted=False)[0] == replace(
        FULL, mentions=(first, third), relations=(FULL.relations[0], FULL.relations[2])
    )
    assert fitted(FULL, overlapping=False)[0] == FULL.with_mentions((first, second))
    unnamed = fitted(FULL, mention_ids=False)[0]
    assert unnamed == FULL.with_mentions((first, second, replace(third, id="")))


def test_mentions_that_touch_do_not_overlap() -> None:
    touching = Document("1", "abc", mentions=(Mention.at(0, 1), Mention.at(1, 3)))
    assert fitted(touching, overlapping=False)[0] == touching
    nested = Document("1", "abc", mentions=(Mention.at(0, 3), Mention.at(1, 2), Mention.at(2, 3)))
    document, losses = fitted(nested, overlapping=False)
    assert document.mentions == (Mention.at(0, 3),)
    assert losses.report.lost == {"overlapping or unordered mentions": 2}


HOLDS = st.fixed_dictionaries({field.name: st.booleans() for field in fields(Holds)})


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), HOLDS)
def test_whatever_is_missing_was_counted_and_nothing_is_missing_twice(
    document: Document, held: dict[str, bool]
) -> None:
    losses = Losses("some", allow=True)
    holds = Holds(**held)
    found = losses.fit(document, holds)
    assert (found == document) == (not losses.report.lost and not losses.report.notes)
    gone = len(document.relations) - len(found.relations)
    said = {**losses.report.lost, **losses.report.notes}
    assert gone == sum(n for what, n in said.items() if what.startswith("relations"))
    dropped = ("mentions", "discontinuous mentions", "overlapping or unordered mentions")
    assert len(document.mentions) - len(found.mentions) == sum(said.get(d, 0) for d in dropped)
    again = Losses("some", allow=False)
    assert again.fit(found, holds) == found
    assert not again.report.notes
