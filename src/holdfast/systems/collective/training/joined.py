"""Chooses how much a dual encoder counts beside the name linker, and writes both as one linker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from holdfast import artifacts
from holdfast.document import Document, Mention
from holdfast.errors import UsageError
from holdfast.experiments.given import blank, of_types
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of, primary_ids
from holdfast.experiments.settings import read_config
from holdfast.experiments.unseen import unseen_documents
from holdfast.kb.store import KnowledgeBase
from holdfast.models import find_model
from holdfast.pipeline import load
from holdfast.progress import Log
from holdfast.systems.collective.joined import KIND, VERSION, WIDTH, join

WEIGHTS: Final = (0.0, 0.02, 0.05, *(step / 10 for step in range(1, 11)))


@dataclass(frozen=True, slots=True)
class JoinedConfig:
    """The settings of a recipe's [train] for two linkers joined."""

    linkers: tuple[str, ...] = ()  # a name ranker and a dual encoder, by name
    only: tuple[str, ...] = ()  # types of mentions that are looked at


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """A gold mention as the two linkers see it."""

    gold: frozenset[str]
    named: Mention
    read: Mention


def train_joined(
    recipe: Recipe, *, data: Path, out: Path, report: Log, encoder: Path | None = None
) -> None:
    """Choose the weight on the recipe's `select` and write the model folder `out`.

    Documents that either linker learned from, or that are evaluated, are left out of the choice.
    """
    if encoder is not None:
        raise UsageError(f"recipe {recipe.name!r} joins finished linkers; it takes no --encoder")
    config = read_config(JoinedConfig, recipe)
    folders = [find_model(name) for name in config.linkers]
    unseen = unseen_documents(recipe, folders, data=data, report=report)
    kb = kb_of(recipe, data=data)
    pairs = _pairs(kb, [of_types(d, config.only) for d in unseen.documents], folders)
    weight = choose_weight(pairs)
    of_names, of_both = (count_right(pairs, w) / max(1, len(pairs)) for w in (0.0, weight))
    report(f"{len(pairs):,} mentions: {of_names:.4f} by names, {of_both:.4f} with weight {weight}")
    where = f"{len(pairs):,} mentions of {recipe.trained.select}, when it was chosen"
    described = {
        "linkers": list(config.linkers),
        "weight": weight,
        "recipes": [recipe.name],
        "training_data": list(unseen.training_data),
        "results": {f"{where}: names alone": of_names, f"{where}: both": of_both},
    }
    with artifacts.publish(out) as scratch:
        artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=described)


def choose_weight(pairs: Sequence[ScoredPair]) -> float:
    """The weight of the dual encoder with the highest accuracy; of equals, the smallest."""
    return max(WEIGHTS, key=lambda weight: (count_right(pairs, weight), -weight))


def count_right(pairs: Iterable[ScoredPair], weight: float) -> int:
    """How many mentions are linked to a gold entity with this weight of the dual encoder."""
    return sum(_first(pair, weight) in pair.gold for pair in pairs)


def _first(pair: ScoredPair, weight: float) -> str:
    if weight in (0.0, 1.0):  # the other one has no say then, not even by listing something
        joined = pair.read if weight else pair.named
    else:
        joined = join(pair.named, pair.read, weight=weight, top=WIDTH)
    return joined.candidates[0].entity_id if joined.candidates else ""


def _pairs(
    kb: KnowledgeBase, gold: Sequence[Document], folders: Sequence[Path]
) -> list[ScoredPair]:
    """The gold mentions of the documents as both linkers answer them."""
    ids = primary_ids(kb)
    bare = [blank(document) for document in gold]
    named, read = (load(kb, model=[f], marked=True, top=WIDTH).pipe(bare) for f in folders)
    return [
        ScoredPair(frozenset(ids.get(id, id) for id in mention.ids), first, second)
        for document, one, other in zip(gold, named, read, strict=True)
        for mention, first, second in zip(
            document.mentions, one.mentions, other.mentions, strict=True
        )
    ]
