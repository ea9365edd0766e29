"""Trains the ranked linker of a recipe and writes it as a model folder.

The ranker is fitted on the recipe's training splits and its temperature on the split to select on;
then it is fitted again on all of them, with that temperature. Names that the training documents
use are remembered only if the recipe says so. No document remembers itself while fitting.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from holdfast import artifacts
from holdfast.corpora.named import CORPORA, load_training
from holdfast.corpora.named.biosyn import LenientMention
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.evaluate.lenient_base import LenientBase, lenient_base, training_mentions, used_names
from holdfast.evaluate.recipe import Recipe
from holdfast.evaluate.recipe_kb import kb_of, primary_ids
from holdfast.kb.build import Progress
from holdfast.kb.store import KnowledgeBase
from holdfast.link.candidates import CandidateFinder
from holdfast.link.dense_names import dense_index_of
from holdfast.link.features import FeatureMaker
from holdfast.link.queries import Query
from holdfast.link.ranker import KIND, PARTS, VERSION, Ranker
from holdfast.link.shipped import shipped_encoder
from holdfast.link.used_names import UsedNames, collect_used_names
from holdfast.names.dense import DenseIndex
from holdfast.training.ranker import (
    Examples,
    Reading,
    Settings,
    collect_examples,
    fit_ranker,
    fit_temperature,
    read_documents,
)
from holdfast.types import canonical_type


@dataclass(frozen=True, slots=True)
class Material:
    """What a ranker is fitted on, and the names that its documents use."""

    readings: tuple[Reading, ...]
    used: UsedNames


OfSplits = Callable[[Sequence[str]], Material]


def train_ranked_linker(
    recipe: Recipe, *, data: Path, out: Path, progress: Progress, settings: Settings | None = None
) -> None:
    """Train what the recipe describes and put the model folder at `out`."""
    if not recipe.fit or not recipe.select:
        raise UsageError(f"recipe {recipe.name!r} trains nothing: it has no fit and select")
    if unknown := set(recipe.without) - set(PARTS):
        raise UsageError(f"recipe {recipe.name!r}: no part is called {min(unknown)!r}")
    chosen = settings or Settings()
    material = _lenient_material if recipe.protocol == "lenient" else _document_material
    kb, of_splits = material(recipe, data, progress)
    dense = None
    if "dense" not in recipe.without:
        dense = dense_index_of(kb, shipped_encoder(), progress=lambda p: progress("encoding", p))
    fitter = _Fitter(kb, dense, recipe.without, bool(recipe.training_names), chosen)
    progress("fitting on the training splits", 0.3)
    fitted, selected = of_splits(recipe.fit), of_splits((recipe.select,))
    first = fitter.fit(fitted)
    progress("fitting the temperature", 0.5)
    calibrated = fit_temperature(first, fitter.examples(selected.readings, fitted.used, own=True))
    progress("fitting on all splits", 0.6)
    everything = of_splits((*recipe.fit, recipe.select))
    final = fitter.fit(everything)
    with artifacts.publish(out) as scratch:
        replace(final, temperature=calibrated.temperature).save(scratch)
        if recipe.training_names:
            everything.used.save(scratch)
        artifacts.write_manifest(
            scratch,
            kind=KIND,
            version=VERSION,
            config={
                "recipe": recipe.name,
                "training_data": [f"{recipe.corpus} {s}" for s in (*recipe.fit, recipe.select)],
                "licence": CORPORA[_corpus(recipe)].licence,
                "settings": asdict(chosen),
                "without": list(recipe.without),
                "encoder": dense.encoder.digest if dense else "",
                "kb": kb.name,
                "kb_digest": kb.manifest.digest,
            },
        )


@dataclass(frozen=True, slots=True)
class _Fitter:
    kb: KnowledgeBase
    dense: DenseIndex | None
    without: Collection[str]
    remembers: bool
    settings: Settings

    def fit(self, material: Material) -> Ranker:
        examples = self.examples(material.readings, material.used, own=False)
        return fit_ranker(examples, self.settings)

    def examples(self, readings: Iterable[Reading], used: UsedNames, *, own: bool) -> Examples:
        finder = CandidateFinder(
            self.kb,
            used=used if self.remembers else None,
            dense=self.dense,
            ngrams="ngram" not in self.without,
        )
        maker = FeatureMaker(
            finder, memory="memory" not in self.without, context="context" not in self.without
        )
        return collect_examples(readings, finder, maker, own_uses=own)


def _document_material(
    recipe: Recipe, data: Path, progress: Progress
) -> tuple[KnowledgeBase, OfSplits]:
    kb = kb_of(replace(recipe, training_names=()), data=data, progress=progress)
    abbreviations = "abbreviations" not in recipe.without

    def of_splits(splits: Sequence[str]) -> Material:
        documents = _documents(recipe, splits, kb, data)
        readings = read_documents(documents, abbreviations=abbreviations)
        return Material(tuple(readings), collect_used_names(documents, kb))

    return kb, of_splits


def _lenient_material(
    recipe: Recipe, data: Path, progress: Progress
) -> tuple[KnowledgeBase, OfSplits]:
    base = lenient_base(recipe, data=data, progress=progress)

    def of_splits(splits: Sequence[str]) -> Material:
        mentions = training_mentions(recipe, splits, data=data)
        return Material(tuple(_read_mentions(mentions, base)), used_names(mentions, base))

    return base.kb, of_splits


def _read_mentions(mentions: Iterable[LenientMention], base: LenientBase) -> Iterator[Reading]:
    """Each mention of one part alone, as the protocol looks it up."""
    for mention in mentions:
        answers = frozenset(base.entity_of[id] for id in mention.ids if id in base.entity_of)
        if len(mention.parts) == 1 and answers:
            yield Reading(mention.document_id, (Query(mention.parts[0]),), (answers,))


def _corpus(recipe: Recipe) -> str:
    return "ncbi-disease" if recipe.corpus == "ncbi-disease" else "bc5cdr"


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
