"""What is looked up for a mention, and the text around it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.document import Document, Mention
from holdfast.link.ranking.queries import queries_of, written_out

REACH = 100  # characters to each side


def near(text: str, start: int, end: int) -> str:
    return queries_of(Document("1", text, mentions=(Mention.at(start, end),)))[0].near


def test_a_mention_early_in_the_text_has_all_that_stands_before_it() -> None:
    assert near("A mild gout, then pain.", 7, 11) == "A mild  , then pain."
    assert near("gout hurts", 0, 4) == "  hurts"


@given(st.integers(0, 250), st.integers(1, 20), st.integers(0, 250))
def test_the_context_is_a_hundred_characters_to_each_side_without_the_mention(
    before: int, length: int, after: int
) -> None:
    left = "".join(chr(0x4E00 + i) for i in range(before))
    right = "".join(chr(0x5E00 + i) for i in range(after))
    found = near(f"{left}{'x' * length}{right}", before, before + length)
    assert found == f"{left[-REACH:]} {right[:REACH]}"


def test_queries_are_in_the_order_of_the_mentions() -> None:
    mentions = (Mention.at(5, 8), Mention.at(0, 4))
    document = Document("1", "gout TNF", mentions=mentions)
    assert [query.text for query in queries_of(document)] == ["TNF", "gout"]


def test_short_forms_are_written_out_alone_and_inside_a_mention() -> None:
    text = "Heart attack (HA) kills. HA risk; HARM."
    mentions = (Mention.at(25, 27), Mention.at(25, 32), Mention.at(34, 38))
    document = Document("1", text, mentions=mentions)
    assert [q.text for q in queries_of(document)] == ["Heart attack", "Heart attack risk", "HARM"]
    assert [q.text for q in queries_of(document, abbreviations=False)] == ["HA", "HA risk", "HARM"]


def test_a_mention_that_wraps_is_looked_up_on_one_line() -> None:
    document = Document("1", "a heart\n  attack.", mentions=(Mention.at(2, 16),))
    assert queries_of(document)[0].text == "heart attack"


def test_what_is_no_short_form_is_written_as_it_is() -> None:
    meant = {"HA": "heart attack", "MI x": "never"}
    assert written_out("HA", meant) == "heart attack"
    assert written_out("acute  HA HA", meant) == "acute heart attack heart attack"
    assert written_out("acute  pain", meant) == "acute  pain"
    assert written_out("acute", meant) == "acute"
    assert written_out("MI x", meant) == "never"
