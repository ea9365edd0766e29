"""Models are opened as they were written, and refused if a file of theirs was changed."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdfast import artifacts
from holdfast.encoders.tokens import MODEL, TOKENIZER
from holdfast.errors import ArtifactError
from holdfast.models import WEIGHTS
from holdfast.systems.collective import cross, model
from holdfast.systems.collective.cross import CrossEncoderModel
from holdfast.systems.collective.model import HEADS, NAMES, DualEncoderModel
from word_bags import tokenizer

WORDS = tuple(f"w{number}" for number in range(9))
CROSS = {"context": 50, "longest_context": 4, "longest_name": 7}
DUAL = {
    "width": 8,
    "longest": 64,
    "overlap": 8,
    "context": 30,
    "names": 2,
    "detection": "bio",
    "threshold": 0.25,
    "longest_name": 7,
    "longest_span": 5,
}


def write_tokenizer(folder: Path) -> None:
    """One that cuts and pads by itself, as those of published models do."""
    made = tokenizer(*WORDS)
    made.enable_truncation(2)
    made.enable_padding(length=2)
    made.save(str(folder / TOKENIZER))


def written(folder: Path, kind: str, config: Mapping[str, Any]) -> Path:
    """A folder whose network is that of the shipped name encoder: it opens, which is enough."""
    folder.mkdir()
    write_tokenizer(folder)
    shutil.copy(WEIGHTS / "encoder" / MODEL, folder / MODEL)
    if kind == model.KIND:
        shutil.copy(WEIGHTS / "encoder" / MODEL, folder / NAMES)
        np.savez(folder / HEADS, scale=np.float32(3.0))
    artifacts.write_manifest(folder, kind=kind, version=1, config=dict(config))
    return folder


def test_a_cross_encoder_has_the_settings_of_its_manifest(tmp_path: Path) -> None:
    opened = CrossEncoderModel.open(written(tmp_path / "model", cross.KIND, CROSS), threads=1)
    reader = opened.reader
    assert (reader.context, reader.longest_context, reader.longest_name) == (50, 4, 7)
    assert opened.digest
    assert [len(ids) for ids in reader.name_tokens(["w1 w2 w3 w4", "w1"])] == [4, 1]


def test_a_dual_encoder_has_the_settings_of_its_manifest(tmp_path: Path) -> None:
    opened = DualEncoderModel.open(written(tmp_path / "model", model.KIND, DUAL), threads=1)
    of_encoder = ("width", "longest", "overlap")
    found = {name: getattr(opened, name) for name in DUAL if name not in of_encoder}
    assert found == {name: DUAL[name] for name in found}
    assert (opened.encoder.width, opened.encoder.longest, opened.encoder.overlap) == (8, 64, 8)
    assert len(opened.encoder.reader.read("w1 w2 w3 w4")) == 4


@pytest.mark.parametrize("name", [TOKENIZER, MODEL])
def test_a_cross_encoder_with_a_changed_file_is_refused(tmp_path: Path, name: str) -> None:
    folder = written(tmp_path / "model", cross.KIND, CROSS)
    (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    with pytest.raises(ArtifactError, match=name):
        CrossEncoderModel.open(folder)


@pytest.mark.parametrize("name", [TOKENIZER, MODEL, NAMES, HEADS])
def test_a_dual_encoder_with_a_changed_file_is_refused(tmp_path: Path, name: str) -> None:
    folder = written(tmp_path / "model", model.KIND, DUAL)
    (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    with pytest.raises(ArtifactError, match=name):
        DualEncoderModel.open(folder)


def test_models_that_make_vectors_of_names_alike_share_them(tmp_path: Path) -> None:
    first, same, longer = (
        DualEncoderModel.open(written(tmp_path / name, model.KIND, {**DUAL, **changed}), threads=1)
        for name, changed in (
            ("first", {}),
            ("same", {"threshold": 0.5, "context": 0}),
            ("longer", {"longest_name": 8}),
        )
    )
    assert first.names_digest == same.names_digest != longer.names_digest
