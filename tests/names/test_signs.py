"""Plus and minus signs in names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.names.credible import is_credible
from holdfast.names.signs import are_opposed, has_sign, lacks_sign

NAMES = st.text(alphabet="AbC4γ +-−±()⁺⁻/,positive", max_size=12)


@pytest.mark.parametrize(
    ("surface", "name"),
    [
        ("HER2+", "HER2-"),
        ("HER2 positive", "HER2-"),
        ("HER2-negative", "HER2+"),
        ("HER2⁻", "HER2+"),
        ("HER2−", "HER2+"),
        ("CD4- T cell", "CD4+ T cell"),
        ("CD4+/- T cell", "CD4+ T cell"),
        ("(-)-menthol", "(+)-menthol"),
        ("(±)-menthol", "(+)-menthol"),
        ("(+/-)-menthol", "(−)-menthol"),
        ("ER- breast cancer", "ER+ breast cancer"),
        ("gram-negative rod", "gram-positive rod"),
        ("IFN-γ- cell", "IFN-γ+ cell"),
    ],
)
def test_names_with_opposite_signs_are_not_the_same(surface: str, name: str) -> None:
    assert are_opposed(surface, name)
    assert are_opposed(name, surface)
    assert not is_credible(surface, name)


@pytest.mark.parametrize(
    ("surface", "name"),
    [("HER2", "HER2-"), ("K", "K+"), ("Rh", "Rh+"), ("CD4 T cell", "CD4- T cell"), ("CD4", "CD4+")],
)
def test_a_sign_that_makes_the_name_may_not_be_missing(surface: str, name: str) -> None:
    assert lacks_sign(surface, name)
    assert not is_credible(surface, name)


@pytest.mark.parametrize(
    ("surface", "name"),
    [
        ("HER2−", "HER2-"),
        ("CD4 T cells", "CD4+ T cell"),
        ("Ca⁺", "Ca+"),
        ("NAD", "NAD+"),
        ("non- small cell carcinoma", "non-small cell carcinoma"),
        ("alpha- and beta globin", "alpha and beta globin"),
        ("IL-2", "IL 2"),
        ("menthol", "(-)-menthol"),
        ("(−)-menthol", "(-)-menthol"),
        ("HER2- and HER3", "HER2 and HER3"),
        ("TNF+IL10", "TNF IL10"),
    ],
)
def test_hyphens_and_other_spellings_of_a_sign_make_no_difference(surface: str, name: str) -> None:
    assert not are_opposed(surface, name)
    assert is_credible(surface, name)


@given(NAMES, NAMES)
def test_opposition_goes_both_ways_and_no_name_is_opposed_to_itself(one: str, other: str) -> None:
    assert are_opposed(one, other) == are_opposed(other, one)
    assert not are_opposed(one, one)
    assert not lacks_sign(one, one)
    if are_opposed(one, other):
        assert has_sign(one)
        assert has_sign(other)
