"""Words are found wherever they stand by themselves."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from holdfast.document import Span
from holdfast.text.occurrences import occurrences

PIECES = st.lists(st.sampled_from(["a", "b", "ab", "-", " ", "(", "é", "1", "_"]), max_size=20)


def test_only_whole_words_count() -> None:
    text = "AB, (AB) ABC xAB AB-1 AB"
    assert [text[a:b] for a, b in occurrences(text, ["AB", "AB-1", ""])] == [
        "AB",
        "AB",
        "AB",
        "AB-1",
        "AB",
    ]


@given(PIECES.map("".join), st.lists(PIECES.map("".join).filter(bool), max_size=5))
def test_places_are_those_of_a_search_for_each_word(text: str, words: list[str]) -> None:
    expected = {
        Span(match.start(), match.start() + len(word))
        for word in words
        for match in re.finditer(rf"(?<!\w)(?={re.escape(word)}(?!\w))", text)
    }
    assert set(occurrences(text, words)) == expected
