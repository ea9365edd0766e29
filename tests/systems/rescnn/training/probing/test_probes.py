"""Shuffled names, limited attention, and the transformer linker, on networks made here."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from safetensors.torch import save_file  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

from command import call  # noqa: E402
from holdfast.errors import ArtifactError, InvalidValueError, UsageError  # noqa: E402
from holdfast.systems.rescnn.training.batches import BatchConfig, NameBatches  # noqa: E402
from holdfast.systems.rescnn.training.probing.linkers import ProbeConfig  # noqa: E402
from holdfast.systems.rescnn.training.probing.probes import ProbedEncoder, run_probe, shuffled  # noqa: E402
from holdfast.systems.rescnn.training.synonyms import Group  # noqa: E402
from holdfast.systems.rescnn.training.train import NamesConfig, encoder_of, train  # noqa: E402
from holdfast.systems.rescnn.training.vocabulary import build_tokenizer  # noqa: E402
from holdfast.training.bert import (  # noqa: E402
    TransformerConfig,
    TransformerLinker,
    pretrained_transformer,
)

WIDTH, HEADS, FEED_FORWARD, LAYERS = 16, 4, 24, 3
ORGANS = [("renal", "kidney"), ("hepatic", "liver"), ("cardiac", "heart"), ("dermal", "skin")]
DISORDERS = [("failure", "insufficiency"), ("cancer", "tumour"), ("pain", "ache")]
DISEASES = [
    [f"{organ} {word}" for organ in organs for word in words]
    for organs in ORGANS
    for words in DISORDERS
]


def small(*, layers: int = LAYERS, seed: int = 1) -> TransformerLinker:
    torch.manual_seed(seed)
    shape = TransformerConfig(
        vocabulary=50,
        first=2,
        last=3,
        width=WIDTH,
        layers=layers,
        heads=HEADS,
        feed_forward=FEED_FORWARD,
        positions=30,
    )
    return TransformerLinker(shape).eval()


def flat(names: list[list[int]]) -> tuple[Any, Any]:
    tokens = torch.tensor([token for name in names for token in name], dtype=torch.long)
    return tokens, torch.tensor([len(name) for name in names])


def vectors(model: TransformerLinker, names: list[list[int]], *, window: int | None = None) -> Any:
    with torch.inference_mode():
        return model(*flat(names), window=window)


def states(model: TransformerLinker, name: list[int], *, window: int | None) -> Any:
    with torch.inference_mode():
        return model.states(*flat([name]), window=window)


TOKENS = st.lists(st.integers(4, 49), max_size=25)


@given(name=TOKENS, chunk=st.integers(1, 4), seed=st.integers(0, 99))
def test_shuffling_keeps_every_chunk_whole(name: list[int], chunk: int, seed: int) -> None:
    places = list(range(len(name)))
    moved = shuffled(places, chunk, np.random.default_rng(seed))
    assert sorted(moved) == places
    inside = [(a, b) for a, b in pairwise(places) if b % chunk]
    assert set(inside) <= set(pairwise(moved))
    assert shuffled(name, chunk, np.random.default_rng(seed)) == [name[place] for place in moved]


@given(chunk=st.integers(1, 4), seed=st.integers(0, 99), data=st.data())
def test_a_name_of_one_chunk_stays_as_it_is(chunk: int, seed: int, data: st.DataObject) -> None:
    name = data.draw(st.lists(st.integers(4, 49), max_size=chunk))
    assert shuffled(name, chunk, np.random.default_rng(seed)) == name


def test_shuffling_moves_the_tokens_of_most_names() -> None:
    rng = np.random.default_rng(0)
    name = list(range(6))
    for chunk, orders in ((1, 500), (2, 6), (3, 2)):
        assert len({tuple(shuffled(name, chunk, rng)) for _ in range(2000)}) >= orders


@pytest.mark.parametrize("window", [None, 3])
@given(batch=st.lists(TOKENS, min_size=1, max_size=6))
@settings(max_examples=25, deadline=None)
def test_a_batch_equals_its_names_one_by_one(window: int | None, batch: list[list[int]]) -> None:
    model = small()
    together = vectors(model, batch, window=window)
    apart = torch.cat([vectors(model, [name], window=window) for name in batch])
    assert torch.allclose(together, apart, atol=1e-5)
    lengths = torch.tensor([float(bool(name)) for name in batch])
    assert torch.allclose(together.norm(dim=1), lengths, atol=1e-5)


@given(name=st.lists(st.integers(4, 49), min_size=1, max_size=12), more=st.integers(0, 3))
@settings(max_examples=25, deadline=None)
def test_a_window_over_the_whole_name_is_full_attention(name: list[int], more: int) -> None:
    model = small()
    window = 2 * (len(name) + 1 + more) + 1  # from [CLS] to [SEP]
    limited = vectors(model, [name], window=window)
    assert torch.allclose(limited, vectors(model, [name]), atol=1e-6)


@pytest.mark.parametrize(("window", "reach"), [(1, 0), (3, 1), (5, 2)])
@pytest.mark.parametrize("layers", [2, 3])
def test_a_token_sees_no_further_than_its_window(window: int, reach: int, layers: int) -> None:
    model = small(layers=layers)
    name = list(range(10, 25))
    before = states(model, name, window=window)
    changed = 8  # counted with [CLS]
    after = states(model, [*name[:7], 40, *name[8:]], window=window)
    moved = {i for i, row in enumerate(before - after) if row.abs().max() > 1e-6}
    far = reach * (layers - 1)  # a layer's reach, and that of the layers below it
    assert moved == set(range(changed - far, changed + far + 1))
    everywhere = before - states(model, [*name[:7], 40, *name[8:]], window=None)
    assert everywhere.abs().amax(dim=1).min() > 1e-6


def test_the_last_layer_sees_the_whole_name_whatever_the_window() -> None:
    model, name = small(), list(range(10, 25))
    before = vectors(model, [name], window=3)
    after = vectors(model, [[*name[:-1], 40]], window=3)
    assert (before - after).abs().max() > 1e-4


@pytest.mark.parametrize("window", [0, 2, -1])
def test_a_window_without_a_middle_is_refused(window: int) -> None:
    with pytest.raises(InvalidValueError, match=f"a window of {window}"):
        vectors(small(), [[5]], window=window)


def test_names_are_encoded_once_and_in_order() -> None:
    model, seen = small(), list[int]()

    def forward(tokens: Any, lengths: Any) -> Any:
        seen.extend(lengths.tolist())
        return model(tokens, lengths)

    encoder = ProbedEncoder(forward, width=WIDTH)
    names = [[5, 6, 7], [8], [], [8], [5, 6]]
    first = encoder.encode(names)
    assert np.allclose(first, vectors(model, names).numpy(), atol=1e-5)
    assert np.array_equal(encoder.encode(names[::-1]), first[::-1])
    assert sorted(seen) == [0, 1, 2, 3]
    assert encoder.encode([]).shape == (0, WIDTH)


def test_a_transformer_learns_from_the_loop_that_trains_a_rescnn(tmp_path: Path) -> None:
    tokenizer = build_tokenizer([name for names in DISEASES for name in names] * 3, size=300)
    torch.manual_seed(0)
    shape = TransformerConfig(
        tokenizer.get_vocab_size(), 0, 1, width=32, layers=2, heads=4, feed_forward=32
    )
    model = TransformerLinker(shape)
    groups = [Group(tuple(names[1:]), "") for names in DISEASES]
    batches = NameBatches(
        groups, weights=[1.0] * len(groups), config=BatchConfig(groups=12, augmented=0.0)
    )
    config = NamesConfig(steps=80, learning_rate=3e-3, embedding_rate=3e-3, warm_up=5, threads=1)
    encode = encoder_of(model, tokenizer)
    before = nearest_are_right(encode)
    train(model, tokenizer, batches, config, folder=tmp_path, report=lambda _: None)
    assert nearest_are_right(encode) >= 0.9 > before


def nearest_are_right(encode: Any) -> float:
    """How many names that training never saw lie nearest to one of their own disease."""
    held_out = encode([names[0] for names in DISEASES])
    known = encode([name for names in DISEASES for name in names[1:]])
    nearest = (held_out @ known.T).argmax(axis=1) // 3
    return float((nearest == np.arange(len(DISEASES))).mean())


def write_encoder(folder: Path, **said: object) -> dict[str, Any]:
    """A Hugging Face folder with random weights; the weights."""
    folder.mkdir()
    words = [word for names in DISEASES for name in names for word in name.split()]
    learned = json.loads(build_tokenizer(words * 3, size=200).to_str())
    vocabulary = learned["model"]["vocab"]
    vocabulary |= {"[CLS]": len(vocabulary), "[SEP]": len(vocabulary) + 1}
    Tokenizer.from_str(json.dumps(learned)).save(str(folder / "tokenizer.json"))
    generator = torch.Generator().manual_seed(4)

    def rows(*shape: int) -> Any:
        return torch.randn(*shape, generator=generator) / 4

    def part(name: str, *shape: int) -> dict[str, Any]:
        return {f"{name}.weight": rows(*shape), f"{name}.bias": rows(shape[0])}

    weights = {
        "embeddings.word_embeddings.weight": rows(len(vocabulary), WIDTH),
        "embeddings.position_embeddings.weight": rows(30, WIDTH),
        "embeddings.token_type_embeddings.weight": rows(2, WIDTH),
        **part("embeddings.LayerNorm", WIDTH),
    }
    for i in range(LAYERS):
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            weights |= part(f"encoder.layer.{i}.attention.{name}", WIDTH, WIDTH)
        weights |= part(f"encoder.layer.{i}.attention.output.LayerNorm", WIDTH)
        weights |= part(f"encoder.layer.{i}.intermediate.dense", FEED_FORWARD, WIDTH)
        weights |= part(f"encoder.layer.{i}.output.dense", WIDTH, FEED_FORWARD)
        weights |= part(f"encoder.layer.{i}.output.LayerNorm", WIDTH)
    save_file(weights, folder / "model.safetensors")
    config = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "vocab_size": len(vocabulary),
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": FEED_FORWARD,
        "max_position_embeddings": 30,
        "layer_norm_eps": 1e-12,
    }
    (folder / "config.json").write_text(json.dumps(config | said), encoding="utf-8")
    return weights


def torchs_own(weights: dict[str, Any], tokens: list[int]) -> Any:
    """[CLS] after torch's encoder layers with these weights, as a unit vector."""

    def place(module: Any, name: str) -> None:
        module.weight.copy_(weights[f"{name}.weight"])
        module.bias.copy_(weights[f"{name}.bias"])

    with torch.no_grad():
        found = weights["embeddings.word_embeddings.weight"][tokens]
        found = found + weights["embeddings.position_embeddings.weight"][: len(tokens)]
        found = found + weights["embeddings.token_type_embeddings.weight"][0]
        norm = torch.nn.LayerNorm(WIDTH, eps=1e-12)
        place(norm, "embeddings.LayerNorm")
        found = norm(found)
        for i in range(LAYERS):
            own = f"encoder.layer.{i}"
            layer = torch.nn.TransformerEncoderLayer(
                WIDTH, HEADS, FEED_FORWARD, 0.0, "gelu", layer_norm_eps=1e-12
            )
            three = [f"{own}.attention.self.{name}" for name in ("query", "key", "value")]
            attention = layer.self_attn
            attention.in_proj_weight.copy_(torch.cat([weights[f"{n}.weight"] for n in three]))
            attention.in_proj_bias.copy_(torch.cat([weights[f"{n}.bias"] for n in three]))
            place(attention.out_proj, f"{own}.attention.output.dense")
            place(layer.norm1, f"{own}.attention.output.LayerNorm")
            place(layer.linear1, f"{own}.intermediate.dense")
            place(layer.linear2, f"{own}.output.dense")
            place(layer.norm2, f"{own}.output.LayerNorm")
            found = layer(found)
        return torch.nn.functional.normalize(found[0], dim=0)


def test_a_pretrained_folder_gives_what_torchs_own_layers_give(tmp_path: Path) -> None:
    weights = write_encoder(tmp_path / "encoder")
    model = pretrained_transformer(tmp_path / "encoder").eval()
    names = [[5, 6, 7, 8], [9], [10, 5]]
    for name, vector in zip(names, vectors(model, names), strict=True):
        framed = [model.config.first, *name, model.config.last]
        assert torch.allclose(vector, torchs_own(weights, framed), atol=1e-5)


def test_a_folder_that_is_no_bert_is_refused(tmp_path: Path) -> None:
    write_encoder(tmp_path / "relu", hidden_act="relu")
    with pytest.raises(ArtifactError, match="bert with relu; it must be bert with gelu"):
        pretrained_transformer(tmp_path / "relu")
    write_encoder(tmp_path / "deeper", num_hidden_layers=9)
    with pytest.raises(ArtifactError, match="do not fit its config"):
        pretrained_transformer(tmp_path / "deeper")
    with pytest.raises(ArtifactError, match="not there"):
        pretrained_transformer(tmp_path)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Each disease's first name is a mention of train, its second of dev; the others are known."""
    folder = tmp_path / "data" / "corpora" / "ncbi_disease" / "biosyn"
    folder.mkdir(parents=True)
    for number, split in enumerate(("train", "dev", "test")):
        rows = ["doc\tspans\ttype\tmention\tids"]
        rows += [f"{i}\t0|9\tDisease\t{names[number]}\tD{i}" for i, names in enumerate(DISEASES)]
        (folder / f"{split}.concept.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        lines = [f"D{i}||{name}" for i, names in enumerate(DISEASES) for name in names[2:]]
        (folder / f"{split}_dictionary.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "data"


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    write_encoder(tmp_path / "encoder")
    return tmp_path / "encoder"


SMALL = ProbeConfig(steps=12, pairs=8, threads=1)


def probe(data: Path, encoder: Path, name: str, *, split: str = "dev") -> dict[str, Any]:
    return run_probe(
        name,
        SMALL,
        data=data,
        encoder=encoder,
        split=split,
        work=data / "work",
        progress=lambda _what, _done: None,
    )


def test_a_probe_has_a_row_per_linker_and_setting(data: Path, encoder: Path) -> None:
    order = probe(data, encoder, "word-order")
    assert [(row["linker"], row["setting"]) for row in order["rows"]] == [
        (linker, setting)
        for linker in ("ResCNN", "MiniLM")
        for setting in ("as it is", "shuffled unigrams", "shuffled bigrams", "shuffled trigrams")
    ]
    window = probe(data, encoder, "attention-window")
    assert [(row["linker"], row["setting"]) for row in window["rows"]] == [
        ("ResCNN", "as it is"),
        ("MiniLM", "as it is"),
        ("MiniLM", "window of 3"),
        ("MiniLM", "window of 5"),
    ]
    assert window["rows"][0] == order["rows"][0]
    assert window["rows"][1] == order["rows"][4]
    assert window["linkers"] == order["linkers"]
    assert order["n_scored"] == len(DISEASES)
    assert set(order["data_sha256"]) == {
        f"{split}{end}" for split in ("train", "dev") for end in (".concept.tsv", "_dictionary.txt")
    }


def test_linkers_that_are_trained_are_not_trained_again(data: Path, encoder: Path) -> None:
    first = probe(data, encoder, "word-order")
    kept = {
        path: path.stat().st_mtime_ns for path in (data / "work").glob("*/run/model.safetensors")
    }
    assert len(kept) == 2
    assert probe(data, encoder, "word-order") == first
    probe(data, encoder, "word-order", split="test")
    assert kept == {path: path.stat().st_mtime_ns for path in kept}
    assert len(list((data / "work").iterdir())) == 2


def test_the_command_prints_json_alone_and_stores_it(
    data: Path, encoder: Path, tmp_path: Path
) -> None:
    usual: tuple[str | Path, ...] = (
        *("probe", "attention-window", "--data", data, "--encoder", encoder, "--steps", "2"),
        *("--threads", "1", "--seed", "5", "--results", tmp_path / "results"),
    )
    done = call(*usual, "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    stored = (tmp_path / "results" / "probe-attention-window.json").read_text(encoding="utf-8")
    assert printed == json.loads(stored)
    assert (printed["steps"], printed["seed"], printed["split"]) == (2, 5, "dev")
    assert printed["machine"]
    shown = call(*usual).stdout  # the linkers are trained by now
    for row in printed["rows"]:
        cells = (row["linker"], row["setting"], f"{row['accuracy_at_1']:.3f}")
        assert any(all(cell in line for cell in cells) for line in shown.splitlines()), row


def test_a_split_or_folder_that_is_not_there_is_wrong_use(data: Path, encoder: Path) -> None:
    with pytest.raises(UsageError, match="no split is called 'train' here"):
        probe(data, encoder, "word-order", split="train")
    with pytest.raises(UsageError, match="no such data folder"):
        probe(data / "nowhere", encoder, "word-order")
