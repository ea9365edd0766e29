"""The settings of a recipe's [train], for every kind that is trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from command import call
from holdfast.detect.training.learning import DetectorConfig
from holdfast.errors import HoldfastError, UsageError
from holdfast.experiments.recipe import Recipe, Train, read_recipe, shipped
from holdfast.experiments.settings import read_config, read_parts
from holdfast.experiments.train import train_recipe
from holdfast.kinds import KINDS
from holdfast.link.training.train import RankerConfig
from holdfast.systems.bier.reading import Shape
from holdfast.systems.bier.training.agreement import AgreementConfig
from holdfast.systems.bier.training.classifier import ClassifierConfig
from holdfast.systems.bier.training.dataset import TripleChoice
from holdfast.systems.bier.training.recipe import ModelConfig
from holdfast.systems.bier.training.train import TrainConfig
from holdfast.systems.collective.training.joined import JoinedConfig
from holdfast.systems.collective.training.settings import (
    read_cross_settings,
    read_settings,
)
from holdfast.systems.kebiolm.relations.pairs import RelationShape
from holdfast.systems.kebiolm.training.finetuning.recipe import CompareConfig
from holdfast.systems.kebiolm.training.finetuning.train import TuneConfig
from holdfast.systems.kebiolm.training.pretraining.annotate import TextConfig
from holdfast.systems.kebiolm.training.pretraining.masking import MaskConfig
from holdfast.systems.kebiolm.training.pretraining.model import KnowledgeShape
from holdfast.systems.kebiolm.training.pretraining.recipe import CorpusConfig
from holdfast.systems.kebiolm.training.pretraining.train import PretrainConfig
from holdfast.systems.kebiolm.training.relations.data import ReadingConfig
from holdfast.systems.kebiolm.training.relations.recipe import RelationRecipeConfig
from holdfast.systems.kebiolm.training.relations.train import RelationConfig
from holdfast.systems.kebiolm.training.transe import TransEConfig
from holdfast.systems.kebiolm.training.transe_recipe import TripleConfig
from holdfast.systems.multitask.training.fallback import SwitchConfig
from holdfast.systems.multitask.training.recipe import read_settings as read_multitask_settings
from holdfast.systems.rescnn.training.name_model import NameModelConfig


def reads(config: type[Any]) -> Callable[[Recipe], Any]:
    return lambda recipe: read_config(config, recipe)


def parts(*configs: Any) -> Callable[[Recipe], Any]:
    return lambda recipe: read_parts(recipe, *configs)


READ: Mapping[str, Callable[[Recipe], Any]] = {
    "detector": reads(DetectorConfig),
    "name ranker": reads(RankerConfig),
    "name encoder": reads(NameModelConfig),
    "dual encoder": read_settings,
    "cross-encoder": read_cross_settings,
    "joined linkers": reads(JoinedConfig),
    "multi-task model": read_multitask_settings,
    "multi-task model with names": reads(SwitchConfig),
    "typing model": parts(ModelConfig, Shape, TripleChoice, TrainConfig),
    "label classifier": parts(ClassifierConfig, Shape, TrainConfig),
    "type agreement": reads(AgreementConfig),
    "relation model": parts(RelationShape, RelationConfig, ReadingConfig, RelationRecipeConfig),
    "transe": parts(TransEConfig, TripleConfig),
    "annotated text": parts(TextConfig),
    "knowledge language model": parts(KnowledgeShape, PretrainConfig, MaskConfig, CorpusConfig),
    "fine-tuned comparison": parts(TuneConfig, CompareConfig),
}
TRAINED = [name for name, kind in KINDS.items() if kind.trainer]


def recipe(kind: str, **settings: Any) -> Recipe:
    train = Train(kind, on=("bc5cdr train",), select="bc5cdr dev", settings=settings)
    return Recipe("mine", "", train=train)


def test_every_kind_that_is_trained_is_tested_here() -> None:
    assert set(READ) == set(TRAINED)
    for kind in TRAINED:
        module, _, function = KINDS[kind].trainer.partition(":")
        assert callable(getattr(import_module(module), function))


@pytest.mark.parametrize("name", [n for n in shipped() if read_recipe(n).train])
def test_the_settings_of_every_shipped_recipe_are_accepted(name: str) -> None:
    chosen = read_recipe(name)
    READ[chosen.trained.kind](chosen)
    more = {**chosen.trained.settings, "stepps": 1}
    wrong = replace(chosen, train=replace(chosen.trained, settings=more))
    with pytest.raises(UsageError, match=f"recipe {name!r}: no setting is called 'stepps'"):
        READ[chosen.trained.kind](wrong)


@pytest.mark.parametrize("kind", TRAINED)
def test_an_unknown_setting_is_one_line_before_anything_is_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        f'title = "t"\n[train]\nkind = "{kind}"\non = ["bc5cdr train"]\nstepps = 3\n',
        encoding="utf-8",
    )
    done = call("train", path, "--data", tmp_path / "nowhere", "--out", tmp_path / "out")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "recipe 'mine': no setting is called 'stepps'" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        ("name ranker", "fit"),
        ("detector", "dropout"),
        ("name encoder", "align"),
        ("name encoder", "tune_shares"),
        ("name encoder", "align_batches"),
    ],
)
def test_an_unknown_setting_inside_a_table_is_named_with_it(kind: str, table: str) -> None:
    wrong = recipe(kind, **{table: {"stepps": 3}})
    with pytest.raises(UsageError, match=rf"\[train\.{table}\]: no setting is called 'stepps'"):
        READ[kind](wrong)


def test_settings_inside_a_table_change_what_they_name_and_nothing_else() -> None:
    usual = RankerConfig()
    changed = read_config(RankerConfig, recipe("name ranker", fit={"epochs": 3}))
    assert changed == replace(usual, fit=replace(usual.fit, epochs=3))
    tuned = read_config(NameModelConfig, recipe("name encoder", tune={"steps": 7}))
    assert tuned.tune == replace(NameModelConfig().tune, steps=7)
    assert tuned.tune.learning_rate == NameModelConfig().tune.learning_rate


@pytest.mark.parametrize("kind", TRAINED)
@pytest.mark.parametrize("value", [3, "x", True])
def test_a_table_that_is_none_is_refused(kind: str, value: object) -> None:
    tables = {"name ranker": "fit", "detector": "dropout", "name encoder": "align"}
    if kind in tables:
        with pytest.raises(UsageError, match=f"{tables[kind]} = {value!r}; it must be a table"):
            READ[kind](recipe(kind, **{tables[kind]: value}))


def test_a_value_that_a_configuration_refuses_is_one_line() -> None:
    with pytest.raises(UsageError, match="recipe 'mine': no part is called 'magic'; there is: "):
        read_config(RankerConfig, recipe("name ranker", without=("magic",)))
    with pytest.raises(HoldfastError, match="mention = 'middle'"):
        read_settings(recipe("dual encoder", mention="middle"))


def test_a_recipe_without_training_trains_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'mine' trains nothing: it has no \\[train\\]"):
        train_recipe(Recipe("mine", ""), data=tmp_path, out=tmp_path / "o", report=print)
