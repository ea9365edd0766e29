"""The encoder, on any string a user may have."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.encoders.names import MODEL, TOKENIZER, NameEncoder, plain
from holdfast.errors import ArtifactError


@pytest.fixture(scope="module")
def encoder(name_model: Path) -> NameEncoder:
    return NameEncoder.open(name_model, threads=1)


@pytest.fixture
def folder(name_model: Path, tmp_path: Path) -> Path:
    """A copy of the model's folder, to damage."""
    copy = tmp_path / "names"
    shutil.copytree(name_model, copy)
    return copy


def similarity(encoder: NameEncoder, one: str, other: str) -> float:
    return float(np.prod(encoder.encode([one, other]), axis=0).sum())


@given(names=st.lists(st.text(max_size=60), max_size=6))
@settings(max_examples=40, deadline=None)
def test_a_batch_equals_its_names_one_by_one(encoder: NameEncoder, names: list[str]) -> None:
    names = [*names, "renal failure", "Parkinson's disease", "x"]
    apart = np.concatenate([encoder.encode([name]) for name in names])
    assert np.allclose(encoder.encode(names), apart, atol=1e-5)


@given(name=st.text(max_size=80))
@settings(max_examples=60, deadline=None)
def test_a_row_is_a_unit_vector_or_zero(encoder: NameEncoder, name: str) -> None:
    (row,) = encoder.encode([name])
    assert row.dtype == np.float32
    length = float(np.linalg.norm(row))
    assert length == pytest.approx(1, abs=1e-4) or not row.any()


@pytest.mark.parametrize("name", ["", " ", "---", "🙂", "\u202e", "\n\t"])
def test_a_name_without_letters_or_digits_is_a_zero_row(encoder: NameEncoder, name: str) -> None:
    assert not encoder.encode([name]).any()


def test_no_names_are_no_rows(encoder: NameEncoder) -> None:
    assert encoder.encode([]).shape == (0, encoder.width)


@pytest.mark.parametrize(
    "name",
    [
        "a" * 10_000,
        "carcinoma of the lung " * 500,
        "סרטן הריאה",
        "مرض السكري",
        "肺癌",
        "🙂 asthma 🙂",
    ],
    ids=["one long word", "many words", "hebrew", "arabic", "chinese", "emoji"],
)
def test_any_text_is_encoded_and_leaves_its_neighbours_alone(
    encoder: NameEncoder, name: str
) -> None:
    beside = encoder.encode(["asthma", name])
    assert np.isfinite(beside).all()
    assert np.allclose(beside[0], encoder.encode(["asthma"])[0], atol=1e-5)


def test_only_the_first_word_pieces_of_a_long_name_count(encoder: NameEncoder) -> None:
    beginning = "kidney failure " * encoder.longest
    assert similarity(encoder, beginning, beginning + "liver cancer") == pytest.approx(1, abs=1e-4)


def test_more_names_than_one_chunk_keep_their_order(encoder: NameEncoder) -> None:
    names = [f"type {i % 97} diabetes" for i in range(17_000)]
    rows = encoder.encode(names)
    assert np.allclose(rows[16_999], encoder.encode([names[16_999]])[0], atol=1e-5)
    assert np.allclose(rows[5], rows[5 + 97], atol=1e-5)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alzheimer's disease", "ALZHEIMER S DISEASE"),
        ("TNF-α", "tnf alpha"),
        ("Sjögren syndrome", "sjogren syndrome"),
    ],
)
def test_case_punctuation_accents_and_greek_letters_do_not_matter(
    encoder: NameEncoder, one: str, other: str
) -> None:
    assert similarity(encoder, one, other) == pytest.approx(1, abs=1e-4)


def test_plain_text_is_folded_words_with_single_spaces() -> None:
    assert plain("  Deaf\N{EN DASH}Mutism, X-linked (β) ") == "deaf mutism x linked beta"


def test_a_folder_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="not a Holdfast folder"):
        NameEncoder.open(tmp_path / "nowhere")


def test_a_changed_model_is_refused(folder: Path) -> None:
    data = bytearray((folder / MODEL).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / MODEL).write_bytes(data)
    with pytest.raises(ArtifactError, match=r"model\.onnx: damaged"):
        NameEncoder.open(folder)


def test_a_missing_tokenizer_is_refused(folder: Path) -> None:
    (folder / TOKENIZER).unlink()
    with pytest.raises(ArtifactError, match=r"tokenizer\.json: missing"):
        NameEncoder.open(folder)


def test_a_manifest_without_its_figures_is_refused(folder: Path) -> None:
    path = folder / "manifest.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    del data["config"]["width"]
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ArtifactError, match="damaged"):
        NameEncoder.open(folder)
