"""Trains the TransE vectors of a recipe: triples of its knowledge base and of other sources."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from holdfast.errors import UsageError
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of
from holdfast.experiments.settings import read_parts
from holdfast.kb.store import KnowledgeBase
from holdfast.progress import Log
from holdfast.systems.kebiolm.knowledge.drug_relations import Mapped, read_drug_relations
from holdfast.systems.kebiolm.knowledge.triples import (
    SplitTriples,
    Triple,
    Triples,
    kb_triples,
    split_triples,
)
from holdfast.systems.kebiolm.training.transe import TransEConfig, train_transe
from holdfast.training.loop import best_entry


@dataclass(frozen=True, slots=True)
class TripleConfig:
    """Which triples are learned from."""

    sources: tuple[str, ...] = ()  # beside the knowledge base: drugmechdb, pharmacotherapydb
    without: tuple[str, ...] = ()  # relations of the knowledge base that are left out
    without_prefixes: tuple[str, ...] = ()  # vocabularies that are
    held_triples: int = 2000  # triples for dev, and as many for test


def train_transe_recipe(
    recipe: Recipe, *, data: Path, out: Path, report: Log, encoder: Path | None = None
) -> None:
    """Train the recipe's vectors and write the model folder `out`."""
    if encoder is not None:
        raise UsageError(f"recipe {recipe.name!r} has no use for an --encoder")
    config, own = read_parts(recipe, TransEConfig, TripleConfig)
    kb = kb_of(recipe, data=data)
    split = load_triples(kb, own, data=data, seed=config.seed, report=report)
    about = {**asdict(own), "kb": kb.manifest.digest}
    folder = out.with_name(f"{out.name}-checkpoints")
    vectors, history = train_transe(split, config, folder=folder, about=about, report=report)
    best = best_entry(history, "mrr")
    description = {
        "recipes": [recipe.name],
        "training_data": [f"relations of the knowledge base {kb.name}", *own.sources],
        "kb": kb.name,
        "kb_digest": kb.manifest.digest,
        "width": config.width,
        "entities": len(split.train.entities),
        "relations": list(split.train.relations),
        "parameters": int(vectors.entities.size + vectors.relations.size),
        "results": {"held-out triples, when it was chosen: MRR": best["mrr"]},
        "log": [dict(entry) for entry in history],
    }
    vectors.write(out, config=description)


def load_triples(
    kb: KnowledgeBase, config: TripleConfig, *, data: Path, seed: int, report: Log
) -> SplitTriples:
    """Read, count and split; what is left out or not mapped is reported."""
    left_out = Counter[str]()
    triples: list[Triple] = list(
        kb_triples(
            kb, without=config.without, without_prefixes=config.without_prefixes, counts=left_out
        )
    )
    report(f"{kb.name}: {len(triples):,} triples")
    for reason, count in left_out.most_common():
        report(f"{kb.name}: left out {count:,}: {reason}")
    for name in config.sources:
        mapped = Mapped()
        found = read_drug_relations(name, kb, data=data, mapped=mapped)
        report(f"{name}: {len(found):,} triples")
        for line in mapped.lines(name):
            report(line)
        triples += found
    split = split_triples(Triples.of(triples), held_out=config.held_triples, seed=seed)
    train = split.train
    report(
        f"{len(train):,} triples to learn from, {len(split.dev):,} and {len(split.test):,} held "
        f"out; {len(train.entities):,} entities, {len(train.relations)} relations"
    )
    return split
