from __future__ import annotations

import json

from rich.console import Console

from evaluate.strategies import document
from holdfast.document import Mention
from holdfast.evaluate import Estimate, Report, score_documents

REPORT = Report(
    protocol="strong",
    figures={"precision": Estimate(0.5, 0.25, 0.75), "f1": Estimate(0.4, 0.3, 0.6)},
    counts={"n_scored": 1200, "n_documents": 3},
    left_out={"nil": 2, "duplicate": 0, "type": 5},
)


def test_the_json_is_flat_and_complete() -> None:
    assert REPORT.with_context(corpus="bc5cdr", kb=None).to_json() == {
        "protocol": "strong",
        "corpus": "bc5cdr",
        "kb": None,
        "precision": 0.5,
        "precision_low": 0.25,
        "precision_high": 0.75,
        "f1": 0.4,
        "f1_low": 0.3,
        "f1_high": 0.6,
        "n_scored": 1200,
        "n_documents": 3,
        "n_left_out": 7,
        "left_out_nil": 2,
        "left_out_duplicate": 0,
        "left_out_type": 5,
        "bootstrap_unit": "document",
        "bootstrap_resamples": 1000,
        "bootstrap_seed": 13,
    }


def test_context_is_added_to_a_copy() -> None:
    named = REPORT.with_context(corpus="ncbi").with_context(split="test")
    assert dict(named.context) == {"corpus": "ncbi", "split": "test"}
    assert not REPORT.context


def test_the_table_shows_percentages_intervals_and_what_was_left_out() -> None:
    console = Console(width=100, record=True, quiet=True)
    with console.capture() as capture:
        console.quiet = False
        console.print(REPORT.to_table())
    shown = " ".join(capture.get().split())
    for part in ("50.00", "25.00 – 75.00", "scored 1,200", "left out 7 (nil 2, type 5)"):
        assert part in shown


def test_the_keys_of_a_protocol_do_not_depend_on_the_documents() -> None:
    empty, full = document("1"), document("1", Mention.at(0, 4, "Disease", ["M:1"]))
    for protocol in ("strong", "partial", "mention", "typed", "document", "bc5cdr", "per-token"):
        keys = [list(score_documents([d], [d], protocol=protocol).to_json()) for d in (empty, full)]
        assert keys[0] == keys[1]
        assert {"protocol", "precision", "recall", "f1", "f1_low", "f1_high"} <= set(keys[0])
        assert {"n_scored", "n_left_out", "n_gold", "n_predicted", "n_documents"} <= set(keys[0])


def test_the_values_are_plain_json() -> None:
    found = document("1", Mention.at(0, 4, "Disease", ["M:1"]))
    data = score_documents([found], [found], protocol="partial").to_json()
    assert json.loads(json.dumps(data)) == data
