"""Trains the ranked linker of a recipe and writes it as a model folder.

The ranker is fitted on documents that the encoder has not seen, and no document remembers its own
names: what an encoder was trained on, or a memory holds, looks better than what they will meet.
For the same reason the temperature is fitted on halves of the documents, each ranked by what was
fitted on the other. The finished linker works with the encoder that ships.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from holdfast import artifacts
from holdfast.corpora.named import CORPORA, load_training
from holdfast.corpora.named.biosyn import LenientMention
from holdfast.document import Document
from holdfast.encoders.names import NameEncoder
from holdfast.errors import UsageError
from holdfast.experiments.lenient_base import (
    LenientBase,
    lenient_base,
    training_mentions,
    used_names,
)
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import gold_ids, kb_of
from holdfast.kb.build import Progress
from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking.candidates import CandidateFinder
from holdfast.link.ranking.dense_names import dense_index_of
from holdfast.link.ranking.features import FeatureMaker
from holdfast.link.ranking.queries import Query
from holdfast.link.ranking.ranker import KIND, PARTS, VERSION
from holdfast.link.ranking.shipped import shipped_encoder
from holdfast.link.ranking.used_names import UsedNames, collect_used_names
from holdfast.link.training.ranker import (
    Examples,
    Reading,
    Settings,
    collect_examples,
    fit_calibrated,
    read_documents,
)
from holdfast.names.dense import DenseIndex
from holdfast.types import canonical_type


@dataclass(frozen=True, slots=True)
class Material:
    """What a ranker is fitted on, and the names that the linker remembers."""

    kb: KnowledgeBase
    readings: tuple[Reading, ...]
    used: UsedNames


def train_ranked_linker(
    recipe: Recipe,
    *,
    data: Path,
    out: Path,
    encoder: NameEncoder | None,  # that has not seen the `fit` documents; None: without dense
    progress: Progress,
    settings: Settings | None = None,
) -> None:
    """Train what the recipe describes and put the model folder at `out`."""
    if not recipe.fit:
        raise UsageError(f"recipe {recipe.name!r} trains nothing: it has no fit")
    if unknown := set(recipe.without) - set(PARTS):
        raise UsageError(f"recipe {recipe.name!r}: no part is called {min(unknown)!r}")
    if encoder is None and "dense" not in recipe.without:
        raise UsageError(f"recipe {recipe.name!r} needs an encoder to fit with")
    chosen = settings or Settings(forgetful=recipe.forgetful)
    read = _lenient if recipe.protocol == "lenient" else _strict
    material = read(recipe, data, progress)
    kb = material.kb
    dense = None
    if encoder is not None and "dense" not in recipe.without:
        dense = dense_index_of(kb, encoder, progress=lambda part: progress("encoding", 0.3 * part))
    progress("features", 0.3)
    examples = _examples(recipe, dense, material)
    progress("fitting", 0.7)
    ranker = fit_calibrated(examples, chosen)
    with artifacts.publish(out) as scratch:
        ranker.save(scratch)
        if recipe.training_names:
            material.used.save(scratch)
        artifacts.write_manifest(
            scratch,
            kind=KIND,
            version=VERSION,
            config={
                "recipe": recipe.name,
                "fitted_on": list(recipe.fit),
                "names_of": [
                    " ".join(part.split) for part in _parts(recipe.training_names, recipe)
                ],
                "licence": CORPORA[_documents_corpus(recipe.corpus)].licence,
                "settings": asdict(chosen),
                "without": list(recipe.without),
                "encoder": shipped_encoder().digest if dense else "",
                "fitted_with": dense.encoder.digest if dense else "",
                "kb": kb.name,
                "kb_digest": kb.manifest.digest,
            },
        )


def _examples(recipe: Recipe, dense: DenseIndex | None, material: Material) -> Examples:
    finder = CandidateFinder(
        material.kb,
        used=material.used if recipe.training_names else None,
        dense=dense,
        ngrams="ngram" not in recipe.without,
    )
    maker = FeatureMaker(
        finder, memory="memory" not in recipe.without, context="context" not in recipe.without
    )
    return collect_examples(material.readings, finder, maker)


def _strict(recipe: Recipe, data: Path, progress: Progress) -> Material:
    kb = kb_of(replace(recipe, training_names=()), data=data, progress=progress)
    abbreviations = "abbreviations" not in recipe.without
    held_out = [part.split for part in _parts(recipe.held_out, recipe)]
    evaluated = [(recipe.corpus, recipe.split), *held_out]
    ids = gold_ids(recipe, kb, data=data)
    documents = _documents(_parts(recipe.fit, recipe), ids, data, evaluated=evaluated)
    readings = list(read_documents(documents, abbreviations=abbreviations))
    if recipe.typed:
        readings += read_documents(documents, abbreviations=abbreviations, typed=True)
    known = _documents(_parts(recipe.training_names, recipe), ids, data, evaluated=evaluated)
    return Material(kb, tuple(readings), collect_used_names(known, kb))


def _lenient(recipe: Recipe, data: Path, progress: Progress) -> Material:
    base = lenient_base(recipe, data=data, progress=progress)
    mentions = training_mentions(recipe, recipe.fit, data=data)
    known = training_mentions(recipe, recipe.training_names, data=data)
    return Material(base.kb, tuple(_read_mentions(mentions, base)), used_names(known, base))


@dataclass(frozen=True, slots=True)
class _Part:
    """A split of a corpus, or its mentions of some types."""

    split: tuple[str, str]
    only: tuple[str, ...]


def _parts(texts: Iterable[str], recipe: Recipe) -> Iterator[_Part]:
    """ "dev", "bc5cdr dev" and "biored train Gene,Species" in one form."""
    for text in texts:
        words = text.split()
        if len(words) == 1:
            words = [recipe.corpus, *words]
        if len(words) > 3:
            raise UsageError(f"{text!r}: write a corpus, a split and perhaps types")
        only = words[2].split(",") if len(words) == 3 else recipe.only
        yield _Part((words[0], words[1]), tuple(canonical_type(type) for type in only))


def _read_mentions(mentions: Iterable[LenientMention], base: LenientBase) -> Iterator[Reading]:
    """Each mention of one part alone, as the protocol looks it up."""
    for mention in mentions:
        answers = frozenset(base.entity_of[id] for id in mention.ids if id in base.entity_of)
        if len(mention.parts) == 1 and answers:
            yield Reading(mention.document_id, (Query(mention.parts[0]),), (answers,))


def _documents_corpus(corpus: str) -> str:
    """The lenient files of two types are one corpus of documents."""
    return "bc5cdr" if corpus.startswith("bc5cdr") else corpus


def _documents(
    parts: Iterable[_Part],
    ids: Mapping[str, str],
    data: Path,
    *,
    evaluated: Sequence[tuple[str, str]],
) -> list[Document]:
    """Without those of evaluated splits, with primary ids and only mentions that count."""
    documents = list[Document]()
    for part in parts:
        training = load_training([part.split], evaluated=evaluated, data=data)
        documents += (
            document.with_mentions(
                replace(mention, ids=tuple(dict.fromkeys(ids.get(id, id) for id in mention.ids)))
                for mention in document.mentions
                if not part.only or canonical_type(mention.type) in part.only
            )
            for document in training.documents
        )
    return documents
