"""What must hold for every protocol on any documents."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluate.strategies import LENGTH, TYPES, collections, document, gold_and_predicted
from holdfast.document import NIL, Document, Mention, Span
from holdfast.evaluate import PROTOCOLS, Report, score_documents

Documents = tuple[list[Document], list[Document]]
HEADLINE = ("precision", "recall", "f1")
few = settings(max_examples=20, deadline=None)


def score(gold: list[Document], predicted: list[Document], protocol: str) -> Report:
    return score_documents(gold, predicted, protocol=protocol, resamples=50)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@few
@given(documents=collections(most_ids=3))
def test_gold_against_itself_is_perfect(protocol: str, documents: list[Document]) -> None:
    """Unless mentions repeat: `partial` calls the repetitions wrong, as neleval does."""
    gold = [d.with_mentions({m.spans: m for m in d.mentions}.values()) for d in documents]
    report = score(gold, gold, protocol)
    for name in HEADLINE:
        assert report[name] == pytest.approx(1.0 if report.counts["n_gold"] else 0.0)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@few
@given(documents=gold_and_predicted(most_ids=3), data=st.data())
def test_the_order_of_documents_and_mentions_does_not_matter(
    protocol: str, documents: Documents, data: st.DataObject
) -> None:
    gold, predicted = (
        [
            d.with_mentions(data.draw(st.permutations(d.mentions)))
            for d in data.draw(st.permutations(side))
        ]
        for side in documents
    )
    ours, theirs = score(*documents, protocol).to_json(), score(gold, predicted, protocol).to_json()
    assert ours == pytest.approx(theirs)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@few
@given(documents=gold_and_predicted(most_ids=3), kind=st.sampled_from(TYPES), data=st.data())
def test_a_wrong_prediction_never_raises_precision_nor_changes_recall(
    protocol: str, documents: Documents, kind: str, data: st.DataObject
) -> None:
    """It lies beyond all others, and its id is nobody's."""
    gold, predicted = ([_longer(d) for d in side] for side in documents)
    before = score(gold, predicted, protocol)
    wrong = Mention.at(LENGTH + 1, LENGTH + 5, kind, ["M:wrong"])
    worse = [*predicted] or [document(gold[0].id, text=gold[0].text)]
    at = data.draw(st.integers(0, len(worse) - 1))
    worse[at] = worse[at].with_mentions([*worse[at].mentions, wrong])
    after = score(gold, worse, protocol)
    assert after["precision"] <= before["precision"] + 1e-12
    assert after["recall"] == pytest.approx(before["recall"])


@pytest.mark.parametrize("protocol", PROTOCOLS)
@few
@given(documents=gold_and_predicted(most_ids=3))
def test_figures_are_fractions_inside_their_intervals_and_gold_is_accounted_for(
    protocol: str, documents: Documents
) -> None:
    report = score(*documents, protocol)
    for figure in report.figures.values():
        assert 0 <= figure.low <= figure.value <= figure.high <= 1 + 1e-12
    scored = "relations" if protocol == "relations" else "mentions"
    n_gold = sum(len(getattr(document, scored)) for document in documents[0])
    assert report.counts["n_scored"] + sum(report.left_out.values()) == n_gold
    assert score(*documents, protocol) == report


@few
@given(documents=gold_and_predicted())
def test_strong_is_never_above_partial_nor_above_mention_without_repetition(
    documents: Documents,
) -> None:
    gold, predicted = (
        [d.with_mentions({m.spans: m for m in d.mentions if _is_linked(m)}.values()) for d in side]
        for side in documents
    )
    strong = score(gold, predicted, "strong")
    for easier in ("partial", "mention"):
        for name in HEADLINE:
            assert strong[name] <= score(gold, predicted, easier)[name] + 1e-12


@few
@given(documents=gold_and_predicted(most_ids=3))
def test_moving_every_mention_changes_nothing(documents: Documents) -> None:
    moved = [[_moved(d) for d in side] for side in documents]
    for protocol in ("strong", "partial", "mention", "typed"):
        assert score(*documents, protocol) == score(moved[0], moved[1], protocol)


def _is_linked(mention: Mention) -> bool:
    return mention.is_linked or any(c.entity_id != NIL for c in mention.candidates)


def _longer(source: Document) -> Document:
    return replace(source, text=source.text + " wrong")


def _moved(source: Document) -> Document:
    mentions = [
        replace(m, spans=tuple(Span(start + 3, end + 3) for start, end in m.spans))
        for m in source.mentions
    ]
    return replace(source, text="yyy" + source.text, mentions=tuple(mentions))
