"""Which pairs of a document's entities are asked about."""

from __future__ import annotations

import pytest

from holdfast.document import NIL, Document, Mention
from holdfast.errors import InvalidValueError
from holdfast.systems.kebiolm.relations.pairs import (
    SENTENCE,
    RelationShape,
    entities_of,
    questions_of,
)

CID = RelationShape()


def document(*mentions: tuple[str, str]) -> Document:
    """One sentence for each (type, id)."""
    text = "A word. " * len(mentions)
    return Document(
        "1",
        text,
        mentions=tuple(
            Mention.at(8 * n + 2, 8 * n + 6, type, ids=tuple(id.split("+")))
            for n, (type, id) in enumerate(mentions)
        ),
    )


def pairs(found: Document, shape: RelationShape = CID, most: int = 100) -> set[tuple[str, str]]:
    questions = questions_of(found, shape, most=most).questions
    return {(q.head.id, tail.id) for q in questions for tail in q.tails}


def test_every_chemical_is_asked_about_with_every_disease() -> None:
    found = document(("Disease", "D:1"), ("Chemical", "C:1"), ("Drug", "C:2"), ("Gene", "G:1"))
    assert pairs(found) == {("C:1", "D:1"), ("C:2", "D:1")}


def test_mentions_of_one_entity_are_one_entity_and_composites_are_several() -> None:
    found = document(("Chemical", "C:1"), ("Disease", "D:1+D:2"), ("Chemical", "C:1"))
    assert [len(entity.mentions) for entity in entities_of(found)] == [2, 1, 1]
    assert pairs(found) == {("C:1", "D:1"), ("C:1", "D:2")}


def test_nothing_is_asked_without_two_linked_entities() -> None:
    assert questions_of(document(), CID).pairs == 0
    assert not pairs(document(("Chemical", "C:1")))
    assert not pairs(document(("Chemical", "C:1"), ("Disease", NIL)))
    assert not pairs(document(("Chemical", "C:1"), ("Chemical", "C:2")))


def test_a_pair_whose_order_is_free_is_asked_once() -> None:
    shape = RelationShape(("Gene Gene", "Chemical Gene"), ("Bind",))
    found = document(("Gene", "G:2"), ("Gene", "G:1"), ("Chemical", "C:1"))
    assert pairs(found, shape) == {("G:2", "G:1"), ("C:1", "G:2"), ("C:1", "G:1")}


def test_beyond_a_bound_the_pairs_that_share_sentences_are_asked_first() -> None:
    many = [("Chemical", f"C:{n}") for n in range(20)] + [("Disease", f"D:{n}") for n in range(20)]
    found = document(*many)
    together = (Mention.at(2, 4, "Disease", ids=("D:19",)),)  # in the sentence of C:0
    questions = questions_of(found.with_mentions(found.mentions + together), CID, most=3)
    assert (questions.pairs, questions.asked, questions.is_bounded) == (400, 3, True)
    assert ("C:0", "D:19") in pairs(found.with_mentions(found.mentions + together), most=3)


def test_within_sentences_only_those_are_asked_about_that_share_one() -> None:
    shape = RelationShape(within=SENTENCE)
    found = document(("Chemical", "C:1"), ("Disease", "D:1"), ("Chemical", "C:2"))
    assert questions_of(found, shape).pairs == 0
    beside = (Mention.at(18, 20, "Disease", ids=("D:1",)),)  # in the sentence of C:2
    assert pairs(found.with_mentions(found.mentions + beside), shape) == {("C:2", "D:1")}


def test_a_pair_is_judged_within_documents_or_sentences() -> None:
    with pytest.raises(InvalidValueError, match="document or sentence, not 'page'"):
        RelationShape(within="page")


def test_types_of_a_pair_are_two() -> None:
    with pytest.raises(InvalidValueError, match="two types"):
        RelationShape(("Chemical",))
