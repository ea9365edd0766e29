"""Strings from outside, made safe for terminals and spreadsheets."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.safe import (
    guard_cell,
    json_safe,
    one_line,
    printable,
    safe_stream,
    unguard_cell,
)

HARMFUL = "\x1b\x07\x00\x9b\x7f\u202e\u2066"


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@given(st.text())
def test_printable_text_has_as_many_characters_and_keeps_the_harmless_ones(text: str) -> None:
    shown = printable(text)
    assert len(shown) == len(text)
    assert printable(shown) == shown
    assert not set(HARMFUL) & set(shown)
    for before, after in zip(text, shown, strict=True):
        assert after == before or not before.isalnum()


@pytest.mark.parametrize("text", ["plain", "é 🧬 β", "two\nlines", "a\tb"])
def test_ordinary_text_is_printed_as_it_is(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize("character", HARMFUL)
def test_what_steers_a_terminal_is_replaced(character: str) -> None:
    assert printable(f"a{character}b") not in (f"a{character}b", "ab")


@given(st.text())
def test_one_line_is_one_line(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert not set(HARMFUL) & set(line)
    assert one_line(line) == line


def test_one_line_keeps_its_words() -> None:
    assert one_line("heart\n  attack").split() == ["heart", "attack"]


@given(st.text(), st.booleans())
def test_safe_json_reads_as_before_and_holds_nothing_harmful(text: str, ascii: bool) -> None:
    written = json.dumps({"a": text + HARMFUL}, ensure_ascii=ascii)
    assert json.loads(json_safe(written)) == {"a": text + HARMFUL}
    assert not set(HARMFUL) & set(json_safe(written))


@pytest.mark.parametrize("cell", ["=1+1", "+cmd", "-x", "@SUM(A1)", "＝1", "＋x"])
def test_a_formula_is_guarded(cell: str) -> None:
    assert guard_cell(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "a=1", "-1.5", "+3", "IL-2", "'quoted'", "1e-5"])
def test_what_is_no_formula_stays_as_it_is(cell: str) -> None:
    assert guard_cell(cell) == cell


@given(st.text() | st.from_regex(r"'*[=+@-].{0,3}"))
def test_a_guarded_cell_comes_back(cell: str) -> None:
    assert unguard_cell(guard_cell(cell)) == cell


def test_only_a_terminal_gets_replaced_characters() -> None:
    file, terminal = StringIO(), Terminal()
    assert safe_stream(file) is file
    shown = safe_stream(terminal)
    print("a\x1bb", file=shown)
    shown.flush()
    assert terminal.getvalue() == f"{printable(chr(0x1B)).join('ab')}\n"
