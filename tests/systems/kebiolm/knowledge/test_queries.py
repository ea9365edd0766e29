"""Cloze queries: how they read, and what answers them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from holdfast.evaluate.kebiolm.probing import Answered, score_probing
from holdfast.kb import Entry
from holdfast.systems.kebiolm.knowledge.queries import (
    draw_queries,
    is_within,
    queries_of,
    relation_words,
)
from holdfast.systems.kebiolm.knowledge.triples import Triple, Triples
from small_kb import of_entries

ENTRIES = (
    Entry("OWN:1", "Tacrolimus"),
    Entry("OWN:2", "Tacrolimus Hydrate"),
    Entry("OWN:3", "Tremor"),
)
TRIPLES = [
    Triple("OWN:1", "has_form", "OWN:2"),
    Triple("OWN:1", "may_treat", "OWN:3"),
    Triple("OWN:2", "may_treat", "OWN:3"),
    Triple("OWN:9", "may_treat", "OWN:3"),
]


def test_relations_read_as_english() -> None:
    assert relation_words("part_of") == "is part of"
    assert relation_words("classified_as") == "is classified as"
    assert relation_words("used_by") == "is used by"
    assert relation_words("may_treat") == "may treat"


def test_both_directions_are_asked_and_queries_that_read_alike_are_one(tmp_path: Path) -> None:
    kb = of_entries(tmp_path / "kb", *ENTRIES)
    found = {query.text: query for query in queries_of(TRIPLES, kb)}
    assert set(found) == {
        "Tacrolimus has form [MASK]",
        "[MASK] has form Tacrolimus Hydrate",
        "Tacrolimus may treat [MASK]",
        "Tacrolimus Hydrate may treat [MASK]",
        "[MASK] may treat Tremor",
    }
    assert found["[MASK] may treat Tremor"].answers == ("OWN:1", "OWN:2")
    assert is_within(found["[MASK] has form Tacrolimus Hydrate"], ["Tacrolimus"])
    assert not is_within(found["Tacrolimus may treat [MASK]"], ["Tremor"])


def test_answers_of_other_triples_fit_too_and_relations_are_bounded(tmp_path: Path) -> None:
    kb = of_entries(tmp_path / "kb", *ENTRIES)
    every = Triples.of(TRIPLES)
    asked = every.keeping(np.array([1]))
    found = draw_queries(asked, [every], kb, most=10)
    assert {q.text: q.answers for q in found} == {
        "Tacrolimus may treat [MASK]": ("OWN:3",),
        "[MASK] may treat Tremor": ("OWN:1", "OWN:2"),
    }
    assert len(draw_queries(asked, [every], kb, most=1)) == 1


def test_recall_is_the_mean_over_relations() -> None:
    def one(relation: str, *, right: bool, within: bool = False) -> Answered:
        return Answered("seen", relation, "q", within, right, "gold", ())

    answered = [one("a", right=True), one("a", right=True), one("b", right=False)]
    answered += [one("b", right=False, within=True)]
    report = score_probing(answered, least=1)
    assert report["recall_at_5"] == 0.5
    assert report["recall_at_5_of_queries"] == 0.5
    assert report["recall_at_5_type_1"] == 0.0
    assert report["recall_at_5_type_2"] == 0.5
    assert report.counts["n_relations"] == 2
    rare = score_probing(answered, least=3)
    assert "recall_at_5" not in rare.figures
    assert rare.counts["n_relations_with_few_queries"] == 2
    none_of_many = score_probing([one("a", right=False)] * 40).figures["recall_at_5"]
    assert (none_of_many.value, none_of_many.low) == (0.0, 0.0)
    assert 0.01 < none_of_many.high < 0.1, "none of forty may be one of twenty"


def test_few_triples_of_many_are_made_into_queries(tmp_path: Path) -> None:
    names = [f"Thing {n}" for n in range(60)]
    kb = of_entries(tmp_path / "kb", *(Entry(f"OWN:{n}", name) for n, name in enumerate(names)))
    every = Triples.of(
        Triple(f"OWN:{n}", relation, f"OWN:{n + 1}") for n in range(59) for relation in ("a", "b")
    )
    read = list[str]()

    class Counted:
        def row_of(self, id: str) -> int | None:
            read.append(id)
            return kb.row_of(id)

        def label_at(self, row: int) -> str:
            return kb.label_at(row)

    found = draw_queries(every, [every], Counted(), most=3)  # type: ignore[arg-type]
    assert sorted(query.relation for query in found) == ["a"] * 3 + ["b"] * 3
    assert len(read) < 2 * len(every)
