"""The whole way from a vocabulary and corpora to a model folder, in small."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from safetensors.torch import save_file  # noqa: E402

from holdfast.encoders.names import NameEncoder  # noqa: E402
from holdfast.errors import ArtifactError  # noqa: E402
from holdfast.systems.rescnn.training.batches import BatchConfig  # noqa: E402
from holdfast.systems.rescnn.training.name_model import NameModelConfig, train_name_model  # noqa: E402
from holdfast.systems.rescnn.training.train import NamesConfig  # noqa: E402
from holdfast.systems.rescnn.training.vocabulary import build_tokenizer, pretrained_embeddings  # noqa: E402
from holdfast.training.pretrained import pretrained_tokenizer  # noqa: E402
from small_kb import make_kb  # noqa: E402

DOCUMENT = "{id}|t|{text}\n{id}|a|\n{id}\t0\t{end}\t{surface}\tDisease\tMESH:D002\n\n"
SMALL = NameModelConfig(
    sources=("MeSH", "MONDO", "HGNC"),
    vocabulary=120,
    training=(("bc5cdr", "train"),),
    wordings=(("bc5cdr", "train"),),
    evaluated=(("bc5cdr", "test"),),
    align=NamesConfig(steps=2),
    align_batches=BatchConfig(groups=4),
    tune=NamesConfig(steps=2, mine_every=1),
    tune_batches=BatchConfig(groups=4),
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "corpora" / "bc5cdr"
    folder.mkdir(parents=True)
    for split, id, surface in (("train", "1", "coronary event"), ("test", "2", "heart stroke")):
        text = f"{surface} in a patient number {id} who had none of the usual signs"
        document = DOCUMENT.format(id=id, text=text, end=len(surface), surface=surface)
        (folder / f"{split}.pubtator.txt").write_text(document, encoding="utf-8")
    return tmp_path / "data"


@pytest.fixture
def pretrained(tmp_path: Path) -> Path:
    """A pretrained encoder, as far as its embeddings go."""
    folder = tmp_path / "encoder"
    folder.mkdir()
    tokenizer = build_tokenizer(["heart attack", "heart", "attack", "ache"] * 3, size=60)
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    table = torch.randn(tokenizer.get_vocab_size(), 384)
    save_file({"embeddings.word_embeddings.weight": table}, folder / "model.safetensors")
    return folder


def test_a_knowledge_base_and_corpora_become_a_model_that_ships(
    tmp_path: Path, data: Path, pretrained: Path
) -> None:
    said = list[str]()
    manifest = train_name_model(
        SMALL,
        kb=make_kb(tmp_path / "kb"),
        encoder=pretrained,
        data=data,
        texts=["a patient without signs"],
        work=tmp_path / "work",
        out=tmp_path / "model",
        report=said.append,
    )
    assert any("bc5cdr train: 1 documents kept" in line for line in said)
    assert manifest.config["licence"] == "Apache-2.0"
    assert "bc5cdr train" in manifest.config["training_data"]
    assert any("MeSH" in source for source in manifest.config["training_data"])
    encoder = NameEncoder.open(tmp_path / "model")
    assert encoder.digest == manifest.digest
    assert encoder.encode(["heart attack"]).any()


def test_embeddings_are_carried_over_to_other_word_pieces(pretrained: Path) -> None:
    own = pretrained_tokenizer(pretrained)
    table = pretrained_embeddings(pretrained, own)
    other = build_tokenizer(["heartache heartache heartache", "heart heart heart"], size=80)
    rows = pretrained_embeddings(pretrained, other)
    assert torch.equal(rows[other.token_to_id("heart")], table[own.token_to_id("heart")])
    pieces = own.encode("heartache", add_special_tokens=False).ids
    assert len(pieces) > 1
    expected = table[pieces].mean(dim=0)
    assert torch.allclose(rows[other.token_to_id("heartache")], expected)


def test_a_folder_without_a_tokenizer_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=r"tokenizer\.json"):
        pretrained_tokenizer(tmp_path)
