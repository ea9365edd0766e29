"""A small encoder, really trained on names written here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from holdfast.corpora.named.biosyn import LenientMention, LenientName  # noqa: E402
from holdfast.encoders.names import NameEncoder  # noqa: E402
from holdfast.systems.rescnn.training.batches import BatchConfig, NameBatches  # noqa: E402
from holdfast.systems.rescnn.training.export import export_encoder  # noqa: E402
from holdfast.systems.rescnn.training.lenient import lenient_accuracy  # noqa: E402
from holdfast.systems.rescnn.training.mining import mine_neighbours  # noqa: E402
from holdfast.systems.rescnn.training.model import ResCNN, ResCNNConfig  # noqa: E402
from holdfast.systems.rescnn.training.synonyms import Group  # noqa: E402
from holdfast.systems.rescnn.training.train import NamesConfig, encoder_of, train  # noqa: E402
from holdfast.systems.rescnn.training.vocabulary import build_tokenizer  # noqa: E402
from holdfast.training.checkpoint import load_checkpoint  # noqa: E402
from holdfast.training.export.graph import quantised_rows  # noqa: E402

SYNONYMS = [
    ("renal", "kidney", "nephric"),
    ("hepatic", "liver", "hepatocellular"),
    ("cardiac", "heart", "myocardial"),
    ("pulmonary", "lung", "respiratory"),
    ("gastric", "stomach", "ventricular"),
    ("cutaneous", "skin", "dermal"),
]
DISORDERS = [
    ("failure", "insufficiency"),
    ("cancer", "tumour"),
    ("pain", "ache"),
    ("oedema", "edema"),
]
GROUPS = [
    Group(tuple(f"{organ} {word}" for organ in organs for word in words), "Disease")
    for organs in SYNONYMS
    for words in DISORDERS
]
TOKENIZER = build_tokenizer([name for group in GROUPS for name in group.names] * 3, size=300)


def new_model(seed: int = 0) -> ResCNN:
    torch.manual_seed(seed)
    shape = ResCNNConfig(
        vocabulary=TOKENIZER.get_vocab_size(), embedding=24, width=32, blocks=2, filters=8
    )
    return ResCNN(shape)


def batches(groups: list[Group] = GROUPS) -> NameBatches:
    config = BatchConfig(groups=12, augmented=0.0)
    return NameBatches(groups, weights=[1.0] * len(groups), config=config)


def config(steps: int = 40, **options: int) -> NamesConfig:
    return NamesConfig(steps=steps, warm_up=5, learning_rate=5e-3, embedding_rate=5e-3, **options)


def silent(_: str) -> None:
    """Progress is for people."""


def held_out() -> tuple[list[Group], list[LenientMention], list[LenientName]]:
    """Groups without one name each; those names as mentions; the other names as a dictionary."""
    groups = [Group(group.names[1:], group.kind) for group in GROUPS]
    mentions = [
        LenientMention("", (group.names[0],), frozenset([str(i)])) for i, group in enumerate(GROUPS)
    ]
    lines = [
        LenientName(name, frozenset([str(i)]))
        for i, group in enumerate(groups)
        for name in group.names
    ]
    return groups, mentions, lines


def test_training_links_names_that_it_never_saw(tmp_path: Path) -> None:
    groups, mentions, dictionary = held_out()
    model = new_model()
    before = lenient_accuracy(encoder_of(model, TOKENIZER), mentions, dictionary)
    train(model, TOKENIZER, batches(groups), config(80), folder=tmp_path / "run", report=silent)
    after = lenient_accuracy(encoder_of(model, TOKENIZER), mentions, dictionary)
    assert after >= 0.9
    assert after > before


def test_an_interrupted_run_ends_with_the_same_weights(tmp_path: Path) -> None:
    whole = new_model()
    train(whole, TOKENIZER, batches(), config(12), folder=tmp_path / "whole", report=silent)
    half = new_model()
    with pytest.raises(KeyboardInterrupt):
        train(
            half,
            TOKENIZER,
            batches(),
            config(12, save_every=6, report_every=8),
            folder=tmp_path / "half",
            report=_interrupt,
        )
    again = new_model(seed=9)
    said: list[str] = []
    train(again, TOKENIZER, batches(), config(12), folder=tmp_path / "half", report=said.append)
    assert said[0] == "going on from step 6"
    for one, other in zip(whole.parameters(), again.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-6)


def _interrupt(_: str) -> None:
    raise KeyboardInterrupt


def test_embeddings_stay_as_they_are_at_a_rate_of_zero(tmp_path: Path) -> None:
    model = new_model()
    before = model.embedding.weight.clone()
    frozen = NamesConfig(steps=3, embedding_rate=0.0)
    train(model, TOKENIZER, batches(), frozen, folder=tmp_path / "run", report=silent)
    assert torch.equal(before, model.embedding.weight)


def test_the_log_keeps_the_development_scores(tmp_path: Path) -> None:
    model = new_model()
    history = train(
        model,
        TOKENIZER,
        batches(),
        config(4, select_every=2),
        folder=tmp_path / "run",
        select=lambda encode: float(len(encode(["a"]))),
        report=silent,
    )
    assert [entry["step"] for entry in history if "dev" in entry] == [2, 4]
    kept = load_checkpoint(tmp_path / "run" / "run", new_model()).progress
    assert (kept.step, kept.log) == (4, history)


def test_neighbours_are_the_groups_nearest_to_a_mention() -> None:
    groups = [
        Group(("renal failure",), "", mentions=("kidney renal ache",)),
        Group(("kidney renal ache",), ""),
        Group(("skin pain",), ""),
        Group(("lung cancer",), ""),
    ]
    given = NameBatches(
        groups,
        weights=[1, 0, 0, 0],
        config=BatchConfig(groups=2, seeds=0.5, neighbours=1),
        neighbours={},
    )
    mined = mine_neighbours(encoder_of(new_model(), TOKENIZER), given, near=1)
    for seed in range(5):
        assert set(mined.draw(np.random.default_rng(seed)).labels.tolist()) == {0, 1}


@pytest.mark.parametrize("pooling", ["max", "attention"])
def test_the_exported_encoder_agrees_with_torch(tmp_path: Path, pooling: str) -> None:
    torch.manual_seed(3)
    model = ResCNN(
        ResCNNConfig(
            TOKENIZER.get_vocab_size(),
            embedding=24,
            width=32,
            filters=8,
            pooling=pooling,  # type: ignore[arg-type]
        )
    )
    export_encoder(model, TOKENIZER, tmp_path / "model", longest=25, description={"licence": "own"})
    exported = NameEncoder.open(tmp_path / "model")
    names = [name for group in GROUPS for name in group.names]
    ours, theirs = exported.encode(names), encoder_of(model, TOKENIZER)(names)
    assert ours.shape == theirs.shape == (len(names), 32)
    assert (ours * theirs).sum(axis=1).min() > 0.999


def test_a_quantised_row_is_off_by_at_most_half_a_step() -> None:
    table = np.random.default_rng(0).normal(size=(20, 8)).astype(np.float32)
    table[3] = 0
    rows, scale = quantised_rows(table)
    assert rows.dtype == np.int8
    assert np.abs(rows * scale - table).max() <= scale.max() / 2 + 1e-6
    assert not rows[3].any()
