"""TransE really learns, goes on exactly, and is measured by a recipe."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from holdfast.experiments.recipe import Evaluate, KbSpec, Recipe, Train  # noqa: E402
from holdfast.experiments.run import run_recipe  # noqa: E402
from holdfast.kb import Entry, Link  # noqa: E402
from holdfast.systems.kebiolm.knowledge.triples import Triple, Triples, split_triples  # noqa: E402
from holdfast.systems.kebiolm.knowledge.vectors import KnowledgeVectors  # noqa: E402
from holdfast.systems.kebiolm.training.transe import TransEConfig, train_transe  # noqa: E402
from holdfast.systems.kebiolm.training.transe_recipe import train_transe_recipe  # noqa: E402
from small_kb import of_entries  # noqa: E402

SMALL = TransEConfig(
    width=24, epochs=60, batch=128, learning_rate=0.02, negatives=32, save_every=50, evaluated=50
)


def silent(_: str) -> None:
    pass


def groups(count: int = 12) -> Triples:
    """Members of a group have most of the same features."""
    rng = np.random.default_rng(0)
    found = []
    for group in range(count):
        for member in range(8):
            for feature in rng.choice(6, size=5, replace=False).tolist():
                found.append(Triple(f"M:{group}-{member}", "has", f"F:{group}-{feature}"))
    return Triples.of(found)


def test_it_ranks_held_out_triples_far_above_chance(tmp_path: Path) -> None:
    split = split_triples(groups(), held_out=40)
    _, history = train_transe(split, SMALL, folder=tmp_path, report=silent)
    assert history[-1]["mrr"] > 0.2  # a random order has 0.04
    assert history[-1]["hits_at_10"] > 0.5


def test_a_stopped_run_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    split = split_triples(groups(5), held_out=10)
    config = TransEConfig(width=8, epochs=40, batch=64, save_every=5, evaluated=10)
    whole, _ = train_transe(split, config, folder=tmp_path / "whole", report=silent)
    lines = list[str]()

    def stop(line: str) -> None:
        lines.append(line)
        if line.startswith("step 20"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_transe(split, config, folder=tmp_path / "stopped", report=stop)
    again, _ = train_transe(split, config, folder=tmp_path / "stopped", report=lines.append)
    assert any(line.startswith("going on from step") for line in lines)
    assert np.array_equal(again.entities, whole.entities)


def test_a_recipe_trains_and_measures_vectors_of_any_knowledge_base(tmp_path: Path) -> None:
    side, steps = 40, range(1, 6)
    entries = [
        Entry(
            f"OWN:{i}",
            f"thing {i}",
            links=tuple(Link(f"{s} after", f"OWN:{i + s}") for s in steps if i + s < side),
        )
        for i in range(side)
    ]
    kb = of_entries(tmp_path / "kb", *entries)
    settings = {"width": 8, "epochs": 60, "batch": 32, "held_triples": 10, "learning_rate": 0.01}
    recipe = Recipe(
        "mine",
        "vectors",
        train=Train("transe", settings=settings),
        evaluate=Evaluate("link-prediction", split="test"),
        kb=KbSpec(get=str(kb.folder)),
    )
    lines = list[str]()
    out = tmp_path / "vectors"
    train_transe_recipe(recipe, data=tmp_path, out=out, report=lines.append)
    assert "185 triples" in lines[0]
    vectors = KnowledgeVectors.open(out)
    assert np.allclose(np.linalg.norm(vectors.entities, axis=1), 1, atol=1e-5)
    (report,) = run_recipe(recipe, data=tmp_path, model=out).reports
    assert report["mrr"] > 2 * report["mrr_random"]
    assert report.counts["n_scored"] == 2 * len(vectors.split.test)
