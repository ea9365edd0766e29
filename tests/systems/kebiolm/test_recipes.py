"""The recipes of KeBioLM can be read, and every setting of theirs is one."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")

from holdfast.experiments.recipe import read_recipe, shipped
from holdfast.experiments.settings import read_parts
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

CONFIGS = {
    "relation model": (RelationShape, RelationConfig, ReadingConfig, RelationRecipeConfig),
    "transe": (TransEConfig, TripleConfig),
    "annotated text": (TextConfig,),
    "knowledge language model": (KnowledgeShape, PretrainConfig, MaskConfig, CorpusConfig),
    "fine-tuned comparison": (TuneConfig, CompareConfig),
}
OWN = [
    name
    for name in shipped()
    if name == "transe" or name.startswith(("kebiolm", "tune-", "relations-"))
]


@pytest.mark.parametrize("name", OWN)
def test_every_setting_belongs_to_a_configuration(name: str) -> None:
    recipe = read_recipe(name)
    if recipe.train is not None:
        assert read_parts(recipe, *CONFIGS[recipe.train.kind])


def test_a_comparison_names_models_that_recipes_make() -> None:
    for name in (own for own in OWN if own.startswith("tune-")):
        _, config = read_parts(read_recipe(name), TuneConfig, CompareConfig)
        for encoder in config.encoders:
            assert encoder == "minilm" or encoder.removesuffix(" plain") in OWN
