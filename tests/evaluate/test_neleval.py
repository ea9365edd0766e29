"""`strong` and `partial` beside the program that defines them."""

from __future__ import annotations

import collections
import collections.abc
import importlib
import warnings
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from evaluate.strategies import document, gold_and_predicted
from holdfast.document import NIL, Document, Mention
from holdfast.evaluate import Report, score_documents

Results = dict[str, dict[str, float]]
STRONG, PARTIAL = "strong_all_match", "overlap-maxmax::span+kbid"


class Neleval:
    """Its Python interface. It is from before Python 3.10, and warns of every division by 0."""

    def __init__(self) -> None:
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            patch.setattr(collections, "Sequence", collections.abc.Sequence, raising=False)
            self._annotation = importlib.import_module("neleval.annotation")
            self._document = importlib.import_module("neleval.document")
            self._evaluate = importlib.import_module("neleval.evaluate")

    def evaluate(
        self, gold: Sequence[Document], predicted: Sequence[Document], *, keep_nil: bool
    ) -> Results:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            evaluate = self._evaluate.Evaluate(
                [self._convert(d, keep_nil=keep_nil) for d in predicted],
                [self._convert(d, keep_nil=keep_nil) for d in gold],
                measures=[STRONG, PARTIAL],
            )
            return dict(evaluate())

    def _convert(self, source: Document, *, keep_nil: bool) -> Any:
        annotations = []
        for mention in source.mentions:
            ids = mention.ids or tuple(c.entity_id for c in mention.candidates) or (NIL,)
            if keep_nil or ids != (NIL,):
                candidates = [self._annotation.Candidate(ids[0])]
                annotations.append(
                    self._annotation.Annotation(  # its ends are inclusive
                        source.id, mention.start, mention.end - 1, candidates
                    )
                )
        return self._document.Document(source.id, annotations)


@pytest.fixture(scope="module")
def neleval() -> Neleval:
    return Neleval()


def assert_equal(report: Report, theirs: dict[str, float], *, after: str = "") -> None:
    for ours, name in (("precision", "precision"), ("recall", "recall"), ("f1", "fscore")):
        assert report[ours + after] == pytest.approx(theirs[name], abs=1e-9), ours


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(documents=gold_and_predicted())
def test_strong_and_partial_equal_neleval(
    neleval: Neleval, documents: tuple[list[Document], list[Document]]
) -> None:
    gold, predicted = documents
    linked = neleval.evaluate(gold, predicted, keep_nil=False)
    everything = neleval.evaluate(gold, predicted, keep_nil=True)
    for protocol, measure in (("strong", STRONG), ("partial", PARTIAL)):
        ours = score_documents(gold, predicted, protocol=protocol, resamples=0)
        assert_equal(ours, linked[measure])
        assert_equal(ours, everything[measure], after="_with_nil")


M = Mention.at
CROWDED = [
    document("nested", M(0, 20, ids=["M:1"]), M(4, 8, ids=["M:1"])),
    document("repeated", M(2, 6, ids=["M:1"]), M(2, 6, ids=["M:1"]), M(2, 6, ids=["M:2"])),
    document("nil", M(0, 3, ids=[NIL]), M(5, 9)),
]


@pytest.mark.parametrize(
    "found",
    [
        pytest.param([], id="nothing"),
        pytest.param([M(12, 16, ids=["M:1"])], id="beyond a nested one"),
        pytest.param([M(2, 6, ids=["M:1"])] * 3, id="repeated"),
        pytest.param([M(0, 3, ids=[NIL]), M(5, 9, ids=["M:1"])], id="nil"),
        pytest.param([M(0, 24, ids=["M:1"]), M(6, 10, ids=["M:1"])], id="long"),
    ],
)
@pytest.mark.parametrize("turned", [False, True], ids=["", "gold and predicted swapped"])
def test_crowded_documents_equal_neleval(
    neleval: Neleval, found: list[Mention], turned: bool
) -> None:
    gold, predicted = CROWDED, [d.with_mentions(found) for d in CROWDED]
    if turned:
        gold, predicted = predicted, gold
    theirs = neleval.evaluate(gold, predicted, keep_nil=True)
    for protocol, measure in (("strong", STRONG), ("partial", PARTIAL)):
        ours = score_documents(gold, predicted, protocol=protocol, resamples=0)
        assert_equal(ours, theirs[measure], after="_with_nil")
