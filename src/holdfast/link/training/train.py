"""Trains the ranked linker of a recipe and writes it as a model folder.

The ranker is fitted on documents that the encoder has not seen, and no document remembers its own
names: what an encoder was trained on, or a memory holds, looks better than what they will meet.
For the same reason the temperature is fitted on halves of the documents, each ranked by what was
fitted on the other. The finished linker works with the encoder that ships.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from holdfast import artifacts
from holdfast.corpora.named import CORPORA, load_training
from holdfast.corpora.named.biosyn import LenientMention
from holdfast.corpora.named.splits import parse_splits
from holdfast.document import Document
from holdfast.encoders.names import NameEncoder, open_name_encoder
from holdfast.errors import UsageError
from holdfast.experiments.lenient.base import (
    LenientBase,
    lenient_base,
    training_mentions,
    used_names,
)
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import gold_ids, kb_of
from holdfast.experiments.settings import read_config
from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking.candidates import CandidateFinder
from holdfast.link.ranking.dense_names import dense_index_of
from holdfast.link.ranking.features import FeatureMaker
from holdfast.link.ranking.queries import Query
from holdfast.link.ranking.ranker import KIND, PARTS, VERSION
from holdfast.link.ranking.used_names import UsedNames, collect_used_names
from holdfast.link.training.ranker import (
    Examples,
    Reading,
    Settings,
    collect_examples,
    fit_calibrated,
    read_documents,
)
from holdfast.models import find_model
from holdfast.names.dense import DenseIndex
from holdfast.step import Progress
from holdfast.types import canonical_type

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Material:
    """What a ranker is fitted on, and the names that the linker remembers."""

    kb: KnowledgeBase
    readings: tuple[Reading, ...]
    used: UsedNames


@dataclass(frozen=True, slots=True)
class RankerConfig:
    """The settings of a recipe's [train] for a name ranker."""

    encoder: str = ""  # the name encoder to fit with, which has not seen what is fitted on
    use_encoder: str = "encoder"  # the name encoder that the finished linker works with
    only: tuple[str, ...] = ()  # types of mentions that are fitted on; all if there are none
    names_of: tuple[str, ...] = ()  # splits whose mentions the linker remembers as names
    typed: bool = False  # also fit on mentions of known type
    without: tuple[str, ...] = ()  # PARTS that the linker does without
    fit: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        if unknown := set(self.without) - set(PARTS):
            raise ValueError(f"no part is called {min(unknown)!r}; there is: {', '.join(PARTS)}")


def train_ranked_linker(
    recipe: Recipe,
    *,
    data: Path,
    out: Path,
    encoder: Path | None = None,
    report: Report = print,
) -> None:
    """Train what the recipe describes and put the model folder at `out`.

    `encoder` is the folder of a name encoder to fit with instead of the recipe's.
    """
    config = read_config(RankerConfig, recipe)
    if not recipe.trained.on:
        raise UsageError(f"recipe {recipe.name!r}: [train] has nothing to fit `on`")
    progress = _reported(report)
    is_lenient = recipe.evaluate is not None and recipe.evaluate.protocol == "lenient"
    material = (_lenient if is_lenient else _strict)(recipe, config, data, progress)
    dense = _dense_index(recipe, config, material.kb, encoder, progress)
    progress("collecting features", 0.3)
    examples = _examples(config, dense, material)
    progress("fitting", 0.7)
    ranker = fit_calibrated(examples, config.fit)
    with artifacts.publish(out) as scratch:
        ranker.save(scratch)
        if config.names_of:
            material.used.save(scratch)
        described = _described(recipe, config, material.kb, dense)
        artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=described)


def _reported(report: Report) -> Progress:
    """Progress as lines, one for each thing that is done."""
    seen = set[str]()

    def progress(what: str, _done: float) -> None:
        if what not in seen:
            seen.add(what)
            report(what)

    return progress


def _dense_index(
    recipe: Recipe,
    config: RankerConfig,
    kb: KnowledgeBase,
    encoder: Path | None,
    progress: Progress,
) -> DenseIndex | None:
    """The vectors of the names to fit with; None if the linker does without."""
    if "dense" in config.without:
        return None
    if encoder is None and not config.encoder:
        raise UsageError(f"recipe {recipe.name!r} needs an encoder to fit with")
    try:
        folder = encoder or find_model(config.encoder)
    except UsageError as error:
        hint = f"first `holdfast train {config.encoder}`"
        raise UsageError(f"the name encoder {config.encoder!r} is not here; {hint}") from error
    opened = NameEncoder.open(folder)
    return dense_index_of(kb, opened, progress=partial(progress, "encoding names"))


def _described(
    recipe: Recipe, config: RankerConfig, kb: KnowledgeBase, dense: DenseIndex | None
) -> dict[str, Any]:
    """What the manifest says of the model."""
    corpora = dict.fromkeys(part.split[0] for part in _parts(recipe.trained.on, recipe, config))
    licences = dict.fromkeys(CORPORA[_documents_corpus(name)].licence for name in corpora)
    used = {
        "model": config.use_encoder,
        "digest": open_name_encoder(find_model(config.use_encoder)).digest if dense else "",
    }
    return {
        "recipes": [recipe.name],
        "training_data": list(recipe.trained.on),
        "names_of": [" ".join(p.split) for p in _parts(config.names_of, recipe, config)],
        "licence": "; ".join(licences),
        "settings": asdict(config.fit),
        "without": list(config.without),
        "encoder": used if dense else None,
        "fitted_with": dense.encoder.digest if dense else None,
        "kb": kb.name,
        "kb_digest": kb.manifest.digest,
    }


def _examples(config: RankerConfig, dense: DenseIndex | None, material: Material) -> Examples:
    finder = CandidateFinder(
        material.kb,
        used=material.used if config.names_of else None,
        dense=dense,
        ngrams="ngram" not in config.without,
    )
    maker = FeatureMaker(
        finder, memory="memory" not in config.without, context="context" not in config.without
    )
    return collect_examples(material.readings, finder, maker)


def _strict(recipe: Recipe, config: RankerConfig, data: Path, progress: Progress) -> Material:
    kb = kb_of(recipe, data=data, progress=progress)
    abbreviations = "abbreviations" not in config.without
    evaluated = [*recipe.evaluated, *parse_splits(recipe.trained.held_out)]
    ids = gold_ids(recipe, kb, data=data)
    fitted = _parts(recipe.trained.on, recipe, config)
    documents = _documents(fitted, ids, data, evaluated=evaluated)
    readings = list(read_documents(documents, abbreviations=abbreviations))
    if config.typed:
        readings += read_documents(documents, abbreviations=abbreviations, typed=True)
    remembered = _parts(config.names_of, recipe, config)
    known = _documents(remembered, ids, data, evaluated=evaluated)
    return Material(kb, tuple(readings), collect_used_names(known, kb))


def _lenient(recipe: Recipe, config: RankerConfig, data: Path, progress: Progress) -> Material:
    base = lenient_base(recipe, data=data, progress=progress)
    mentions = training_mentions(recipe, recipe.trained.on, data=data)
    known = training_mentions(recipe, config.names_of, data=data)
    return Material(base.kb, tuple(_read_mentions(mentions, base)), used_names(known, base))


@dataclass(frozen=True, slots=True)
class _Part:
    """A split of a corpus, or its mentions of some types."""

    split: tuple[str, str]
    only: tuple[str, ...]


def _parts(texts: Iterable[str], recipe: Recipe, config: RankerConfig) -> Iterator[_Part]:
    """ "dev", "bc5cdr dev" and "biored train Gene,Species" in one form."""
    for text in texts:
        words = text.split()
        if len(words) == 1:
            words = [recipe.measured.corpus, *words]
        if len(words) > 3:
            raise UsageError(f"{text!r}: write a corpus, a split and perhaps types")
        only = words[2].split(",") if len(words) == 3 else config.only
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
