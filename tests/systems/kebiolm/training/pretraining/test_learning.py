"""A small model is pre-trained, goes on when it was stopped, and is opened by everybody."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from holdfast import artifacts  # noqa: E402
from holdfast.encoders.tokens import TokenReader  # noqa: E402
from holdfast.experiments.recipe import Evaluate, Recipe, Train  # noqa: E402
from holdfast.experiments.results import outcome_to_json  # noqa: E402
from holdfast.experiments.run import run_recipe  # noqa: E402
from holdfast.models import manifest_of  # noqa: E402
from holdfast.systems.kebiolm.knowledge.annotated_text import (  # noqa: E402
    KIND,
    shard_path,
    write_shard,
)
from holdfast.systems.kebiolm.training.pretraining.data import (  # noqa: E402
    TextBatch,
    TextSequence,
    sequences_of,
)
from holdfast.systems.kebiolm.training.pretraining.model import (  # noqa: E402
    KnowledgeNetwork,
)
from holdfast.systems.kebiolm.training.pretraining.recipe import pretrain_recipe  # noqa: E402
from holdfast.systems.kebiolm.training.pretraining.saved import (  # noqa: E402
    entity_vectors,
    open_knowledge,
)
from holdfast.systems.kebiolm.training.pretraining.train import PretrainConfig  # noqa: E402
from holdfast.training.pretrained import pretrained_tokenizer  # noqa: E402
from holdfast.training.token_encoder import open_token_encoder  # noqa: E402
from systems.kebiolm.training.pretraining import text_toys as toys  # noqa: E402


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toys.save_encoder(tmp_path_factory.mktemp("encoder"))


def sequences(encoder: Path, count: int = 8, **options: int) -> list[TextSequence]:
    reader = TokenReader.of(pretrained_tokenizer(encoder))
    rows = {id: place for place, id in enumerate(toys.NAMES)}
    return list(sequences_of(toys.texts(count), reader, rows, **{"longest": 60, **options}))


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("text") / "text"
    folder.mkdir()
    write_shard(toys.texts(60), shard_path(folder, 0))
    config = {"training_data": ["toys"]}
    artifacts.write_manifest(folder, kind=KIND, version=1, config=config)
    return folder


def recipe(text: Path, encoder: Path, **settings: object) -> Recipe:
    usual = {
        "text": str(text),
        "vectors": "",
        "encoder": str(encoder),
        "longest": 62,
        "measured_share": 0.15,
        "text_layers": 1,
        "entity_width": 8,
        "batch": 8,
        "token_budget": 24_000,
        "learning_rate": 3e-3,
        "head_rate": 1e-2,
        "entity_rate": 1e-2,
        "evaluate_every": 1000,
        "save_every": 5,
        "threads": 1,
    }
    return Recipe(
        "toys", "toys", train=Train("knowledge language model", settings={**usual, **settings})
    )


@pytest.fixture(scope="module")
def trained(text: Path, encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained") / "model"
    pretrain_recipe(recipe(text, encoder), data=text, out=out, report=lambda _: None)
    return out


def test_it_learns_to_detect_to_link_and_to_fill_in(trained: Path) -> None:
    log = manifest_of(trained).config["log"]
    first, last = log[0], log[-1]
    assert last["linking_loss"] < 0.5 * first["linking_loss"]
    assert last["masked_loss"] < first["masked_loss"]
    assert last["detection_f1"] > 0.9 > first["detection_f1"]
    assert last["linking_accuracy"] > 0.9
    assert last["bare_masked_loss"] < first["bare_masked_loss"]


def test_a_recipe_stores_what_held_out_text_said(trained: Path, text: Path, encoder: Path) -> None:
    asked = replace(recipe(text, encoder), evaluate=Evaluate("pre-training", split="held-out"))
    outcome = run_recipe(asked, data=text, model=trained)
    stored = json.loads(json.dumps(outcome_to_json(asked, outcome)))
    log = manifest_of(trained).config["log"]
    assert stored["history"] == log
    assert stored["first_linking_loss"] == log[0]["linking_loss"]
    assert stored["linking_loss"] == log[-1]["linking_loss"] < stored["first_linking_loss"]
    assert stored["n_steps"] == log[-1]["step"]
    assert stored["tokens"] == pytest.approx(24_000, rel=0.05), "the recipe's budget"


def test_steps_follow_the_budget_or_the_passes(encoder: Path) -> None:
    read = sequences(encoder, 8)
    tokens = sum(len(sequence.tokens) for sequence in read)
    assert PretrainConfig(token_budget=3 * tokens, batch=4).steps(read) == 3 * len(read) // 4
    assert PretrainConfig(epochs=2, batch=4).steps(read) == 2 * len(read) // 4


def test_transformers_and_every_trainer_open_what_was_saved(trained: Path, encoder: Path) -> None:
    from transformers import AutoModelForMaskedLM

    knowledge = open_knowledge(trained)
    own = TextBatch.of(sequences(encoder, 1))
    plain = open_token_encoder(str(trained)).eval()
    shape = replace(knowledge.model.shape, knowledge=False)
    bare = KnowledgeNetwork(knowledge.model.network, shape, None).eval()
    bare.masked.load_state_dict(knowledge.model.masked.state_dict())
    model = AutoModelForMaskedLM.from_pretrained(str(trained)).eval()
    with torch.inference_mode():
        ours = bare(own.tokens, own.lengths)
        assert torch.allclose(plain(own.tokens, own.lengths).tokens, ours.tokens, atol=1e-4)
        config = knowledge.model.network.config
        framed = torch.cat([torch.tensor([config.first]), own.tokens, torch.tensor([config.last])])
        theirs = model(framed[None]).logits[0, 1:-1]
        assert torch.allclose(theirs, bare.vocabulary_logits(ours.tokens), atol=1e-3)
    assert knowledge.entities == tuple(sorted(toys.NAMES))


def test_a_resumed_run_has_the_loss_of_an_uninterrupted_one(
    text: Path, encoder: Path, tmp_path: Path
) -> None:
    short = recipe(text, encoder, token_budget=6_000)
    pretrain_recipe(short, data=text, out=tmp_path / "whole", report=lambda _: None)
    seen = list[str]()

    def stop(line: str) -> None:
        seen.append(line)
        if "masked_loss" in line and not line.startswith("step 0 "):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pretrain_recipe(short, data=text, out=tmp_path / "stopped", report=stop)
    pretrain_recipe(short, data=text, out=tmp_path / "stopped", report=seen.append)
    assert any(line.startswith("going on from step") for line in seen)
    logs = [manifest_of(tmp_path / name).config["log"][-1] for name in ("whole", "stopped")]
    assert {k: v for k, v in logs[0].items() if k != "seconds"} == {
        k: v for k, v in logs[1].items() if k != "seconds"
    }


def test_the_twin_has_no_memory_and_frozen_vectors_stay(
    text: Path, encoder: Path, tmp_path: Path
) -> None:
    twin = recipe(text, encoder, knowledge=False, whole_entities=False, token_budget=2_000)
    pretrain_recipe(twin, data=text, out=tmp_path / "twin", report=lambda _: None)
    opened = open_knowledge(tmp_path / "twin")
    assert opened.model.memory is None
    assert opened.entities == ()
    frozen = recipe(text, encoder, entity_rate=0.0, token_budget=2_000)
    pretrain_recipe(frozen, data=text, out=tmp_path / "frozen", report=lambda _: None)
    memory = open_knowledge(tmp_path / "frozen").model.memory
    assert memory is not None
    ids = tuple(sorted(toys.NAMES))
    assert torch.equal(memory.table.weight, entity_vectors(ids, {}, width=8, seed=0))


def test_known_vectors_are_kept_and_others_are_of_length_one() -> None:
    known = {"b": torch.full((4,), 0.25)}
    rows = entity_vectors(["a", "b"], known, width=4, seed=3)
    assert rows[1].tolist() == [0.25] * 4
    assert rows[0].norm().item() == pytest.approx(1.0)
