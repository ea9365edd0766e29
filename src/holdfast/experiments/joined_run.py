"""Measures the name linker and a collective dual encoder, each alone and both together."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from holdfast.corpora.named import load_corpus, load_training
from holdfast.corpora.named.splits import parse_splits
from holdfast.document import Document, Mention
from holdfast.evaluate.gold_mentions import RankedCase, score_ranked
from holdfast.evaluate.report import Report
from holdfast.experiments.collective_kb import collective_kb
from holdfast.experiments.collective_run import trained_folder
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import primary_ids
from holdfast.experiments.run import Outcome, blank, of_types
from holdfast.kb.build import Progress
from holdfast.kb.store import KnowledgeBase
from holdfast.link.joined import WIDTH, join
from holdfast.link.ranking.linker import RankedLinker
from holdfast.link.ranking.shipped import LINKER, shipped_linker
from holdfast.models import manifest_of
from holdfast.systems.collective.linker import CollectiveLinker

WEIGHTS: Final = (0.0, 0.02, 0.05, *(step / 10 for step in range(1, 11)))


@dataclass(frozen=True, slots=True)
class Pair:
    """A gold mention as the two linkers see it."""

    document: str
    gold: frozenset[str]
    named: Mention
    read: Mention


def run_joined(recipe: Recipe, *, data: Path, model: Path | None, progress: Progress) -> Outcome:
    """The weight is chosen on the recipe's `select`, on documents that neither linker learned from
    and the recipe's split does not have; that split is read once, by all three."""
    kb = collective_kb(recipe, recipe.split, data=data, progress=progress)
    folder = trained_folder(recipe, model)
    named = shipped_linker(kb, top=WIDTH)
    read = CollectiveLinker.open(
        folder,
        kb,
        top=WIDTH,
        names=recipe.settings.get("names"),
        progress=lambda part: progress("encoding entities", 0.5 * part),
    )
    select = str(recipe.settings["select"])
    progress(f"choosing on {select}", 0.5)
    seen = [f"{recipe.corpus} {recipe.split}", *_training_data(folder), *_training_data(LINKER)]
    unseen = load_training(parse_splits([select]), evaluated=parse_splits(seen), data=data)
    looked = _pairs(recipe, kb, unseen.documents, named, read)
    weight = choose_weight(looked)
    progress("linking", 0.7)
    documents = load_corpus(recipe.corpus, recipe.split, data=data)
    pairs = _pairs(recipe, kb, documents, named, read)
    report = score_joined(pairs, weight, entities=kb).with_context(
        weight=weight,
        accuracy_at_1_of_names=score_joined(pairs, 0.0)["accuracy_at_1"],
        accuracy_at_1_of_collective=score_joined(pairs, 1.0)["accuracy_at_1"],
        accuracy_at_1_when_chosen=score_joined(looked, weight)["accuracy_at_1"],
        accuracy_at_1_of_names_when_chosen=score_joined(looked, 0.0)["accuracy_at_1"],
        n_when_chosen=len(looked),
    )
    return Outcome((report,), kb, f"{named.digest}+{read.digest}")


def choose_weight(pairs: Sequence[Pair]) -> float:
    """Of the collective encoder: the one that is right most often; of equals, the smallest."""
    return max(WEIGHTS, key=lambda weight: (_right(pairs, weight), -weight))


def score_joined(
    pairs: Sequence[Pair], weight: float, *, entities: Container[str] | None = None
) -> Report:
    cases = [RankedCase(p.gold, _ranking(p, weight), p.document) for p in pairs]
    return score_ranked(cases, entities=entities)


def _right(pairs: Sequence[Pair], weight: float) -> int:
    return sum(bool(p.gold & {*_ranking(p, weight)[:1]}) for p in pairs)


def _ranking(pair: Pair, weight: float) -> tuple[str, ...]:
    if weight in (0.0, 1.0):  # the other one has no say then, not even by listing something
        alone = pair.read if weight else pair.named
        return tuple(c.entity_id for c in alone.candidates)
    joined = join(pair.named, pair.read, weight=weight, top=WIDTH)
    return tuple(c.entity_id for c in joined.candidates)


def _pairs(
    recipe: Recipe,
    kb: KnowledgeBase,
    documents: Iterable[Document],
    named: RankedLinker,
    read: CollectiveLinker,
) -> list[Pair]:
    ids = primary_ids(kb)
    gold = [of_types(document, recipe.only) for document in documents]
    bare = [blank(document) for document in gold]
    found = list[Pair]()
    for document, one, other in zip(gold, named.pipe(bare), read.pipe(bare), strict=True):
        for mention, *both in zip(document.mentions, one.mentions, other.mentions, strict=True):
            answer = frozenset(ids.get(id, id) for id in mention.ids)
            found.append(Pair(document.id, answer, *both))
    return found


def _training_data(folder: Path) -> list[str]:
    """What a model folder was trained on: "bc5cdr train"."""
    config = manifest_of(folder).config
    return [str(part) for part in config.get("training_data") or config.get("fitted_on") or ()]
