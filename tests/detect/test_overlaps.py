"""Which of several mentions stays where they overlap."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from holdfast.detect.contest import decide
from holdfast.detect.dictionary import ListedName, Meaning
from holdfast.detect.overlaps import Taken, longest_from_left, nested_in
from holdfast.document import Mention, Span
from holdfast.names.credible import Trust

SPANS = st.tuples(st.integers(0, 30), st.integers(1, 8)).map(lambda at: Span(at[0], sum(at)))
MENTIONS = st.lists(
    st.builds(lambda span, kind: Mention((span,), type=kind), SPANS, st.sampled_from("ABC")),
    max_size=12,
)


def listed(start: int, end: int, type: str, trust: Trust = Trust.SHIPPED) -> ListedName:
    return ListedName(Span(start, end), Meaning(type, trust))


def kept(*names: ListedName, tagged: tuple[Mention, ...], nested: bool = False) -> list[Mention]:
    outcome = decide(tagged, names, keeps_type=lambda name, _: not name.is_own, nested=nested)
    return outcome.mentions


@given(st.lists(SPANS, max_size=12), SPANS)
def test_taken_spans_know_what_overlaps(spans: list[Span], asked: Span) -> None:
    taken = Taken()
    for span in spans:
        if taken.is_free(span):
            taken.add(span)
    overlapping = [s for s in taken.spans if s.start < asked.end and asked.start < s.end]
    assert taken.overlapping(asked) == overlapping
    assert taken.is_free(asked) == (not overlapping)


@given(MENTIONS)
def test_from_the_left_nothing_overlaps_and_nothing_free_is_left_out(
    mentions: list[Mention],
) -> None:
    taken = longest_from_left(mentions)
    assert all(one.end <= other.start for one, other in pairwise(taken))
    for mention in mentions:
        assert any(m.start < mention.end and mention.start < m.end for m in taken)


@given(MENTIONS)
def test_nested_mentions_lie_in_another_of_another_type_and_none_cross(
    mentions: list[Mention],
) -> None:
    outer = longest_from_left(mentions)
    found = nested_in(mentions, outer)
    everything = [*outer, *found]
    for mention in found:
        around = [m for m in everything if m.start <= mention.start and mention.end <= m.end]
        assert any(m.type != mention.type for m in around)
    for one in everything:
        for other in everything:
            is_crossing = one.start < other.start < one.end < other.end
            assert not is_crossing


def test_a_listed_name_of_several_words_is_not_cut_by_what_was_tagged_inside() -> None:
    gene = Mention.at(0, 8, "Gene")
    pathway = listed(0, 34, "Process")
    assert kept(pathway, tagged=(gene,)) == [pathway.mention]
    assert kept(pathway, tagged=(gene,), nested=True) == [pathway.mention, gene]


def test_a_shipped_name_gives_way_to_a_longer_or_crossing_mention_that_was_tagged() -> None:
    name = listed(5, 12, "Disease")
    for tagged in (Mention.at(0, 12, "Gene"), Mention.at(0, 7, "Gene"), Mention.at(8, 15, "Gene")):
        assert kept(name, tagged=(tagged,)) == [tagged]


def test_a_name_of_ones_own_gives_way_only_to_a_longer_mention_of_its_type() -> None:
    name = listed(5, 12, "Assay", Trust.OWN)
    for tagged in (Mention.at(0, 12, "Gene"), Mention.at(0, 7, "Assay")):
        assert kept(name, tagged=(tagged,)) == [name.mention]
    longer = Mention.at(0, 12, "Assay")
    assert kept(name, tagged=(longer,)) == [longer]


def test_what_was_tagged_keeps_its_type_where_a_shipped_name_has_another() -> None:
    tagged = Mention.at(5, 12, "Gene")
    assert kept(listed(5, 12, "Chemical"), tagged=(tagged,)) == [tagged]
    own = listed(5, 12, "Chemical", Trust.OWN)
    assert kept(own, tagged=(tagged,)) == [own.mention]


def test_mentions_come_in_the_order_of_the_text_each_before_those_inside_it() -> None:
    first, last = listed(0, 20, "Process"), listed(40, 50, "Disease")
    tagged = (Mention.at(4, 8, "Gene"), Mention.at(30, 35, "Gene"), Mention.at(60, 65, "Gene"))
    assert kept(last, first, tagged=tagged, nested=True) == [
        first.mention,
        tagged[0],
        tagged[1],
        last.mention,
        tagged[2],
    ]


MEANINGS = st.builds(Meaning, st.sampled_from("ABC"), st.sampled_from([Trust.SHIPPED, Trust.OWN]))
NAMES = st.lists(st.builds(ListedName, SPANS, MEANINGS), max_size=8)


@given(MENTIONS.map(longest_from_left), NAMES)
def test_what_stays_overlaps_nothing_and_no_free_tagged_mention_is_lost(
    tagged: list[Mention], names: list[ListedName]
) -> None:
    stays = kept(*names, tagged=tuple(tagged))
    assert all(one.end <= other.start for one, other in pairwise(stays))
    for mention in tagged:
        assert any(m.start < mention.end and mention.start < m.end for m in stays)
