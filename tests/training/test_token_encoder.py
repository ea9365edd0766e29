"""Token encoders behind one interface give the states of the models they wrap."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Literal

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
transformers = pytest.importorskip("transformers")

from holdfast.detect.training.model import pretrained_tagger  # noqa: E402
from holdfast.errors import ArtifactError, UsageError  # noqa: E402
from holdfast.models import trained_model  # noqa: E402
from holdfast.systems.collective.linker import CollectiveLinker  # noqa: E402
from holdfast.systems.collective.model import DualEncoderModel  # noqa: E402
from holdfast.systems.collective.training.export import export_dual_encoder  # noqa: E402
from holdfast.systems.collective.training.model import DualEncoder, DualEncoderShape  # noqa: E402
from holdfast.systems.collective.training.start import read_like_detector  # noqa: E402
from holdfast.training.checkpoint import TrainingState, save_checkpoint  # noqa: E402
from holdfast.training.compact import SUFFIX, write_compact  # noqa: E402
from holdfast.training.pretrained import pretrained_tokenizer, pretrained_weights  # noqa: E402
from holdfast.training.starts import (  # noqa: E402
    begin_with_detector,
    checkpoints_of,
    encoder_weights,
)
from holdfast.training.token_encoder import (  # noqa: E402
    AutoTokens,
    TransformerTokens,
    open_token_encoder,
    open_tokenizer,
)
from systems.collective.training import toys  # noqa: E402

TOKENS = torch.tensor([9, 12, 15, 11, 20, 21, 22, 10])
LENGTHS = torch.tensor([3, 1, 4])


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    tokenizer = toys.tokenizer()
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        max_position_embeddings=32,
    )
    transformers.BertModel(config).save_pretrained(tmp_path)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def states(encoder: Any) -> tuple[Any, Any]:
    with torch.inference_mode():
        found = encoder.eval()(TOKENS, LENGTHS)
    return found.tokens, found.texts


def test_our_bert_has_the_states_of_transformers(bert: Path) -> None:
    own = open_token_encoder(str(bert))
    assert isinstance(own, TransformerTokens)
    reference = AutoTokens(bert, open_tokenizer(str(bert)))
    for ours, theirs in zip(states(own), states(reference), strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)


@pytest.fixture
def detector(bert: Path) -> Any:
    """A tagger whose weights are not those that it began with; its run is in the home folder."""
    tagger = pretrained_tagger(bert, marks=3, tags=5)
    with torch.no_grad():
        for parameter in tagger.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    folder = checkpoints_of(trained_model("some-detector"))
    optimizer = torch.optim.AdamW(tagger.parameters())
    save_checkpoint(folder / "run", tagger, optimizer, progress=TrainingState(), config={})
    return tagger


def first_states(detector: Any) -> Any:
    """What the detector's encoder makes of the first text."""
    ids = torch.cat([torch.tensor([2]), TOKENS[:3], torch.tensor([3])])  # [CLS] … [SEP]
    with torch.inference_mode():
        return detector.encoder.eval()(ids[None]).last_hidden_state[0, 1:-1]


def test_documents_may_be_read_by_the_encoder_of_a_detector(bert: Path, detector: Any) -> None:
    encoders = [open_token_encoder(str(bert)) for _ in range(2)]
    model = DualEncoder(DualEncoderShape(), encoders=tuple(encoders))
    names = states(model.names)
    read_like_detector(model, "some-detector")
    found = states(model.documents)[0][:3]
    torch.testing.assert_close(found, first_states(detector), atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(states(model.names), names)
    with pytest.raises(UsageError, match="only a BERT"):
        read_like_detector(toys.dual_encoder("rescnn"), "some-detector")
    with pytest.raises(ArtifactError, match="another encoder"):
        read_like_detector(toys.dual_encoder(), "some-detector")
    with pytest.raises(UsageError, match="not trained here; `holdfast train nothing`"):
        read_like_detector(model, "nothing")


def test_a_run_may_begin_with_weights_that_are_given_out_in_8_bits(
    bert: Path, detector: Any
) -> None:
    weights = encoder_weights(detector.state_dict())
    folder = trained_model(f"another-detector{SUFFIX}")
    write_compact(weights, folder, description={"recipes": ["another-detector"]})
    whole = sum(4 * value.numel() for value in weights.values())
    assert (folder / "weights.safetensors").stat().st_size < 0.5 * whole
    encoder = open_token_encoder(str(bert))
    before = (states(encoder)[0][:3] - first_states(detector)).norm()
    begin_with_detector(encoder, "another-detector")
    after = (states(encoder)[0][:3] - first_states(detector)).norm()
    assert after < 0.05 * before
    stored = folder / "weights.safetensors"
    stored.write_bytes(stored.read_bytes()[:-1])
    with pytest.raises(ArtifactError):
        begin_with_detector(encoder, "another-detector")


def test_other_models_are_opened_too_and_padding_changes_nothing(bert: Path) -> None:
    config = transformers.DistilBertConfig(
        vocab_size=toys.tokenizer().get_vocab_size(),
        dim=32,
        n_layers=2,
        n_heads=4,
        hidden_dim=48,
        max_position_embeddings=32,
    )
    transformers.DistilBertModel(config).save_pretrained(bert)
    other = open_token_encoder(str(bert))
    assert isinstance(other, AutoTokens)
    tokens, texts = states(other)
    assert tokens.shape == (8, 32)
    with torch.inference_mode():
        alone = other(TOKENS[3:4], LENGTHS[1:2])
    torch.testing.assert_close(alone.tokens[0], tokens[3], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(alone.texts[0], texts[1], atol=1e-5, rtol=1e-4)


def other_folder(kind: str, folder: Path) -> Path:
    """A small model of another kind, without trained weights."""
    names = {
        "DistilBert": ("dim", "n_layers", "n_heads", "hidden_dim"),
        "Roberta": ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size"),
    }
    torch.manual_seed(0)
    sizes = dict(zip(names[kind], (32, 2, 4, 48), strict=True))
    count = toys.tokenizer().get_vocab_size()
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=count, max_position_embeddings=32, **sizes
    )
    getattr(transformers, f"{kind}Model")(config).save_pretrained(folder)
    toys.tokenizer().save(str(folder / "tokenizer.json"))
    return folder


@pytest.mark.parametrize(("kind", "entity"), [("DistilBert", "mean"), ("Roberta", "first")])
def test_a_model_of_any_kind_links_without_torch_as_it_learned(
    kind: str, entity: Literal["mean", "first"], tmp_path: Path
) -> None:
    folder = other_folder(kind, tmp_path / "encoder")
    encoders = open_token_encoder(str(folder)), open_token_encoder(str(folder))
    model = DualEncoder(DualEncoderShape(entity=entity), encoders=encoders).eval()
    texts = ["chronic flu", "ague and grippe of the heart", "flu"]
    ids = [toys.tokenizer().encode(text, add_special_tokens=False).ids for text in texts]
    tokens = torch.tensor([id for row in ids for id in row])
    lengths = torch.tensor([len(row) for row in ids])
    with torch.inference_mode():
        expected = model.entities(tokens, lengths).numpy()
    closeness = {}
    for small in (False, True):
        out = tmp_path / f"small-{small}"
        export_dual_encoder(
            model, toys.tokenizer(), out, reading=toys.READING, small=small, description={}
        )
        found = DualEncoderModel.open(out, threads=1).encode_names(texts)
        closeness[small] = (found * expected).sum(axis=1).min()
    assert closeness[False] > 0.9999
    assert closeness[True] > 0.999
    assert (tmp_path / "small-True" / "model.onnx").stat().st_size < (
        tmp_path / "small-False" / "model.onnx"
    ).stat().st_size
    kb = toys.knowledge_base(tmp_path / "kb")
    document = toys.documents(1)[0]
    linked = CollectiveLinker.open(tmp_path / "small-False", kb, threads=1)(document)
    assert [len(mention.candidates) for mention in linked.mentions] == [5, 5, 5]


def test_folders_in_old_formats_are_read_alike(bert: Path, tmp_path: Path) -> None:
    new = states(open_token_encoder(str(bert)))
    old = tmp_path / "old"
    old.mkdir()
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(bert / name, old)
    weights = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("Norm.bias", "Norm.beta"): value
        for name, value in pretrained_weights(bert).items()
    }
    torch.save(weights, old / "pytorch_model.bin")
    encoder = open_token_encoder(str(old))
    assert isinstance(encoder, TransformerTokens)
    torch.testing.assert_close(states(encoder), new)
    whole = (old / "pytorch_model.bin").read_bytes()
    for cut in (0, 7, len(whole) // 2, len(whole) - 9):
        (old / "pytorch_model.bin").write_bytes(whole[:cut])
        with pytest.raises(ArtifactError, match=r"pytorch_model\.bin: damaged"):
            open_token_encoder(str(old))
    (old / "pytorch_model.bin").unlink()
    with pytest.raises(ArtifactError, match="not there"):
        open_token_encoder(str(old))


@pytest.mark.parametrize(("said", "pieces"), [("true", ["flu"]), ("false", ["[UNK]"])])
def test_a_vocabulary_without_a_tokenizer_is_one(
    tmp_path: Path, said: str, pieces: list[str]
) -> None:
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "flu", "##s"]
    (tmp_path / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(f'{{"do_lower_case": {said}}}', "utf-8")
    encoding = pretrained_tokenizer(tmp_path).encode("FLU flus", add_special_tokens=False)
    assert encoding.tokens == [*pieces, "flu", "##s"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", "[]"),
        ("config.json", '{"model_type": "bert", "hidden_act": "gelu"}'),
        ("config.json", "{}"),
        ("tokenizer.json", "{"),
        ("model.safetensors", "nothing"),
    ],
)
def test_a_damaged_folder_is_one_line_that_names_it(bert: Path, name: str, content: str) -> None:
    (bert / name).write_text(content, encoding="utf-8")
    with pytest.raises(ArtifactError, match=bert.name) as caught:
        open_token_encoder(str(bert))
    assert "\n" not in str(caught.value)


def test_a_damaged_vocabulary_is_one_line(tmp_path: Path) -> None:
    for content in (b"", b"[PAD]\n[UNK]\nflu\n", b"\xff\xfe\n"):
        (tmp_path / "vocab.txt").write_bytes(content)
        with pytest.raises(ArtifactError, match=r"vocab\.txt: damaged"):
            pretrained_tokenizer(tmp_path)


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    toys.tokenizer().save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(ArtifactError, match=r"config\.json: not there"):
        open_token_encoder(str(tmp_path))


def test_a_rescnn_state_depends_on_its_own_text_alone() -> None:
    encoder = toys.rescnn(toys.tokenizer())
    tokens, texts = states(encoder)
    with torch.inference_mode():
        alone = encoder(TOKENS[4:], LENGTHS[2:])
    torch.testing.assert_close(alone.tokens, tokens[4:])
    torch.testing.assert_close(alone.texts[0], texts[2])
