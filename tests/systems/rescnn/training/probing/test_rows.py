"""What a probe's row says in JSON."""

from __future__ import annotations

from typing import Any

from holdfast.evaluate.gold_mentions import LenientCase, score_lenient
from holdfast.systems.rescnn.training.probing.rows import AS_IS, ProbeRow


def row(right: int, base: float, *, setting: str = "window of 3") -> dict[str, Any]:
    """So many of four mentions are right."""
    found = frozenset({"A"}), frozenset({"B"})
    cases = [LenientCase(found[0], ((found[i >= right],),)) for i in range(4)]
    return ProbeRow("MiniLM", setting, score_lenient(cases, resamples=10), base).to_json()


def test_a_row_has_the_change_and_the_papers_figures() -> None:
    found = row(right=3, base=1.0)
    assert found["accuracy_at_1"] == 0.75
    assert found["accuracy_at_1_low"] <= 0.75 <= found["accuracy_at_1_high"]
    assert found["change"] == -0.25
    assert (found["paper_dev"], found["paper_test"]) == (0.911, 0.81)


def test_a_linker_that_is_never_right_changes_by_nothing() -> None:
    assert row(right=0, base=0.0)["change"] == 0.0


def test_a_setting_that_the_paper_lacks_has_no_figure_of_it() -> None:
    assert row(right=3, base=1.0, setting="a new one")["paper_dev"] is None
    assert row(right=3, base=1.0, setting=AS_IS)["paper_dev"] == 0.911
