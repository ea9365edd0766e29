"""A home folder with a type system and small trained models, made once for all tests here."""

from __future__ import annotations

from pathlib import Path

import pytest

SETTINGS = {
    "types": "toy",
    "steps": 150,
    "batch": 16,
    "learning_rate": 3e-3,
    "head_rate": 2e-2,
    "evaluate_every": 75,
    "longest": 24,
    "mention_tokens": 6,
    "dev_share": 0.2,
    "threads": 1,
}


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with a knowledge base, a type system and trained models."""
    pytest.importorskip("torch", reason="training needs torch: pip install 'holdfast[train]'")
    from holdfast.experiments.recipe import Recipe, Train
    from holdfast.models import trained_model
    from holdfast.systems.bier.training.build import Filter
    from holdfast.systems.bier.training.command import BuildRequest, build_types
    from holdfast.systems.bier.training.recipe import train_typing_recipe
    from small_bert import save_small_bert
    from systems.bier.toys import documents, make_world, write_texts

    folder = tmp_path_factory.mktemp("trained-home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOLDFAST_HOME", str(folder))
        make_world()
        texts = write_texts(folder / "texts.jsonl", 120)
        request = BuildRequest(
            "toy", texts=(texts,), kb="world", model="dictionary", filter=Filter(least_count=2)
        )
        build_types(request, report=lambda _line: None)
        words = [d.text for d in documents(120)] + ["a one of the is kind and also called"]
        bert = save_small_bert(folder / "bert", words, longest=64)
        for name, extra in (
            ("bier-toy", {"pieces": 70, "encoder": str(bert)}),
            ("bier-toy-descriptions", {"reads": "descriptions", "steps": 60, "start": "bier-toy"}),
            ("bier-toy-untuned", {"steps": 0, "encoder": str(bert)}),
        ):
            settings = {**SETTINGS, **extra}
            recipe = Recipe(name, name, train=Train("typing model", settings=settings))
            train_typing_recipe(
                recipe, data=folder, out=trained_model(name), report=lambda _line: None
            )
    return folder


@pytest.fixture
def _trained_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_HOME", str(home))
