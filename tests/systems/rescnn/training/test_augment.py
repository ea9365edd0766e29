from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.systems.rescnn.training.augment import augment


def variants(name: str) -> set[str]:
    return {augment(name, np.random.default_rng(seed)) for seed in range(400)}


def test_a_name_is_turned_at_its_comma() -> None:
    assert "Alzheimer Dementia" in variants("Dementia, Alzheimer")


def test_a_hyphen_is_joined_or_split() -> None:
    assert {"T cell", "Tcell"} <= variants("T-cell")


def test_british_and_american_spellings_meet() -> None:
    assert "anemia" in variants("anaemia")
    assert "tumour" in variants("tumor")


def test_number_and_parentheses_come_and_go() -> None:
    assert "tremor" in variants("tremors")
    assert "tremors" in variants("tremor")
    assert "fever" in variants("fever (disorder)")


def test_a_long_word_is_mistyped_by_one_letter_and_a_short_one_never() -> None:
    assert "carcinma" in variants("carcinoma")
    assert not {"flue", "fl", "ful", "lfu"} & variants("flu")


@given(st.text(max_size=40), st.integers(0, 2**32))
@settings(max_examples=100)
def test_any_text_survives_and_the_same_seed_gives_the_same_text(name: str, seed: int) -> None:
    first = augment(name, np.random.default_rng(seed))
    assert first == augment(name, np.random.default_rng(seed))
    assert bool(first) == bool(name)
