"""Rankers are fitted on documents through encoders that have not seen them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.corpora.named.halves import half_of, half_of_id
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.evaluate.fitting import FittingEncoders, fitting_encoders
from holdfast.evaluate.recipe import Recipe
from holdfast.link.shipped import ENCODER, shipped_encoder

FIRST, SECOND, TRAIN = (replace(shipped_encoder(), digest=name) for name in ("1", "2", "train"))
RECIPE = Recipe(name="r", title="t", protocol="strict")


@given(st.text())
def test_a_training_document_goes_to_the_encoder_of_the_other_half(id: str) -> None:
    encoders = FittingEncoders(FIRST, SECOND, TRAIN)
    assert encoders.unseen_by(id, "train").digest == {1: "2", 2: "1"}[half_of_id(id)]
    assert encoders.unseen_by(id, "dev").digest == "train"


def test_the_halves_are_about_equal_and_the_same_in_every_corpus() -> None:
    counted = Counter(half_of_id(str(pmid)) for pmid in range(10_000_000, 10_002_000))
    assert set(counted) == {1, 2}
    assert min(counted.values()) > 900
    same = Document("PMID-10473104", "x"), Document("a", "x", metadata=(("pmid", "10473104"),))
    assert {half_of(document) for document in same} == {half_of_id("10473104")}


def test_one_encoder_serves_all_and_none_is_needed_without_dense_names() -> None:
    encoders = fitting_encoders(RECIPE, ENCODER)
    assert encoders is not None
    assert encoders.unseen_by("1", "train").digest == encoders.unseen_by("2", "dev").digest
    assert fitting_encoders(replace(RECIPE, without=("dense",)), None) is None


def test_an_encoder_that_is_not_there_is_named_with_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holdfast train nowhere"):
        fitting_encoders(RECIPE, tmp_path / "nowhere")
