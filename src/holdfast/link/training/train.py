"""Trains the ranked linker of a recipe and writes it as a model folder.

The ranker is fitted on documents that the encoder has not seen, and no document remembers its own
names: what an encoder was trained on, or a memory holds, looks better than what they will meet.
For the same reason the temperature is fitted on halves of the documents, each ranked by what was
fitted on the other. The finished linker works with the encoder that ships.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from holdfast import artifacts
from holdfast.corpora.named import corpus_named, load_training
from holdfast.corpora.named.biosyn import LenientMention
from holdfast.corpora.named.splits import (
    TypedSplit,
    is_file,
    parse_split,
    parse_splits,
    split_name,
)
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
from holdfast.link.training.measure import measure_on_select
from holdfast.link.training.ranker import (
    Examples,
    FitConfig,
    GoldMentions,
    collect_examples,
    fit_calibrated,
    read_documents,
)
from holdfast.link.training.start import Start
from holdfast.models import find_model
from holdfast.names.dense import DenseIndex
from holdfast.progress import Log, Progress
from holdfast.types import canonical_type


@dataclass(frozen=True, slots=True)
class RankerData:
    """What a ranker is fitted on, and the names that the linker remembers."""

    kb: KnowledgeBase
    readings: tuple[GoldMentions, ...]
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
    start: str = ""  # a linker whose names stay, and whose ranking does unless a new one is better
    fit: FitConfig = field(default_factory=FitConfig)

    def __post_init__(self) -> None:
        if unknown := set(self.without) - set(PARTS):
            raise ValueError(f"no part is called {min(unknown)!r}; there is: {', '.join(PARTS)}")


def train_ranked_linker(
    recipe: Recipe,
    *,
    data: Path,
    out: Path,
    encoder: Path | None = None,
    report: Log = print,
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
    start = Start.open(config.start, without=config.without) if config.start else None
    if start is not None:
        material = replace(material, used=start.names_with(material.used, material.kb))
    dense = _dense_index(recipe, config, material.kb, encoder, progress)
    progress("collecting features", 0.3)
    examples = _examples(config, dense, material)
    progress("fitting", 0.7)
    ranker = fit_calibrated(examples, config.fit, rival=start.ranker if start else None)
    described = _described(recipe, config, material.kb, dense)
    if start is not None:
        report(start.describe(ranker))
        described |= start.description(ranker, recipe.name)
    with artifacts.publish(out) as scratch:
        ranker.save(scratch)
        if config.names_of:
            material.used.save(scratch)
        artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=described)
        if recipe.trained.select:
            described["results"] = measure_on_select(
                recipe, scratch, start=config.start, only=config.only, data=data, report=report
            )
            artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=described)


def _reported(report: Log) -> Progress:
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
    licences = dict.fromkeys(corpus_named(_documents_corpus(name)).licence for name in corpora)
    used = {
        "model": config.use_encoder,
        "digest": open_name_encoder(find_model(config.use_encoder)).digest if dense else "",
    }
    return {
        "recipes": [recipe.name],
        "training_data": [Path(on).name if is_file(on) else on for on in recipe.trained.on],
        "names_of": [split_name(p.split) for p in _parts(config.names_of, recipe, config)],
        "licence": "; ".join(licences),
        "settings": asdict(config.fit),
        "without": list(config.without),
        "encoder": used if dense else None,
        "fitted_with": dense.encoder.digest if dense else None,
        "kb": kb.name,
        "kb_digest": kb.manifest.digest,
    }


def _examples(config: RankerConfig, dense: DenseIndex | None, material: RankerData) -> Examples:
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


def _strict(recipe: Recipe, config: RankerConfig, data: Path, progress: Progress) -> RankerData:
    kb = kb_of(recipe, data=data, progress=progress)
    abbreviations = "abbreviations" not in config.without
    selected = [recipe.trained.select] if recipe.trained.select else []
    unseen = dict.fromkeys([*recipe.trained.held_out, *selected])
    evaluated = [*recipe.evaluated, *parse_splits(unseen)]
    ids = gold_ids(recipe, kb, data=data)
    fitted = _parts(recipe.trained.on, recipe, config)
    documents = _documents(fitted, ids, data, evaluated=evaluated)
    readings = list(read_documents(documents, abbreviations=abbreviations))
    if config.typed:
        readings += read_documents(documents, abbreviations=abbreviations, typed=True)
    remembered = _parts(config.names_of, recipe, config)
    known = _documents(remembered, ids, data, evaluated=evaluated)
    return RankerData(kb, tuple(readings), collect_used_names(known, kb))


def _lenient(recipe: Recipe, config: RankerConfig, data: Path, progress: Progress) -> RankerData:
    base = lenient_base(recipe, data=data, progress=progress)
    mentions = training_mentions(recipe, recipe.trained.on, data=data)
    known = training_mentions(recipe, config.names_of, data=data)
    return RankerData(base.kb, tuple(_read_mentions(mentions, base)), used_names(known, base))


def _parts(texts: Iterable[str], recipe: Recipe, config: RankerConfig) -> Iterator[TypedSplit]:
    """The splits, each with the canonical types of mentions that count in it."""
    own = recipe.evaluate.corpus if recipe.evaluate else ""
    for text in texts:
        part = parse_split(text, own=own)
        only = part.only or config.only
        yield TypedSplit(part.split, tuple(canonical_type(type) for type in only))


def _read_mentions(mentions: Iterable[LenientMention], base: LenientBase) -> Iterator[GoldMentions]:
    """Each mention of one part alone, as the protocol looks it up."""
    for mention in mentions:
        answers = frozenset(base.entity_of[id] for id in mention.ids if id in base.entity_of)
        if len(mention.parts) == 1 and answers:
            yield GoldMentions(mention.document_id, (Query(mention.parts[0]),), (answers,))


def _documents_corpus(corpus: str) -> str:
    """The lenient files of two types are one corpus of documents."""
    return "bc5cdr" if corpus.startswith("bc5cdr") else corpus


def _documents(
    parts: Iterable[TypedSplit],
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
