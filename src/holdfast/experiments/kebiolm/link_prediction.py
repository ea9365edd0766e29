"""Measures TransE: held-out triples, beside a random order and how frequent entities are."""

from __future__ import annotations

from pathlib import Path

from holdfast.errors import UsageError
from holdfast.evaluate.kebiolm.link_prediction import HEADLINE, Placed, score_link_prediction
from holdfast.experiments.outcome import Outcome
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of
from holdfast.parts import Models
from holdfast.progress import Progress
from holdfast.systems.kebiolm.knowledge.ranks import (
    KnownEnds,
    by_distance,
    by_frequency,
    by_nothing,
    filtered_ranks,
)
from holdfast.systems.kebiolm.knowledge.vectors import KnowledgeVectors


def run_link_prediction(
    recipe: Recipe, model: Models, *, data: Path, progress: Progress
) -> Outcome:
    """Rank the ends of the held-out triples that the recipe's split names: dev or test."""
    folder = Path(model if isinstance(model, str | Path) else model[0])
    vectors = KnowledgeVectors.open(folder)
    split = vectors.split
    parts = {"dev": split.dev, "test": split.test}
    if recipe.measured.split not in parts:
        raise UsageError(
            f"recipe {recipe.name!r}: no split {recipe.measured.split!r}; it is dev or test"
        )
    asked = parts[recipe.measured.split]
    known = KnownEnds(split, asked)
    scorers = {
        HEADLINE: by_distance(vectors.entities, vectors.relations),
        "random": by_nothing(split.train),
        "frequency": by_frequency(split.train),
    }
    places = dict[str, list[tuple[Placed, ...]]]()
    for number, (name, score) in enumerate(scorers.items()):
        progress("ranking", number / len(scorers))
        ranks = filtered_ranks(asked, known, score)
        placed = (Placed(rank.first, rank.tied) for rank in ranks)
        places[name] = list(zip(placed, placed, strict=True))  # of the tail and of the head
    report = score_link_prediction(places).with_context(
        n_entities=len(split.train.entities),
        n_relations=len(split.train.relations),
        n_training_triples=len(split.train),
    )
    return Outcome((report,), kb_of(recipe, data=data, progress=progress), vectors.digest)
