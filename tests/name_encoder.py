"""A small encoder, made here: what the runtime does depends on no training."""

from __future__ import annotations

from pathlib import Path

import pytest

NAMES = (
    "renal failure",
    "kidney insufficiency",
    "alzheimer s disease",
    "parkinson s disease",
    "sjogren syndrome",
    "tumor necrosis factor alpha",
    "deaf mutism x linked beta",
    "acetylsalicylic acid 5 fluorouracil",
    "breast cancer hypertension zinc quinine jaw",
    "0 1 2 3 4 5 6 7 8 9 a b c d e f g h i j k l m n o p q r s t u v w x y z",
)


@pytest.fixture(scope="session")
def name_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an exported encoder with random weights. Making one needs torch."""
    torch = pytest.importorskip("torch", reason="torch is not installed: see `make test-train`")
    from holdfast.systems.rescnn.training.export import export_encoder
    from holdfast.systems.rescnn.training.model import ResCNN, ResCNNConfig
    from holdfast.systems.rescnn.training.vocabulary import build_tokenizer

    torch.manual_seed(0)
    tokenizer = build_tokenizer(NAMES * 3, size=400)
    model = ResCNN(ResCNNConfig(tokenizer.get_vocab_size(), embedding=24, width=64, filters=16))
    folder = tmp_path_factory.mktemp("encoder") / "names"
    export_encoder(model, tokenizer, folder, longest=25, description={"licence": "own"})
    return folder
