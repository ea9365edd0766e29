"""Folding and the map back to the original."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.document import Span
from holdfast.errors import InvalidValueError
from holdfast.text.normalise import fold, normalise

ANY_TEXT = st.text(st.characters(), max_size=40)  # lone surrogates and NUL too
# What biomedical text is made of, with what is hard in it.
PROSE = st.text(
    st.sampled_from(
        "aZ9 .-\n\0éÅßﬁæøŁİı\u0301\u0308αΒϵµςΩ²₃⁺½…“’–−\u00ad\u200b\u00a0\u2028™"
        "한글\u1112\u1161שׁעَ😀\u200d\ud800"
    ),
    max_size=40,
)
ANYTHING = st.one_of(ANY_TEXT, PROSE)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Diabetes Mellitus", "diabetes mellitus"),
        ("TNF-α", "tnf-alpha"),
        ("ϵ ϕ ϑ ς Ω \u00b5g \u03bcg", "epsilon phi theta sigma omega mug mug"),
        ("TNF-ɑ", "tnf-alpha"),
        ("𝛽-catenin", "beta-catenin"),
        ("Sjögren’s", "sjogren's"),
        ("Ménière e\u0301", "meniere e"),
        ("Weißer Straße", "weisser strasse"),
        ("ﬁbroﬂast", "fibroflast"),
        ("Ca²⁺ H₂O", "ca2+ h2o"),
        ("5‑HT – 10−5 —", "5-ht - 10-5 -"),
        ("“x” «y» ‘z’ 5′", '"x" "y" \'z\' 5\''),
        ("soft\u00adhyphen zero\u200bwidth\ufeff", "softhyphen zerowidth"),
        ("a\u00a0b\u2009c\u3000d", "a b c d"),
        ("one\u2028two\u0085three", "one\ntwo\nthree"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("½ Å Ø Łódź ı", "1/2 a o lodz i"),
        ("Prozac™ Care℠", "prozac™ care℠"),
        ("æ œ ø đ ð ħ ı ł ŧ þ Þ", "ae oe o d d h i l t th th"),
        ("ɑ ɣ ɛ", "alpha gamma epsilon"),
        ("‹a› „b‟ 5″ 5‶ ʺ ʼ ‚ ‛", "'a' \"b\" 5\" 5\" \" ' ' '"),
        ("a‐b‒c―d˗e⁃f﹘g－h⸺i〜j", "a-b-c-d-e-f-g-h-i-j"),
        ("3⁄4 ¾", "3/4 3/4"),
        ("a⃗b⃝", "ab"),
        ("l\u200el\u200fl\u202el\u2060l\u2066l\u061cl\ufe0fl", "llllllll"),
        ("ΑΩ", "alphaomega"),
        ("", ""),
    ],
)
def test_known_strings_fold_as_expected(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("composed", "other"),
    [("が", "か"), ("한", "하"), ("कि", "कु")],
    ids=["kana", "hangul", "indic"],
)
def test_marks_that_make_another_letter_are_kept(composed: str, other: str) -> None:
    assert fold(composed) != fold(other)


def test_folding_twice_changes_nothing_more_for_any_character() -> None:
    unstable = [
        hex(code)
        for code in range(0x110000)
        if not 0x20000 <= code < 0xE0000 and fold(folded := fold(chr(code))) != folded
    ]
    assert unstable == []


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x1FFF), max_size=20))
def test_latin_and_greek_fold_the_same_composed_or_decomposed(text: str) -> None:
    text = "".join(
        c for c in text if unicodedata.name(c, "").startswith(("LATIN", "GREEK", "COMBINING"))
    )
    composed = fold(unicodedata.normalize("NFC", text))
    assert composed == fold(unicodedata.normalize("NFD", text))


@given(ANYTHING)
@example("\ud800")
@example("e\u0301\u0301")
@example("İΣ")
def test_the_normalised_text_is_the_folded_text(text: str) -> None:
    assert normalise(text).text == fold(text)


@given(ANYTHING, ANYTHING)
def test_folding_a_concatenation_is_concatenating_the_folded(left: str, right: str) -> None:
    assert fold(left + right) == fold(left) + fold(right)


@given(ANYTHING, st.data())
def test_spans_lie_in_the_original_and_keep_their_order(text: str, data: st.DataObject) -> None:
    normalised = normalise(text)
    cut = st.integers(0, len(normalised.text))
    a, b, c, d = sorted(data.draw(st.tuples(cut, cut, cut, cut)))
    first, second = normalised.span(a, c), normalised.span(b, d)
    assert 0 <= first.start <= first.end <= len(text)
    assert first.start <= second.start
    if a < c and b < d:
        assert first.end <= second.end


@given(ANYTHING)
def test_each_character_comes_from_the_span_it_maps_to(text: str) -> None:
    normalised = normalise(text)
    for at, character in enumerate(normalised.text):
        start, end = normalised.span(at, at + 1)
        assert character in fold(text[start:end])
        assert end > start


@given(ANYTHING)
def test_the_whole_range_leaves_out_only_what_is_invisible(text: str) -> None:
    normalised = normalise(text)
    start, end = normalised.span(0, len(normalised.text))
    assert fold(text[start:end]) == normalised.text
    assert fold(text[:start]) == fold(text[end:]) == ""


@given(st.text(st.sampled_from("abcXYZ .,é中Ж\n"), max_size=30), st.data())
def test_the_map_is_the_identity_where_no_length_changes(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert normalise(text).span(start, end) == (start, end)


ACCENTED = st.lists(
    st.tuples(st.sampled_from("aeZ2ßβ½"), st.text("\u0301\u0308\u0327\u20d7", max_size=3))
)


@given(ACCENTED)
def test_a_letter_maps_to_itself_and_every_accent_after_it(letters: list[tuple[str, str]]) -> None:
    normalised = normalise("".join(letter + accents for letter, accents in letters))
    at = start = 0
    for letter, accents in letters:
        end = start + 1 + len(accents)
        for _ in fold(letter):
            assert normalised.span(at, at + 1) == (start, end)
            at += 1
        start = end


def test_what_is_invisible_takes_no_accent_from_the_letter_before_it() -> None:
    normalised = normalise("a\u00ad\u0301b")
    assert normalised.span(0, 1) == (0, 1)
    assert normalised.span(1, 2) == (3, 4)


def test_an_accent_at_the_start_of_a_text_belongs_to_no_letter() -> None:
    normalised = normalise("\u0301ab")
    assert (normalised.text, normalised.span(0, 1), normalised.span(1, 2)) == ("ab", (1, 2), (2, 3))


def test_a_decomposed_letter_maps_to_letter_and_accent() -> None:
    normalised = normalise("cafe\u0301s")
    assert normalised.text == "cafes"
    assert normalised.span(3, 4) == (3, 5)
    assert normalised.span(4, 5) == (5, 6)


def test_each_letter_of_an_expansion_maps_to_the_one_character() -> None:
    normalised = normalise("IL-1β up")
    assert normalised.text == "il-1beta up"
    assert normalised.span(5, 7) == Span(4, 5)
    assert normalised.span(4, 11) == Span(4, 8)


def test_what_is_removed_between_two_letters_is_inside_only_when_both_are() -> None:
    normalised = normalise("a\u00adb")
    assert normalised.span(0, 1) == (0, 1)
    assert normalised.span(1, 2) == (2, 3)
    assert normalised.span(0, 2) == (0, 3)


def test_an_empty_range_maps_to_an_empty_range() -> None:
    assert normalise("αβ").span(5, 5) == (1, 1)
    assert normalise("αβ").span(9, 9) == (2, 2)


@pytest.mark.parametrize(("start", "end"), [(-1, 0), (2, 1), (0, 4)])
@pytest.mark.parametrize("text", ["abc", "½"])
def test_a_range_outside_the_text_is_refused(text: str, start: int, end: int) -> None:
    with pytest.raises(InvalidValueError, match=f"{start}-{end}"):
        normalise(text).span(start, end)
