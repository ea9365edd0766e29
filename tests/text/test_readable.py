"""Marks that hide where a word ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.readable import readable


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("gout→sepsis", "gout;sepsis"),
        ("↑glucose ↓", ";glucose ;"),
        ("asthma² and gout¹,", "asthma  and gout ,"),
        ("Fe²⁺ in 3 cm² of 10³", "Fe²⁺ in 3 cm² of 10³"),
        ("ferric³⁺", "ferric³⁺"),
        ("aspirin® ✓", "aspirin  ;"),
        ("one\ftwo\rthree\r\nfour\x07five", "one\ntwo\nthree\r\nfour;five"),
        ("CO₂ ± 1 °C, Mentha × piperita", "CO₂ ± 1 °C, Mentha × piperita"),
    ],
)
def test_only_what_parts_words_is_replaced(text: str, read: str) -> None:
    assert readable(text) == read


@given(st.text())
def test_offsets_stay(text: str) -> None:
    read = readable(text)
    assert len(read) == len(text)
    assert readable(read) == read
    for before, after in zip(text, read, strict=True):
        assert before == after or after in ";\n "
