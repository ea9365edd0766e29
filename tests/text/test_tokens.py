"""Tokens, keys and their hashes."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.tokens import TOKEN, hash_of_name, hashes_of_names, key_of, singular, tokens_of


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Alzheimer's disease", ["Alzheimer", "s", "disease"]),
        ("IL-2/IL_4", ["IL", "2", "IL", "4"]),
        ("Sjo\u0308gren", ["Sjo\u0308gren"]),
        ("co\u00adoperate", ["co\u00adoperate"]),
        ("TGFβ1 betaine Deltas", ["TGF", "β", "1", "betaine", "Deltas"]),
        ("αβ τεστ", ["αβ", "τεστ"]),
        ("糖尿病 тест", ["糖尿病", "тест"]),
        (" — ,.", []),
        ("_a__b_", ["a", "b"]),
        ("a\u200db\u2060c\ufeff", ["a\u200db\u2060c\ufeff"]),
        ("\u0301a", ["a"]),
        ("", []),
    ],
)
def test_tokens_are_runs_of_letters_and_digits(text: str, tokens: list[str]) -> None:
    assert tokens_of(text) == tokens


@pytest.mark.parametrize(
    "names",
    [
        ("Alzheimer's disease", "alzheimer s disease", "ALZHEIMER’S DISEASES"),
        ("tumour", "Tumors", "TUMOR"),
        ("haemorrhage", "hemorrhages"),
        ("oedema", "edema"),
        ("TGF-β", "tgf beta"),
        ("IL-1 beta HTRF", "IL-1β HTRF", "IL-1beta HTRF", "il-1-Beta HTRF"),
        ("TNFα", "TNF-alpha", "TNFalpha", "tnf alpha"),
        ("NF-κB", "NFκB", "NF-kappa B", "NFkappaB"),
        ("17β-estradiol", "17beta-estradiol", "17 beta estradiol"),
        ("α4β7", "alpha4beta7", "alpha 4 beta 7"),
        ("Sjo\u0308gren", "Sjögren", "sjogren"),
        ("co\u00adoperate", "cooperate"),
        ("therapies", "therapy"),
        ("cells", "CELL"),
        ("foetal", "fetal"),
        ("anaemias", "anemia"),
        ("colour", "colors"),
        ("flies", "fly"),
        ("biopsies", "biopsy"),
    ],
)
def test_ways_to_write_one_name_share_a_key(names: tuple[str, ...]) -> None:
    assert len({key_of(name) for name in names}) == 1
    assert len(set(hashes_of_names(names).tolist())) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AIDS", "AID"),
        ("virus", "viru"),
        ("abscess", "absces"),
        ("sepsis", "sepsi"),
        ("5HT1s", "5HT1"),
        ("p1234s", "p1234"),
        ("CD40s", "CD40"),
        ("heart attack", "attack heart"),
        ("heart", "heart heart"),
        ("IL 2", "IL2"),
        ("four", "for"),
        ("Maes", "Mes"),
    ],
)
def test_different_names_keep_different_keys(one: str, other: str) -> None:
    assert key_of(one) != key_of(other)
    assert hash_of_name(one) != hash_of_name(other)


@given(st.lists(st.text(max_size=12), max_size=8))
def test_hashes_together_equal_hashes_one_by_one(names: list[str]) -> None:
    assert hashes_of_names(names).tolist() == [hash_of_name(name) for name in names]


def test_a_line_end_inside_a_name_does_not_end_it() -> None:
    names = ["heart\nattack", "", "\n", "heart attack", "a\n\nb c"]
    assert hashes_of_names(names).tolist() == [hash_of_name(name) for name in names]


@given(st.text(max_size=20), st.text(max_size=20))
def test_equal_keys_mean_equal_hashes_and_none_means_zero(one: str, other: str) -> None:
    assert (key_of(one) == key_of(other)) == (hash_of_name(one) == hash_of_name(other))
    assert (hash_of_name(one) == 0) == (key_of(one) == "")


@given(st.text(max_size=30))
def test_tokens_lie_in_the_text_in_order(text: str) -> None:
    end = 0
    for match in TOKEN.finditer(text):
        assert end <= match.start() < match.end() <= len(text)
        end = match.end()


def test_hashes_are_the_same_in_every_process() -> None:
    code = "from holdfast.text.tokens import hash_of_name; print(hash_of_name('TGF-β 1'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert int(done.stdout) == hash_of_name("TGF-β 1")


@pytest.mark.parametrize(
    ("name", "one"),
    [
        ("skin tags", "skin tag"),
        ("DMTs", "DMT"),
        ("ribs", "rib"),
        ("bus", ""),
        ("AIDS", ""),
        ("pus", ""),
        ("this", ""),
        ("asthmas", ""),
        ("a1s", ""),
        ("gas", ""),
    ],
)
def test_short_last_words_have_a_singular(name: str, one: str) -> None:
    assert singular(name) == one
