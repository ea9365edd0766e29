"""Marks: what of the knowledge base and of the spelling each token carries."""

from __future__ import annotations

from encoders.test_tokens import small_tokenizer
from holdfast.detect.marks import NAMES_OF_MARKS, add_names, shape_marks
from holdfast.document import Mention
from holdfast.encoders.tokens import TokenReader


def marks_of(text: str, *names: Mention) -> list[set[str]]:
    """The names of the marks of each token."""
    tokens = TokenReader.of(small_tokenizer()).read(text)
    marks = add_names(shape_marks(text, tokens), tokens, names)
    return [{NAMES_OF_MARKS[i] for i in row.nonzero()[0]} for row in marks]


def test_a_name_marks_its_first_token_and_those_inside() -> None:
    found = marks_of("a heart attacks a", Mention.at(2, 15, "Disease"))
    assert found == [set(), {"first of a Disease"}, *[{"inside a Disease"}] * 2, set()]


def test_names_that_overlap_all_leave_marks() -> None:
    found = marks_of("heart attack", Mention.at(0, 12, "Disease"), Mention.at(0, 5, "Anatomy"))
    assert found == [{"first of a Disease", "first of a Anatomy"}, {"inside a Disease"}]


def test_a_name_of_a_type_that_is_not_ours_leaves_none() -> None:
    assert marks_of("heart", Mention.at(0, 5, "Gadget")) == [set()]


def test_every_piece_carries_the_shape_of_its_word() -> None:
    assert marks_of("Attacks ATTACKS heArt a2") == [
        *[{"capital first"}] * 2,
        *[{"capital first", "capitals only"}] * 2,
        {"capital inside"},
        {"digit"},
    ]


def test_no_text_has_no_marks() -> None:
    assert marks_of("") == []
