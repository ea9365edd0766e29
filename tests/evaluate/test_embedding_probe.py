"""The table of token embeddings, and the differences between them."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from holdfast.evaluate.embedding_probe import (
    COLUMNS,
    CORPORA,
    MINILM,
    STAGES,
    STARTS,
    difference,
    embedding_rows,
    embedding_table,
    is_right,
)
from holdfast.evaluate.gold_mentions import LenientCase, score_lenient

GOLD, OTHER = frozenset({"A"}), frozenset({"B"})
ANSWERS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20)


def cases(rights: list[bool]) -> list[LenientCase]:
    """Two mentions in each document."""
    return [
        LenientCase(GOLD, ((GOLD if right else OTHER, GOLD),), str(i // 2))
        for i, right in enumerate(rights)
    ]


def measured(seeds: int) -> dict[str, Any]:
    return {
        "rows": [
            {"stage": stage, "embeddings": start, "seed": seed}
            | {c: {"accuracy_at_1": 0.9 + seed / 50, "accuracy_at_1_new": 0.5} for c in CORPORA}
            for stage in STAGES
            for start in STARTS
            for seed in range(seeds)
        ],
        "differences": [
            {"stage": stage, "embeddings": start, "corpus": corpus}
            | {"difference": -0.012, "low": -0.02, "high": 0.003}
            for stage in STAGES
            for start in STARTS[1:]
            for corpus in CORPORA
        ],
        "align_steps": 4,
        "tune_steps": 3,
        "seeds": seeds,
        "names": 10,
        "training_mentions": 5,
        "texts": 7,
        "pieces": 9,
        "pieces_in_texts": 8,
        "n_scored": dict.fromkeys(CORPORA, 6),
        "n_new": dict.fromkeys(CORPORA, 2),
    }


@given(answers=ANSWERS)
def test_a_difference_is_that_of_the_two_accuracies(answers: list[tuple[bool, bool]]) -> None:
    ours, theirs = (cases([pair[i] for pair in answers]) for i in range(2))
    gain = difference([ours, theirs], [theirs, theirs])  # two seeds, the second all the same
    accuracies = [score_lenient(c, resamples=1)["accuracy_at_1"] for c in (ours, theirs)]
    assert abs(gain.value - (accuracies[0] - accuracies[1]) / 2) < 1e-9
    assert gain.low <= gain.value <= gain.high


@given(rights=st.lists(st.booleans(), min_size=1, max_size=10))
def test_nothing_differs_from_itself(rights: list[bool]) -> None:
    gain = difference([cases(rights)], [cases(rights)])
    assert (gain.low, gain.value, gain.high) == (0, 0, 0)


def test_a_composite_is_right_if_all_its_parts_are() -> None:
    assert is_right(LenientCase(GOLD, ((GOLD,), (GOLD,))))
    assert not is_right(LenientCase(GOLD, ((GOLD,), (OTHER, GOLD))))
    assert not is_right(LenientCase(GOLD, ((),)))


def test_a_row_holds_the_mean_each_seed_and_the_difference() -> None:
    rows = list(embedding_rows(measured(seeds=2)))
    assert [row[:3] for row in rows] == [
        (stage, start, name) for stage in STAGES for name in CORPORA.values() for start in STARTS
    ]
    assert {len(row) for row in rows} == {len(COLUMNS)}
    assert rows[1][3:] == ("91.0 (90.0, 92.0)", "50.0", "-1.2 [-2.0, +0.3]")
    assert all((row[-1] == "") == (row[1] == MINILM) for row in rows)


def test_one_seed_has_no_mean_beside_it() -> None:
    assert next(embedding_rows(measured(seeds=1)))[3] == "90.0"


@pytest.mark.parametrize("width", [80, 220])
def test_the_terminal_shows_every_figure(width: int) -> None:
    data = measured(seeds=2)
    console = Console(file=StringIO(), width=width)
    console.print(embedding_table(data))
    assert isinstance(console.file, StringIO)
    printed = console.file.getvalue()
    assert all(cell in printed for row in embedding_rows(data) for cell in row[2:])
    assert all(start.split()[0] in printed for start in STARTS)
