from __future__ import annotations

import pytest

from holdfast.types import FOREIGN, UNTYPED, mask_of, mask_of_mention

DISEASE, GENE, EVERY = mask_of(["Disease"]), mask_of(["Gene"]), mask_of(None)


@pytest.mark.parametrize(
    ("type", "wanted", "expected"),
    [
        ("Disease", EVERY, DISEASE | UNTYPED),
        ("SpecificDisease", DISEASE | GENE, DISEASE | UNTYPED),
        ("Disease", GENE, 0),
        ("", DISEASE, DISEASE),
        ("a type of its own", EVERY, EVERY),
    ],
)
def test_what_a_mention_of_a_type_may_mean(type: str, wanted: int, expected: int) -> None:
    assert mask_of_mention(type, wanted) == expected


def test_everything_there_is_has_a_bit() -> None:
    assert EVERY & UNTYPED
    assert EVERY & FOREIGN
    assert not mask_of(["Disease", "Other"]) & (UNTYPED | FOREIGN)
