"""What a corpus says about the tags of words, and what it leaves open."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from encoders.test_tokens import small_tokenizer
from holdfast.detect.bio import beginning, inside
from holdfast.detect.training.lessons import EVERY_TAG, allowed_tags, few_sentences, lessons
from holdfast.detect.training.schemes import SCHEMES, TAUGHT, Scheme
from holdfast.document import Document, Mention, Span
from holdfast.encoders.tokens import TokenReader

READER = TokenReader.of(small_tokenizer())
DISEASES = Scheme(frozenset({"Disease"}), 1.0)


def tags_of(text: str, *mentions: Mention, scheme: Scheme = DISEASES) -> list[set[str]]:
    """The allowed tags of each word, by name."""
    names = ["O", *(f"{place}-{type}" for type in TAUGHT for place in "BI")]
    allowed = allowed_tags(mentions, READER.read(text), scheme)
    return [{name for bit, name in enumerate(names) if int(word) >> bit & 1} for word in allowed]


OPEN = {"O", *(f"{place}-{type}" for type in TAUGHT if type != "Disease" for place in "BI")}


def test_a_mention_has_one_tag_per_word_and_the_rest_all_that_nobody_denied() -> None:
    found = tags_of("a heart attack", Mention.at(2, 14, "Disease"))
    assert found == [OPEN, {"B-Disease"}, {"I-Disease"}]


def test_a_label_of_two_meanings_allows_both() -> None:
    scheme = SCHEMES["bionlp13cg"]
    (first,) = tags_of("heart", Mention.at(0, 5, "Cell"), scheme=scheme)
    assert first == {"B-CellType", "B-CellLine"}


def test_a_type_that_is_marked_only_in_part_may_be_anywhere() -> None:
    scheme = SCHEMES["bionlp13cg"]
    found = tags_of("heart attack", Mention.at(0, 5, "Cancer"), scheme=scheme)
    assert found[0] == {"B-Disease"}
    assert {"O", "B-Disease"} <= found[1]
    assert "B-Gene" not in found[1]


def test_the_longer_of_two_that_overlap_counts() -> None:
    found = tags_of(
        "heart attack", Mention.at(6, 12, "Disease"), Mention.at(0, 12, "SpecificDisease")
    )
    assert found == [{"B-Disease"}, {"I-Disease"}]


def test_an_interrupted_mention_and_a_label_without_meaning_allow_everything() -> None:
    interrupted = Mention((Span(0, 5), Span(8, 14)), type="Disease")
    allowed = allowed_tags([interrupted], READER.read("heart a attack"), DISEASES)
    assert allowed.tolist() == [EVERY_TAG] * 3
    nothing = Mention.at(0, 5, "Amino_acid")
    allowed = allowed_tags([nothing], READER.read("heart"), SCHEMES["bionlp13cg"])
    assert allowed.tolist() == [EVERY_TAG]


def test_a_label_of_none_of_our_types_is_no_mention() -> None:
    assert tags_of("heart", Mention.at(0, 5, "Gadget")) == [OPEN]


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(1, 6))
def test_windows_of_a_document_keep_each_word_once(count: int, size: int) -> None:
    document = Document("1", "heart " * count)
    found = list(
        lessons([document], DISEASES, reader=READER, dictionaries=(), size=size, overlap=0)
    )
    kept = [place for lesson in found for place in range(lesson.window.first, lesson.window.last)]
    assert kept == list(range(count))


@given(st.integers(0, 12), st.integers(1, 4))
def test_runs_of_sentences_keep_each_word_at_most_once_and_are_no_longer_than_asked(
    count: int, size: int
) -> None:
    text = "A heart attack. " * count
    found = list(few_sentences(text, READER.read(text), size=size))
    kept = [place for window in found for place in range(window.first, window.last)]
    assert kept == sorted(set(kept))
    assert all(window.end - window.start <= size for window in found)


def test_short_lessons_begin_where_sentences_do_and_take_their_part_of_the_passes() -> None:
    document = Document("1", "A heart attack. A heart. An attack.")
    found = list(
        lessons(
            [document], DISEASES, reader=READER, dictionaries=(), size=99, overlap=0, short=0.25
        )
    )
    tokens = found[0].document.tokens
    begins = [int(tokens.starts[lesson.window.start]) for lesson in found]
    assert begins == [0, 0, 16]
    assert [lesson.passes for lesson in found] == [0.75, 0.25, 0.25]


def test_every_scheme_names_types_that_are_taught() -> None:
    for scheme in SCHEMES.values():
        assert scheme.complete <= set(TAUGHT)
        assert {type for meant in scheme.labels.values() for type in meant} <= set(TAUGHT)


def test_tags_of_a_type_are_a_pair() -> None:
    assert sorted(tag(i) for i in range(len(TAUGHT)) for tag in (beginning, inside)) == list(
        range(1, 2 * len(TAUGHT) + 1)
    )
