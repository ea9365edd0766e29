"""Trains the ranked linker of a recipe and writes it as a model folder.

The ranker is fitted on the recipe's training splits and its temperature on the split to select on;
then it is fitted again on all of them, with that temperature. Names that the training documents
use are remembered only if the recipe says so. No document remembers itself while fitting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from holdfast import artifacts, types
from holdfast.corpora.named import CORPORA, load_training
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.evaluate.recipe import Recipe
from holdfast.evaluate.recipe_kb import kb_of, primary_ids
from holdfast.kb.build import Progress
from holdfast.kb.store import KnowledgeBase
from holdfast.link.candidates import CandidateFinder
from holdfast.link.ranker import KIND, VERSION, Ranker
from holdfast.link.used_names import UsedNames, collect_used_names
from holdfast.training.ranker import Settings, collect_examples, fit_ranker, fit_temperature
from holdfast.types import canonical_type


def train_ranked_linker(
    recipe: Recipe, *, data: Path, out: Path, progress: Progress, settings: Settings | None = None
) -> None:
    """Train what the recipe describes and put the model folder at `out`."""
    if not recipe.fit or not recipe.select:
        raise UsageError(f"recipe {recipe.name!r} trains nothing: it has no fit and select")
    chosen = settings or Settings()
    kb = kb_of(replace(recipe, training_names=()), data=data, progress=progress)
    fitted = _documents(recipe, recipe.fit, kb, data)
    selected = _documents(recipe, (recipe.select,), kb, data)
    remembers = bool(recipe.training_names)
    progress("fitting on the training splits", 0.3)
    first = _fit(fitted, kb, chosen, remembers=remembers)
    progress("fitting the temperature", 0.5)
    finder = _finder(kb, collect_used_names(fitted, kb) if remembers else None)
    calibrated = fit_temperature(first, collect_examples(selected, finder, own_uses=True))
    progress("fitting on all splits", 0.6)
    everything = [*fitted, *selected]
    final = _fit(everything, kb, chosen, remembers=remembers)
    with artifacts.publish(out) as scratch:
        replace(final, temperature=calibrated.temperature).save(scratch)
        if remembers:
            collect_used_names(everything, kb).save(scratch)
        artifacts.write_manifest(
            scratch,
            kind=KIND,
            version=VERSION,
            config={
                "recipe": recipe.name,
                "training_data": [f"{recipe.corpus} {s}" for s in (*recipe.fit, recipe.select)],
                "licence": CORPORA[recipe.corpus].licence,
                "settings": asdict(chosen),
                "kb": kb.name,
                "kb_digest": kb.manifest.digest,
            },
        )


def _fit(
    documents: Sequence[Document], kb: KnowledgeBase, settings: Settings, *, remembers: bool
) -> Ranker:
    finder = _finder(kb, collect_used_names(documents, kb) if remembers else None)
    return fit_ranker(collect_examples(documents, finder, own_uses=False), settings)


def _finder(kb: KnowledgeBase, used: UsedNames | None) -> CandidateFinder:
    return CandidateFinder(kb, wanted=types.mask_of(None), used=used)


def _documents(
    recipe: Recipe, splits: Sequence[str], kb: KnowledgeBase, data: Path
) -> list[Document]:
    """Without those of the evaluated split, with primary ids and only mentions that count."""
    mixture = [(recipe.corpus, split) for split in splits]
    training = load_training(mixture, evaluated=[(recipe.corpus, recipe.split)], data=data)
    ids = primary_ids(kb)
    wanted = {canonical_type(type) for type in recipe.only}
    return [
        document.with_mentions(
            replace(mention, ids=tuple(dict.fromkeys(ids.get(id, id) for id in mention.ids)))
            for mention in document.mentions
            if not wanted or canonical_type(mention.type) in wanted
        )
        for document in training.documents
    ]
